public import AggregatorCore

/// What commands know of a manifest that they do not run.
public struct IndexedManifest: Sendable, Hashable {
  /// Where the file is.
  public let path: String
  /// What can be set of it.
  public let settings: [Setting]
  /// The sources that it describes, in its order; none where it cannot be used.
  public let sources: [IndexedSource]
  /// Why it cannot be used.
  public let problem: SourceError?

  /// What there is to know of the file with these bytes.
  public init(reading bytes: [UInt8], at path: String) {
    self.path = path
    do throws(SourceError) {
      let manifest = try Manifest(bytes, file: path)
      (settings, sources, problem) = (manifest.settings, manifest.sources.map(IndexedSource.init), nil)
    } catch {
      (settings, sources, problem) = ([], [], error)
    }
  }

  /// A file that could not be read.
  init(unreadable path: String, because reason: String) {
    self.path = path
    (settings, sources, problem) = ([], [], SourceError(.settings, "cannot read \(path): \(reason)"))
  }
}

/// What is known of a source without its manifest.
public struct IndexedSource: Sendable, Hashable {
  /// What a person types.
  public let name: String
  let summary: String
  let searches: String?
  let isEndless: Bool
  let hasPictures: Bool
  let hasRecording: Bool

  init(_ source: ManifestSource) {
    (name, summary, searches, isEndless) = (source.name, source.summary, source.searches, source.isEndless)
    (hasPictures, hasRecording) = (source.hasPictures, source.recording != nil)
  }
}

// MARK: - As the index has it: lists, whose elements are read one after the other

extension IndexedManifest {
  init(_ row: inout IndexRow, at path: String) throws {
    self.path = path
    let (message, remedy) = (try row.textIfPresent(), try row.textIfPresent())
    problem = message.map { SourceError(.settings, $0, remedy: remedy.map { .advice($0) }) }
    settings = try row.rows { row in
      let (name, kind, summary) = (try row.text(), Setting.Kind(rawValue: try row.text()), try row.text())
      guard let kind else { throw IndexRow.Broken() }
      var setting = Setting(name, kind, summary, default: try row.textIfPresent())
      setting.isOptional = try row.bool()
      return setting
    }
    sources = try row.rows { try IndexedSource(&$0) }
  }

  var values: [Value] {
    [
      Value(problem?.message), Value(problem?.remedy?.description),
      .list(
        settings.map { setting in
          .list([
            .text(setting.name), .text(setting.kind.rawValue), .text(setting.summary), Value(setting.defaultValue),
            .bool(setting.isOptional),
          ])
        }),
      .list(sources.map { .list($0.values) }),
    ]
  }
}

extension IndexedSource {
  fileprivate init(_ row: inout IndexRow) throws {
    (name, summary, searches) = (try row.text(), try row.text(), try row.textIfPresent())
    (isEndless, hasPictures, hasRecording) = (try row.bool(), try row.bool(), try row.bool())
  }

  fileprivate var values: [Value] {
    [.text(name), .text(summary), Value(searches), .bool(isEndless), .bool(hasPictures), .bool(hasRecording)]
  }
}

extension Value {
  fileprivate init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// A list of the index on its way to be read.
struct IndexRow {
  /// What is there is not what was written.
  struct Broken: Error {}

  private var elements: JSON.Elements

  init(_ json: JSON) throws { elements = try json.asArray() }

  private mutating func next() throws -> JSON {
    guard let element = elements.next() else { throw Broken() }
    return element
  }

  mutating func text() throws -> String { try next().asString() }
  mutating func int() throws -> Int { try next().asInt() }
  mutating func bool() throws -> Bool { try next().asBool() }

  mutating func textIfPresent() throws -> String? {
    let element = try next()
    return element.isNull ? nil : try element.asString()
  }

  mutating func rows<Content>(_ read: (inout IndexRow) throws -> Content) throws -> [Content] {
    let list = try next().asArray()
    var contents: [Content] = []
    contents.reserveCapacity(list.count)
    for element in list {
      var row = try IndexRow(element)
      contents.append(try read(&row))
    }
    return contents
  }
}
