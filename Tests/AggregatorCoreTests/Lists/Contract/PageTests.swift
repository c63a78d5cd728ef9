import Testing

@testable import AggregatorCore

@Suite struct PageTests {
  private let source = ModelSource.list(0)

  @Test("a total is never negative, wherever it is set", arguments: [-1, .min])
  func negativeTotal(total: Int) throws {
    var page = Page(of: source, [Row(1)], total: total)
    #expect(page.total == nil)
    #expect(try Page(of: source, rows: [], total: total).total == nil)
    page.total = 3
    page.total = total
    #expect(page.total == nil)
    #expect(page.mapped { $0 }.total == nil)
  }
}
