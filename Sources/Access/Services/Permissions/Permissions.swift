package import AggregatorCore
import Logins
import Platform
import Programs

/// The permissions that a person gave to manifests. A manifest that wants keys or plain settings, or asks without encryption, sends nothing
/// before its file was allowed in its present state.
package struct Permissions: Sendable {
  /// The path of the file with the permissions; nil if its folder is unknown, and then nothing can be allowed.
  private let file: String?

  /// The permissions noted in the folder for a program's state.
  init(in folder: String?) { file = folder.map { Paths.join($0, "allowed.json") } }

  // MARK: - Asking

  /// The state of a file's permissions.
  package enum State: Sendable, Hashable {
    case notNeeded, allowed, changed, missing
  }

  /// Returns the state of the permissions of this file.
  package func state(of contents: ManifestContents) -> State {
    guard contents.manifest.needsPermission else { return .notNeeded }
    guard let grant = grants()[Self.resolvedPath(contents)] else { return .missing }
    guard grant["digest"] == .text(SHA256.hex(contents.bytes)) else { return .changed }
    return Self.changedProgram(of: contents.manifest, since: grant) == nil ? .allowed : .changed
  }

  /// Returns the file of a program that is another one than was allowed; nil if all are the same, or if the program is not there.
  private static func changedProgram(of manifest: Manifest, since grant: Value) -> String? {
    let allowed = grant["programs"]?.list ?? []
    return manifest.programFiles.first { path in
      guard let file = allowed.first(where: { $0["path"] == .text(path) }) else { return true }
      // Most often the file was not touched, and need not be read.
      return file["stamp"] != .text(stamp(of: path)) && file["digest"] != .text(digest(of: path))
    }
  }

  /// Returns a text that is another one after most changes of a file.
  private static func stamp(of path: String) -> String {
    var status = stat()
    guard stat(path, &status) == 0 else { return "-" }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return "\(status.st_dev) \(status.st_ino) \(status.st_size) \(time.tv_sec).\(time.tv_nsec)"
  }

  /// Returns the digest of a file's contents; of a file that is too large to read, its stamp.
  private static func digest(of path: String) -> String {
    (try? SystemFiles().read(path, upTo: 64 << 20).bytes).map { SHA256.hex($0) } ?? stamp(of: path)
  }

  /// Throws if the file is not allowed; `name` is what a person calls the source or the file. `others` are sources that lack leave too, which
  /// the error names: a copied folder of settings comes without any leave.
  package func check(
    _ contents: ManifestContents, beside catalogue: Catalogue, asking name: String, others: () -> [String] = { [] }
  )
    throws(SourceError)
  {
    try refuseOthers(contents, beside: catalogue)
    let manifest = contents.manifest
    switch state(of: contents) {
    case .notNeeded, .allowed: return
    case .changed:
      let program = grants()[Self.resolvedPath(contents)].flatMap { Self.changedProgram(of: manifest, since: $0) }
      throw SourceError(
        .settings, "\(program ?? manifest.file) has changed since it was allowed; \(manifest.nothingWasDone)",
        remedy: .allow(name))
    case .missing:
      guard file != nil else { throw Self.homeless }
      throw SourceError(
        .settings, "\(manifest.file) was not allowed to \(manifest.wants); \(manifest.nothingWasDone)",
        remedy: .allow(all: [name] + others().filter { $0 != name }))
    }
  }

  /// Throws if a manifest asks for the key of a built-in source, or for a key that another file has for another host.
  package func refuseOthers(_ contents: ManifestContents, beside catalogue: Catalogue) throws(SourceError) {
    let manifest = contents.manifest
    for setting in manifest.settings {
      guard let owner = catalogue.owner(ofKey: setting.name) else { continue }
      throw SourceError(
        .settings, "\(manifest.file) asks for \(setting.name), the key of \(owner), and does not get it",
        remedy: "give the setting another name in that file")
    }
    let path = Self.resolvedPath(contents)
    for (other, grant) in grants().sorted(by: { $0.key < $1.key })
    where other != path && grant["host"] != .text(manifest.host) && access(other, F_OK) == 0 {
      let keys = (grant["keys"]?.list ?? []).compactMap(\.text)
      guard let name = keys.first(where: manifest.settings.map(\.name).contains) else { continue }
      let host = grant["host"]?.text ?? "another host"
      throw SourceError(
        .settings, "\(manifest.file) asks for \(name), the key of \(other) for \(host), and does not get it",
        remedy: "give the setting another name in one of the files")
    }
  }

  private static var homeless: SourceError {
    SourceError(.settings, "nothing can be allowed: neither XDG_STATE_HOME nor HOME names a folder", remedy: "set one of them")
  }

  /// Returns the resolved path of the file, whatever path it was given by.
  private static func resolvedPath(_ contents: ManifestContents) -> String { Paths.resolved(contents.manifest.file) }

  // MARK: - Giving and taking

  /// Gives permissions to the file in its present state.
  package func allow(_ contents: ManifestContents, beside catalogue: Catalogue) throws(SourceError) {
    try refuseOthers(contents, beside: catalogue)
    guard contents.manifest.needsPermission else { return }
    let manifest = contents.manifest
    let programs = manifest.programFiles.map { path -> Value in
      ["path": .text(path), "stamp": .text(Self.stamp(of: path)), "digest": .text(Self.digest(of: path))]
    }
    let grant: Value = .object(leavingOutNil: [
      "digest": .text(SHA256.hex(contents.bytes)), "host": .text(manifest.host),
      "keys": .list(manifest.keys.flatMap(\.settings).map { .text($0.name) }),
      "settings": .list(manifest.texts.map { .text($0.name) }),
      "programs": programs.isEmpty ? nil : .list(programs),
    ])
    try change { $0[Self.resolvedPath(contents)] = grant }
  }

  /// Takes back the permissions of the file.
  package func withdraw(from contents: ManifestContents) throws(SourceError) {
    let path = Self.resolvedPath(contents)
    if grants()[path] != nil { try change { $0[path] = nil } }
  }

  private func change(_ change: (inout [String: Value]) -> Void) throws(SourceError) {
    guard let file else { throw Self.homeless }
    let folder = Paths.folder(of: file)
    do {
      try SystemFiles().makeFolder(folder)
      try SystemFiles().alone(in: folder) {
        var grants = grants()
        change(&grants)
        let files = grants.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: $0.value) }
        let document: Value = ["files": .object(files)]
        try SystemFiles().replace(file, with: document.bytes + [Byte.newline], ending: ".part")
      }
    } catch {
      throw SourceError(.storage, "cannot write \(file): \((error as? FileProblem)?.reason ?? "\(error)")")
    }
  }

  /// Returns the permissions of each file, by its path. If it cannot be read, nothing is allowed.
  private func grants() -> [String: Value] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes,
      let files = try? JSON(bytes).value["files"]?.members
    else { return [:] }
    return files.reduce(into: [:]) { $0[$1.name] = $1.value }
  }
}

// MARK: - The wants of a manifest

extension Manifest {
  /// The receivers of what it sends: the origin, unless a person sets another address, and those of logins; or the programs.
  package var host: String {
    guard address != nil else { return programNames }
    return ([service] + logins.flatMap { [$0.tokens, $0.page].compactMap { $0?.origin.description } })
      .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }.joined(separator: " and ")
  }

  private var service: String {
    address.map { address in address.defaultValue.flatMap { WebAddress($0)?.origin.description } ?? "what \(address.name) names"
    } ?? ""
  }

  private var logins: [OAuth] { keys.compactMap(\.oauth) }

  /// The permission that it wants, in words: `send PORTS_TOKEN to https://ports.example`, `start tap-ports`.
  package var wants: String {
    let names = (keys.map(\.setting.name) + texts.map(\.name)).joined(separator: ", ")
    let receiver = address == nil ? programNames : service
    let logins = logins.map { login in
      ", and log in at \(login.tokens.origin) with \(login.settings.map(\.name).joined(separator: " and "))"
    }.joined()
    let sending =
      (names.isEmpty ? "ask \(receiver)" : "send \(names) to \(receiver)") + (isInsecure ? " without encryption" : "") + logins
    guard !programs.isEmpty else { return sending }
    let starting = "start \(programNames)"
    guard address == nil else { return "\(starting), and \(sending)" }
    return names.isEmpty ? starting : "\(starting) and give it \(names)"
  }

  /// The programs, with the paths at which they are found now.
  private var programNames: String {
    var names: [String] = []
    for program in programs {
      let words =
        [program.path(in: Paths.folder(of: file), searching: Self.searched) ?? program.command[0]] + program.command.dropFirst()
      let name = words.joined(separator: " ")
      if !names.contains(name) { names.append(name) }
    }
    return names.joined(separator: ", ")
  }

  /// The files that its programs consist of, as far as their commands name them.
  fileprivate var programFiles: [String] {
    programs.flatMap { $0.files(in: Paths.folder(of: file), searching: Self.searched) }
  }

  private static var searched: String { ProgramCall.searchedFolders }

  fileprivate var nothingWasDone: String { programs.isEmpty ? "nothing was sent" : "nothing was started" }
}
