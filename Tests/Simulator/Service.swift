import AggregatorCore
import Recordings

/// A service whose list changes, and everything that it ever held.
///
/// Unchecked, because the compiler cannot see that `Scheduler` runs all tasks of a history on one thread.
final class Service: @unchecked Sendable {
  /// A row of the list. Of two rows the one with the lower place comes first.
  struct Row: Hashable {
    let number: Int
    /// The number, unless the row has moved.
    var place: Int
    var name: String
    var size: Value
    /// True when no name comes with it, so that it cannot be read.
    var isBroken = false
    /// True when its name has the key.
    var isEchoing = false

    var id: String { "\(number)" }
  }

  /// A time in which a row was in the list unchanged; `to` is nil while it still is.
  struct Presence {
    let row: Row
    let from: Int
    var to: Int?
  }

  /// A change of the list.
  enum Change: Hashable { case insertion, deletion, edit, move(id: String) }

  let traits: Traits
  private(set) var rows: [Row] = []
  /// The number of changes so far.
  var tick: Int { changes.count }
  private(set) var presences: [String: [Presence]] = [:]
  /// All changes so far. The change that makes `tick` n has the index n - 1.
  private var changes: [Change] = []
  /// The answers so far.
  private(set) var answers = 0
  /// The key that the service takes.
  var key = "KEY-0-secret"
  /// The dice by which the list changes between two answers; nil while it rests.
  var unrest: SeededDice? { didSet { unrestLeft = 40 } }
  /// The number of changes that may still come between answers. No walk could end in a list that changes for ever.
  private var unrestLeft = 0
  /// The number of the row whose page fails each time; nil if none does.
  var poisoned: Int?
  /// True while answers say that they are not everything.
  var saysPartial = false
  /// The hosts that are down.
  var hostsDown: Set<String> = []
  /// Hears each request and its answer.
  var hear: (() -> String) -> Void = { _ in }

  init(_ traits: Traits, _ dice: SeededDice, most: Int?) {
    self.traits = traits
    let count = min(most ?? .max, [0, 1, 3, 7, 12, 16][dice.index(below: 6)])
    for index in 0..<count { insert((index + 1) * 64, dice) }
  }

  // MARK: Changes

  private func insert(_ number: Int, _ dice: SeededDice) {
    guard !rows.contains(where: { $0.number == number }) else { return }
    changes.append(.insertion)
    let row = made(number, dice)
    place(row)
    presences[row.id, default: []].append(Presence(row: row, from: tick, to: nil))
  }

  private func place(_ row: Row) { rows.insert(row, at: rows.firstIndex { $0.place > row.place } ?? rows.count) }

  private func made(_ number: Int, _ dice: SeededDice) -> Row {
    var row = Row(number: number, place: number, name: "\(dice.index(below: 10))", size: .int(number))
    if traits.has(.oddValues), dice.index(below: 4) == 0 {
      row.size = [.text("\(number)"), .text("\(number)%"), .double(Double(number) + 0.5), .bool(true), .null][dice.index(below: 5)]
    }
    if traits.has(.brokenRows), dice.index(below: 5) == 0 { row.isBroken = true }
    if traits.has(.echoes), number % 5 == 0 { row.isEchoing = true }
    return row
  }

  /// Inserts, deletes or edits a row.
  func change(_ dice: SeededDice) {
    if traits.has(.reorders), traits.isCounted, !rows.isEmpty, dice.index(below: 3) == 0 {
      var row = rows.remove(at: dice.index(below: rows.count))
      changes.append(.move(id: row.id))
      row.place = dice.index(below: 17 * 64)
      return place(row)
    }
    switch dice.index(below: traits.has(.edits) ? 3 : 2) {
    case 0: insert(dice.index(below: 17 * 64) + 1, dice)
    case 1:
      guard !rows.isEmpty else { return }
      changes.append(.deletion)
      end(rows.remove(at: dice.index(below: rows.count)))
    default:
      guard !rows.isEmpty else { return }
      changes.append(.edit)
      let index = dice.index(below: rows.count)
      end(rows[index])
      let place = rows[index].place
      rows[index] = made(rows[index].number, dice)
      rows[index].place = place
      presences[rows[index].id, default: []].append(Presence(row: rows[index], from: tick, to: nil))
    }
  }

  private func end(_ row: Row) {
    if let last = presences[row.id]?.indices.last { presences[row.id]?[last].to = tick }
  }

  // MARK: The truth

  /// The rows that were in the list at every moment of that time, and could be read.
  func lasting(_ time: ClosedRange<Int>) -> Set<String> {
    Set(presences.filter { Self.lasts($0.value.filter { !$0.row.isBroken }, time) }.keys)
  }

  /// True when a row was in the list at every moment of that time, readable or not.
  func isListed(_ id: String, throughout time: ClosedRange<Int>) -> Bool { Self.lasts(presences[id, default: []], time) }

  private static func lasts(_ presences: [Presence], _ time: ClosedRange<Int>) -> Bool {
    // An edit ends one presence at the tick at which it begins the next.
    var reached: Int?
    for presence in presences {
      let isFirst = reached == nil && presence.from <= time.lowerBound && presence.to ?? .max > time.lowerBound
      if isFirst || presence.from == reached { reached = presence.to ?? .max }
    }
    return reached.map { $0 > time.upperBound } ?? false
  }

  /// The changes after the beginning of that time.
  func changes(in time: ClosedRange<Int>) -> ArraySlice<Change> { changes[time.lowerBound..<time.upperBound] }

  /// The forms that a row had at some moment of that time.
  func versions(of id: String, _ time: ClosedRange<Int>) -> [Row] {
    presences[id, default: []].filter { $0.from <= time.upperBound && $0.to ?? .max > time.lowerBound }.map(\.row)
  }

  // MARK: Answers

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    if let unrest, unrestLeft > 0, answers > 0, unrest.index(below: 3) == 0 {
      unrestLeft -= 1
      change(unrest)
    }
    answers += 1
    let address = request.wireAddress
    let query = address.queryItems.reduce(into: [String: String]()) { $0[$1.name] = $1.value }
    let headers = request.wireHeaders.reduce(into: [String: String]()) { $0[$1.name.lowercased()] = $1.value }
    let path = address.path.split(separator: "/").last.map(String.init) ?? ""
    guard headers["x-key"] == key else {
      return .json(["message": .text("the key \(headers["x-key"] ?? "") is not known")], status: 401)
    }
    if hostsDown.contains(address.host) { return HTTPResponse(status: 503) }
    if address.host == "mirror.example" {
      let body = mirrorPage(query, of: path)
      hear { "mirror \(query): \(String(decoding: body.bytes, as: UTF8.self))" }
      return .json(body)
    }
    guard let body = page(query, of: path) else {
      hear { "a page with the poisoned \(poisoned ?? 0) fails" }
      return HTTPResponse(status: 500)
    }
    hear {
      let asked = query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
      return "\(asked): \(String(decoding: body.bytes, as: UTF8.self))"
    }
    let print = "\"\(String(Fingerprint.of(body.bytes), radix: 36))\""
    if traits.hasOpenBodies {
      let lines = (body["rows"]?.list ?? []).map { $0.bytes + [0x0A] }
      var response = HTTPResponse(status: 200, headers: [.init("Content-Type", "application/x-ndjson")], body: lines.flatMap(\.self))
      response.isEndShown = false
      return response
    }
    guard traits.has(.marks) else { return .json(body) }
    if headers["if-none-match"] == print { return HTTPResponse(status: 304, headers: [.init("ETag", print)]) }
    return .json(body, headers: [.init("ETag", print)])
  }

  /// Returns a page of the other service that has the list, whose rows have no size.
  private func mirrorPage(_ query: [String: String], of list: String) -> Value {
    func int(_ name: String) -> Int { query[name].flatMap(Int.init) ?? 0 }
    let page = rows.dropFirst(max(0, int("from"))).prefix(max(0, int("count")))
    let sent = page.map { row in copy(of: row) { $0.size = .null }.sent(in: list, to: key) }
    return ["rows": .list(sent), "total": .int(rows.count)]
  }

  /// Returns the page that is asked for; nil if it has the poisoned row.
  private func page(_ query: [String: String], of list: String) -> Value? {
    func int(_ name: String) -> Int { query[name].flatMap(Int.init) ?? 0 }
    let asked = query["take"].flatMap(Int.init) ?? traits.size
    let size = traits.isBoundBySize ? min(asked, (traits.size + 1) / 2) : traits.given(for: asked)
    var before =
      switch traits.way {
      case .offset: int("skip")
      case .page, .bareNumber: (query["page"].flatMap(Int.init) ?? traits.first) - traits.first
      case .token, .link, .last: query["after"].flatMap(Int.init).map { after in rows.firstIndex { $0.number > after } ?? rows.count } ?? 0
      case .whole: 0
      }
    if traits.way == .page || traits.way == .bareNumber { before = before.multipliedReportingOverflow(by: size).partialValue }
    if traits.has(.cycles), traits.isCounted, before >= traits.cycle * size { before = before % (traits.cycle * size) }
    if traits.has(.oddAfterEnd), traits.isCounted, before > 0, before >= rows.count {
      before = traits.cycle == 1 ? 0 : max(0, rows.count - size)
    }
    before = min(max(0, before), rows.count)
    let given = rows[before...].prefix(size)
    let end = before + given.count
    if given.contains(where: { $0.number == poisoned }) { return nil }
    // A page whose only row is one that the walk looks back at would be the end of its list, so two rows are sent at least.
    var spared = 2 - given.count { !traits.leavesOut($0.number) }
    var sent = given.filter { row in
      guard traits.leavesOut(row.number) else { return true }
      spared -= 1
      return spared >= 0
    }.map { $0.sent(in: list, to: key) }
    if traits.has(.repeatedRows), let last = sent.last, given.count > 1, traits.way != .last { sent.append(last) }
    var members: [Member] = [Member(name: "rows", value: .list(sent))]
    if saysPartial { members.append(Member(name: "meta", value: .object([Member(name: "partial", value: .bool(true))]))) }
    if traits.saysTotal {
      let error = traits.has(.highTotals) ? traits.excess : traits.has(.lowTotals) && traits.saysMore ? -traits.excess : 0
      var total: Value = .int(max(0, rows.count + error))
      if traits.has(.lostTotals), end % 3 == 1 { total = .null }
      if traits.has(.oddTotals), end % 4 == 1 { total = [.int(-1), .int(.min), .int(.max), .text("\(rows.count)")][traits.cycle] }
      members.append(Member(name: "total", value: total))
    }
    if traits.saysMore { members.append(Member(name: "more", value: .bool(end < rows.count || traits.has(.alwaysMore)))) }
    if traits.way == .token || traits.way == .link {
      let last = given.last.map { "\($0.number)" } ?? query["after"] ?? "0"
      let left = traits.isBoundBySize ? asked - given.count : size
      let isNamed = (end < rows.count && left > 0) || traits.has(.alwaysMore) && traits.end != .more
      let next = traits.way == .token ? last : "https://shop.example/\(list)?after=\(last)&take=\(left)"
      members.append(Member(name: "next", value: isNamed ? .text(next) : .null))
    }
    return .object(members)
  }
}

extension Service.Row {
  func sent(in list: String, to key: String) -> Value {
    var members = [Member(name: "id", value: .int(number)), Member(name: "size", value: size)]
    if !isBroken {
      members.append(Member(name: "name", value: .text(shownName(in: list).replacingEach(Scrubber.maskInAnswers, with: key))))
    }
    return .object(members)
  }

  func shownName(in list: String) -> String {
    "\(Description(list: list).prefix) \(number) \(name)" + (isEchoing ? " \(Scrubber.maskInAnswers)" : "")
  }
}

extension HTTPResponse {
  static func json(_ body: Value, status: Int = 200, headers: [Header] = []) -> HTTPResponse {
    HTTPResponse(status: status, headers: [.init("Content-Type", "application/json")] + headers, body: body.bytes)
  }
}

/// The network between one process and the service, with the weather of one step.
struct Network: Transport {
  let service: Service
  let life: Life
  let clock: TestClock
  /// The dice of the weather; nil in a calm.
  let weather: SeededDice?
  /// The number of requests out of ten that fail.
  let rarity: Int

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    try life.step()
    await Scheduler.pause()
    guard service.answers < 100_000 else { throw Wrong("a walk without an end") }
    var answer = try await trouble(request) ?? service.answer(request)
    if !answer.isEndShown, let weather, weather.index(below: 3) == 0 {
      answer.body.removeLast(min(answer.body.count, weather.index(below: 90)))
    }
    await Scheduler.pause()
    try Task.checkCancellation()
    try life.step()
    return answer
  }

  /// The trouble that comes in place of an answer; nil if none does.
  private func trouble(_ request: HTTPRequest) async throws -> HTTPResponse? {
    guard let weather else { return nil }
    let troubles = Hazard.troubles.filter(service.traits.has)
    guard weather.index(below: 10) < rarity, !troubles.isEmpty else { return nil }
    let trouble = troubles[weather.index(below: troubles.count)]
    let number = weather.index(below: 4)
    switch trouble {
    case .throttled:
      let wait = [[], [HTTPResponse.Header("Retry-After", "2")], [.init("Retry-After", "90")], [.init("Retry-After", "-1")]][number]
      return HTTPResponse(status: 429, headers: wait)
    case .failing: return HTTPResponse(status: [500, 502, 503, 504][number])
    case .cutBodies:
      let whole = service.answer(request)
      if number == 0 { throw SourceError(.truncated, "the body is shorter than announced") }
      return copy(of: whole) { $0.body.removeLast(min($0.body.count, 1 + number * 7)) }
    case .otherBodies:
      // A service ends all its bodies in one way.
      var other = HTTPResponse(status: 200, body: Array(["<html>Hello</html>", "{}", "", #"{"rows": null}"#][number].utf8))
      other.isEndShown = !service.traits.hasOpenBodies
      return other
    case .errorsInside: return .json(["error": .text("maintenance for \(service.key)")])
    case .unreachable:
      if number == 0 {
        _ = service.answer(request)
        throw SourceError(.interrupted, "the connection was lost")
      }
      throw SourceError(.unreachable, "no connection")
    case .slow:
      try await clock.sleep(for: .seconds([1, 7, 29, 200][number]))
      try life.step()
      return nil
    case .refusedKey: return .json(["message": .text("\(service.key) was refused")], status: 401)
    default: return HTTPResponse(status: request.wireAddress.queryItems.contains { $0.name == "after" } ? 410 : 503)
    }
  }
}

extension Hazard {
  /// The hazards that come in place of an answer.
  static let troubles: [Hazard] = [
    .throttled, .failing, .cutBodies, .otherBodies, .errorsInside, .unreachable, .slow, .refusedKey, .lostTokens,
  ]
}
