import AggregatorCore
import Testing

@Suite("The gate that gives complete")
struct VerdictGateTests {
  private static let pagings: [Paging] = [
    .offset(size: 20, end: .total), .offset(size: 20, end: .emptyPage), .offset(size: 20, end: .total, lookingBack: false),
    .offset(size: 20, end: .emptyPage, lookingBack: false).unchanging(), .numbered(size: 20, end: .total),
    .numbered(size: 20, end: .more, lookingBack: true), .tokens(size: 20), .keyset(size: 20), .keyset(size: 20, sharingKeys: true), .whole,
  ]
  private static let endings: [Evidence.Ending] = [
    .end, .repetition, .noSuchPage(SourceError(.noSuchAddress, "404")), .noSuchPage(SourceError(.badRequest, "400")),
  ]

  /// Every combination of the facts that decide.
  private static func all(_ paging: Paging) -> [Evidence] {
    let flags = 0..<1 << 8
    return endings.flatMap { ending in
      [nil, 40, 60].flatMap { (total: Int?) in
        flags.map { bits in
          var evidence = Evidence(announced: total)
          func isSet(_ bit: Int) -> Bool { bits & 1 << bit != 0 }
          (evidence.paging, evidence.ending, evidence.counts.records, evidence.counts.broken) = (paging, ending, 38, 2)
          (evidence.place, evidence.said.more) = (40, isSet(0) ? true : nil)
          evidence.said.lastMore = evidence.said.more
          (evidence.list.hasMoved, evidence.list.total.hasMoved) = (isSet(1), isSet(2))
          evidence.list.isBlind = isSet(3) || !paging.looksBack && evidence.countsRows
          (evidence.list.isLost, evidence.list.total.isWrong) = (isSet(4), isSet(5))
          evidence.list.standing = isSet(6) ? .unverifiable : nil
          evidence.list.sharedKeys = isSet(7) ? 1 : 0
          return evidence
        }
      }
    }
  }

  @Test("a walk is never complete if one fact forbids it", arguments: pagings)
  func forbidden(paging: Paging) {
    var complete = 0
    for evidence in Self.all(paging) where VerdictGate.verdict(on: evidence) == .complete {
      complete += 1
      let list = evidence.list
      #expect(evidence.said.more != true && !list.isLost && evidence.list.standing == nil && list.sharedKeys == 0)
      // Fewer rows than announced.
      #expect(evidence.total != 60)
      // Rows may have slipped from page to page.
      let isBlind = evidence.countsRows && list.isBlind && !paging.isUnchanging
      #expect(!(isBlind && (evidence.total == nil || list.hasMoved || list.total.hasMoved)))
      #expect(!(paging.style == .token && evidence.total != nil && list.total.hasMoved))
      // A page that came again, or is missing, shows no end by itself.
      if evidence.ending != .end { #expect(evidence.total == 40) }
      // A key without a page may be that of a row that was deleted, and the row that came makes up for one that did not.
      if case .noSuchPage = evidence.ending { #expect(evidence.countsRows) }
      if evidence.ending == .repetition { #expect(evidence.countsRows && !list.hasMoved && !list.total.hasMoved) }
    }
    // Shared keys need a total on the last page, which only a page can bring.
    #expect(complete > 0 || paging.sharesKeys)
  }

  @Test("each shortfall of a walk has its own reason")
  func reasons() {
    func verdict(_ change: (inout Evidence) -> Void) -> Verdict {
      var evidence = Evidence(announced: 40)
      (evidence.paging, evidence.counts.records, evidence.place) = (.offset(size: 20, end: .total), 40, 40)
      change(&evidence)
      return VerdictGate.verdict(on: evidence)
    }
    #expect(verdict { _ in } == .complete)
    #expect(verdict { $0.said.more = true } == .partial(.more))
    #expect(verdict { $0.counts.records = 37 } == .partial(.total(missing: 3)))
    // Rows may have moved to where they were not looked for. Pages that are short may leave rows out.
    for (length, expected) in [(20, Verdict.unverifiable), (19, .partial(.total(missing: 3)))] {
      #expect(verdict { ($0.list.hasMoved, $0.counts.records, $0.list.length) = (true, 37, length) } == expected)
    }
    // A total that moved explains the shortfall: the rows came while the list was read.
    let grown = verdict { ($0.list.hasMoved, $0.list.total.hasMoved, $0.counts.records) = (true, true, 37) }
    #expect(grown == .complete)
    #expect(verdict { ($0.list.hasMoved, $0.list.isUneven) = (true, true) } == .unverifiable)
    #expect(verdict { ($0.counts.records, $0.counts.twins) = (37, 3) } == .partial(.drift(missing: 3)))
    // Rows with the key of another one came twice too, and nothing else shows a change.
    let shared = verdict { ($0.counts.records, $0.counts.twins, $0.list.sharedKeys) = (37, 3, 3) }
    #expect(shared == .partial(.sharedKeys(3)))
    #expect(
      verdict {
        $0.ending = .repetition; $0.counts.records = 20
      } == .partial(.loop))
    #expect(verdict { ($0.said.totalsCountPages, $0.said.hasRepeats) = (true, true) } == .unverifiable)
    #expect(verdict { $0.list.isLost = true } == .partial(.drift(missing: nil)))
    #expect(verdict { $0.place = 60 } == .partial(.drift(missing: nil)))
    #expect(verdict { $0.list.sharedKeys = 2 } == .partial(.sharedKeys(2)))
    let missing = SourceError(.noSuchAddress, "404")
    #expect(verdict { ($0.ending, $0.counts.records) = (.noSuchPage(missing), 20) } == .partial(.failed(missing)))
    #expect(verdict { ($0.ending, $0.paging) = (.noSuchPage(missing), .keyset(size: 20)) } == .unverifiable)
  }
}

@Suite("The headway of a walk")
struct HeadwayTests {
  @Test("a walk may send as many requests without a new row as it sent before, and 32 more")
  func grace() {
    for useful in [1, 10, 500] {
      var headway = Headway()
      for _ in 0..<useful {
        headway.countRequest()
        headway.countNews(upTo: nil)
      }
      for _ in 0..<useful + 31 { headway.countRequest() }
      #expect(headway.verdict(moved: false) == nil)
      headway.countRequest()
      #expect(headway.verdict(moved: false) == .partial(.standstill(requests: useful + 32)))
      headway.countNews(upTo: nil)
      #expect(headway.verdict(moved: false) == nil)
    }
  }

  @Test("various pages without a new row of a list that has moved are drift, and the same page is a loop")
  func drift() {
    func verdict(pages: [UInt64]) -> Verdict? {
      var headway = Headway()
      for turn in 0..<40 {
        headway.countRequest()
        headway.count(page: pages[turn % pages.count])
      }
      return headway.verdict(moved: true)
    }
    #expect(verdict(pages: [7]) == .partial(.standstill(requests: 40)))
    #expect(verdict(pages: [7, 8]) == .partial(.drift(missing: nil)))
  }
}
