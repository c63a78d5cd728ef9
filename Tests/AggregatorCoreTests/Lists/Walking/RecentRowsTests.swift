import Testing

@testable import AggregatorCore

@Suite struct RecentRowsTests {
  /// A hundred rows that no other page has.
  private func rows(ofPage page: Int) -> [UInt64] { (0..<100).map { UInt64(page * 100 + $0) } }

  @Test("pages whose rows are all unknown replace the oldest rows, and the latest page stays")
  func unknownPages() {
    var recent = RecentRows(marks: rows(ofPage: 0))
    for number in 1...200 {
      let page = rows(ofPage: number)
      let isInOrder = recent.merge(page, ignoring: [])
      #expect(isInOrder && recent.marks.count <= 8_000 && recent.marks.starts(with: page))
    }
  }

  @Test("the pages after one whose place is unknown stay, and the rows that may be gone do not")
  func pagesAfterUnknownOne() {
    var recent = RecentRows(marks: [])
    for number in 0..<75 { recent.append(rows(ofPage: number)) }
    var read = rows(ofPage: 100)
    var isInOrder = recent.merge(read, ignoring: [])
    for number in 101...130 {
      let page = read.suffix(1) + rows(ofPage: number)
      isInOrder = isInOrder && recent.merge(Array(page), ignoring: [])
      read += rows(ofPage: number)
      #expect(isInOrder && recent.marks.count <= 8_000 && recent.marks.starts(with: read))
    }
  }
}
