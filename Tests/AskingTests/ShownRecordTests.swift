import AggregatorCore
import Asking
import RecordFormats
import Synchronization
import TestServices
import Testing

/// Records whose type is erased.
struct ShownRecordTests {
  /// A record that notes which of its fields are read.
  private struct Watched: SourceItem {
    let id: String
    let log: Log
  }

  private final class Log: Sendable {
    private let names = Mutex<[String]>([])
    var read: [String] { names.withLock { $0 } }
    func note(_ name: String) { names.withLock { $0.append(name) } }
  }

  private static func field(_ name: String, _ value: Value, _ leaves: [Leaf] = .text) -> Field<Watched> {
    Field<Watched>(FieldOutline(name, leaves: leaves)) { watched in
      watched.log.note("\(watched.id).\(name)")
      return value
    }
  }

  private static let place = Value.object([
    Member(name: "city", value: .text("London")), Member(name: "country", value: .text("GB")),
  ])

  private static let schema = Schema<Watched>([
    field("id", .text("1")), field("name", .text("Ada")), field("born", .int(1815)),
    field("place", place, [Leaf(FieldPath(["city"])), Leaf(FieldPath(["country"]))]), field("story", .text("long")),
  ]) { _, _ in Watched(id: "", log: Log()) }

  private static func tsv(of list: String, _ records: [ShownRecord]) throws -> String {
    let page = Body()
    let columns = Columns(try Selection(list, of: schema.outline, detail: true), of: schema.outline, at: Moment(nanoseconds: 0))
    var renderer = DataFormat.tsv.renderer(columns, into: page)
    try renderer.print(records)
    return page.text
  }

  @Test("fields that are not shown are not read, and a shown field with several values is read once")
  func reading() throws {
    let log = Log()
    let records = Self.schema.shown([Watched(id: "a", log: log), Watched(id: "b", log: log)])
    #expect(records.map(\.id) == ["a", "b"] && log.read.isEmpty)
    #expect(try Self.tsv(of: "born,place", [records[1]]) == "1815\tLondon\tGB\n")
    #expect(log.read == ["b.born", "b.place"])
    #expect(records[0].value.value(at: ["place", "country"]) == .text("GB") && log.read.count == 2 + 5)
  }

  @Test("a record can be taken as its own type, and as no other")
  func item() throws {
    let record = Self.schema.shown([Watched(id: "a", log: Log())])[0]
    #expect(try record.item(as: Watched.self).id == "a")
    #expect(throws: SourceError.self) { try record.item(as: Port.self) }
  }

  @Test("rows that are not records are read when they are made, at the time of that moment")
  func rows() throws {
    let fields = [Field<Int>("number") { $0 }, Field<Int>("at", computed: { "\($0) at \($1.seconds)" })]
    let rows = ShownRecord.rows([7, 8], of: fields, at: Moment(secondsSinceEpoch: 60))
    #expect(rows.map { $0.value(1, at: Moment(nanoseconds: 0)) } == [.text("7 at 60"), .text("8 at 60")])
    #expect(rows[1].value.value(at: ["number"]) == .int(8))
  }
}
