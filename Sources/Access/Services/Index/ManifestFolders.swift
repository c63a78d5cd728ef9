package import AggregatorCore
import Platform

/// The folders of manifests, and what is noted about manifests.
package struct ManifestFolders: Sendable {
  /// The folder of the manifests that a person added; nil if the folder for settings is unknown.
  package let own: String?
  /// The folder that a person named with an option or a variable; nil without either.
  package let named: String?
  private let cache: String?
  /// The permissions that manifests were given.
  package let permissions: Permissions
  /// The built-in sources that a person removed.
  package let hidden: HiddenSources

  /// The folders of a program, and the folder that a person named.
  package init(_ folders: Folders, named: String? = nil) {
    own = folders.config.map { Paths.join($0, "sources") }
    (self.named, cache, permissions) = (named, folders.cache, Permissions(in: folders.state))
    hidden = HiddenSources(in: folders.config)
  }

  /// Returns every manifest in the folders, and an error for each folder that cannot be read.
  func found() -> (manifests: [IndexedManifest], problems: [SourceError]) {
    var found: (manifests: [IndexedManifest], problems: [SourceError]) = ([], [])
    let isOwn = named.map { Paths.resolved($0) == Paths.resolved(own ?? "") } ?? true
    for folder in [own, isOwn ? nil : named].compactMap(\.self) {
      // Each folder has its own index, named after the folder.
      var print = Fingerprint()
      print.combine(folder)
      let file = cache.map { Paths.join($0, "sources-\(String(print.value, radix: 16)).json") }
      do throws(FileProblem) {
        if folder == named, access(folder, F_OK) != 0 { throw .missing }
        found.manifests += try ManifestIndex(folder: folder, file: file).manifests()
      } catch {
        found.problems.append(SourceError(.settings, "cannot read the folder \(folder): \(error.reason)"))
      }
    }
    return found
  }
}

// MARK: - Sources in files

extension Catalogue {
  /// This catalogue with the sources in files. A built-in name keeps its built-in source. The name of a command (`reserved`) or a name in
  /// two files gives no source. Built-in sources that a person removed are hidden.
  package func adding(_ folders: ManifestFolders, reserved: Set<String>) -> Catalogue {
    let (manifests, problems) = folders.found()
    let hidden = folders.hidden.names
    var omissions = problems.map { Omission(nil, $0) }
    guard !manifests.isEmpty else { return adding([], without: omissions).hiding(hidden) }
    let counts = manifests.flatMap(\.sources).reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
    var (added, refused): ([SourceDescriptor], Set<String>) = ([], [])
    let unallowed: @Sendable () -> [String] = { [permissions = folders.permissions] in
      manifests.compactMap { manifest in
        guard let contents = try? ManifestContents(at: manifest.path), permissions.state(of: contents) == .missing else {
          return nil
        }
        return manifest.sources.first { counts[$0.name] == 1 }?.name
      }
    }
    for manifest in manifests {
      if let problem = manifest.problem { omissions.append(Omission(nil, problem, in: manifest.path)) }
      let file = ManifestFile(manifest.path, permissions: folders.permissions, beside: self, others: unallowed)
      for source in manifest.sources {
        let name = source.name
        if counts[name] == 1, self[name] == nil, !reserved.contains(name) {
          added.append(file.descriptor(of: source, settings: { manifest.settings }))
        } else if refused.insert(name).inserted {
          let files = manifests.filter { $0.sources.contains { $0.name == name } }.map(\.path)
          if let reason = refusal(of: name, in: files, reserved) { omissions.append(Omission(name, reason)) }
        }
      }
    }
    return adding(added, without: omissions).hiding(hidden)
  }

  /// Returns the reason why no source in these files can have this name; nil if one can.
  package func refusal(of name: String, in files: [String], _ reserved: Set<String>) -> SourceError? {
    let all = files.joined(separator: " and ")
    let remedy: Remedy = "give it another name \(files.count > 1 ? "in one of them" : "there")"
    if builtIn.contains(where: { $0.name == name }) {
      return SourceError(
        .settings, "the source \"\(name)\" in \(all) is not used: one of that name is built in", remedy: remedy)
    }
    if reserved.contains(name) {
      return SourceError(
        .settings, "a source cannot be named \"\(name)\", as in \(all): a command has that name", remedy: remedy)
    }
    guard files.count > 1 else { return nil }
    return SourceError(.settings, "more than one file names a source \"\(name)\": \(all)", remedy: remedy)
  }

  // MARK: - Settings of built-in sources

  private func declared(_ setting: String) -> (source: String, kind: Setting.Kind)? {
    for source in builtIn {
      if let setting = source.settings.first(where: { $0.name == setting }) { return (source.name, setting.kind) }
    }
    return nil
  }

  /// Returns the built-in source with this setting as its key, which no manifest gets; nil if the setting is not such a key.
  func owner(ofKey setting: String) -> String? { declared(setting).flatMap { $0.kind == .secret ? $0.source : nil } }

  /// True when a manifest may have this setting, because built-in sources have none of that name or one of the same kind.
  func agrees(with setting: Setting) -> Bool { declared(setting.name).map { $0.kind == setting.kind } ?? true }
}
