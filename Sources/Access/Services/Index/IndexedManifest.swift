import AggregatorCore

/// The facts about a manifest that commands need when they do not run it.
struct IndexedManifest: Sendable {
  let path: String
  /// The sources in the manifest, in its order; empty if the manifest cannot be used.
  let sources: [IndexedSource]
  /// The reason why it cannot be used; nil if it can.
  let problem: SourceError?
  /// Its settings, made only on request, because most commands do not need them.
  var settings: [Setting] { declared() }
  private let declared: @Sendable () -> [Setting]

  /// Reads the facts from a manifest file.
  init(at path: String) {
    do throws(SourceError) {
      let manifest = try ManifestContents(at: path).manifest
      self.init(path, sources: manifest.sources.map(IndexedSource.init)) { manifest.settings }
    } catch {
      self.init(path, problem: error)
    }
  }

  init(
    _ path: String, sources: [IndexedSource] = [], problem: SourceError? = nil,
    declared: @escaping @Sendable () -> [Setting] = { [] }
  ) {
    (self.path, self.sources, self.problem, self.declared) = (path, sources, problem, declared)
  }
}

/// The facts about a source that are known without its manifest.
struct IndexedSource: Sendable, Hashable {
  /// The name that a person types.
  let name: String
  let summary: String
  let searches: String?
  let isEndless: Bool
  let hasPictures: Bool
  let hasRecording: Bool

  init(_ source: ManifestSource) {
    (name, summary, searches, isEndless) = (source.name, source.summary, source.searches, source.isEndless)
    (hasPictures, hasRecording) = (source.fields.contains { $0.role == .picture }, source.recording != nil)
  }
}

// MARK: - In the index file

extension IndexedManifest {
  init(_ json: JSON, at path: String) throws {
    let remedy = try json.stringIfPresent("remedy").map(Remedy.advice)
    let problem = try json.stringIfPresent("problem").map { SourceError(.settings, $0, remedy: remedy) }
    self.init(path, sources: try json.array("sources").map(IndexedSource.init), problem: problem) {
      (try? json.array("settings").map(Setting.init)) ?? []
    }
  }

  var value: Value {
    .object(leavingOutNil: [
      "problem": problem.map { .text($0.message) }, "remedy": problem?.remedy.map { .text($0.description) },
      "settings": .list(settings.map(\.value)), "sources": .list(sources.map(\.value)),
    ])
  }
}

extension IndexedSource {
  fileprivate init(_ json: JSON) throws {
    (name, summary) = (try json.string("name"), try json.string("summary"))
    searches = try json.stringIfPresent("searches")
    (isEndless, hasPictures) = (try json.bool("endless"), try json.bool("pictures"))
    hasRecording = try json.bool("recording")
  }

  fileprivate var value: Value {
    .object(leavingOutNil: [
      "name": .text(name), "summary": .text(summary), "searches": searches.map(Value.text),
      "endless": .bool(isEndless), "pictures": .bool(hasPictures), "recording": .bool(hasRecording),
    ])
  }
}

extension Setting {
  fileprivate init(_ json: JSON) throws {
    guard let kind = Kind(rawValue: try json.string("kind")) else { throw json.mismatch("a setting") }
    // A default may be an empty text.
    self.init(
      try json.string("name"), kind, try json.string("summary"), default: try json["default"].map { try $0.asString() })
    (isOptional, isFromLogin) = (try json.bool("optional"), try json.bool("login"))
  }

  fileprivate var value: Value {
    .object(leavingOutNil: [
      "name": .text(name), "kind": .text(kind.rawValue), "summary": .text(summary),
      "default": defaultValue.map(Value.text), "optional": .bool(isOptional), "login": .bool(isFromLogin),
    ])
  }
}
