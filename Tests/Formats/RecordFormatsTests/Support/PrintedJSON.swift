import AggregatorCore
import Asking
import RecordFormats
import Synchronization

/// JSON as the renderers print it, read back.
enum PrintedJSON {
  /// The document of an answer with these records.
  static func of(
    _ records: [ShownRecord], _ columns: Columns, in enclosure: Enclosure, _ summary: Summary? = nil,
    marking edits: [String: [FieldPath]] = [:]
  ) throws -> Value {
    let page = WrittenBytes()
    var renderer = DataFormat.json.renderer(columns, into: page, in: enclosure)
    renderer.mark(edits)
    try renderer.begin(summary?.origin)
    try renderer.print(records)
    try renderer.end(summary)
    return try JSON(page.bytes).value
  }

  /// The list of rows that do not come from a source.
  static func of<Row>(_ rows: [Row], _ fields: [Field<Row>], at now: Moment) throws -> [Value] {
    let outline = fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: false), of: outline, at: now)
    return try of(ShownRecord.rows(rows, of: fields, at: now), columns, in: .array).list ?? []
  }
}

/// The written bytes.
final class WrittenBytes: Sink {
  private let written = Mutex<[UInt8]>([])

  var bytes: [UInt8] { written.withLock(\.self) }
  func write(_ bytes: [UInt8]) throws { written.withLock { $0 += bytes } }
}

extension Value {
  /// The value as JSON for people: an object has a line for each member if something below it has several levels.
  func inLines(at indent: String = "") -> String {
    guard case .object(let members) = self, members.contains(where: { $0.value.members?.isEmpty == false }) else {
      return String(decoding: bytes, as: UTF8.self) + (indent.isEmpty ? "\n" : "")
    }
    let more = indent + "  "
    let lines = members.map { "\(more)\(String(decoding: Value.text($0.name).bytes, as: UTF8.self)): \($0.value.inLines(at: more))" }
    return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}" + (indent.isEmpty ? "\n" : "")
  }
}
