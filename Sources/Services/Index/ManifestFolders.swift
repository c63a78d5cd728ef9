package import AggregatorCore
import Platform

/// Where manifests lie, and what is kept about them.
package struct ManifestFolders: Sendable {
  /// Where those lie that were added; nil where no folder for settings is known.
  package let own: String?
  /// The folder that a person named.
  private let named: String?
  private let cache: String?
  /// What they are allowed.
  package let leave: Leave
  /// The built-in sources that are not wanted.
  package let hidden: HiddenSources

  /// Those of a program with these folders, and of the folder that a person named.
  package init(_ folders: Folders, named: String? = nil) {
    own = folders.config.map { Paths.join($0, "sources") }
    (self.named, cache, leave) = (named, folders.cache, Leave(in: folders.state))
    hidden = HiddenSources(in: folders.config)
  }

  /// Every manifest there is, and the folders that cannot be read.
  func found() -> (manifests: [IndexedManifest], problems: [SourceError]) {
    var found: (manifests: [IndexedManifest], problems: [SourceError]) = ([], [])
    let isOwn = named.map { Paths.resolved($0) == Paths.resolved(own ?? "") } ?? true
    for folder in [own, isOwn ? nil : named].compactMap(\.self) {
      // Each folder has an index of its own, which names it.
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

// MARK: - Their sources, among those that are compiled in

extension Catalogue {
  /// This catalogue and the sources that files describe. A name that is compiled in keeps its source; one that is a command's (`reserved`) or
  /// in two files is nobody's. Built-in sources that a person does not want are hidden.
  package func adding(_ folders: ManifestFolders, reserved: Set<String>) -> Catalogue {
    let (manifests, problems) = folders.found()
    let hidden = folders.hidden.names
    var omissions = problems.map { Omission(nil, $0) }
    guard !manifests.isEmpty else { return adding([], without: omissions).hiding(hidden) }
    let counts = manifests.flatMap(\.sources).reduce(into: [:]) { $0[$1.name, default: 0] += 1 }
    var (added, refused): ([SourceDescriptor], Set<String>) = ([], [])
    for manifest in manifests {
      if let problem = manifest.problem { omissions.append(Omission(nil, problem)) }
      let file = ManifestFile(manifest.path, leave: folders.leave, beside: self)
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

  /// Why no source can be called so that these files describe; nil where one can.
  func refusal(of name: String, in files: [String], _ reserved: Set<String>) -> SourceError? {
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

  // MARK: - What sources that are compiled in declare

  private func declared(_ setting: String) -> (source: String, kind: Setting.Kind)? {
    for source in builtIn {
      if let setting = source.settings.first(where: { $0.name == setting }) { return (source.name, setting.kind) }
    }
    return nil
  }

  /// The source whose key that setting is, which no manifest gets; nil where it is nobody's.
  func owner(ofKey setting: String) -> String? { declared(setting).flatMap { $0.kind == .secret ? $0.source : nil } }

  /// Whether a manifest says the same of a setting.
  func agrees(with setting: Setting) -> Bool { declared(setting.name).map { $0.kind == setting.kind } ?? true }
}
