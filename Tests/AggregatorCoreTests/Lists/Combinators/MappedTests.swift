import AggregatorCore
import Testing

@Suite("Records made from another's")
struct MappedTests {
  @Test("a mapped source turns each record, and the page keeps the rest")
  func turned() async throws {
    let source = ModelSource { request in copy(of: request.page(0..<3, broken: [9], total: 4, origin: .replay)) { $0.stored.unread = 2 } }
      .mapped { Row($0.id, "\($0.name)!") }
    let page = try await source.page(PageRequest())
    #expect(page.items.map(\.name) == ["Row 0!", "Row 1!", "Row 2!"])
    #expect(page.faults == [.broken(9, row: 3)])
    #expect(page.total == 4)
    #expect(page.origin == .replay)
    #expect(page.stored.unread == 2)
  }

  @Test("a record that cannot be turned is skipped and counted")
  func skipped() async throws {
    let source = ModelSource.list(12).mapped { row in
      if row.id == "3" { throw SourceError(.malformed, "odd") }
      return row
    }
    try await Walked(source).expect(ids: [0, 1, 2] + Array(4..<12), .complete, skipped: 1)
  }

  @Test("a page of only broken rows that comes twice is a loop")
  func loop() async throws {
    let source = ModelSource(paging: .numbered(size: 2, end: .emptyPage)) { $0.page($0.call == 0 ? 7..<9 : 0..<2) }
    try await Walked(
      source.mapped { row throws -> Row in if row.id < "7" { throw SourceError(.malformed, "odd") } else { row } }
    ).expect(.partial(.loop))
  }

  @Test("a different page of only broken rows is not a loop")
  func otherPage() async throws {
    let source = ModelSource.pages([[8, 9], [0, 1], [2, 3], [4]], paging: .offset(size: 2, end: .emptyPage))
    try await Walked(
      source.mapped { row throws -> Row in if row.id < "8" { throw SourceError(.malformed, "odd") } else { row } }
    ).expect(.complete, skipped: 5)
  }

  @Test("a cancellation is not a row's fault")
  func cancellation() async throws {
    let source = ModelSource.list(1).mapped { _ throws -> Row in throw CancellationError() }
    await #expect(throws: CancellationError.self) { try await source.page(PageRequest()) }
  }

  @Test("a search by the walk looks at the new records")
  func searched() async throws {
    let source = ModelSource.list(12).mapped { Row($0.id, $0.id == "7" ? "Lynx" : "") }
    #expect(try await Walked(source, .matching("lynx")).ids == ["7"])
  }

  @Test("a mapped source describes itself")
  func description() { #expect("\(ModelSource.list(1).mapped { $0 })" == "model.mapped(to: Row)") }
}

@Suite("A source over a recording")
struct ReplayedTests {
  @Test("a replayed source turns the origin live into replay, and leaves the origin bundled alone")
  func origins() async throws {
    #expect(try await ModelSource.list(3).replayed().page(PageRequest()).origin == .replay)
    let bundled = ModelSource { $0.page(0..<3, origin: .bundled) }
    #expect(try await bundled.replayed().page(PageRequest()).origin == .bundled)
  }
}
