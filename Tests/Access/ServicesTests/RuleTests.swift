import AggregatorCore
import SourceTesting
import Testing

@testable import Services

/// The meaning of an answer, the time of the next request, and the request for one record.
@Suite struct RuleTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let rule: String
    var status = 200
    var headers: [String: String] = [:]
    let body: Value
    let kind: SourceError.Kind?
    var message: String?
    var wait: Duration?
    var testDescription: String { rule }
  }

  private static let rows: Value = ["rows": [["id": "a"]], "ok": true, "code": 0]

  static let cases = [
    Case(
      rule: #""path": "code", "is": 7, "kind": "refused-key", "message": "text""#, body: ["code": 7, "text": "bad key"], kind: .refusedKey,
      message: "the service says: bad key"),
    Case(rule: #""path": "code", "is": 7, "kind": "refused-key""#, body: rows, kind: nil),
    Case(
      rule: #""path": "code", "is": "7", "kind": "bad-request""#, body: ["code": 7], kind: .badRequest,
      message: "the service answered with an error (HTTP 200)"),
    Case(
      rule: #""path": "code", "isNot": 0, "kind": "unavailable", "message": "why[0].text""#, body: ["code": 1, "why": [["text": "tired"]]],
      kind: .unavailable, message: "the service says: tired"),
    Case(rule: #""path": "code", "isNot": 0, "kind": "unavailable""#, body: rows, kind: nil),
    Case(rule: #""path": "code", "isNot": 0, "kind": "unavailable""#, body: ["rows": []], kind: .unavailable),
    Case(rule: #""path": "error", "isNot": null, "kind": "malformed""#, body: rows, kind: nil),
    Case(rule: #""path": "error", "isNot": null, "kind": "malformed""#, body: ["error": "x"], kind: .malformed),
    Case(rule: #""path": "error", "is": null, "kind": "malformed""#, body: ["rows": []], kind: .malformed),
    Case(
      rule: #""path": "error", "present": true, "kind": "bad-request", "message": "error""#, body: ["error": "no such table", "rows": []],
      kind: .badRequest, message: "the service says: no such table"),
    Case(rule: #""path": "error", "present": true, "kind": "bad-request""#, body: ["error": .null, "rows": [["id": "a"]]], kind: nil),
    Case(rule: #""path": "rows", "present": false, "kind": "not-found""#, body: [:], kind: .noSuchAddress),
    Case(rule: #""path": "ok", "is": true, "isNot": false, "present": true, "kind": "unavailable""#, body: rows, kind: .unavailable),
    Case(rule: #""status": 404, "kind": "nothing""#, status: 404, body: [:], kind: nil),
    Case(rule: #""status": 404, "kind": "nothing""#, status: 410, body: [:], kind: .noSuchAddress),
    Case(rule: #""status": 500, "path": "ok", "is": true, "kind": "nothing""#, status: 500, body: ["ok": false], kind: .unavailable),
    Case(
      rule: #""header": "X-Left", "is": 0, "kind": "throttled", "until": {"header": "X-Reset", "as": "seconds"}"#,
      headers: ["X-Left": "0", "X-Reset": "90"], body: rows, kind: .throttled, wait: .seconds(90)),
    Case(
      rule: #""header": "x-left", "is": "0", "kind": "throttled", "until": {"header": "X-Reset", "as": "unix"}"#, status: 403,
      headers: ["X-Left": "0", "X-Reset": "1700000060"], body: [:], kind: .throttled, wait: .seconds(60)),
    Case(
      rule: #""status": 429, "kind": "throttled", "until": {"header": "X-Reset", "as": "date"}"#, status: 429,
      headers: ["X-Reset": "Tue, 14 Nov 2023 22:14:20 GMT"], body: [:], kind: .throttled, wait: .seconds(60)),
    Case(
      rule: #""status": 429, "kind": "throttled", "until": {"header": "X-Reset", "as": "date"}"#, status: 429,
      headers: ["X-Reset": "2023-11-14T22:15:20Z"], body: [:], kind: .throttled, wait: .seconds(120)),
    Case(
      rule: #""status": 429, "kind": "throttled", "until": {"header": "X-Reset", "as": "unix"}"#, status: 429,
      headers: ["X-Reset": "-1e300"], body: [:], kind: .throttled),
    Case(
      rule: #""status": 429, "kind": "throttled", "until": {"header": "X-Reset", "as": "seconds"}"#, status: 429,
      headers: ["X-Reset": "soon", "Retry-After": "45"], body: [:], kind: .throttled, wait: .seconds(45)),
    Case(rule: #""header": "X-Left", "present": false, "kind": "unavailable""#, headers: ["X-Left": "0"], body: rows, kind: nil),
    Case(rule: #""status": 418, "kind": "unavailable""#, status: 401, body: [:], kind: .refusedKey),
  ]

  @Test("the first rule that applies decides what an answer means, otherwise HTTP does", arguments: cases)
  func rules(rule: Case) async throws {
    let things = try OneList(#""by": "whole""#, #""errors": [{\#(rule.rule)}, {"path": "never", "present": true, "kind": "nothing"}]"#) {
      _ in
      HTTPResponse(status: rule.status, headers: rule.headers.map { .init($0.key, $0.value) }, body: rule.body.bytes)
    }
    let error = await things.error()
    #expect(error?.kind == rule.kind)
    if let message = rule.message { #expect(error?.message == message) }
    if let wait = rule.wait { #expect(error?.namedWait == wait) }
  }

  @Test("the rules of a source come before those of its service")
  func order() async throws {
    let things = try OneList(
      #""by": "whole""#, #""errors": [{"status": 404, "kind": "nothing"}]"#,
      top: #""errors": [{"status": 404, "kind": "unavailable"}],"#
    ) { _ in .json([:], status: 404) }
    #expect(try await things.walked().summary.verdict == .complete)
  }

  @Test("a rule about the status also holds for a page that is not JSON")
  func page() async throws {
    let things = try OneList(#""by": "whole""#, #""errors": [{"status": 404, "kind": "nothing"}]"#) { _ in
      HTTPResponse(status: 404, body: Array("<html>".utf8))
    }
    #expect(await things.error() == nil)
  }

  @Test(
    "when a service's own limit is used up the next request waits",
    arguments: [
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "7"], Duration.seconds(7)),
      (["RateLimit-Remaining": "0", "RateLimit-Reset": "7", "RateLimit-Limit": "100"], .seconds(7)),
      (["X-Rate-Limit-Remaining": "0", "X-Rate-Limit-Reset": "1700000009"], .seconds(9)),
      (["RateLimit": "limit=100, remaining=0, reset=5"], .seconds(5)), (["RateLimit": #""default";r=0;t=11"#], .seconds(11)),
      (["X-RateLimit-Remaining": "1", "X-RateLimit-Reset": "7"], nil), (["X-RateLimit-Remaining": "0"], nil),
      (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "-3"], nil), (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "nan"], nil),
      (["RateLimit": "gibberish;;=,="], nil), (["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1000000001"], nil),
    ] as [([String: String], Duration?)])
  func limits(headers: [String: String], wait: Duration?) async throws {
    let things = try OneList(#""by": "token", "next": "next", "end": "next""#) { request in
      var answer = HTTPResponse.rows(["r\(request.number)"], ["next": request.number == 0 ? "b" : .null])
      if request.number == 0 { answer.headers += headers.map { .init($0.key, $0.value) } }
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1"] && summary.verdict == .complete)
    #expect(things.clock.waits.first == wait)
  }

  @Test("a wait that is too long is an error that says how long, and nothing is sent")
  func longWait() async throws {
    let things = try OneList(#""by": "token", "next": "next", "end": "next""#) { _ in
      var answer = HTTPResponse.rows(["a"], ["next": "b"])
      answer.headers += [.init("X-RateLimit-Remaining", "0"), .init("X-RateLimit-Reset", "3600")]
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a"] && things.transport.requests.count == 1)
    guard case .partial(.failed(let error)) = summary.verdict else { return #expect(Bool(false), "\(summary)") }
    #expect(error.kind == .throttled && error.namedWait == .seconds(3600))
  }

  @Test(
    "any ID goes into the path whole",
    arguments: [
      "a/b", "a.b", "\"q\"", "ä ö", "50%", "a?b#c", "%2F", "a\\b", "{token}",
    ])
  func ids(id: String) async throws {
    let detail = #""detail": {"request": {"path": "rows/{id}/full"}, "row": "row"}"#
    let things = try OneList(#""by": "whole""#, detail) { request in
      request.segments == ["api", "rows", id, "full"] ? .json(["row": ["id": .text(id), "name": "found"]]) : .json([:], status: 404)
    }
    #expect(try await things.walked(.record(id)).ids == [id])
  }

  @Test(
    "an ID that would lead to another path names no record, and asks for nothing",
    arguments: ["", ".", "..", "../rows", "a/../..", "a/.", "%2e%2E", "..%2frows", "..\\rows", "%2E/a"])
  func dots(id: String) async throws {
    let detail = #""detail": {"request": {"path": "rows/{id}"}, "row": ""}"#
    let things = try OneList(#""by": "whole""#, detail) { _ in .json(["id": "found"]) }
    #expect(try await things.walked(.record(id)).ids == [])
    #expect(things.transport.requests.isEmpty)
  }

  @Test("a text that would lead to another path is a bad request, and asks for nothing", arguments: ["..", "a/.."])
  func dotsInTexts(text: String) async throws {
    let search = #""search": {"request": {"path": "rows/named/{text}"}}"#
    let things = try OneList(#""by": "whole""#, search) { _ in .rows(["hit"]) }
    #expect(await things.error(.matching(text))?.kind == .badRequest)
    #expect(things.transport.requests.isEmpty)
  }

  @Test("a text is sent as it was typed", arguments: ["a&b=c", "50% off", "ä/ö", "{size}"])
  func texts(text: String) async throws {
    let search = #""search": {"request": {"query": {"q": "{text}"}}}"#
    let things = try OneList(#""by": "whole""#, search) { request in .rows(request.query["q"] == text ? ["hit"] : []) }
    #expect(try await things.walked(.matching(text)).ids == ["hit"])
  }

  @Test(
    "changes are asked for with the overlap, in the form of their field, and the last change is told",
    arguments: [
      ("time", "2023-11-14T22:13:20.000Z", "2023-11-14T22:08:20.000Z"), ("unix", "1700000000", "1699999700"),
      ("date", "2023-11-14", "2023-11-14"),
    ])
  func changes(type: String, sent: String, since: String) async throws {
    let changes = #""changes": {"field": "at", "request": {"query": {"since": "{since}", "sort": "at"}}, "overlap": "5m"}"#
    let fields = #"{"name": "id"}, {"name": "at", "type": "\#(type)"}"#
    let things = try OneList(#""by": "whole""#, changes, query: #""sort": "id""#, fields: fields) { request in
      #expect(request.query == ["since": since, "sort": "at"])
      return .json(["rows": [["id": "a", "at": type == "unix" ? .int(1_700_000_000) : .text(sent)], ["id": "b"]]])
    }
    let (_, summary) = try await things.walked(.changed(since: TestClock.start))
    let day = CalendarDay(iso: "2023-11-14").map { Moment($0) }
    #expect(summary.mark == (type == "date" ? day : TestClock.start))
  }
}
