import AggregatorCore
import Synchronization

/// A service with a counted list, drawn by chance: how it treats places and sizes, what it says of the end, and how its list changes.
struct ListService: Sendable {
  /// The number that a request names.
  enum Places: String, Sendable, CaseIterable { case page, offset }

  /// The effect of the size that a request names.
  enum Sizes: String, Sendable, CaseIterable {
    case heard, clamped, roundedDown, roundedUp, ignored, refused, heardInPart
  }

  /// The change of the largest page in the middle of a walk.
  enum Cap: String, Sendable, CaseIterable { case stays, falls, rises, fallsAndRises }

  /// The rows that change before a request.
  enum Change: String, Sendable, CaseIterable {
    case none, insertions, deletions, either, both, bothFarApart
  }

  /// The part of the list in which rows change.
  enum Region: String, Sendable, CaseIterable { case anywhere, beginning, middle, end }

  /// The sign by which the service shows the end.
  enum End: String, Sendable, CaseIterable { case total, emptyPage, more, pages }

  /// The number that the service announces as its total.
  enum Total: String, Sendable, CaseIterable { case right, ofPage, none }

  /// The answer to a request for a page after the end.
  enum AfterEnd: String, Sendable, CaseIterable { case empty, missing, refused, firstPage, lastPage, wrapped }

  var places = Places.page
  var sizes = Sizes.heard
  var cap = Cap.stays
  var change = Change.none
  var region = Region.anywhere
  var end = End.total
  var total = Total.right
  var afterEnd = AfterEnd.empty
  /// True when each page says that there is more.
  var alwaysSaysMore = false
  /// True when each page is the first one, whatever place is named.
  var ignoresPlace = false
  /// True when a broken row comes again at the beginning of the next page, in place of the row that is there.
  var repeatsBroken = false
  /// Rows with these numbers are broken; 0 for none.
  var brokenEvery = 0
  /// The rows after `from` rows, and with this distance, are in no page, although the total counts them; nil for none.
  var hidden: (from: Int, every: Int)?
  var first = 1
  var size = 20
  var count = 0
  /// The largest page, the step of sizes, or the size that is always used.
  var limit = 10
  /// The answer from which on the largest page is another one, and that size.
  var capAnswer = 3
  var otherCap = 30
  /// The largest number of rows that change before a request, and the number of requests among which one is preceded by a change.
  var most = 1
  var rarity = 1
  /// The number of requests after which the list stays as it is.
  var restlessRequests = 400
  private let dice: SeededDice

  init(seed: UInt64) { dice = SeededDice(seed: seed) }

  /// A service by chance. Most of them have few faults at once.
  static func drawn(seed: UInt64) -> ListService {
    var service = ListService(seed: seed)
    let dice = service.dice
    func draw<Value: CaseIterable>(_ usual: Value, unless odds: Int) -> Value where Value.AllCases == [Value] {
      dice.index(below: odds) > 0 ? usual : Value.allCases[dice.index(below: Value.allCases.count)]
    }
    service.places = draw(.page, unless: 2)
    service.sizes = draw(.heard, unless: 2)
    service.cap = draw(.stays, unless: 3)
    service.change = draw(.none, unless: 1)
    service.region = draw(.anywhere, unless: 2)
    service.end = draw(.total, unless: 1)
    service.total = draw(.right, unless: 2)
    service.afterEnd = draw(.empty, unless: 2)
    service.alwaysSaysMore = dice.index(below: 12) == 0
    service.ignoresPlace = dice.index(below: 16) == 0
    service.brokenEvery = dice.index(below: 4) == 0 ? 3 + dice.index(below: 40) : 0
    service.repeatsBroken = service.brokenEvery > 0 && dice.index(below: 3) == 0
    service.first = dice.index(below: 2)
    service.size = [20, 21, 25, 30, 36, 48, 50, 100][dice.index(below: 8)]
    let size = service.size
    service.count =
      [0, 1, size - 1, size, size + 1, 2 * size - 1, 2 * size][dice.index(below: 7)] * dice.index(below: 2) + dice.index(below: 6 * size)
    let divisors = [2, 3, 5, 7, 10, 12, 25]
    switch service.sizes {
    case .clamped: service.limit = 2 + dice.index(below: size)
    case .ignored: service.limit = [size, 10, 20, 30][dice.index(below: 4)]
    default: service.limit = divisors[dice.index(below: divisors.count)]
    }
    service.capAnswer = 1 + dice.index(below: 6)
    service.otherCap = max(1, size / 4 + dice.index(below: size))
    service.most = 1 + dice.index(below: 4)
    service.rarity = 1 + dice.index(below: 4)
    // Dice of its own leave the other choices of a seed as they were.
    let hiding = SeededDice(seed: ~seed)
    let every = 2 + hiding.index(below: 150)
    service.hidden = hiding.index(below: 8) == 0 ? (hiding.index(below: every), every) : nil
    return service
  }

  var paging: Paging {
    let end: Paging.End =
      switch self.end {
      case .total: .total
      case .emptyPage: .emptyPage
      case .more, .pages: .more
      }
    return places == .offset ? .offset(size: size, end: end) : .numbered(from: first, size: size, end: end, lookingBack: true)
  }

  /// The number of rows that come for a page of that size; nil if the size is refused.
  private func given(for asked: Int, answer: Int) -> Int? {
    let size: Int? =
      switch sizes {
      case .heard: asked
      case .clamped: min(asked, limit)
      case .roundedDown: max(1, asked / limit * limit)
      case .roundedUp: (asked + limit - 1) / limit * limit
      case .ignored: limit
      case .refused: asked % limit == 0 || asked == self.size ? asked : nil
      case .heardInPart: asked * 2 >= self.size ? asked : self.size
      }
    let isOther =
      switch cap {
      case .stays: false
      case .falls: answer >= capAnswer
      case .rises: answer < capAnswer
      case .fallsAndRises: answer % (capAnswer + 1) == capAnswer
      }
    return isOther ? size.map { min($0, otherCap) } : size
  }

  /// Returns the service, and the list that it serves.
  func start() -> (source: ModelSource, list: ChangingList) {
    let list = ChangingList(count)
    let source = ModelSource(paging: paging) { [self] asked in
      try list.state.withLock { state in
        if state.requests > 0, state.requests < restlessRequests, dice.index(below: rarity) == 0 { change(&state) }
        state.requests += 1
        guard let size = given(for: asked.place.size, answer: state.requests) else {
          throw SourceError(.badRequest, "the size is refused")
        }
        var before = places == .offset ? asked.place.number : (asked.place.number - first) * size
        let rows = state.rows
        if before > 0, before >= rows.count {
          switch afterEnd {
          case .empty: break
          case .missing: throw SourceError(.noSuchAddress, "there is no such page")
          case .refused: throw SourceError(.badRequest, "there is no such page")
          case .firstPage: before = 0
          case .lastPage: before = places == .offset ? max(0, rows.count - size) : max(0, rows.count - 1) / size * size
          case .wrapped: before = rows.isEmpty ? 0 : before % rows.count / size * size
          }
        }
        if ignoresPlace { before = 0 }
        var given = [Int](rows[min(before, rows.count)...].prefix(size))
        let end = before + given.count
        given.removeAll(where: isHidden)
        if repeatsBroken, before > 0, before <= rows.count, !given.isEmpty, isBroken(rows[before - 1]) { given[0] = rows[before - 1] }
        var page = self.page(given, of: asked.source)
        page.total =
          switch total {
          case .right: rows.count
          case .ofPage: given.count
          case .none: self.end == .total ? rows.count : nil
          }
        switch self.end {
        case .more: page.more = end < rows.count
        case .pages where places == .offset || asked.place.size == self.size:
          page.more = (places == .offset ? before / size : asked.place.number - first) < (rows.count + size - 1) / size - 1
        default: break
        }
        if alwaysSaysMore { page.more = true }
        return page
      }
    }
    return (source, list)
  }

  /// True when nothing that it says of its list is wrong, and its pages show whether rows are missing.
  private var isHonest: Bool {
    !alwaysSaysMore && !ignoresPlace && !repeatsBroken && hidden == nil && cap == .stays && total != .ofPage
      && (total == .right || end == .total || sizes == .heard)
  }

  /// True when it is honest and its list stays as it is.
  var isHonestAndCalm: Bool { isHonest && change == .none }

  /// True when it is honest, its list changes, and a walk can look back in it.
  var isHonestAndRestless: Bool { isHonest && change != .none && (places == .offset || sizes == .heard) }

  /// True when one reading cannot show what this service hides (Docs/decisions/0009):
  ///
  /// - a change that keeps the total, where a walk cannot look back
  /// - a first page that is shorter than was asked for, or longer and the same for every place, and has its own rows as the total
  /// - a page with a gap, in a list that moves
  /// - rows that are in no page, without a total of the list
  /// - rows that are in no page, in a list that moves and gives more rows than are asked for
  /// - the same page for every place, with a word that no more follows or in a list that changes
  var mayDeceive: Bool {
    let keepsTotal = change == .either || change == .both || change == .bothFarApart
    let firstPage = given(for: size, answer: 1) ?? size
    let isOtherHeard =
      cap == .stays || cap == .rises && otherCap >= Paging.leastSize || capAnswer > 2 && otherCap >= 2 * Paging.leastSize
    let isAlwaysHeard =
      places == .offset
      ? sizes != .ignored && firstPage > 1
      : (sizes == .heard || sizes == .clamped && limit >= Paging.leastSize) && isOtherHeard
    let hasGap = repeatsBroken && (total != .right || change != .none || cap != .stays)
    let hidesRows =
      hidden != nil && (total == .ofPage || total == .none && end != .total || sizes == .roundedUp && change != .none)
    let isOnePage = ignoresPlace && (change != .none || cap != .stays && (end == .pages || end == .more))
    return keepsTotal && !isAlwaysHeard || total == .ofPage && (min(firstPage, count) < size || ignoresPlace && firstPage > size) || hasGap
      || hidesRows || isOnePage
  }

  /// True when rows that are read and then deleted may make up for rows that are in no page.
  var mayMakeUp: Bool { hidden != nil && change != .none && change != .insertions }

  /// True when rows are in no page, and no total counts them.
  var hidesUncountedRows: Bool { hidden != nil && total == .none && end != .total }

  private func isHidden(_ row: Int) -> Bool { hidden.map { row % $0.every == $0.from } ?? false }

  func isBroken(_ row: Int) -> Bool { brokenEvery > 0 && row % brokenEvery == 1 }

  private func page(_ rows: [Int], of source: ModelSource) -> Page<Row> {
    var (items, faults): ([Row], [RowFault]) = ([], [])
    for (index, row) in rows.enumerated() {
      if isBroken(row) { faults.append(.broken(row, row: index)) } else { items.append(Row(row)) }
    }
    return Page(of: source, items, faults: faults)
  }

  private func place(in state: ChangingList.State) -> Int {
    let count = state.rows.count
    let third = max(1, count / 3)
    return switch region {
    case .anywhere: dice.index(below: count + 1)
    case .beginning: dice.index(below: third)
    case .middle: third + dice.index(below: third)
    case .end: max(0, count - dice.index(below: third))
    }
  }

  private func change(_ state: inout ChangingList.State) {
    for _ in 0..<1 + dice.index(below: most) {
      let place = place(in: state)
      switch change {
      case .none: break
      case .insertions: state.insert(at: place)
      case .deletions: state.delete(at: min(place, state.rows.count - 1))
      case .either: if dice.index(below: 2) == 0 { state.insert(at: place) } else { state.delete(at: min(place, state.rows.count - 1)) }
      case .both:
        state.delete(at: min(place, state.rows.count - 1))
        state.insert(at: self.place(in: state))
      case .bothFarApart:
        state.delete(at: 0)
        state.insert(at: state.rows.count)
      }
    }
  }
}

/// The result of a walk over a drawn service.
struct ListServiceWalk: Sendable {
  var verdict: Verdict?
  var requests = 0
  /// True when every readable row that was there all along came.
  var isWhole = false
  var repeatsRow = false

  static let mostRequests = 20_000

  /// Walks over the service. Every fifth list is read by many walks, each of which knows nothing but a cursor.
  init(_ service: ListService, inRuns isInRuns: Bool) async throws {
    let (source, list) = service.start()
    let guarded = ModelSource(source.profile) { asked in
      guard asked.call < Self.mostRequests else { throw SourceError(.custom("endless"), "endless") }
      return try await source.page(asked.request)
    }
    var (given, cursor): ([String], Cursor?) = ([], nil)
    for _ in 0..<400 {
      var walk = Walk(guarded, bounds: Bounds(pages: isInRuns ? 2 : nil), from: cursor, rowsBefore: cursor == nil ? nil : given.count)
      do {
        while let rows = try await walk.nextPage() { given += rows.map(\.id) }
        verdict = walk.summary.verdict
      } catch is SourceError {
        verdict = .partial(.failed(SourceError(.unavailable, "the walk failed")))
      }
      cursor = walk.cursor.flatMap { Cursor(text: $0.text) }
      guard isInRuns, verdict == .bounded, cursor != nil else { break }
    }
    requests = guarded.asked.count
    repeatsRow = Set(given).count < given.count
    isWhole = list.state.withLock { Set(ids($0.lasting.filter { !service.isBroken($0) })) }.isSubset(of: given)
  }

  var isEndless: Bool { requests >= Self.mostRequests }
}
