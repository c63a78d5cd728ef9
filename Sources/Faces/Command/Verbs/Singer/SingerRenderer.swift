import AggregatorCore
import Asking
import RecordFormats

/// The messages of Singer: the schema, each record, and last a state with the verdict. After a partial answer the state has none.
struct SingerRenderer: Renderer {
  private var stream: SingerStream
  private var output: JSONObjects
  private let moment: Moment
  private var hasBegun = false

  /// Writes the records of a source as a stream of its name. Other rows are a stream without a key.
  init(_ columns: Columns, in enclosure: Enclosure, into sink: any Sink) {
    var (name, isOfSource) = ("rows", false)
    if case .envelope(let envelope) = enclosure { (name, isOfSource) = (envelope.name, !envelope.source.isEmpty) }
    stream = SingerStream(name, columns, hasKey: isOfSource)
    (output, moment) = (JSONObjects(inLines: true, into: sink), columns.moment)
  }

  var shortage: String? { stream.shortage }

  mutating func begin(_ origin: Origin?) throws {
    try output.write(stream.schemaMessage)
    hasBegun = true
  }

  mutating func print(_ records: [ShownRecord]) throws {
    for record in records { try output.write(stream.message(record)) }
  }

  mutating func end(_ summary: Summary?) throws {
    if !hasBegun { try begin(nil) }
    var bookmark: Value = .object([])
    if let verdict = summary?.verdict, let known = verdict.whileWhole { bookmark["verdict"] = known.value }
    bookmark["at"] = .text(moment.iso)
    try output.write(Value.singerState(["bookmarks": .object([Member(name: stream.name, value: bookmark)])]))
  }
}

extension Value {
  /// Returns the message of a state.
  static func singerState(_ state: Value) -> Value { ["type": "STATE", "value": state] }
}
