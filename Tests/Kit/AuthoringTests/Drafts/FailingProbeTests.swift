import AggregatorCore
import Recordings
import SourceTesting
import Synchronization
import Testing

@testable import Authoring
@testable import Services

/// Services that fail while they are asked how they page, and a person's word about a list.
extension ProbeTests {
  /// A request that fails.
  struct Failure: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: @Sendable () throws -> HTTPResponse

    static let all = [
      Failure(testDescription: "500") { HTTPResponse(status: 500) },
      Failure(testDescription: "503") { HTTPResponse(status: 503) },
      Failure(testDescription: "429") { HTTPResponse(status: 429) },
      Failure(testDescription: "429, back in 20 s") { HTTPResponse(status: 429, headers: [.init("Retry-After", "20")]) },
      Failure(testDescription: "an HTML page") { HTTPResponse(status: 200, body: Array("<!doctype html><p>Wait</p>".utf8)) },
      Failure(testDescription: "a lost connection") { throw SourceError(.interrupted, "the connection was lost") },
      Failure(testDescription: "a time-out") { throw SourceError(.timedOut, "no answer in 30 s") },
    ]
  }

  /// Seven rows by default, without other members.
  static let sevens = Service(testDescription: "seven rows, and nothing beside them") { asked, service in
    json(["boats": rows(service, from: asked.number("offset", or: 0), asked.number("limit", or: 7))])
  }

  @Test("after one failure the probe asks again, and every row comes", arguments: Failure.all, 0..<5)
  func once(failure: Failure, number: Int) async throws {
    let (draft, transport) = try await probe(Self.sevens, failing: { _, index in index == number ? try failure.answer() : nil })
    #expect(transport.requests.count <= Probe.most)
    let (count, verdict) = try await walk(draft, over: transport)
    #expect(count == 250 && verdict == .complete, "\(draft.findings)")
  }

  @Test("a lasting failure is told, and no walk is complete", arguments: Failure.all)
  func forGood(failure: Failure) async throws {
    let (draft, transport) = try await probe(Self.sevens, failing: { _, index in (1..<6).contains(index) ? try failure.answer() : nil })
    #expect(transport.requests.count <= Probe.most)
    let calm = StubTransport { _, _ in
      Self.sevens.answer(Asked(query: [:], address: try #require(WebAddress(Self.sevens.address))), Self.sevens)
    }
    #expect(try await walk(draft, over: calm).verdict == .unverifiable)
    let end = draft.findings.first { $0.subject == "end" }?.guess ?? ""
    #expect(end.hasPrefix("no walk is complete: ") && end.hasSuffix("so nothing says that these are all"), "\(end)")
  }

  @Test("a service that is busy at every request for its second page is not taken for one with a single page")
  func busy() async throws {
    let service = Service(testDescription: "busy") { asked, service in
      let (first, size) = (asked.number("offset", or: 0), asked.number("limit", or: 20))
      return size == 100 && first > 0
        ? HTTPResponse(status: 429) : Self.json(["total": .int(service.rows), "items": Self.rows(service, from: first, size)])
    }
    let (draft, transport) = try await probe(service)
    #expect(transport.requests.count == Probe.most)
    #expect(try draft.contents.manifest.sources[0].list.paging.end == .never)
    #expect(draft.findings.contains { $0.subject == "end" && $0.guess.contains("rate-limited (HTTP 429)") }, "\(draft.findings)")
  }

  @Test("a wait of 30 s that the service asks for is waited, a longer one is not", arguments: [(30, true), (31, false)])
  func waits(seconds: Int, isWaited: Bool) async throws {
    let clock = TestClock.leaping
    let (draft, _) = try await probe(
      Self.sevens, clock: clock,
      failing: { _, index in index == 1 ? HTTPResponse(status: 429, headers: [.init("Retry-After", "\(seconds)")]) : nil })
    #expect(clock.waits.contains(.seconds(seconds)) == isWaited)
    // Without asking again, the way is found otherwise or not at all.
    #expect(try draft.contents.manifest.sources[0].list.paging.way.kind == .offset || !isWaited)
  }

  @Test("a refusal of unknown parameters is an answer, and costs one request", arguments: [400, 404, 422])
  func refusal(status: Int) async throws {
    let service = Service(testDescription: "strict") { asked, service in
      if asked.query.keys.contains(where: { $0 != "limit" && $0 != "offset" }) { return HTTPResponse(status: status) }
      return Self.sevens.answer(asked, service)
    }
    let (draft, transport) = try await probe(service)
    #expect(try await walk(draft, over: transport).count == 250)
  }

  @Test("a page number that is not heard is not taken for the way, even if a count of pages ends its walk")
  func unheard() async throws {
    // The service hears p, and the probe tries page together with p.
    let service = Service(testDescription: "p", rows: 17) { asked, service in
      let page = Self.rows(service, from: (asked.number("p", or: 1) - 1) * 10, 10)
      return Self.json(
        ["boats": page, "count": .int(page.list?.count ?? 0), "total_pages": 2, "has_next": .bool(asked.number("p", or: 1) < 2)])
    }
    let (draft, transport) = try await probe(service)
    let outcome = try await walk(draft, over: transport)
    #expect(outcome.count == 17 || outcome.verdict != .complete, "\(String(decoding: draft.bytes, as: UTF8.self))")
  }

  @Test("a list without a sign of its end is everything if a person says so, and only then a person is asked")
  func vouching() async throws {
    for (service, isOpen) in [(Self.round, true), (Self.mute, false), (Self.whole, nil), (Self.short, false)] {
      let asked = Mutex<[Bool]>([])
      let (draft, _) = try await probe(
        service,
        vouching: { rows, isOpen in
          #expect(rows == service.rows)
          asked.withLock { $0.append(isOpen) }
          return true
        })
      #expect(asked.withLock { $0 } == [isOpen].compactMap(\.self), "\(service.testDescription)")
      #expect(try draft.contents.manifest.sources[0].list.paging.end != .never)
    }
    let (draft, transport) = try await probe(Self.round, vouching: { _, _ in true })
    #expect(try await walk(draft, over: transport).verdict == .complete)
  }
}

// MARK: - Members about further pages

extension ProbeTests {
  /// Members beside 23 rows that came whole, and the same members after the list has grown.
  static let members: [(now: Value, later: Value, watched: String)] = [
    (["has_more": false], ["has_more": true], #""more": "has_more", "end": "more""#),
    (["is_last": true], ["is_last": false], #""more": "not is_last", "end": "more""#),
    (["has_more": false, "total_pages": 1], ["has_more": false, "total_pages": 2], #""pages": "total_pages", "end": "more""#),
    (["next": .null], ["next": "https://test.example/v1/boats?from=k9"], #""next": "next""#),
    (["next_cursor": ""], ["next_cursor": "k9"], #""next": "next_cursor""#),
    (["links": ["next": .null]], ["links": ["next": "/v1/boats?after=k9"]], #""next": "links.next""#),
    (["total_pages": 1], ["total_pages": 2], #""pages": "total_pages", "end": "pages""#),
    (["total": 23], ["total": 40], #""total": "total", "end": "total""#),
    (["count": 23, "next": .null], ["count": 40, "next": .null], #""total": "count""#),
  ]

  @Test("every member about further pages is watched in a list that fits on one page", arguments: members.indices)
  func watched(index: Int) async throws {
    let (now, later, watched) = Self.members[index]
    let hasGrown = Mutex(false)
    let service = Service(testDescription: "whole", rows: 23) { _, service in
      let beside = hasGrown.withLock { $0 } ? later : now
      return Self.json(.object((beside.members ?? []) + [Member(name: "boats", value: Self.rows(service, from: 0, 23))]))
    }
    let (draft, transport) = try await probe(service)
    #expect(String(decoding: draft.bytes, as: UTF8.self).contains(watched), "\(String(decoding: draft.bytes, as: UTF8.self))")
    #expect(try await walk(draft, over: transport).verdict == .complete)
    let report = try await Conformance(of: draft.contents.manifest, draft.name, fixture: draft.recording).report()
    #expect(report.isPassed, "\(report)")
    hasGrown.withLock { $0 = true }
    #expect(try await walk(draft, over: transport).verdict != .complete)
  }
}

// MARK: - Addresses that count

extension ProbeTests {
  /// A list whose next address counts, and from which a row is deleted while it is walked.
  private static func counting(_ place: String, first: Int, isLink: Bool, total: Bool = true) -> (service: Service, list: Mutex<[Int]>.Box)
  {
    let list = Mutex<[Int]>.Box(Array(0..<40))
    let service = Service(testDescription: "\(place) in \(isLink ? "a Link header" : "the body")", rows: 40) { asked, _ in
      let (rows, size) = (list.value.withLock { $0 }, asked.number("limit", or: 5))
      let number = asked.number(place, or: first)
      let begin = place == "page" ? (number - first) * size : number
      let end = min(begin + size, rows.count)
      let next = "https://test.example/v1/boats?limit=\(size)&\(place)=\(place == "page" ? number + 1 : end)"
      var members = [Member(name: "results", value: .list(rows.dropFirst(begin).prefix(size).map(row)))]
      if total { members.append(Member(name: "count", value: .int(rows.count))) }
      if !isLink { members.append(Member(name: "next", value: end < rows.count ? .text(next) : .null)) }
      return json(.object(members), isLink && end < rows.count ? [.init("Link", "<\(next)>; rel=\"next\"")] : [])
    }
    return (service, list)
  }

  @Test(
    "a service whose next address counts is read by that count, so that every deletion is noticed",
    arguments: [("offset", 0, false), ("offset", 0, true), ("page", 1, false), ("page", 1, true), ("page", 0, false)])
  func counting(place: String, first: Int, isLink: Bool) async throws {
    let (service, list) = Self.counting(place, first: first, isLink: isLink)
    let (draft, transport) = try await probe(service)
    let paging = try draft.contents.manifest.sources[0].list.paging
    #expect(
      paging.way.kind == (place == "page" ? .page : .offset) && paging.end == .total, "\(String(decoding: draft.bytes, as: UTF8.self))")
    #expect(try await walk(draft, over: transport).count == 40)
    for number in 1..<8 {
      list.value.withLock { $0 = Array(0..<40) }
      let requests = Mutex(0)
      let shrinking = StubTransport { request, _ in
        if requests.withLock({
          $0 += 1; return $0 == number
        }) {
          list.value.withLock { _ = $0.remove(at: 0) }
        }
        return try await transport.send(request)
      }
      let outcome = try await walk(draft, over: shrinking)
      #expect(outcome.count >= 39 || outcome.verdict != .complete, "request \(number): \(outcome)")
    }
  }

  @Test("an address with more than a count is followed unchanged")
  func otherAddresses() async throws {
    for rest in ["&seed=x", "&after=k"] {
      let service = Service(testDescription: "seeded", rows: 40) { asked, service in
        let page = asked.number("page", or: 1)
        let next: Value = page * 5 < 40 ? .text("/v1/boats?page=\(page + 1)\(rest)") : .null
        // Without the rest of the address every request gives the first page.
        let isKnown = page == 1 || asked.query.count == 2
        return Self.json(["boats": Self.rows(service, from: isKnown ? (page - 1) * 5 : 0, 5), "next": next])
      }
      let (draft, transport) = try await probe(service)
      #expect(try draft.contents.manifest.sources[0].list.paging.way.kind == .link)
      #expect(try await walk(draft, over: transport).count == 40)
    }
  }

  @Test("an address whose count cannot be used alone is followed unchanged")
  func refusedCounts() async throws {
    // The service gives only pages that it has named, in the size in which it named them.
    let service = Service(testDescription: "stubborn", rows: 40) { asked, service in
      let offset = asked.number("offset", or: 0)
      if offset % 5 != 0 || asked.query["limit"] ?? "5" != "5" || asked.query["offset"] == "0" { return HTTPResponse(status: 422) }
      let next: Value = offset + 5 < 40 ? .text("/v1/boats?limit=5&offset=\(offset + 5)") : .null
      return Self.json(["boats": Self.rows(service, from: offset, 5), "next": next])
    }
    let (draft, transport) = try await probe(service)
    #expect(transport.requests.count <= Probe.most)
    #expect(try draft.contents.manifest.sources[0].list.paging.way.kind == .link)
    #expect(try await walk(draft, over: transport).count == 40)
  }
}

extension Mutex where Value == [Int] {
  /// A list that several closures share.
  final class Box: Sendable {
    let value: Mutex<[Int]>
    init(_ rows: [Int]) { value = Mutex(rows) }
  }
}
