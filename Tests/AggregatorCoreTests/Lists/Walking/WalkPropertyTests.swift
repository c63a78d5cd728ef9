import AggregatorCore
import Testing

@Suite("Any honest server")
struct WalkPropertyTests {
  /// A server of `count` rows that clamps pages by chance, repeats rows and breaks some.
  struct Server {
    let count: Int
    let paging: Paging
    let broken: Set<Int>
    let clamp: Int
    let repeats: Bool

    init(_ dice: SeededDice) {
      count = dice.index(below: 60)
      let size = 1 + dice.index(below: 12)
      let end: Paging.End = dice.index(below: 2) == 0 ? .total : .emptyPage
      paging =
        switch dice.index(below: 5) {
        case 0: .offset(size: size, end: end)
        case 1: .numbered(from: dice.index(below: 2), size: size, end: end).unchanging()
        case 2: .tokens(size: size)
        case 3: .keyset(size: size, end: end == .total ? .more : .emptyPage)
        default: .whole
        }
      broken = Set((1..<max(1, count)).filter { _ in dice.index(below: 8) == 0 })
      clamp = 1 + dice.index(below: 12)
      repeats = dice.index(below: 3) == 0
    }

    /// The expected verdict. Pages of one row have no row to look back to, and without a total nothing else proves the end.
    var verdict: Verdict {
      let isBlind = paging.style == .offset && min(paging.size, clamp) == 1 && count > 1
      return isBlind && paging.end == .emptyPage ? .unverifiable : .complete
    }

    var good: [Int] { (0..<count).filter { !broken.contains($0) } }

    func source() -> ModelSource {
      ModelSource(paging: paging) { asked in
        let place = asked.place
        let size = paging.style == .whole ? count : min(place.size, clamp)
        let start =
          switch paging.style {
          case .whole, .offset: place.number
          case .number(let first): (place.number - first) * size
          case .token: place.token.flatMap { Int($0) } ?? 0
          case .keyset: place.key.flatMap { Int($0) }.map { $0 + 1 } ?? 0
          }
        let rows = (0..<count).dropFirst(start).prefix(size)
        // A repeated row is added to the page, unless places are counted in rows.
        let isCounted = paging.style == .offset || paging.style == .keyset
        let extra = repeats && !isCounted && !rows.isEmpty && start > 0 ? good.prefix(1) : []
        let end = start + rows.count
        // After a page of only broken rows their ids are unreadable, so that the page names its key itself.
        let namesKey = paging.style == .keyset && rows.allSatisfy(broken.contains) && !rows.isEmpty
        return asked.page(
          rows.filter { !broken.contains($0) } + extra, broken: rows.filter { broken.contains($0) },
          total: paging.end == .emptyPage ? nil : count,
          next: paging.style == .token ? .token(ifAny: end < count ? "\(end)" : nil) : namesKey ? .token("\(end - 1)") : .advance)
      }
    }
  }

  @Test("a walk over any honest server gives all its rows exactly once, with the verdict that its paging allows", arguments: 0..<400)
  func everything(seed: UInt64) async throws {
    let server = Server(SeededDice(seed: seed))
    let walk = try await Walked(server.source()).expect(ids: server.good, skipped: server.broken.count)
    // After a page that has only the broken rows of the last one, nothing leads on, and nothing says that the list has ended.
    let isTail = server.paging.style == .keyset && server.paging.end == .emptyPage && server.broken.contains(server.count - 1)
    #expect(walk.verdict == server.verdict || isTail && walk.verdict == .unverifiable, "\(server)")
  }

  @Test("an honest server gives the first rows up to a limit, in any number of walks", arguments: 0..<200)
  func limited(seed: UInt64) async throws {
    let dice = SeededDice(seed: seed)
    let server = Server(dice)
    let limit = 1 + dice.index(below: 20)
    let walk = try await Walked(server.source(), bounds: Bounds(limit: limit)).expect(ids: server.good.prefix(limit))
    if server.good.count > limit { #expect(walk.verdict == .bounded) }
  }
}
