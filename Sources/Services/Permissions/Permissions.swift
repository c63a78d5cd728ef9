package import AggregatorCore
import Platform

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
    return grant["digest"] == .text(SHA256.hex(contents.bytes)) ? .allowed : .changed
  }

  /// Throws if the file is not allowed; `name` is what a person calls the source or the file.
  package func check(_ contents: ManifestContents, beside catalogue: Catalogue, asking name: String) throws(SourceError) {
    try refuseOthers(contents, beside: catalogue)
    let manifest = contents.manifest
    switch state(of: contents) {
    case .notNeeded, .allowed: return
    case .changed:
      throw SourceError(
        .settings, "\(manifest.file) has changed since it was allowed; nothing was sent", remedy: .allow(name))
    case .missing:
      guard file != nil else { throw Self.homeless }
      throw SourceError(
        .settings, "\(manifest.file) was not allowed to \(manifest.wants); nothing was sent",
        remedy: .allow(name))
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
    let grant: Value = [
      "digest": .text(SHA256.hex(contents.bytes)), "host": .text(manifest.host),
      "keys": .list(manifest.keys.map { .text($0.setting.name) }), "settings": .list(manifest.texts.map { .text($0.name) }),
    ]
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
  /// The origin that it sends to, unless a person sets another address.
  package var host: String {
    address.defaultValue.flatMap { WebAddress($0)?.origin.description } ?? "what \(address.name) names"
  }

  /// The permission that it wants, in words: `send PORTS_TOKEN to https://ports.example`.
  package var wants: String {
    let names = (keys.map(\.setting.name) + texts.map(\.name)).joined(separator: ", ")
    return (names.isEmpty ? "ask \(host)" : "send \(names) to \(host)") + (isInsecure ? " without encryption" : "")
  }
}
