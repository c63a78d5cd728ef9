import AggregatorCore

/// What the JSON of an answer says beside its items.
package struct Envelope: Sendable, Hashable {
  let source: String
  let text: String?
  let limit: Int?

  package init(source: String, text: String?, limit: Int?) {
    self.source = source
    self.text = text
    self.limit = limit
  }
}

/// One JSON object for the whole answer, printed as it comes: what is known last comes last.
struct EnvelopeRenderer<Item>: Renderer {
  let envelope: Envelope
  let columns: Columns<Item>
  let sink: any Sink
  private var writer = JSONWriter()

  init(_ envelope: Envelope, _ columns: Columns<Item>, _ sink: any Sink) {
    self.envelope = envelope
    self.columns = columns
    self.sink = sink
  }

  mutating func begin(_ origin: Origin?) throws {
    writer.beginObject()
    write("source", .text(envelope.source))
    write(
      "query", .object([Member(name: "text", value: envelope.text.fieldValue), Member(name: "limit", value: envelope.limit.fieldValue)]))
    write("origin", origin.map(\.value) ?? .null)
    writer.key("items")
    writer.beginArray()
    try sink.write(writer.take())
  }

  mutating func print(_ items: [Item]) throws {
    for item in items { writer.write(columns.value(of: item)) }
    try sink.write(writer.take())
  }

  mutating func end(_ summary: Summary?) throws {
    writer.endArray()
    write("total", (summary?.total).fieldValue)
    write("skipped", .int(summary?.skipped ?? 0))
    write("duplicates", .int(summary?.duplicates ?? 0))
    write(
      "verdict",
      .object([
        Member(name: "kind", value: .text((summary?.verdict ?? .unverifiable).kind)),
        Member(name: "reason", value: (summary?.reason).fieldValue),
      ]))
    writer.endObject()
    writer.endLine()
    try sink.write(writer.take())
  }

  private mutating func write(_ key: String, _ value: Value) {
    writer.key(key)
    writer.write(value)
  }
}

extension Origin {
  /// The origin as JSON carries it.
  var value: Value {
    .object([
      Member(name: "kind", value: .text(kind.rawValue)),
      Member(name: "age", value: age.map { Int($0.inSeconds) }.fieldValue),
      Member(name: "reason", value: reason?.description.fieldValue ?? .null),
    ])
  }
}
