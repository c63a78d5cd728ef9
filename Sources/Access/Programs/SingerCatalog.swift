package import AggregatorCore

/// The catalog of a Singer tap, as `--discover` prints it.
package struct SingerCatalog: Sendable {
  /// One stream of a tap.
  package struct Stream: Sendable {
    package let name: String
    /// The fields that tell its records apart.
    package let keys: [String]
    /// The JSON schema of a record.
    package let schema: Value
  }

  package let streams: [Stream]
  private let document: Value

  /// Reads what a tap printed.
  package init(_ bytes: [UInt8]) throws(SourceError) {
    guard let document = (try? JSON(bytes))?.value, let streams = document["streams"]?.list else {
      throw SourceError(.malformed, "the tap's catalog has no \"streams\"")
    }
    self.document = document
    self.streams = streams.compactMap { stream in
      guard let name = (stream["stream"] ?? stream["tap_stream_id"])?.text else { return nil }
      let keys = [stream["key_properties"], Self.own(stream)?["table-key-properties"]].lazy.compactMap { $0?.list }.first {
        !$0.isEmpty
      }
      return Stream(name: name, keys: (keys ?? []).compactMap(\.text), schema: stream["schema"] ?? .null)
    }
  }

  /// Returns the metadata about a stream as a whole.
  private static func own(_ stream: Value) -> Value? {
    stream["metadata"]?.list?.first { $0["breadcrumb"]?.list?.isEmpty ?? false }?["metadata"]
  }

  /// Returns the catalog in which the stream of that name alone is selected, with all of its fields.
  func selecting(_ name: String) -> [UInt8] {
    let selected = (document["streams"]?.list ?? []).map { stream in
      let isChosen = (stream["stream"] ?? stream["tap_stream_id"])?.text == name
      var metadata = stream["metadata"]?.list ?? []
      if Self.own(stream) == nil { metadata.append(["breadcrumb": .list([]), "metadata": .object([])]) }
      let marked = metadata.map { entry in
        let isOwn = entry["breadcrumb"]?.list?.isEmpty ?? false
        return entry.setting(
          "metadata", to: (entry["metadata"] ?? .object([])).setting("selected", to: .bool(isOwn ? isChosen : true)))
      }
      // Old taps look into the schema.
      let schema = (stream["schema"] ?? .object([])).setting("selected", to: .bool(isChosen))
      return stream.setting("metadata", to: .list(marked)).setting("schema", to: schema).setting(
        "selected", to: .bool(isChosen))
    }
    return document.setting("streams", to: .list(selected)).bytes
  }
}

extension SingerCatalog.Stream {
  /// A value that fits the schema, from which the fields of a record are drafted.
  package var sample: Value { schema.sample(depth: 0) }
}

extension Value {
  /// Returns a value that fits this JSON schema.
  fileprivate func sample(depth: Int) -> Value {
    let types = self["type"].map { type in type.text.map { [$0] } ?? (type.list ?? []).compactMap(\.text) } ?? []
    let options = (self["anyOf"] ?? self["oneOf"])?.list ?? []
    if types.isEmpty, let option = options.first(where: { $0["type"]?.text != "null" }) { return option.sample(depth: depth) }
    guard depth < 5 else { return .null }
    switch types.first(where: { $0 != "null" }) {
    case "object":
      let members = self["properties"]?.members ?? []
      return .object(members.map { Member(name: $0.name, value: $0.value.sample(depth: depth + 1)) })
    case "array": return .list([(self["items"] ?? .null).sample(depth: depth + 1)].filter { !$0.isNull })
    case "integer": return .int(7)
    case "number": return .double(7.5)
    case "boolean": return true
    default:
      switch self["format"]?.text {
      case "date-time": return "2026-01-01T00:00:00Z"
      case "date": return "2026-01-01"
      case "uri", "url": return "https://example.com/"
      default: return "text"
      }
    }
  }

  /// Returns an object with that member in place of the one of this name.
  fileprivate func setting(_ name: String, to value: Value) -> Value {
    .object((members ?? []).filter { $0.name != name } + [Member(name: name, value: value)])
  }
}
