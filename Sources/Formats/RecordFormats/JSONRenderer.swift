package import AggregatorCore
public import Asking

/// JSON: one document for the whole answer, or only an object on each line.
struct JSONRenderer: Renderer {
  private let columns: Columns
  private let enclosure: Enclosure
  private var output: JSONOutput
  private var printed = 0
  private var edits: [String: [FieldPath]] = [:]
  private var further: [Member] = []

  init(_ columns: Columns, in enclosure: Enclosure, into sink: any Sink) {
    (self.columns, self.enclosure, output) = (columns, enclosure, JSONOutput(into: sink))
  }

  mutating func begin(_ origin: Origin?) throws {
    switch enclosure {
    case .envelope(let envelope):
      output.writer.beginObject()
      output.write(envelope.head(origin))
      output.writer.key("items")
      output.writer.beginArray()
      try output.send()
    case .array: output.writer.beginArray()
    case .none, .lines, .frames: break
    }
  }

  mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }
  mutating func add(_ members: [Member]) { further += members }

  mutating func print(_ records: [ShownRecord]) throws {
    for record in records {
      switch enclosure {
      case .lines: try writeLine(columns.value(of: record, marking: edits))
      case .frames: try writeLine(.object([Member(name: "item", value: columns.value(of: record, marking: edits))]))
      case .envelope, .array, .none: output.writer.write(columns.value(of: record, marking: edits))
      }
    }
    printed += records.count
    if case .envelope = enclosure { try output.send() }
  }

  private mutating func writeLine(_ value: Value) throws {
    output.writer.write(value)
    output.writer.endLine()
    try output.send()
  }

  mutating func end(_ summary: Summary?) throws {
    switch enclosure {
    case .envelope(let envelope):
      output.writer.endArray()
      output.write(envelope.tail(summary) + further)
      output.writer.endObject()
    case .array: output.writer.endArray()
    case .none: break
    case .lines: return
    case .frames:
      let origin = Member(name: "origin", value: (summary?.origin?.value).fieldValue)
      let end = [Member(name: "rows", value: .int(printed)), origin] + Envelope.counts(summary)
      return try writeLine(.object([Member(name: "end", value: .object(end))]))
    }
    output.writer.endLine()
    try output.send()
  }
}

/// The output of JSON, in pieces of whole names and values.
struct JSONOutput {
  var writer = JSONWriter()
  private let sink: any Sink

  init(into sink: any Sink) { self.sink = sink }

  mutating func write(_ members: [Member]) {
    for member in members {
      writer.key(member.name)
      writer.write(member.value)
    }
  }

  /// Passes on the bytes that were written so far.
  mutating func send() throws {
    try sink.write(writer.take())
  }
}

/// The members in an answer's JSON besides its items.
public struct Envelope: Sendable, Hashable {
  package let source: String
  let text: String?
  let limit: Int?
  /// The statement of SQL in place of a source, with the lists that it reads.
  private var statement: [Member]?

  /// The ask to a source: the text that was searched for, and the greatest number of records.
  public init(source: String, text: String?, limit: Int?) {
    (self.source, self.text, self.limit) = (source, text, limit)
  }

  /// The name of the list: its source, or `sql`.
  package var name: String { statement == nil ? source : "sql" }

  /// A statement of SQL, and the lists that it reads.
  public init(statement: String, reading lists: [ReadList]) {
    self.init(source: "", text: nil, limit: nil)
    self.statement = [
      Member(name: "query", value: ["sql": .text(statement)]), Member(name: "sources", value: .list(lists.map(\.value))),
    ]
  }
}

extension Envelope {
  /// Returns the members before the items.
  package func head(_ origin: Origin?) -> [Member] {
    (statement ?? [Member(name: "source", value: .text(source)), Member(name: "query", value: query)])
      + [Member(name: "origin", value: origin.map(\.value) ?? .null)]
  }

  /// The ask in JSON.
  var query: Value {
    .object([Member(name: "text", value: text.fieldValue), Member(name: "limit", value: limit.fieldValue)])
  }

  /// Returns the members after the items.
  package func tail(_ summary: Summary?) -> [Member] {
    [Member(name: "total", value: (summary?.total).fieldValue)] + Self.counts(summary)
  }

  /// Returns the members that say how many rows were left out, and whether this is everything.
  package static func counts(_ summary: Summary?) -> [Member] {
    [
      Member(name: "skipped", value: .int(summary?.skipped ?? 0)),
      Member(name: "duplicates", value: .int(summary?.duplicates ?? 0)),
      Member(name: "misfits", value: (summary?.misfits ?? Misfits()).value),
      verdict(summary?.verdict ?? .unverifiable, because: summary?.reason),
    ]
  }

  /// Returns the member that says whether this is everything.
  package static func verdict(_ verdict: Verdict, because reason: String?) -> Member {
    Member(
      name: "verdict",
      value: .object([Member(name: "kind", value: .text(verdict.kind)), Member(name: "reason", value: reason.fieldValue)]))
  }
}
