import AggregatorCore
import Asking
import RecordFormats
import Terminal
import Testing

@testable import Presentation

@Suite("How a person sees a column")
struct ColumnLookTests {
  @Test("on a terminal numbers stand right with equal decimals and thousands apart, and ids, codes and years stay as they are")
  func numbers() throws {
    #expect(
      try Priced.lines(width: 80) == [
        "ID     NAME      PRICE     STOCK  BUILT YEAR",
        "10001  Boat   1,530.90         7  19999",
        "10002  Bark  12,345.18  -100,000  2001",
        "10003  Brig                    0",
      ])
  }

  @Test("a program gets the same numbers as they came")
  func program() throws {
    #expect(try Priced.lines(width: nil)[2].contains("12345.18"))
    #expect(try Priced.lines(width: nil, in: .tsv)[2] == "10002\tBark\t12345.18\t-100000\t2001")
  }
}

private struct Priced: Fielded {
  var id: Int
  var name: String
  var price: Double?
  var stock: Int
  var year: Int?

  static let fields = [
    Field<Priced>("id") { $0.id }, Field<Priced>("name", .title) { $0.name }, Field<Priced>("price") { $0.price },
    Field<Priced>("stock") { $0.stock }, Field<Priced>("built_year") { $0.year },
  ]

  static func lines(width: Int?, in format: Format = .table) throws -> [String] {
    let page = Page()
    let outline = fields.map { $0.outline }
    let columns = Columns(try Selection(nil, of: outline, detail: true), of: outline, id: "id", at: Moment(nanoseconds: 0))
    let rows = [
      Priced(id: 10_001, name: "Boat", price: 1530.9, stock: 7, year: 19_999),
      Priced(id: 10_002, name: "Bark", price: 12345.18, stock: -100_000, year: 2001),
      Priced(id: 10_003, name: "Brig", price: nil, stock: 0, year: nil),
    ]
    var renderer = format.renderer(
      columns, for: Layout(isTerminal: width != nil, width: width ?? 80, style: Style(isColored: false), hasHeader: true), into: page)
    try renderer.write(ShownRecord.rows(rows, of: fields, at: Moment(nanoseconds: 0)))
    return page.lines
  }
}
