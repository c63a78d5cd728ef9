import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Reading ahead") struct ReadAheadTests {
  /// Pages of 10 out of `count`, of which the one at `short` holds one row less; notes what is asked.
  private final class List: DataSource {
    let profile = Profile("list", paging: .offset(size: 10, end: .total))
    private let count: Int
    private let short: Int?
    private let hasTotal: Bool
    private let log = Mutex<[Int]>([])
    private let news = AsyncStream<Int>.makeStream()

    var asked: [Int] { log.withLock { $0 } }

    init(_ count: Int, short: Int? = nil, hasTotal: Bool = true) { (self.count, self.short, self.hasTotal) = (count, short, hasTotal) }

    /// Returns once the page at `offset` was asked for.
    func wait(for offset: Int) async {
      for await asked in news.stream where asked == offset { return }
    }

    func page(_ request: PageRequest) async throws -> Page<Row> {
      let place = try request.place(in: self)
      log.withLock { $0.append(place.number) }
      news.continuation.yield(place.number)
      let size = place.number == short ? 9 : 10
      return Page(of: self, (place.number..<min(count, place.number + size)).map { Row("\($0)") }, total: hasTotal ? count : nil)
    }
  }

  private func walk(_ list: List) async throws -> [String] {
    var walk = Walk(list.readAhead())
    var ids: [String] = []
    while let items = try await walk.nextPage() { ids += items.map(\.id) }
    return ids
  }

  @Test("a walk gets the same pages, each asked for once, and nothing behind the end")
  func same() async throws {
    let list = List(95)
    #expect(try await walk(list) == (0..<95).map(String.init))
    #expect(list.asked.sorted() == Array(stride(from: 0, to: 95, by: 10)))
  }

  @Test("the next page is asked for before the walk wants it")
  func ahead() async throws {
    let list = List(95)
    var walk = Walk(list.readAhead())
    _ = try await walk.nextPage()
    await list.wait(for: 10)
  }

  @Test("a page shorter than guessed costs a request and no row")
  func short() async throws {
    let list = List(95, short: 40)
    #expect(try await walk(list) == (0..<95).map(String.init))
    #expect(list.asked.filter { $0 == 49 }.count == 1)
  }

  @Test("without a total nothing is guessed")
  func totalless() async throws {
    let list = List(25, hasTotal: false)
    _ = try await walk(list)
    #expect(list.asked == [0, 10, 20, 25])
  }
}
