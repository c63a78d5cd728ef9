import Platform
import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

/// Sequences of asks that are drawn by chance, each ask with the terms that a person can give it.
@Suite struct AnswerModelTests {
  /// The number of sequences that are drawn; `AGGREGATOR_SEEDS` sets another one.
  private static let count = getenv("AGGREGATOR_SEEDS").flatMap { Int(String(cString: $0)) } ?? 120

  @Test("whatever is asked one after the other, an answer without the service is at least as good as the best one before")
  func random() async throws {
    var (whole, short) = (0, 0)
    for seed in 0..<UInt64(Self.count) {
      let asks = try await Asks(seed: seed)
      if asks.best.isWhole { whole += 1 } else { short += 1 }
    }
    // Both must occur, or the test has tried nothing.
    #expect(min(whole, short) > Self.count / 20, "\(whole) and \(short)")
  }
}

/// A sequence of asks, with a look at what is cached after each.
private struct Asks {
  /// The best answer that the service has given so far.
  struct Best {
    var count = 0
    var isWhole = false
    /// The number of pages of the longest walk.
    var pages = 0
  }

  private(set) var best = Best()
  private let seed: UInt64
  private let dice: SeededDice
  private let store = StoreInMemory()
  private let clock = TestClock()
  private let paging: Paging
  private let service = Service()

  /// A service with a list that becomes another one; the generation of the list tells how many rows it has.
  private final class Service: Sendable {
    /// The generation, and how many requests the service still answers.
    let state = Mutex((generation: 0, left: Int.max))
  }

  init(seed: UInt64) async throws {
    (self.seed, dice) = (seed, SeededDice(seed: seed))
    paging = [.offset(size: 10, end: .total), .numbered(size: 10, end: .emptyPage), .tokens(size: 10)][dice.index(below: 3)]
    for _ in 0..<8 {
      try await ask()
      for limit in [1, 7, 25, nil] { try await look(limit) }
    }
  }

  private static func rows(_ generation: Int) -> [Int] { (0..<30 + generation * 7 % 20).map { generation * 1_000 + $0 } }

  private var source: Source<Row> {
    Source(
      "model", "Rows",
      live: { [paging, service] _ in
        ModelSource("model", paging: paging) { asked in
          let generation = try service.state.withLock { service in
            guard service.left > 0 else { throw SourceError(.unreachable, "down") }
            service.left -= 1
            return service.generation
          }
          let rows = Self.rows(generation)
          let start =
            switch asked.source.profile.paging.style {
            case .token: asked.place.token.flatMap { Int($0) } ?? 0
            case .number: (asked.place.number - 1) * 10
            default: asked.place.number
            }
          let end = min(rows.count, start + asked.place.size)
          let next = asked.source.profile.paging.style == .token ? Continuation.token(ifAny: end < rows.count ? "\(end)" : nil) : .advance
          return asked.page(rows[min(start, end)..<end], total: asked.source.profile.paging.style == .offset ? rows.count : nil, next: next)
        }
      })
  }

  private func walk(_ bounds: Bounds, _ terms: (inout World.Terms) -> Void) async throws -> Walked {
    var world = World(settings: Settings(declared: []), transport: StubTransport(), keepingIn: store)
    (world.clock, world.patience) = (clock, .none)
    terms(&world.terms)
    return try await Walked(source.open(in: world).answering, bounds: bounds, clock: clock)
  }

  /// Asks for some records, all of them or their number. Before some asks the list becomes another one; some are interrupted.
  private mutating func ask() async throws {
    clock.advance(by: .seconds(dice.index(below: 40)))
    if dice.index(below: 3) == 0 { service.state.withLock { $0.generation += 1 } }
    service.state.withLock { $0.left = dice.index(below: 3) == 0 ? dice.index(below: 4) : .max }
    let bounds = [Bounds(), Bounds(limit: 1 + dice.index(below: 30)), Bounds(pages: 1)][dice.index(below: 3)]
    let maxAge = Duration.seconds([0, 0, 60][dice.index(below: 3)])
    let isInsistent = dice.index(below: 3) == 0
    guard let answer = try? await walk(bounds, { ($0.maxAge, $0.isInsistent) = (maxAge, isInsistent) }) else { return }
    guard answer.summary.origin == .live else { return }
    best.count = max(best.count, answer.ids.count)
    best.pages = max(best.pages, answer.summary.pages)
    if answer.verdict == .complete || answer.verdict == .unverifiable { best.isWhole = true }
  }

  /// Asks without the service.
  private func look(_ limit: Int?) async throws {
    guard best.count > 0 else { return }
    let answer = try await walk(Bounds(limit: limit)) { $0.reach = .offline }
    let first = try #require(answer.ids.first.flatMap { Int($0) }, "seed \(seed)")
    let list = Self.rows(first / 1_000)
    #expect(answer.ids == ids(list.prefix(answer.ids.count)), "seed \(seed): the pages of one list")
    let due = min(limit ?? .max, best.isWhole ? list.count : best.count)
    #expect(answer.ids.count >= due, "seed \(seed): \(answer.ids.count) of \(limit ?? list.count)")
    if best.isWhole { #expect(answer.verdict?.kind != "partial", "seed \(seed): \(answer.verdict?.kind ?? "")") }
    let pages = try await store.holdings().first { $0.kind == "answers" }?.rows ?? 0
    #expect(pages <= 2 * best.pages, "seed \(seed): \(pages) pages are cached")
  }
}
