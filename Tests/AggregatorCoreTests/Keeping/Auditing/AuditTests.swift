import Platform
import Recordings
import Testing

@testable import AggregatorCore

/// A recount of a stored list against a service with planted faults. `AGGREGATOR_SEEDS=10000` tries more draws.
struct AuditTests {
  private static let seeds = getenv("AGGREGATOR_SEEDS").flatMap { Int(String(cString: $0)) } ?? 300
  private static let clock = TestClock()

  /// Returns the archive of a store in which a sync of exactly these ids ended complete.
  private static func archive(of ids: [String]) async throws -> Archive<AuditedRow> {
    let archive = Archive<AuditedRow>("rows", in: StoreInMemory())
    let source = AuditedService(ids, .offset(size: 500, end: .total))
    let outcome = try await Syncing(source, into: archive, clock: clock).run()
    try #require(outcome.verdict == .complete)
    return archive
  }

  private static func audit(
    _ archive: Archive<AuditedRow>, _ service: AuditedService, seed: Int = 1, requests: Int = 20
  ) async throws -> Audit {
    try await Auditing(service, of: archive, seed: seed, clock: clock).run(requests: requests)
  }

  private static func ids(_ count: Int) -> [String] { (0..<count).map { "r\($0)" } }

  /// Returns about a share of the ids, drawn by chance.
  private static func some(_ ids: [String], share: Double, seed: UInt64) -> Set<String> {
    let dice = SeededDice(seed: seed)
    return Set(ids.filter { _ in dice.fraction() < share })
  }

  @Test("2 % of the rows, lost one by one, are found by 300 requests in 99 of 100 draws, and nothing else is")
  func lostRows() async throws {
    let all = Self.ids(5_000)
    var found = 0
    for store in 0..<5 {
      let lost = Self.some(all, share: 0.02, seed: UInt64(store))
      let archive = try await Self.archive(of: all.filter { !lost.contains($0) })
      let service = AuditedService(all, .offset(size: 20, end: .total))
      for seed in 0..<Self.seeds / 5 {
        let audit = try await Self.audit(archive, service, seed: seed, requests: 300)
        found += audit.missing > 0 ? 1 : 0
        #expect(audit.ghosts == 0 && lost.isSuperset(of: audit.missingIDs) && audit.requests <= 300)
      }
    }
    #expect(Double(found) >= 0.99 * Double(Self.seeds))
  }

  @Test("2 % of the stored records, which the service has no longer, are found by 300 requests in 99 of 100 draws")
  func ghosts() async throws {
    let all = Self.ids(5_000)
    var found = 0
    for store in 0..<5 {
      let gone = Self.some(all, share: 0.02, seed: UInt64(store))
      let archive = try await Self.archive(of: all)
      let service = AuditedService(all.filter { !gone.contains($0) }, .offset(size: 20, end: .total))
      for seed in 0..<Self.seeds / 5 {
        let audit = try await Self.audit(archive, service, seed: seed, requests: 300)
        found += audit.ghosts > 0 ? 1 : 0
        #expect(audit.missing == 0 && gone.isSuperset(of: audit.ghostIDs))
      }
    }
    #expect(Double(found) >= 0.985 * Double(Self.seeds))
  }

  @Test(
    "nothing is ever found in an honest copy, whatever the paging and the number of requests",
    arguments: [
      Paging.offset(size: 20, end: .total), .offset(size: 7, end: .emptyPage), .numbered(size: 20, end: .total),
      .numbered(from: 0, size: 9, end: .emptyPage), .tokens(size: 20), .whole,
    ])
  func honest(paging: Paging) async throws {
    let dice = SeededDice(seed: 5)
    for store in 0..<6 {
      let all = Self.ids(1 + dice.index(below: 400))
      let archive = try await Self.archive(of: all)
      for seed in 0..<Self.seeds / 36 + 1 {
        let service = AuditedService(all, paging, looksUp: seed % 2 == 0) { $0.announces = paging.end == .total }
        let audit = try await Self.audit(archive, service, seed: seed, requests: 1 + dice.index(below: 60))
        #expect(!audit.findsFaults && audit.newSince == 0, "store \(store), seed \(seed): \(audit)")
      }
    }
  }

  @Test("the bound for rows is exceeded in at most 5 of 100 draws", arguments: [0.001, 0.01, 0.05, 0.3])
  func rowBound(share: Double) async throws {
    let all = Self.ids(3_000)
    var exceeded = 0
    let lost = Self.some(all, share: share, seed: 11)
    let archive = try await Self.archive(of: all.filter { !lost.contains($0) })
    let truth = Double(lost.count) / Double(all.count)
    let service = AuditedService(all, .offset(size: 10, end: .total), looksUp: false)
    for seed in 0..<Self.seeds {
      let bound = try #require(try await Self.audit(archive, service, seed: seed).rowBound)
      exceeded += bound < truth ? 1 : 0
    }
    #expect(exceeded <= Self.allowance)
  }

  @Test("the bound for rows is never below the share that was found missing, wherever the rows are lost")
  func foundRows() async throws {
    let all = Self.ids(300)
    for lost in [30, 55, 70, 100] {
      let archive = try await Self.archive(of: Array(all[..<10] + all[(10 + lost)...]))
      let service = AuditedService(all, .offset(size: 50, end: .total), looksUp: false)
      for seed in 0..<20 {
        let audit = try await Self.audit(archive, service, seed: seed, requests: 3)
        if let bound = audit.rowBound, audit.rows > 0 { #expect(bound >= Double(audit.missing) / Double(audit.rows), "\(lost), \(seed)") }
      }
    }
  }

  @Test("the bound for places holds where whole pages are lost, and they are found as often as it says", arguments: [0.02, 0.1, 0.3])
  func placeBound(share: Double) async throws {
    let (all, size) = (Self.ids(3_000), 10)
    let dice = SeededDice(seed: 3)
    let lost = Set((0..<all.count / size).filter { _ in dice.fraction() < share })
    let archive = try await Self.archive(of: all.indices.filter { !lost.contains($0 / size) }.map { all[$0] })
    let truth = Double(lost.count) / Double(all.count / size)
    let service = AuditedService(all, .offset(size: size, end: .total), looksUp: false)
    var (exceeded, found) = (0, 0)
    for seed in 0..<Self.seeds {
      let audit = try await Self.audit(archive, service, seed: seed)
      exceeded += try #require(audit.placeBound) < truth ? 1 : 0
      found += audit.missing > 0 ? 1 : 0
      #expect(audit.missing == audit.lostPlaces * size)
    }
    #expect(exceeded <= Self.allowance)
    // Twenty places find a share of `truth` with this chance.
    let chance = 1 - pow(1 - truth, 19)
    #expect(Double(found) >= (chance - 0.08) * Double(Self.seeds))
  }

  @Test("the bound for records that the service has no longer is exceeded in at most 5 of 100 draws", arguments: [0.01, 0.1])
  func ghostBound(share: Double) async throws {
    let all = Self.ids(3_000)
    let gone = Self.some(all, share: share, seed: 2)
    let archive = try await Self.archive(of: all)
    let truth = Double(gone.count) / Double(all.count)
    let service = AuditedService(all.filter { !gone.contains($0) }, .offset(size: 20, end: .total))
    var exceeded = 0
    for seed in 0..<Self.seeds {
      let bound = try #require(try await Self.audit(archive, service, seed: seed, requests: 100).ghostBound)
      exceeded += bound < truth ? 1 : 0
    }
    #expect(exceeded <= Self.allowance)
  }

  /// Five of a hundred, and what chance adds to that.
  private static var allowance: Int { Int(0.05 * Double(seeds) + 3 * (0.0475 * Double(seeds)).squareRoot()) }

  // MARK: - Services that make it hard

  @Test("a list that is read whole is compared exactly, in both directions", arguments: [Paging.whole, .tokens(size: 30)])
  func exact(paging: Paging) async throws {
    let all = Self.ids(100)
    let archive = try await Self.archive(of: Array(all.dropLast(3)) + ["x", "y"])
    let audit = try await Self.audit(archive, AuditedService(all, paging, looksUp: false))
    #expect(audit.isWhole && audit.missing == 3 && audit.ghosts == 2 && audit.ids == 99)
    #expect(audit.rowBound == 0.03 && audit.missingIDs.sorted() == ["r97", "r98", "r99"] && audit.ghostIDs.sorted() == ["x", "y"])
  }

  @Test("a page of a list by tokens that is empty and names another one is not the end of the list")
  func emptyPage() async throws {
    let all = Self.ids(100)
    let service = AuditedService(all, .tokens(size: 30), looksUp: false) { $0.gap = 40 }
    let audit = try await Self.audit(try await Self.archive(of: all), service)
    #expect(audit.isWhole && audit.ghosts == 0 && audit.rows == 100)
  }

  @Test("a list by tokens that is too long for the requests says nothing about its rest")
  func beginning() async throws {
    let all = Self.ids(1_000)
    let archive = try await Self.archive(of: all.filter { $0 != "r5" && $0 != "r900" })
    let audit = try await Self.audit(archive, AuditedService(all, .tokens(size: 30), looksUp: false), requests: 5)
    #expect(audit.method == .walk && audit.missingIDs == ["r5"] && audit.rowBound == nil && audit.placeBound == nil)
    #expect(audit.doubts.contains { $0.contains("only the beginning") })
  }

  @Test("rows that were made after the sync are told apart, and those without a date may be newer")
  func newer() async throws {
    let all = Self.ids(60)
    let archive = try await Self.archive(of: all)
    let dated = try await Self.audit(archive, AuditedService(all + ["n@01", "n@02"], .offset(size: 20, end: .total)))
    #expect(dated.missing == 0 && dated.newSince == 2 && dated.tellsNew)
    let undated = try await Self.audit(archive, AuditedService(all + ["n1"], .offset(size: 20, end: .total)))
    #expect(undated.missing == 1 && undated.newSince == 0 && !undated.tellsNew)
  }

  @Test("a list that changes between two draws makes no ghost and no missing row that was stored")
  func changing() async throws {
    let all = Self.ids(200)
    let archive = try await Self.archive(of: all)
    for seed in 0..<40 {
      let service = AuditedService(all, .offset(size: 20, end: .total), looksUp: seed % 2 == 0) {
        $0.before = { number, state in
          if number.isMultiple(of: 3) { state.ids.insert("n\(number)@05", at: 0) } else { state.ids.removeFirst(number % 2) }
        }
      }
      let audit = try await Self.audit(archive, service, seed: seed, requests: 15)
      #expect(audit.missing == 0)
      // What was taken out of the list meanwhile may be told as gone, but only after a look-up.
      if seed % 2 == 1 { #expect(audit.ghosts == 0) }
    }
  }

  @Test(
    "a record that slips from page to page is not gone if another reading has it; without one, nothing is said of it", arguments: [20, 4])
  func movedBetweenPages(requests: Int) async throws {
    let archive = try await Self.archive(of: Self.ids(20))
    let service = AuditedService(Self.ids(20), .offset(size: 10, end: .total), looksUp: false) {
      $0.before = { number, state in if number == 2 { state.ids = Array(state.ids.dropFirst()) + ["n@05"] } }
    }
    // With this seed the pages are asked for in their order.
    let audit = try await Self.audit(archive, service, seed: 3, requests: requests)
    #expect(audit.isWhole == (requests == 20) && audit.ghosts == 0 && audit.ghostIDs == [] && audit.missing == 0)
    let doubt = "1 stored record did not come, and may have moved from page to page while the list was read"
    #expect(audit.doubts == (requests == 20 ? [] : [doubt]))
  }

  @Test(
    "a list with a row that cannot be read is not compared whole, and says so",
    arguments: [Paging.whole, .tokens(size: 10), .offset(size: 10, end: .total)])
  func brokenRow(paging: Paging) async throws {
    let archive = try await Self.archive(of: Self.ids(20))
    let service = AuditedService(Self.ids(20), paging, looksUp: false) { $0.broken = ["r7"] }
    let audit = try await Self.audit(archive, service)
    #expect(!audit.isWhole && audit.ghosts == 0 && audit.doubts == ["the service gives rows that cannot be read"])
  }

  @Test(
    "a list with two spellings of one id is not compared whole, and says so",
    arguments: [Paging.whole, .tokens(size: 2), .offset(size: 2, end: .total)])
  func spellings(paging: Paging) async throws {
    let ids = ["a", "E\u{301}", "\u{C9}"]
    let audit = try await Self.audit(try await Self.archive(of: ["a", "E\u{301}"]), AuditedService(ids, paging, looksUp: false))
    #expect(!audit.isWhole && audit.doubts == ["the service gives rows whose IDs differ only in how Unicode spells them"])
  }

  @Test("a total of any size divides a list into pages of any size")
  func greatTotals() {
    for rows in [Int.min, 7, .max] {
      #expect(DrawnPages(rows: rows, size: .max).count == 1 && DrawnPages(rows: rows, size: .min).size == 1)
    }
    var pages = DrawnPages(rows: .max, size: 20)
    #expect(!pages.fits(7, 7, at: 0) && !DrawnPages(rows: 7, size: 20).fits(.max, 7, at: 0))
    pages.resize(to: .max, 7, at: 0)
    #expect(pages.size == 7 && pages.count > 1 && DrawnPages(rows: .min, size: 20).count == 1)
  }

  @Test("a list that has become empty is found with few requests", arguments: [10, 60], [true, false])
  func emptied(requests: Int, looksUp: Bool) async throws {
    let archive = try await Self.archive(of: Self.ids(500))
    let service = AuditedService([], .offset(size: 20, end: .emptyPage), looksUp: looksUp) { $0.announces = false }
    let audit = try await Self.audit(archive, service, requests: requests)
    #expect(audit.isWhole && audit.ghosts == 500)
  }

  @Test("records of a list that has become shorter are gone if every place was read, and the empty places are told else")
  func shrunken() async throws {
    let archive = try await Self.archive(of: Self.ids(200))
    let service = AuditedService(Self.ids(10), .offset(size: 20, end: .emptyPage), looksUp: false) { $0.announces = false }
    let whole = try await Self.audit(archive, service, requests: 30)
    #expect(whole.isWhole && whole.rows == 10 && whole.missing == 0 && whole.ghosts == 190)
    let part = try await Self.audit(archive, service, requests: 6)
    #expect(!part.isWhole && part.ghosts == 0 && part.doubts.contains { $0.contains("places had no row") })
    let empty = try await Self.audit(archive, AuditedService([], .offset(size: 20, end: .total), looksUp: false))
    #expect(empty.isWhole && empty.ghosts == 200)
  }

  @Test("rows after the last stored or announced one are read on to the end, and leave no bound if that is too far")
  func longer() async throws {
    let archive = try await Self.archive(of: Self.ids(40))
    let service = AuditedService(Self.ids(70), .offset(size: 20, end: .emptyPage), looksUp: false) { $0.announces = false }
    let audit = try await Self.audit(archive, service, requests: 10)
    #expect(audit.isWhole && audit.missing == 30 && audit.rowBound == 30.0 / 70)
    let long = AuditedService(Self.ids(700), .offset(size: 20, end: .emptyPage), looksUp: false) { $0.announces = false }
    let part = try await Self.audit(archive, long, requests: 10)
    #expect(!part.isWhole && part.missing > 0 && part.rowBound == nil && part.placeBound == nil)
    #expect(part.doubts.contains { $0.contains("longer than what is announced or stored") })
  }

  @Test("a list whose end does not answer is not compared whole")
  func silentEnd() async throws {
    let all = Self.ids(60)
    let archive = try await Self.archive(of: all)
    let service = AuditedService(all, .offset(size: 20, end: .total), looksUp: false) {
      $0.before = { number, _ in if number == 4 { throw SourceError(.unavailable, "HTTP 500") } }
    }
    let audit = try await Self.audit(archive, service)
    #expect(audit.places == 3 && audit.failed == 1 && !audit.isWhole && !audit.findsFaults)
    #expect(!audit.doubts.contains { $0.contains("longer") })
  }

  @Test("a total that is too low hides no row and makes no ghost", arguments: [true, false])
  func lowTotal(isWholeCopy: Bool) async throws {
    let all = Self.ids(100)
    let archive = try await Self.archive(of: isWholeCopy ? all : Array(all.prefix(80)))
    let service = AuditedService(all, .offset(size: 20, end: .total), looksUp: false) { $0.total = 80 }
    let audit = try await Self.audit(archive, service)
    #expect(audit.ghosts == 0 && audit.missing == (isWholeCopy ? 0 : 20))
  }

  @Test(
    "a list that begins anew before its end makes no ghost if its total is too low, or if it says that more follows",
    arguments: [(60, nil), (80, true)])
  func beginningAnew(total: Int, more: Bool?) async throws {
    let all = Self.ids(100)
    let archive = try await Self.archive(of: all)
    let service = AuditedService(all, .offset(size: 20, end: .total), looksUp: false) {
      ($0.total, $0.more, $0.beginsAgain) = (total, more, 80)
    }
    let audit = try await Self.audit(archive, service)
    #expect(!audit.isWhole && audit.ghosts == 0 && audit.doubts.contains { $0.hasPrefix(Shortfall.loop.sentence) })
  }

  @Test(
    "a total that is too high, and that no rows reach, is told, and makes no ghost",
    arguments: [Paging.offset(size: 20, end: .total), .whole, .tokens(size: 20)])
  func highTotal(paging: Paging) async throws {
    let archive = try await Self.archive(of: Self.ids(100))
    let service = AuditedService(Self.ids(60), paging, looksUp: false) { $0.total = 100 }
    let audit = try await Self.audit(archive, service)
    #expect(!audit.isWhole && audit.ghosts == 0 && audit.doubts == ["the service announces 100 rows and gives 60"])
  }

  @Test("an imported record never counts as a ghost, in a whole list or looked up")
  func imported() async throws {
    let all = Self.ids(60)
    let archive = try await Self.archive(of: all)
    let fetch = Fetch(at: Self.clock.now, request: Fetch.importing, place: "line 1")
    try await archive.land((0..<30).map { AuditedRow("mine\($0)") }, from: fetch, rule: .imported(since: Self.clock.now))
    let whole = try await Self.audit(archive, AuditedService(all, .offset(size: 20, end: .total), looksUp: false))
    #expect(whole.isWhole && whole.ghosts == 0 && whole.ids == 60)
    let part = try await Self.audit(archive, AuditedService(all + Self.ids(600).dropFirst(60), .offset(size: 2, end: .total)), requests: 60)
    #expect(part.ghosts == 0 && part.ids > 0)
  }

  @Test("a list that ends at just the size that was asked for may have more, and shows no ghosts", arguments: [14, 13])
  func boundBySize(rows: Int) async throws {
    let all = Self.ids(60)
    let archive = try await Self.archive(of: all)
    // An audit asks for pages of another size: 14 in place of 20.
    let service = AuditedService(Array(all.prefix(rows)), .tokens(size: 20), looksUp: false) { ($0.announces, $0.mostRows) = (false, 7) }
    let audit = try await Self.audit(archive, service, requests: 200)
    #expect(audit.ghosts == (rows == 14 ? 0 : 47) && audit.isWhole == (rows != 14), "\(audit)")
  }

  @Test("a record that the list has never counts as a ghost, although its look-up finds nothing")
  func listed() async throws {
    let all = Self.ids(60)
    let archive = try await Self.archive(of: all)
    let service = AuditedService(all, .offset(size: 20, end: .total)) { $0.lookUp = { $0.hasSuffix("0") ? [] : nil } }
    #expect(try await Self.audit(archive, service, requests: 200).ghosts == 0)
    // A record that the list lacks is looked up before it counts as one.
    let unlisted = AuditedService(Array(all.dropLast(2)), .offset(size: 20, end: .total)) {
      $0.lookUp = { $0 == "r59" ? [AuditedRow("r59")] : nil }
    }
    #expect(try await Self.audit(archive, unlisted, requests: 200).ghostIDs == ["r58"])
  }

  @Test("a sync that has not ended cannot be compared, and a list that was whole and empty can")
  func unfinished() async throws {
    let archive = Archive<AuditedRow>("rows", in: StoreInMemory())
    let source = AuditedService(Self.ids(100), .offset(size: 20, end: .total)) {
      $0.before = { number, _ in if number > 2 { throw SourceError(.unavailable, "HTTP 503") } }
    }
    _ = try await Syncing(source, into: archive, clock: Self.clock).run()
    await #expect(throws: SourceError.self) { try await Self.audit(archive, source) }
    let empty = try await Self.archive(of: [])
    let audit = try await Self.audit(empty, AuditedService(["r0"], .offset(size: 20, end: .total)))
    #expect(audit.missing == 1 && audit.isWhole && audit.isConclusive)
  }

  @Test("a service that gives fewer rows than asked for is still drawn from everywhere")
  func clamped() async throws {
    let all = Self.ids(400)
    let lost = Set(all[230..<250])
    let archive = try await Self.archive(of: all.filter { !lost.contains($0) })
    let service = AuditedService(all, .offset(size: 50, end: .total), looksUp: false) { $0.mostRows = 10 }
    let audit = try await Self.audit(archive, service, requests: 42)
    #expect(audit.missing == 20 && audit.rows == 400)
  }

  @Test("a short list without a total is compared whole, by its one page and the place after it")
  func shortWithoutTotal() async throws {
    let ids = Self.ids(57)
    let archive = try await Self.archive(of: ids)
    for seed in 0..<20 {
      let audit = try await Self.audit(
        archive, AuditedService(ids, .offset(size: 100, end: .emptyPage)) { $0.announces = false }, seed: seed)
      #expect(audit.isWhole && audit.doubts.isEmpty && audit.requests <= 3, "\(audit)")
    }
  }

  @Test("a service that gives the same page for every place leaves no bound")
  func samePage() async throws {
    let all = Self.ids(400)
    let archive = try await Self.archive(of: all)
    let service = AuditedService(all, .offset(size: 20, end: .total), looksUp: false) { $0.ignoresPlaces = true }
    let audit = try await Self.audit(archive, service)
    #expect(!audit.findsFaults && audit.rowBound == nil && audit.doubts.contains { $0.contains("same rows at different places") })
  }

  @Test("look-ups that find nothing at all prove nothing; those answered with another record are told")
  func lookUps() async throws {
    let all = Self.ids(400)
    let archive = try await Self.archive(of: all)
    let blind = AuditedService(all, .offset(size: 20, end: .total)) { $0.lookUp = { _ in [] } }
    let blindAudit = try await Self.audit(archive, blind)
    #expect(blindAudit.ghosts == 0 && blindAudit.ids == 0 && blindAudit.doubts.contains { $0.contains("finds no record by its ID") })
    let other = AuditedService(all, .offset(size: 20, end: .total)) { $0.lookUp = { _ in [AuditedRow("r0")] } }
    let otherAudit = try await Self.audit(archive, other)
    #expect(otherAudit.ghosts == 0 && otherAudit.doubts.contains { $0.contains("another record") })
    let absent = AuditedService(all, .offset(size: 20, end: .total)) {
      $0.lookUp = { id in
        if id.hasSuffix("7") { throw SourceError(.notFound, "no such record") }
        return nil
      }
    }
    let absentAudit = try await Self.audit(archive, absent, requests: 60)
    #expect(absentAudit.ghosts > 0 && absentAudit.ghostIDs.allSatisfy { $0.hasSuffix("7") })
  }

  @Test("requests that fail are counted and told, and the rest is compared; if all fail, the recount fails")
  func failures() async throws {
    let all = Self.ids(400)
    let archive = try await Self.archive(of: all)
    let service = AuditedService(all, .offset(size: 20, end: .total)) {
      $0.before = { number, _ in if number.isMultiple(of: 3) { throw SourceError(.unavailable, "HTTP 500") } }
    }
    let audit = try await Self.audit(archive, service)
    #expect(audit.failed == 6 && !audit.findsFaults && audit.doubts.contains { $0.contains("6 requests failed") })
    let dead = AuditedService(all, .offset(size: 20, end: .total)) {
      $0.before = { _, _ in throw SourceError(.unavailable, "HTTP 500") }
    }
    await #expect(throws: SourceError(.unavailable, "HTTP 500")) { try await Self.audit(archive, dead) }
    #expect(dead.requests == 5)
  }

  @Test("one request draws one place; a list of one row is compared whole; without a stored row there is nothing to compare")
  func small() async throws {
    let archive = try await Self.archive(of: Self.ids(400))
    let service = AuditedService(Self.ids(400), .offset(size: 20, end: .total))
    let one = try await Self.audit(archive, service, requests: 1)
    #expect(service.requests == 1 && one.places == 1 && one.rows == 20 && one.ids == 0)
    let single = try await Self.audit(try await Self.archive(of: ["r0"]), AuditedService(["r0"], .offset(size: 20, end: .total)))
    #expect(single.isWhole && single.rows == 1 && !single.findsFaults)
    let empty = Archive<AuditedRow>("rows", in: StoreInMemory())
    await #expect(throws: SourceError.self) { try await Self.audit(empty, service) }
  }

  @Test("the same seed draws the same, and the result is stored beside the list")
  func repeated() async throws {
    let store = StoreInMemory()
    let archive = Archive<AuditedRow>("rows", in: store)
    let all = Self.ids(300)
    _ = try await Syncing(AuditedService(all, .offset(size: 50, end: .total)), into: archive, clock: Self.clock).run()
    let service = AuditedService(all + ["z"], .offset(size: 20, end: .total))
    let first = try await Self.audit(archive, service, seed: 9)
    #expect(try await Self.audit(archive, service, seed: 9) == first)
    #expect(try await archive.status(at: store.snapshot()).audit == first)
    #expect(try await archive.status(at: store.snapshot()).verdict == .complete)
  }
}
