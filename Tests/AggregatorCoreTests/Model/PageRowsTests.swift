import AggregatorCore
import Testing

@Suite("A page of a service's rows")
struct PageRowsTests {
  private let source = ModelSource.list(0)

  @Test("skips and counts a row that cannot be read, and keeps the others")
  func oneBadRow() throws {
    let rows = try JSON(Array(#"[{"id":"1","name":"a"},{"id":2},{"id":"3","name":"c"},null,{"id":"","name":"d"}]"#.utf8))
    let page: Page<Row> = try Page(of: source, rows: rows.elements, total: 5)
    #expect(page.items.map(\.id) == ["1", "3"])
    #expect(page.faults.count == 3)
    #expect(page.received == 5)
    #expect(page.faults.allSatisfy { $0.reason?.isEmpty == false })
    #expect(Set(page.faults.map(\.digest)).count == 3)
  }

  @Test("an error that is not about the row is not skipped")
  func otherError() throws {
    let rows = try JSON(Array("[1]".utf8))
    #expect(throws: SourceError(.storage, "full")) {
      try Page(of: source, rows: rows.elements) { _ throws -> Row in throw SourceError(.storage, "full") }
    }
  }
}
