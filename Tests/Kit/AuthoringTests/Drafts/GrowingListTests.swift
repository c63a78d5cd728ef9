import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

@testable import Authoring
@testable import Services

/// A random service: how it pages, the names it uses, what it says of further pages, and how it fails once while it is asked.
struct RandomService: Sendable, CustomStringConvertible {
  enum Way: String, CaseIterable, Sendable {
    case offset, page, token, offsetAddress, pageAddress, tokenAddress, offsetLink, pageLink, tokenLink, keyset, whole
  }

  enum Failure: CaseIterable, Sendable { case busy, throttled, throttledLong, broken, html, reset, timeout }

  let way: Way
  let size: (name: String, usual: Int, most: Int)?
  /// The number of rows on a page unless the request names one.
  let usual: Int
  let place: String
  let first: Int
  /// Members of each answer, in this order.
  let total: String?
  let isTotalHeader: Bool
  let ownCount: Bool
  let more: String?
  let next: String?
  let omitsNext: Bool
  let pages: String?
  /// True when it refuses unknown parameters; `refusesOddPlaces` refuses places that are not a multiple of a page.
  let isStrict: Bool
  let refusesOddPlaces: Bool
  /// The largest number of rows that a service without pages gives.
  let cap: Int
  /// The requests that fail, and how.
  let failing: Range<Int>
  let failure: Failure
  let small: Int
  let large: Int

  init(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    func chance(_ of: Int) -> Bool { dice.index(below: of) == 0 }
    func one<Element>(_ elements: [Element]) -> Element { elements[dice.index(below: elements.count)] }
    way = one(Way.allCases)
    usual = [5, 7, 10, 13, 20, 30][dice.index(below: 6)]
    let most = one([usual, usual + 3, 50, 100, 250])
    size = chance(3) ? nil : (one(["limit", "per_page", "pageSize", "count", "$top", "page[size]"]), usual, max(usual, most))
    let isPage = way == .page || way == .pageAddress || way == .pageLink
    first = isPage && chance(4) ? 0 : 1
    place =
      switch way {
      case .offset, .offsetAddress, .offsetLink: one(["offset", "skip", "start", "$skip", "from"])
      case .page, .pageAddress, .pageLink: one(["page", "p", "page[number]", "pageNumber"])
      case .token, .tokenAddress, .tokenLink: one(["cursor", "page_token", "after", "pageToken"])
      case .keyset: one(["starting_after", "since_id", "after", "after_id"])
      case .whole: ""
      }
    total = chance(2) ? nil : one(["total", "count", "total_count", "X-Total-Count"])
    isTotalHeader = total == "X-Total-Count"
    ownCount = total != "count" && chance(4)
    more = chance(3) ? one(["has_more", "hasMore", "has_next", "is_last"]) : nil
    next =
      switch way {
      case .token: one(["next_cursor", "nextPageToken", "next_token"])
      case .offsetAddress, .pageAddress, .tokenAddress: one(["next", "next_page", "nextLink"])
      // Some name a next page that no request takes.
      case .whole: chance(2) ? one(["next", "next_cursor", "nextPageToken"]) : nil
      default: nil
      }
    omitsNext = chance(3)
    pages = chance(4) ? one(["total_pages", "pages"]) : nil
    isStrict = chance(5)
    refusesOddPlaces = chance(8)
    cap = chance(2) ? .max : usual
    let begin = dice.index(below: 6)
    failing = chance(3) ? 0..<0 : begin..<begin + (chance(3) ? 2 : 1)
    failure = one(Failure.allCases)
    // The list is whole at first, or has several pages already.
    small = chance(3) ? usual + dice.index(below: 40) : 1 + dice.index(below: usual)
    large = small + 1 + dice.index(below: 3 * usual)
  }

  var description: String {
    "\(way) by \(place) from \(first), size \(size.map { "\($0.name) ≤ \($0.most)" } ?? "-") usual \(usual), total \(total ?? "-")"
      + "\(ownCount ? ", own count" : ""), more \(more ?? "-"), next \(next ?? "-")\(omitsNext ? " omitted" : ""), pages \(pages ?? "-")"
      + "\(isStrict ? ", strict" : "")\(refusesOddPlaces ? ", no odd places" : ""), cap \(cap == .max ? "-" : "\(cap)")"
      + ", fails \(failing) \(failure), \(small) then \(large) rows"
  }

  static func row(_ index: Int) -> Value { ["id": .int(index * 7 + 3), "name": .text("Boat \(index)")] }

  /// The answer to a query, for a list of `count` rows.
  func answer(_ query: [String: String], rows count: Int) -> HTTPResponse {
    let known = [place, size?.name ?? ""]
    if isStrict, query.keys.contains(where: { !known.contains($0) }) { return HTTPResponse(status: 400) }
    let asked = size.flatMap { query[$0.name] }.flatMap { Int($0) }
    let size = way == .whole ? min(cap, count) : min(max(1, asked ?? usual), size?.most ?? usual)
    let text = query[place]
    let number = text.flatMap { Int($0.drop { $0 == "t" }) }
    let begin: Int
    switch way {
    case .offset, .offsetAddress, .offsetLink:
      begin = number ?? 0
      if refusesOddPlaces, begin % size != 0 { return HTTPResponse(status: 422) }
    case .page, .pageAddress, .pageLink: begin = max(0, (number ?? first) - first) * size
    case .token, .tokenAddress, .tokenLink: begin = number ?? 0
    case .keyset: begin = number.map { ($0 - 3) / 7 + 1 } ?? 0
    case .whole: begin = 0
    }
    let end = max(min(begin, count), min(begin + size, count))
    let hasMore = end < count
    var members = [Member(name: "boats", value: .list((min(begin, count)..<end).map(Self.row)))]
    var headers: [HTTPResponse.Header] = []
    if let total {
      if isTotalHeader { headers.append(.init(total, "\(count)")) } else { members.append(Member(name: total, value: .int(count))) }
    }
    if ownCount { members.append(Member(name: "count", value: .int(end - min(begin, count)))) }
    if let more { members.append(Member(name: more, value: .bool(more == "is_last" ? !hasMore : hasMore))) }
    if let pages { members.append(Member(name: pages, value: .int((count + size - 1) / size))) }
    let place: String =
      switch way {
      case .page, .pageAddress, .pageLink: "\((number ?? first) + 1)"
      case .token, .tokenAddress, .tokenLink, .whole: "t\(end)"
      default: "\(end)"
      }
    let sizeItem = asked.flatMap { _ in self.size.map { "&\(PercentEncoding.query($0.name))=\(size)" } } ?? ""
    let address = "https://test.example/v1/boats?\(PercentEncoding.query(self.place))=\(place)\(sizeItem)"
    if let next, hasMore || !omitsNext {
      members.append(Member(name: next, value: !hasMore ? .null : .text(way == .token || way == .whole ? place : address)))
    }
    if [.offsetLink, .pageLink, .tokenLink].contains(way), hasMore { headers.append(.init("Link", "<\(address)>; rel=\"next\"")) }
    return HTTPResponse(status: 200, headers: headers, body: Value.object(members).bytes)
  }

  /// Answers or throws as this failure does.
  func fail() throws -> HTTPResponse {
    switch failure {
    case .busy: return HTTPResponse(status: 503)
    case .broken: return HTTPResponse(status: 500)
    case .throttled: return HTTPResponse(status: 429, headers: [.init("Retry-After", "20")])
    case .throttledLong: return HTTPResponse(status: 429, headers: [.init("Retry-After", "600")])
    case .html: return HTTPResponse(status: 200, body: Array("<!doctype html><html><body>Please wait</body></html>".utf8))
    case .reset: throw SourceError(.interrupted, "the connection was lost")
    case .timeout: throw SourceError(.timedOut, "no answer in 30 s")
    }
  }
}

/// Drafts of random services, each walked after its list has grown.
@Suite struct GrowingListTests {
  /// The number of services to try; `AGGREGATOR_SEEDS=100000` tries more.
  static let seeds = getenv("AGGREGATOR_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 600
  static let parts: UInt64 = 12

  /// The rows of a walk, and its verdict.
  private struct Outcome {
    var ids: Set<String>
    var verdict: Verdict?
  }

  @Test("a walk over a list that has grown since it was added is complete only with every row", arguments: 0..<parts)
  func grown(part: UInt64) async throws {
    var (drafts, whole, honest) = (0, 0, 0)
    for seed in stride(from: part, to: Self.seeds, by: Int(Self.parts)) {
      let service = RandomService(seed: seed)
      let rows = Mutex(service.small)
      let asked = Mutex(0)
      let transport = StubTransport { request, index in
        asked.withLock { $0 = index + 1 }
        if service.failing.contains(index) { return try service.fail() }
        return service.answer(Self.query(of: request), rows: rows.withLock { $0 })
      }
      let draft: Draft
      do {
        draft = try await Self.draft(transport)
      } catch let error as SourceError {
        // Only the first request has to succeed.
        #expect(service.failing.contains(0), "seed \(seed): \(error)")
        continue
      }
      #expect(asked.withLock { $0 } <= Probe.most, "seed \(seed): \(service)")
      drafts += 1
      for count in [service.small, service.large] {
        rows.withLock { $0 = count }
        let calm = StubTransport { request, _ in service.answer(Self.query(of: request), rows: count) }
        let walk = try await Self.walk(draft, calm)
        let isEverything = walk.ids.count == count
        if isEverything { whole += 1 }
        if isEverything, walk.verdict != .complete { honest += 1 }
        let said = "seed \(seed): \(service)\n\(String(decoding: draft.bytes, as: UTF8.self))\n\(draft.findings)"
        #expect(isEverything || walk.verdict != .complete, "\(walk.ids.count) of \(count) rows, \(said)")
      }
    }
    guard getenv("AGGREGATOR_SEEDS") != nil else { return }
    print("part \(part): \(drafts) drafts; \(whole) walks had every row, and \(honest) of them did not call themselves complete")
  }

  private static func query(of request: HTTPRequest) -> [String: String] {
    let items = request.shownAddress.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    let pairs = items.split(separator: "&").map { item in
      let sides = item.split(separator: "=", maxSplits: 1)
      return (PercentEncoding.decode(sides[0]), sides.count == 2 ? PercentEncoding.decode(sides[1]) : "")
    }
    return Dictionary(pairs) { _, last in last }
  }

  private static func draft(_ transport: StubTransport) async throws -> Draft {
    var world = World(settings: Settings(declared: []), transport: transport)
    world.clock = TestClock.leaping
    let request = try NamedRequest(address: "https://test.example/v1/boats")
    let (probe, first) = try await Probe("boats", asking: request, in: world) { _ in }.begin()
    return try await probe.draft(from: first)
  }

  private static func walk(_ draft: Draft, _ transport: StubTransport) async throws -> Outcome {
    let manifest = try draft.contents.manifest
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    (world.terms.reach, world.clock) = (.live, TestClock.leaping)
    var walk = try Walk(manifest.source(draft.name).source(in: world), clock: world.clock)
    var outcome = Outcome(ids: [])
    do {
      while let page = try await walk.nextPage() { outcome.ids.formUnion(page.map(\.id)) }
    } catch is SourceError {
      // An error is never taken for everything.
    }
    outcome.verdict = walk.summary.verdict
    return outcome
  }
}
