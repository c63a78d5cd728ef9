import AggregatorCore
import Asking
import RecordFormats
import Store
import Synchronization
import Testing

@testable import Exports

/// The written bytes.
private final class Bytes: Sink {
  private let bytes = Mutex<[UInt8]>([])
  func write(_ bytes: [UInt8]) throws { self.bytes.withLock { $0 += bytes } }
  var all: [UInt8] { bytes.withLock(\.self) }
  var text: String { String(decoding: all, as: UTF8.self) }
}

private struct Order: Sendable {
  var id: Int
  var note: Value

  static let fields = [
    Field<Order>("id") { $0.id }, Field<Order>(FieldOutline("note", .title, leaves: .text)) { $0.note },
    Field<Order>(FieldOutline("page", .link, leaves: .text)) { Value.text("https://example.com/\($0.id)|") },
  ]
}

@Suite("Files that say what they are")
struct ListFileTests {
  private let bytes = Bytes()
  private static let title = FileTitle("orders", question: "", isAnswer: true)
  private let moment = Moment(secondsSinceEpoch: 1_795_000_000)

  /// Writes orders, in pages of 1,000, and ends the list with that verdict.
  private func write(
    _ orders: [Order], as format: FileFormat, _ verdict: Verdict = .complete, total: Int? = nil, isUnended: Bool = false
  ) throws -> String? {
    let outline = Order.fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: true), of: outline, id: FieldPath(["id"]), at: moment)
    var renderer = format.renderer(columns, Self.title, folder: "/tmp", into: bytes)
    try renderer.begin(.cache(age: .seconds(7_200)))
    for start in stride(from: 0, to: orders.count, by: 1_000) {
      try renderer.print(ShownRecord.rows(Array(orders[start..<min(orders.count, start + 1_000)]), of: Order.fields, at: moment))
    }
    if isUnended { return nil }
    var summary = Summary()
    (summary.verdict, summary.total) = (verdict, total)
    try renderer.end(summary)
    return renderer.shortage
  }

  @Test("Markdown has a table, and below it how many records there are, the verdict, the origin and the time")
  func markdown() throws {
    _ = try write([Order(id: 1, note: "a|b\n*c* <d>"), Order(id: 2, note: .null)], as: .md)
    #expect(
      bytes.text == """
        ## orders

        | ID | Note | Page |
        | ---: | --- | --- |
        | 1 | a\\|b<br>\\*c\\* &lt;d&gt; | <https://example.com/1%7C> |
        | 2 |  | <https://example.com/2%7C> |

        2 records; complete; cached 2 h ago; as of 2026-11-18 09:06 UTC; made 2026-11-18 11:06 UTC.

        """)
  }

  @Test("a page says at its top that a list is incomplete, and of how many records a limit leaves how many")
  func pageVerdicts() throws {
    _ = try write([Order(id: 1, note: "x")], as: .html, .partial(.deadline))
    let head = try #require(bytes.text.split(separator: "<table>").first)
    #expect(head.contains("<p class=\"state partial\">1 record, <strong>incomplete: "))
    #expect(head.contains("cached 2 h ago"))
    let bounded = Bytes()
    let outline = Order.fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: true), of: outline, id: FieldPath(["id"]), at: moment)
    var renderer = FileFormat.html.renderer(
      columns, FileTitle("orders", question: "orders search 'x' --limit 1", isAnswer: true), folder: "/tmp", into: bounded)
    try renderer.begin(.live)
    try renderer.print(ShownRecord.rows([Order(id: 1, note: "x")], of: Order.fields, at: moment))
    var summary = Summary()
    (summary.verdict, summary.total) = (.bounded, 230)
    try renderer.end(summary)
    #expect(bounded.text.contains("1 of 230 records, <strong>cut by a limit</strong>"))
    #expect(bounded.text.contains("<dt>Asked</dt><dd>orders search &#39;x&#39; --limit 1</dd>"))
  }

  @Test("a page has room for a limited number of rows, and says what it leaves out at its top, at its end and to the caller")
  func pageGuard() throws {
    let most = PageFile.mostRows
    let shortage = try write((0..<most + 5).map { Order(id: $0, note: "x") }, as: .html)
    #expect(bytes.text.split(separator: "<tr>").count == most + 2)
    #expect(bytes.text.contains("This page shows the first 10000 of 10005 records"))
    #expect(bytes.text.contains("End of orders: 10000 of 10005 records."))
    #expect(shortage?.contains("first 10000 of 10005") == true)
  }

  @Test("a page is written only when its list has ended, and Markdown ends with the verdict")
  func unended() throws {
    _ = try write([Order(id: 1, note: "x")], as: .html, isUnended: true)
    #expect(bytes.all.isEmpty)
    _ = try write([Order(id: 1, note: "x")], as: .md, isUnended: true)
    #expect(bytes.text.hasSuffix("%7C> |\n"))
  }

  @Test("Parquet begins with its mark and ends with it only when the list has ended; the verdict is in the footer")
  func parquet() throws {
    _ = try write((0..<70_000).map { Order(id: $0, note: $0 == 69_999 ? .int(7) : .text("text \($0 % 7)")) }, as: .parquet, isUnended: true)
    #expect(bytes.all.starts(with: "PAR1".utf8) && !bytes.all.suffix(4).elementsEqual("PAR1".utf8))
    let whole = Bytes()
    let outline = Order.fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: true), of: outline, id: FieldPath(["id"]), at: moment)
    var renderer = FileFormat.parquet.renderer(
      columns, Self.title, folder: "/tmp", into: whole)
    try renderer.begin(.live)
    let orders = (0..<70_000).map { Order(id: $0, note: $0 == 69_999 ? .int(7) : .text("text \($0 % 7)")) }
    try renderer.print(ShownRecord.rows(orders, of: Order.fields, at: moment))
    var summary = Summary()
    summary.verdict = .partial(.deadline)
    try renderer.end(summary)
    #expect(whole.all.suffix(4).elementsEqual("PAR1".utf8))
    let length = whole.all.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    let footer = String(decoding: whole.all.suffix(length + 8), as: UTF8.self)
    for text in ["note (other)", "aggregator.verdict", "partial", "aggregator.records", "70000"] {
      #expect(footer.contains(text), "\(text)")
    }
  }

  /// Adds a list of one order, called `name`, to a SQLite file.
  private func add(_ name: String, to file: TableListFile) throws {
    let outline = Order.fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: true), of: outline, id: FieldPath(["id"]), at: moment)
    var list = try file.renderer(columns, FileTitle(name, question: "", isAnswer: true))
    try list.begin(.live)
    try list.print(ShownRecord.rows([Order(id: 1, note: "x")], of: Order.fields, at: moment))
    try list.end(Summary())
  }

  @Test("the table about lists keeps its name, whatever a list is called")
  func about() throws {
    let file = try TableListFile(in: "/tmp", into: bytes)
    try add("about", to: file)
    try add("About", to: file)
    try file.end()
    for table in [#"CREATE TABLE "about" ("name""#, #"CREATE TABLE "about 2" ("id""#, #"CREATE TABLE "About 3" ("id""#] {
      #expect(bytes.text.contains(table), "\(table)")
    }
  }

  @Test("a table with more columns than SQLite allows is an error that says so, also where misfits would add them")
  func manyColumns() throws {
    let file = try TableFile(in: "/tmp")
    let columns = (0...TableFile.mostColumns).map { (name: "c\($0)", type: "TEXT") }
    #expect(throws: TableFile.tooManyColumns) { try file.create("wide", columns) }
    try file.create("wide", Array(columns.dropLast()))
  }

  @Test("an empty list is a whole file in each format", arguments: FileFormat.allCases)
  func empty(format: FileFormat) throws {
    _ = try write([], as: format)
    #expect(!bytes.all.isEmpty)
  }
}
