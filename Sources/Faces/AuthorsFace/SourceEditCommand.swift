import AggregatorCommand
import AggregatorCore
import Asking
import Authoring
import Platform
import Services

/// `source edit NAME`: changes the file of a source in the person's editor. The file is replaced only once the new text is sound.
enum SourceEditCommand {
  static let command = Command(
    ["source", "edit"], .one(.sourceOrFile),
    "change the file of a source in $VISUAL or $EDITOR; it is checked first, and a mistake can be edited again",
    examples: ["source edit pokemon", "source edit pokemon.json"]
  ) { invocation in
    let (contents, _) = try invocation.manifest(named: invocation.arguments[0])
    let editor = try editor(for: contents, invocation)
    let draft = try ManifestDraft(of: contents, below: invocation.program.environment["TMPDIR"] ?? "/tmp")
    while true {
      guard run(editor, on: draft, invocation) else {
        invocation.tell("the editor failed: \(editor); nothing was changed")
        draft.remove()
        return .failure
      }
      var bytes: [UInt8] = []
      do {
        bytes = try draft.read()
        if bytes == contents.bytes {
          invocation.say("nothing was changed")
        } else {
          try replace(contents, by: bytes, invocation)
        }
        draft.remove()
        return .success
      } catch let error as SourceError {
        invocation.tell(failure: error.placed(in: bytes, of: contents.manifest.file).ending(invocation))
        let answer = invocation.program.console.answer(to: "edit it again? [Y/n] ")?.lowercased() ?? "n"
        if ["", "y", "yes"].contains(answer) { continue }
        invocation.tell("\(contents.manifest.file) is left as it was; the new text is in \(draft.path)")
        return .settings
      }
    }
  }

  private static func editor(for contents: ManifestContents, _ invocation: Invocation) throws -> String {
    let (program, name) = (invocation.program, Paths.quoted(invocation.arguments[0]))
    guard program.console.isInputTerminal, program.console.isOutputTerminal, program.console.isErrorTerminal else {
      throw UsageError(
        "source edit needs a terminal; change \(contents.manifest.file) in another way, and type '\(program.name) source check \(name)'"
      )
    }
    let named = ["VISUAL", "EDITOR"].compactMap { program.environment[$0]?.trimmingSpaces }.first { !$0.isEmpty }
    guard let named else {
      throw UsageError("neither VISUAL nor EDITOR names an editor; type EDITOR=nano \(program.name) source edit \(name)")
    }
    return named
  }

  /// Runs the editor, and returns true if it ended well. The value is a shell line, as it is for other programs.
  private static func run(_ editor: String, on draft: ManifestDraft, _ invocation: Invocation) -> Bool {
    var environment = invocation.program.environment
    // An editor has no use for keys.
    for key in invocation.program.catalogue.settings where key.isSecret { environment[key.name] = nil }
    return Child.attended("/bin/sh", ["-c", "\(editor) \"$@\"", editor, draft.path], environment: environment) == 0
  }

  /// Checks the new text as `source check` does, and writes it into the file. The file keeps its permission if it wants what it wanted
  /// before. What it wants only now is asked for.
  private static func replace(_ old: ManifestContents, by bytes: [UInt8], _ invocation: Invocation) throws {
    let (program, file) = (invocation.program, old.manifest.file)
    let new = try ManifestContents(bytes, at: file)
    for source in new.manifest.sources {
      _ = try new.manifest.source(source.name)
      try new.manifest.checkRecording(of: source.name)
    }
    try program.manifests.check(new, changing: old, in: program.catalogue, reserved: CommandTable.reserved)
    var isAllowed = program.manifests.permissions.state(of: old) == .allowed
    if new.manifest.needsPermission, !old.manifest.needsPermission || new.manifest.wants != old.manifest.wants {
      isAllowed = try invocation.confirms(Printable.clean("\(file) wants to \(new.manifest.wants). Let it do that?"))
    }
    try program.manifests.replace(old, with: bytes, allowing: isAllowed, beside: program.catalogue)
    let (before, after) = (old.manifest.sources.map(\.name), new.manifest.sources.map(\.name))
    invocation.say("changed \(file), which describes \(after.joined(separator: ", "))")
    for name in before where !after.contains(name) {
      invocation.say("\(name) is gone from it; what is stored of \(name) stays")
    }
    if new.manifest.needsPermission, !isAllowed {
      invocation.say("it may not \(new.manifest.wants) yet; type '\(program.name) source allow \(after[0])' to let it")
    }
    try invocation.including(new).sayWhatIsMissing(for: new.manifest)
  }
}

/// A copy of a manifest for an editor, in a folder that only this person can open.
private struct ManifestDraft {
  let path: String

  init(of contents: ManifestContents, below parent: String) throws {
    var template = Array(Paths.join(parent, "aggregator-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SourceError(.storage, "cannot make a folder for the copy: \(SystemFiles.reason(errno))")
    }
    let folder = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    path = Paths.join(folder, contents.manifest.file.split(separator: "/").last.map(String.init) ?? "source.json")
    do throws(FileProblem) {
      try SystemFiles().replace(path, with: contents.bytes, ending: ".part", permissions: 0o600)
    } catch {
      throw SourceError(.storage, "cannot write \(path): \(error.reason)")
    }
  }

  func read() throws(SourceError) -> [UInt8] {
    do throws(FileProblem) { return try SystemFiles().read(path, upTo: 16 << 20).bytes } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)")
    }
  }

  func remove() {
    unlink(path)
    rmdir(Paths.folder(of: path))
  }
}
