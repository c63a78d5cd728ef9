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
  private var output: JSONOutput

  init(_ envelope: Envelope, _ columns: Columns<Item>, _ output: JSONOutput) {
    self.envelope = envelope
    self.columns = columns
    self.output = output
  }

  mutating func begin(_ origin: Origin?) throws {
    output.writer.beginObject()
    write(envelope.head(origin))
    output.writer.key("items")
    output.writer.beginArray()
    try output.send()
  }

  mutating func print(_ items: [Item]) throws {
    for item in items { output.writer.write(columns.value(of: item)) }
    try output.send()
  }

  mutating func end(_ summary: Summary?) throws {
    output.writer.endArray()
    write(envelope.tail(summary))
    output.writer.endObject()
    output.writer.endLine()
    try output.send()
  }

  private mutating func write(_ members: [Member]) {
    for member in members {
      output.writer.key(member.name)
      output.writer.write(member.value)
    }
  }
}

extension Envelope {
  /// What stands before the items.
  func head(_ origin: Origin?) -> [Member] {
    [
      Member(name: "source", value: .text(source)), Member(name: "query", value: query),
      Member(name: "origin", value: origin.map(\.value) ?? .null),
    ]
  }

  /// What was asked.
  var query: Value {
    .object([Member(name: "text", value: text.fieldValue), Member(name: "limit", value: limit.fieldValue)])
  }

  /// What stands behind the items.
  func tail(_ summary: Summary?) -> [Member] {
    let verdict = Value.object([
      Member(name: "kind", value: .text((summary?.verdict ?? .unverifiable).kind)),
      Member(name: "reason", value: (summary?.reason).fieldValue),
    ])
    return [
      Member(name: "total", value: (summary?.total).fieldValue), Member(name: "skipped", value: .int(summary?.skipped ?? 0)),
      Member(name: "duplicates", value: .int(summary?.duplicates ?? 0)), Member(name: "verdict", value: verdict),
    ]
  }
}

extension Origin {
  /// The origin as JSON carries it.
  var value: Value {
    .object([
      Member(name: "kind", value: .text(kind.rawValue)),
      Member(name: "age", value: age.map { Int($0.inSeconds) }.fieldValue),
      Member(name: "reason", value: because.fieldValue),
    ])
  }

  /// Why it is what it is: that it was imported, and why it is not live.
  private var because: String? {
    let parts = [isImported ? "imported" : nil, reason?.description].compactMap { $0 }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }
}
