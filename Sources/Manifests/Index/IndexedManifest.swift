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

// MARK: - As the index has it

extension IndexedManifest {
  init(_ json: JSON, at path: String) throws {
    self.path = path
    problem = try json.stringIfPresent("problem").map { message in
      SourceError(.settings, message, remedy: try json.stringIfPresent("remedy").map { .advice($0) })
    }
    var settings: [Setting] = []
    for setting in try json.array("settings") {
      guard let kind = Setting.Kind(rawValue: try setting.string("kind")) else { throw setting.mismatch("a setting") }
      var read = Setting(
        try setting.string("name"), kind, try setting.string("summary"), default: try setting.stringIfPresent("default"))
      read.isOptional = try setting.bool("optional")
      settings.append(read)
    }
    self.settings = settings
    var sources: [IndexedSource] = []
    for source in try json.array("sources") { sources.append(try IndexedSource(source)) }
    self.sources = sources
  }

  func write(to writer: inout JSONWriter) {
    if let problem {
      writer.write("problem", problem.message)
      writer.write("remedy", problem.remedy?.description)
    }
    writer.key("settings")
    writer.beginArray()
    for setting in settings {
      writer.beginObject()
      writer.write("name", setting.name)
      writer.write("kind", setting.kind.rawValue)
      writer.write("summary", setting.summary)
      writer.write("default", setting.defaultValue)
      writer.write("optional", setting.isOptional)
      writer.endObject()
    }
    writer.endArray()
    writer.key("sources")
    writer.beginArray()
    for source in sources { source.write(to: &writer) }
    writer.endArray()
  }
}

extension IndexedSource {
  fileprivate init(_ json: JSON) throws {
    (name, summary, searches) = (try json.string("name"), try json.string("summary"), try json.stringIfPresent("searches"))
    (isEndless, hasPictures) = (try json.bool("endless"), try json.bool("pictures"))
    hasRecording = try json.bool("recording")
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.write("name", name)
    writer.write("summary", summary)
    writer.write("searches", searches)
    writer.write("endless", isEndless)
    writer.write("pictures", hasPictures)
    writer.write("recording", hasRecording)
    writer.endObject()
  }
}

extension JSONWriter {
  /// A member that is a text; nothing where there is none.
  mutating func write(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    write(string: text)
  }

  mutating func write(_ name: String, _ number: Int) {
    key(name)
    write(.int(number))
  }

  mutating func write(_ name: String, _ isTrue: Bool) {
    key(name)
    write(.bool(isTrue))
  }
}
