package import AggregatorCore
import Platform

/// What a person allowed manifests to do. One that wants keys or plain settings sends nothing before its file was allowed, as it is then.
public struct Leave: Sendable {
  /// Where it is noted; nil where no folder for it is known, and then nothing can be allowed.
  private let file: String?

  /// What is noted in the folder for a program's state.
  init(in folder: String?) { file = folder.map { Paths.join($0, "allowed.json") } }

  /// What was allowed to one file.
  struct Grant: Hashable {
    let path: String
    /// Of the file's bytes.
    let digest: String
    /// Where it may send what it asks for.
    let host: String
    let keys: [String]
    let settings: [String]
  }
}

// MARK: - Asking

extension Leave {
  /// Whether a file was allowed what it asks for.
  package enum State: Sendable, Hashable {
    case notNeeded, allowed, changed, missing
  }

  /// Whether the file may send what it asks for.
  package func state(of contents: ManifestContents) -> State {
    guard contents.manifest.needsLeave else { return .notNeeded }
    guard let grant = grants()[Self.place(contents)] else { return .missing }
    return grant.digest == SHA256.hex(contents.bytes) ? .allowed : .changed
  }

  /// Refuses what is not allowed; `name` is what a person calls the source or the file.
  package func check(_ contents: ManifestContents, beside compiledIn: CompiledIn, asking name: String) throws(SourceError) {
    try refuseOthers(contents, beside: compiledIn)
    let manifest = contents.manifest
    switch state(of: contents) {
    case .notNeeded, .allowed: return
    case .changed:
      throw SourceError(
        .settings, "\(manifest.file) has changed since it was allowed; nothing was sent", remedy: .allow(name))
    case .missing:
      guard file != nil else { throw Self.homeless }
      throw SourceError(
        .settings, "\(manifest.file) was not allowed to send \(manifest.wants) to \(manifest.host); nothing was sent",
        remedy: .allow(name))
    }
  }

  /// Refuses the key of a source that is compiled in, and one that another file has as its key for another host.
  package func refuseOthers(_ contents: ManifestContents, beside compiledIn: CompiledIn) throws(SourceError) {
    let manifest = contents.manifest
    for setting in manifest.settings {
      guard let owner = compiledIn.owner(ofKey: setting.name) else { continue }
      throw SourceError(
        .settings, "\(manifest.file) asks for \(setting.name), the key of \(owner), and does not get it",
        remedy: "give the setting another name in that file")
    }
    let others = grants().values.filter {
      $0.path != Self.place(contents) && $0.host != manifest.host && access($0.path, F_OK) == 0
    }
    for other in others.sorted(by: { $0.path < $1.path }) {
      guard let name = other.keys.first(where: { key in manifest.settings.contains { $0.name == key } }) else { continue }
      throw SourceError(
        .settings, "\(manifest.file) asks for \(name), the key of \(other.path) for \(other.host), and does not get it",
        remedy: "give the setting another name in one of the files")
    }
  }

  private static var homeless: SourceError {
    SourceError(.settings, "nothing can be allowed: neither XDG_STATE_HOME nor HOME names a folder", remedy: "set one of them")
  }

  /// The file's one path, however it was named.
  private static func place(_ contents: ManifestContents) -> String { Paths.resolved(contents.manifest.file) }
}

// MARK: - Giving and taking

extension Leave {
  /// Allows the file what it asks for, as it is now.
  package func allow(_ contents: ManifestContents, beside compiledIn: CompiledIn) throws(SourceError) {
    try refuseOthers(contents, beside: compiledIn)
    guard contents.manifest.needsLeave else { return }
    let (manifest, path) = (contents.manifest, Self.place(contents))
    let grant = Grant(
      path: path, digest: SHA256.hex(contents.bytes), host: manifest.host, keys: manifest.keyNames,
      settings: manifest.plainNames)
    try change { $0[path] = grant }
  }

  /// Takes back what the file was allowed.
  package func withdraw(from contents: ManifestContents) throws(SourceError) {
    let path = Self.place(contents)
    if grants()[path] != nil { try change { $0[path] = nil } }
  }

  private func change(_ change: (inout [String: Grant]) -> Void) throws(SourceError) {
    guard let file else { throw Self.homeless }
    let folder = Paths.folder(of: file)
    do {
      try SystemFiles().makeFolder(folder)
      try SystemFiles().alone(in: folder) {
        var grants = grants()
        change(&grants)
        try SystemFiles().replace(file, with: Self.text(of: grants), ending: ".part")
      }
    } catch {
      throw SourceError(.storage, "cannot write \(file): \((error as? FileProblem)?.reason ?? "\(error)")")
    }
  }
}

// MARK: - The file

extension Leave {
  /// What is noted, by the files' paths; what cannot be read allows nothing.
  private func grants() -> [String: Grant] {
    guard let file, let bytes = try? SystemFiles().read(file, upTo: 1 << 24).bytes, let json = try? JSON(bytes),
      let files = try? json.object("files")
    else { return [:] }
    var grants: [String: Grant] = [:]
    for (path, json) in files.members {
      func names(_ key: String) throws -> [String] { try json.array(key).map { try $0.asString() } }
      guard let digest = try? json.string("digest"), let host = try? json.string("host"), let keys = try? names("keys"),
        let settings = try? names("settings")
      else { continue }
      grants[path] = Grant(path: path, digest: digest, host: host, keys: keys, settings: settings)
    }
    return grants
  }

  private static func text(of grants: [String: Grant]) -> [UInt8] {
    let files = grants.values.sorted { $0.path < $1.path }.map { grant in
      Member(
        name: grant.path,
        value: .object([
          Member(name: "digest", value: .text(grant.digest)), Member(name: "host", value: .text(grant.host)),
          Member(name: "keys", value: .list(grant.keys.map { .text($0) })),
          Member(name: "settings", value: .list(grant.settings.map { .text($0) })),
        ]))
    }
    var writer = JSONWriter()
    writer.write(.object([Member(name: "files", value: .object(files))]))
    writer.endLine()
    return writer.bytes
  }
}

// MARK: - What a manifest asks for

extension Manifest {
  /// Where it sends what it asks for, unless a person names another place.
  package var host: String {
    address.defaultValue.flatMap { WebAddress($0)?.origin.description } ?? "what \(address.name) names"
  }

  /// The settings that it sends as keys.
  package var keyNames: [String] { keys.map(\.setting.name) }

  /// The settings whose values it sends as they are.
  package var plainNames: [String] { texts.map(\.name) }

  /// What it asks for, in words.
  package var wants: String { (keyNames + plainNames).joined(separator: ", ") }
}

/// What sources that are compiled in declare.
package struct CompiledIn: Sendable {
  private let declared: [String: (kind: Setting.Kind, source: String)]

  package init(_ catalogue: Catalogue) {
    var declared: [String: (kind: Setting.Kind, source: String)] = [:]
    for source in catalogue.sources where source.file == nil {
      for setting in source.settings { declared[setting.name] = (setting.kind, source.name) }
    }
    self.declared = declared
  }

  /// The source whose key that setting is, which no manifest gets; nil where it is nobody's.
  func owner(ofKey setting: String) -> String? { declared[setting].flatMap { $0.kind == .secret ? $0.source : nil } }

  /// Whether a manifest says the same of a setting.
  func agrees(with setting: Setting) -> Bool { declared[setting.name].map { $0.kind == setting.kind } ?? true }
}
