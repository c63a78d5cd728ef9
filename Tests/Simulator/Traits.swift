import AggregatorCore

/// The manner in which a service pages and what it says, for as long as it lives.
struct Traits {
  enum Way: String, CaseIterable { case offset, page, bareNumber, token, link, last, whole }
  enum End: String { case total, more, empty, next }

  let way: Way
  let end: End
  let hazards: Set<Hazard>
  let size: Int
  /// The most rows of a page, the size that is always used, or the step of sizes.
  let limit: Int
  let first: Int
  /// The number by which a total is too great.
  let excess: Int
  /// The number of pages after which the first one comes once more.
  let cycle: Int
  /// The part of the rows that are in no page.
  private let leftOut: Int
  let saysTotal: Bool
  let retries: Int

  init(_ scenario: Scenario) {
    let dice = scenario.dice("traits")
    let hazards = scenario.hazards
    self.hazards = hazards
    way = Way.allCases[dice.index(below: Way.allCases.count)]
    var saysTotal = !hazards.contains(.noTotal)
    let roll = dice.index(below: 3)
    switch way {
    case .offset, .page, .bareNumber: end = saysTotal && roll < 2 ? .total : roll == 1 ? .more : .empty
    case .token, .link: end = roll == 0 ? .more : .next
    case .last: end = roll == 0 ? .more : .empty
    case .whole:
      end = saysTotal ? .total : .empty
      saysTotal = end == .total
    }
    self.saysTotal = saysTotal
    size = 2 + dice.index(below: 5)
    limit = 1 + dice.index(below: size + 1)
    first = dice.index(below: 2)
    excess = 1 + dice.index(below: 3)
    cycle = 1 + dice.index(below: 3)
    retries = dice.index(below: 3)
    leftOut = dice.index(below: 4)
  }

  func has(_ hazard: Hazard) -> Bool { hazards.contains(hazard) }

  var isCounted: Bool { way == .offset || way == .page || way == .bareNumber }

  /// True when each page says if there is more. A service whose total is too low says so, because no client could know it otherwise.
  var saysMore: Bool { end == .more || has(.lowTotals) && isCounted }

  /// The number of rows that come where `asked` are asked for.
  func given(for asked: Int) -> Int {
    guard way != .whole else { return .max }
    var size = max(1, asked)
    if way == .bareNumber { size = self.size }
    if has(.ignoredSizes) { size = limit }
    if has(.roundedSizes) { size = max(1, (size + limit - 1) / limit * limit) }
    if has(.clampedSizes) { size = min(size, limit) }
    return size
  }

  /// True when pages leave out the row with that number, as long as they keep two others. The total counts it.
  func leavesOut(_ number: Int) -> Bool { has(.leavesOut) && number &* 7 / 64 % 4 == leftOut }

  /// True when no total shows during these changes that rows are in no page. A row that was read and then deleted makes up for one of them, and
  /// one that is sent twice takes its place.
  func hidesLeftOut(during changes: ArraySlice<Service.Change>) -> Bool {
    !saysTotal || [.lowTotals, .lostTotals, .oddTotals, .repeatedRows].contains(where: has) || changes.contains(.deletion)
  }

  /// True when the service says nothing wrong about its list, beside the rows that it leaves out.
  var isHonest: Bool {
    if isBoundBySize { return false }
    let lies: [Hazard] = [.cycles, .highTotals, .lowTotals, .lostTotals, .oddTotals, .alwaysMore, .brokenRows, .repeatedRows, .oddAfterEnd]
    return lies.allSatisfy { !has($0) }
  }

  /// True when the size that is asked for first is the most that the whole list gives.
  var isBoundBySize: Bool {
    has(.boundBySize) && way == .link && !saysMore && ![.leavesOut, .repeatedRows, .alwaysMore].contains(where: has)
  }

  /// True when its rows come as lines in bodies whose end nothing shows.
  var hasOpenBodies: Bool { has(.openBodies) && end == .empty && !saysTotal && !saysMore }

  /// True when its list ends whole once nothing goes wrong any more.
  var mayEndWhole: Bool { isHonest && !has(.leavesOut) && !hasOpenBodies }

  /// True when one reading cannot show that rows were missed during these changes of the list (Docs/decisions/0009).
  func mayHide(_ changes: ArraySlice<Service.Change>) -> Bool {
    if changes.isEmpty { return false }
    let moves = changes.count { if case .move = $0 { true } else { false } }
    // The order of the other rows has to stay as it is.
    if moves > 1 || moves == 1 && changes.count > 1 { return true }
    let isHeard = !has(.ignoredSizes) && !has(.roundedSizes) && !(has(.clampedSizes) && limit < 4)
    let dependsOnPlace = way == .bareNumber || way == .offset && !isHeard || way == .page && !isHeard
    // A total shows that rows came or went, unless as many came as went. Without a total such a list is never complete.
    let isBalanced = saysTotal && (changes.contains(.insertion) && changes.contains(.deletion) || moves > 0)
    return dependsOnPlace && isBalanced || !isHonest && isCounted
  }

  /// True when the service may seem to have given everything although it has not, even while nothing moves.
  var mayDeceive: Bool {
    // A list whose first page comes once more after some pages says by that that it is at its end.
    has(.cycles) && !saysTotal || has(.cycles) && end != .total
  }

  /// True when nothing but the missing name of a next page shows the end of the list.
  var endsByNext: Bool { end == .next && !saysTotal && !saysMore }

  /// True when each page begins with a row that came before, however few rows the list has.
  var alwaysLooksBack: Bool { way != .page && way != .bareNumber && !(way == .offset && given(for: size) == 1) }

  /// True when no reading can prove that everything came.
  var isUnverifiable: Bool { !saysTotal && !alwaysLooksBack }

  private var paging: String {
    let total = saysTotal ? #", "total": "total""# : ""
    let more = saysMore ? #", "more": "more""# : ""
    let common = #""size": \#(size)\#(total)\#(more), "end": "\#(end.rawValue)""#
    return switch way {
    case .offset: #""by": "offset", \#(common)"#
    case .page, .bareNumber: #""by": "page", "first": \#(first), \#(common)"#
    case .token: #""by": "token", "next": "next", \#(common)"#
    case .link: #""by": "link", "next": "next", \#(common)"#
    case .last: #""by": "last", "next": "id", \#(common)"#
    case .whole: end == .total ? #""by": "whole", "total": "total", "end": "total""# : #""by": "whole""#
    }
  }

  private var query: String {
    switch way {
    case .offset: #""skip": "{offset}", "take": "{size}""#
    case .page: #""page": "{page}", "take": "{size}""#
    case .bareNumber: #""page": "{page}""#
    case .token, .last: #""after": "{token}", "take": "{size}""#
    case .link: #""take": "{size}""#
    case .whole: ""
    }
  }

  /// The manifest of the service, as a person has described it at that time.
  func manifest(_ description: Description) -> String {
    """
    {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "budget": "unlimited",
     "keys": [{"setting": "SHOP_KEY", "header": "X-Key"}],
     "errors": [{"path": "error", "present": true, "kind": "unavailable", "message": "error"}],
     "sources": {"things": {"summary": "Things", "list": {"path": "\(description.list)", "query": {\(query)}}, \(hasOpenBodies ? #""body": "ndjson""# : #""rows": "rows""#),
      "key": "id", "fields": [{"name": "id", "type": "integer"}, {"name": "name", "role": "title", "required": true},
       {"name": "size", "type": "\(description.sizeType)"}], "paging": {\(paging)}}}}
    """
  }
}

extension Traits {
  /// The manifest of the other service that has the list. Its rows have no size, and it cannot search.
  func mirrorManifest(_ description: Description) -> String {
    """
    {"aggregator": 1, "address": {"setting": "MIRROR_URL", "default": "https://mirror.example/"}, "budget": "unlimited",
     "keys": [{"setting": "SHOP_KEY", "header": "X-Key"}],
     "sources": {"mirror": {"summary": "The same things", "list": {"path": "\(description.list)",
      "query": {"from": "{offset}", "count": "{size}"}}, "rows": "rows", "key": "id",
      "fields": [{"name": "id", "type": "integer"}, {"name": "name", "role": "title", "required": true},
       {"name": "size", "type": "\(description.sizeType)"}], "paging": {"by": "offset", "size": 4, "total": "total", "end": "total"}}}}
    """
  }
}

/// The parts of the description of the list that a person corrects.
struct Description: Hashable {
  var list = "things"
  var sizeType = "integer"

  /// The word with which the names of a list begin.
  var prefix: String { list == "things" ? "Thing" : "Other" }
}
