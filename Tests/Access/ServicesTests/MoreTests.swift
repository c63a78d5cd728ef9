import AggregatorCore
import SourceTesting
import Testing

@testable import Services

/// Signs in an answer that more rows exist than were followed. In every way of paging such a walk is not complete.
@Suite struct MoreTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let paging: String
    var members: [Member] = []
    var headers: [String: String] = [:]
    var status = 200
    let verdict: Verdict
    var testDescription: String { "\(paging) \(members.map { "\($0.name)=\($0.value)" }) \(headers) \(status)" }

    init(
      _ paging: String, _ members: KeyValuePairs<String, Value> = [:], _ headers: [String: String] = [:], status: Int = 200,
      gives verdict: Verdict
    ) {
      (self.paging, self.headers, self.status, self.verdict) = (paging, headers, status, verdict)
      self.members = members.map { Member(name: $0.key, value: $0.value) }
    }
  }

  private static let next = #"<https://test.example/api/rows?page=2>; rel="next""#

  static let whole: [Case] = [
    Case(#""by": "whole""#, gives: .complete),
    Case(#""by": "whole", "more": "more""#, ["more": true], gives: .partial(.more)),
    Case(#""by": "whole", "more": "more""#, ["more": false], gives: .complete),
    Case(#""by": "whole", "more": "not last""#, ["last": false], gives: .partial(.more)),
    Case(#""by": "whole", "more": "not last""#, ["last": true], gives: .complete),
    Case(#""by": "whole", "next": "links.next""#, ["links": ["next": "?page=2"]], gives: .partial(.more)),
    Case(#""by": "whole", "next": "links.next""#, ["links": ["next": .null]], gives: .complete),
    Case(#""by": "whole", "next": "links.next""#, ["links": [:]], gives: .complete),
    Case(#""by": "whole", "next": "cursor""#, ["cursor": ""], gives: .complete),
    Case(#""by": "whole", "next": "cursor""#, ["cursor": 17], gives: .partial(.more)),
    Case(#""by": "whole", "pages": "pages""#, ["pages": 2], gives: .partial(.more)),
    Case(#""by": "whole", "pages": "pages""#, ["pages": 1], gives: .complete),
    Case(#""by": "whole", "pages": "header X-Pages""#, [:], ["X-Pages": "3"], gives: .partial(.more)),
    Case(#""by": "whole", "pages": "pages", "more": "more""#, ["pages": 1, "more": true], gives: .partial(.more)),
    Case(#""by": "whole", "pages": "pages", "more": "more""#, ["pages": 2, "more": false], gives: .partial(.more)),
    Case(#""by": "whole", "total": "total""#, ["total": 57], gives: .partial(.total(missing: 55))),
    Case(#""by": "whole", "total": "total", "more": "more", "end": "total""#, ["total": 2, "more": true], gives: .partial(.more)),
    // A number that counts nothing gives neither a total nor a reason for a list to be whole.
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": 2], gives: .complete),
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": -1], gives: .unverifiable),
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": "-1"], gives: .unverifiable),
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": 1.5], gives: .unverifiable),
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": "18446744073709551615"], gives: .unverifiable),
    Case(#""by": "whole", "total": "total", "end": "total""#, ["total": -1], ["Content-Range": "0-1/2"], gives: .complete),
    Case(#""by": "whole", "total": "header X-Total", "end": "total""#, [:], ["X-Total": "-1"], gives: .unverifiable),
    Case(#""by": "whole", "total": "header X-Total", "end": "total""#, [:], ["X-Total": "18446744073709551615"], gives: .unverifiable),
    Case(#""by": "whole", "total": "header Content-Range", "end": "total""#, [:], ["Content-Range": "0-1/*"], gives: .unverifiable),
    Case(#""by": "whole", "next": "header""#, [:], ["Link": next], gives: .partial(.more)),
    Case(#""by": "whole", "next": "header""#, [:], ["Link": #"<https://test.example/api/rows>; rel="last""#], gives: .complete),
    // Signs that the manifest does not declare are watched as well.
    Case(#""by": "whole""#, [:], ["Link": next], gives: .partial(.more)),
    Case(#""by": "whole""#, [:], ["Link": "rows?page=2; rel=next"], gives: .partial(.more)),
    Case(#""by": "whole", "more": "more""#, ["more": false], ["Link": next], gives: .partial(.more)),
    Case(#""by": "whole""#, [:], ["Content-Range": "items 0-1/57"], gives: .partial(.total(missing: 55))),
    Case(#""by": "whole""#, [:], ["content-range": "0-1/57"], status: 206, gives: .partial(.total(missing: 55))),
    Case(#""by": "whole", "total": "total""#, ["total": 2], ["Content-Range": "0-1/57"], gives: .partial(.total(missing: 55))),
    Case(#""by": "whole""#, [:], ["Content-Range": "things 0-1/2"], gives: .complete),
    Case(#""by": "whole""#, [:], ["Content-Range": "things 0-1/2"], status: 206, gives: .complete),
    Case(#""by": "whole""#, [:], ["Content-Range": "0-1/*"], gives: .complete),
    Case(#""by": "whole""#, [:], ["Content-Range": "0-1/*"], status: 206, gives: .partial(.more)),
    Case(#""by": "whole""#, [:], status: 206, gives: .partial(.more)),
    Case(#""by": "whole""#, [:], ["Content-Range": "bytes 0-1/57"], gives: .complete),
    Case(#""by": "whole""#, [:], ["Content-Range": "items 0-1/-3, x/y/z"], gives: .complete),
    // Other rows than the first ones came.
    Case(#""by": "whole""#, [:], ["Content-Range": "items 20-21/*"], gives: .partial(.more)),
    Case(#""by": "whole""#, [:], ["Content-Range": "items 1-2/2"], gives: .complete),
    // A manifest without a known end is believed, whatever the answer says.
    Case(#""by": "whole", "end": "never""#, gives: .unverifiable),
    Case(#""by": "whole", "end": "never", "total": "total""#, ["total": 2], gives: .unverifiable),
    Case(#""by": "whole", "end": "never", "more": "more""#, ["more": false], gives: .unverifiable),
    Case(#""by": "whole", "end": "never", "more": "more""#, ["more": true], gives: .partial(.more)),
  ]

  @Test("a list that comes whole is complete unless the answer announces more", arguments: whole)
  func wholeLists(one: Case) async throws {
    let things = try OneList(one.paging) { _ in Self.answer(["a", "b"], one) }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a", "b"] && summary.verdict == one.verdict)
  }

  private static func answer(_ ids: [String], _ one: Case) -> HTTPResponse {
    var answer = HTTPResponse.rows(ids)
    answer.status = one.status
    answer.headers += one.headers.map { .init($0.key, $0.value) }
    guard case .object(let members)? = try? JSON(answer.body).value else { return answer }
    answer.body = Value.object(members + one.members).bytes
    return answer
  }

  @Test("a walk over pages that announce a number which counts nothing ends as one without a total", arguments: ["-1", #""-1""#, "1.5"])
  func uncounted(total: String) async throws {
    let things = try OneList(#""by": "offset", "size": 2, "total": "total", "end": "total""#) { request in
      let start = Int(request.query["skip"] ?? "") ?? 0
      let ids = (start..<max(start, min(start + (Int(request.query["take"] ?? "") ?? 0), 5))).map { "r\($0)" }
      return .rows(ids, ["total": try JSON(Array(total.utf8)).value])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == (0..<5).map { "r\($0)" } && summary.verdict == .unverifiable && summary.total == nil)
  }

  @Test(
    "a number that counts nothing on a later page leaves the total in doubt, and a range without a total does not",
    arguments: [
      ("-5", .unverifiable), (#""-5""#, .unverifiable), ("24.5", .unverifiable), ("1e30", .unverifiable), ("null", .complete),
      ("*", .complete),
    ] as [(String, Verdict)])
  func uncountedLater(total: String, verdict: Verdict) async throws {
    let place = total == "*" ? "header Content-Range" : "total"
    let things = try OneList(#""by": "offset", "size": 2, "total": "\#(place)", "end": "total""#) { request in
      let start = Int(request.query["skip"] ?? "") ?? 0
      let ids = (start..<max(start, min(start + (Int(request.query["take"] ?? "") ?? 0), 5))).map { "r\($0)" }
      let said = start == 0 ? "5" : total
      guard total == "*" else { return .rows(ids, ["total": try JSON(Array(said.utf8)).value]) }
      var answer = HTTPResponse.rows(ids)
      answer.headers.append(.init("Content-Range", ids.isEmpty ? "items */5" : "items \(start)-\(start + ids.count - 1)/\(said)"))
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == (0..<5).map { "r\($0)" } && summary.verdict == verdict, "\(summary)")
    #expect(summary.total == 5)
  }

  /// Lists that end on a page which is the last by the list's way of paging, but not by its header.
  static let contradictions = [
    Case(#""by": "offset", "size": 10, "total": "total", "end": "total""#, ["total": 2], gives: .partial(.more)),
    Case(#""by": "offset", "size": 10, "more": "more", "end": "more""#, ["more": false], gives: .partial(.more)),
    Case(#""by": "offset", "size": 10, "end": "empty""#, gives: .partial(.more)),
    Case(#""by": "page", "size": 10, "total": "total", "end": "total""#, ["total": 2], gives: .partial(.more)),
    Case(#""by": "page", "size": 10, "pages": "pages", "end": "pages", "unchanging": true"#, ["pages": 1], gives: .partial(.more)),
    Case(#""by": "page", "size": 10, "end": "empty", "unchanging": true"#, gives: .partial(.more)),
    Case(#""by": "token", "next": "next", "end": "next""#, ["next": .null], gives: .partial(.more)),
    Case(#""by": "token", "next": "next", "more": "more", "end": "more""#, ["next": "b", "more": false], gives: .partial(.more)),
    Case(#""by": "link", "next": "next", "end": "next""#, ["next": .null], gives: .partial(.more)),
    // No row is left after which the walk could continue.
    Case(#""by": "last", "next": "id", "end": "empty""#, gives: .unverifiable),
    Case(#""by": "last", "next": "id", "more": "more", "end": "more""#, ["more": false], gives: .unverifiable),
  ]

  @Test("a last page whose Link header names another is not the end, but the walk does end", arguments: contradictions)
  func linked(one: Case) async throws {
    let things = try OneList(one.paging) { request in
      var answer = Self.answer(request.number == 0 ? ["a", "b"] : [], one)
      answer.headers.append(.init("Link", Self.next))
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["a", "b"] && summary.verdict == one.verdict)
    #expect(things.transport.requests.count < 10)
  }

  @Test(
    "the next page that a list by address follows is not a further one", arguments: [#""end": "next""#, #""more": "more", "end": "more""#])
  func followed(end: String) async throws {
    let things = try OneList(#""by": "link", "next": "header", \#(end)"#) { request in
      var answer = HTTPResponse.rows(["r\(request.number)"], ["more": .bool(request.number < 2)])
      // A list that ends by `more` may always name a next page.
      if request.number < 2 || end.contains("more") {
        answer.headers.append(.init("Link", "</api/rows?o=\(request.number + 1)>; rel=next"))
      }
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1", "r2"] && summary.verdict == .complete)
  }

  @Test(
    "a named page that ends its list by naming none is followed to an empty page, even if an answer says that it is the last",
    arguments: ["link", "token"], [true, false])
  func contrary(way: String, isNamedAlways: Bool) async throws {
    let things = try OneList(#""by": "\#(way)", "next": "next", "more": "more", "end": "next""#) { request in
      let isNamed = isNamedAlways || request.number < 2
      return .rows(
        request.number < 3 ? ["r\(request.number)"] : [], ["next": isNamed ? .text("?o=\(request.number)") : .null, "more": false])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1", "r2"] && summary.verdict == .complete)
    #expect(things.transport.requests.count == (isNamedAlways ? 4 : 3))
  }

  @Test("a token is a place and not a page if the list ends by what says that this page is the last")
  func place() async throws {
    let things = try OneList(#""by": "token", "next": "info.endCursor", "more": "info.hasNextPage", "end": "more""#) { request in
      .rows(["r\(request.number)"], ["info": ["endCursor": .int(request.number), "hasNextPage": .bool(request.number < 2)]])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r1", "r2"] && summary.verdict == .complete && things.transport.requests.count == 3)
  }

  @Test(
    "correct ranges of a service cost no request and no certainty",
    arguments: [
      #""by": "offset", "size": 10, "total": "total", "end": "total""#, #""by": "offset", "size": 10, "end": "empty""#,
      #""by": "page", "size": 10, "total": "total", "end": "total""#, #""by": "token", "next": "next", "end": "next""#,
      #""by": "last", "next": "id", "more": "more", "end": "more""#,
    ], [200, 206])
  func ranges(paging: String, status: Int) async throws {
    let unit = status == 200 ? "items " : ""
    func walked(_ hasRanges: Bool) async throws -> (ids: [String], summary: Summary, requests: Int) {
      let things = try OneList(paging) { Self.page(of: 25, $0, hasRanges ? unit : nil, status) }
      let (ids, summary) = try await things.walked()
      return (ids, summary, things.transport.requests.count)
    }
    let (plain, ranged) = (try await walked(false), try await walked(true))
    #expect(ranged.ids == (0..<25).map { "r\($0)" } && ranged.summary.verdict == .complete)
    #expect(ranged.requests == plain.requests)
  }

  @Test(
    "a range that ends before the total announces more",
    arguments: [
      #""by": "offset", "size": 10, "more": "more", "end": "more""#,
      #""by": "page", "size": 10, "pages": "pages", "end": "pages", "unchanging": true"#,
      #""by": "token", "next": "next", "end": "next""#, #""by": "last", "next": "id", "more": "more", "end": "more""#,
    ], [9, 10])
  func shortRange(paging: String, length: Int) async throws {
    let things = try OneList(paging) { request in
      var answer = Self.page(of: 25, request, nil, 200)
      let start = Self.start(of: request)
      answer.headers.append(.init("Content-Range", start < 25 ? "items \(start)-\(start + length)/57" : "items */57"))
      return answer
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 25 && summary.verdict?.kind == "partial")
    #expect(things.transport.requests.count < 12)
  }

  static let refusals: [(paging: String, range: String, kind: SourceError.Kind?)] = [
    (#""by": "whole""#, "items */0", nil), (#""by": "whole""#, "items */*", .badRequest), (#""by": "whole""#, "items */57", .badRequest),
    (#""by": "offset", "size": 10, "end": "empty""#, "items */0", nil),
    (#""by": "offset", "size": 10, "end": "empty""#, "items */*", .badRequest),
    (#""by": "offset", "size": 10, "end": "empty""#, "items */57", .badRequest),
    (#""by": "page", "size": 10, "end": "empty""#, "*/57", .badRequest),
    (#""by": "token", "next": "next", "end": "next""#, "*/*", .badRequest),
  ]

  @Test("a refused range is an empty list only if the service counts no rows", arguments: refusals)
  func refusedFirst(paging: String, range: String, kind: SourceError.Kind?) async throws {
    let things = try OneList(paging) { _ in .json(.null, status: 416, ["Content-Range": range]) }
    #expect(await things.error()?.kind == kind)
  }

  @Test("after the last row a refused range is the end; before it the walk has failed", arguments: [25, 57, nil])
  func refusedLater(total: Int?) async throws {
    let things = try OneList(#""by": "offset", "size": 10, "end": "empty""#) { request in
      if Self.start(of: request) < 25 { return Self.page(of: 25, request, nil, 200) }
      return .json(.null, status: 416, ["Content-Range": "items */\(total.map(String.init) ?? "*")"])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 25 && summary.verdict?.kind == (total == 57 ? "partial" : "complete"), "\(summary)")
  }

  /// A list by range. After its rows the service answers with `status`, and does not count them there.
  private func ranged(_ rows: Int, total: Int?, status: Int) throws -> OneList {
    let end = total == nil ? #""end": "empty""# : #""total": "total", "end": "total""#
    return try OneList(#""by": "range", "size": 10, \#(end)"#) { request in
      let places = (request.headers["range"] ?? "").drop { $0 != "=" }.dropFirst().split(separator: "-").compactMap { Int($0) }
      let found = (0..<rows).filter { $0 >= places.first ?? 0 && $0 <= places.last ?? 9 }
      guard let first = found.first, let last = found.last else { return .json(.null, status: status) }
      var answer = HTTPResponse.rows(found.map { "r\($0)" }, ["total": total.map { Value.int($0) } ?? .null])
      answer.status = 206
      answer.headers.append(.init("Content-Range", "items \(first)-\(last)/*"))
      return answer
    }
  }

  @Test("by range, a refusal that counts no rows is the end after the last row, as a missing page is", arguments: [416, 404])
  func uncountedRefusal(status: Int) async throws {
    let (ids, summary) = try await ranged(25, total: nil, status: status).walked()
    #expect(ids.count == 25 && summary.verdict == .complete, "\(summary)")
    // Before the announced total it ends nothing.
    let short = try await ranged(25, total: 57, status: status).walked()
    #expect(short.ids.count == 25 && short.summary.verdict == .partial(.total(missing: 32)), "\(short.summary)")
    // Of the first page it says nothing about rows.
    let kind: SourceError.Kind = status == 416 ? .badRequest : .noSuchAddress
    #expect(try await ranged(0, total: nil, status: status).error()?.kind == kind)
  }

  @Test("a service that refuses to begin in the middle of a page is read from page to page")
  func oddStarts() async throws {
    let things = try OneList(#""by": "offset", "size": 10, "total": "total", "end": "total""#) { request in
      if Self.start(of: request) % 10 == 0 { return Self.page(of: 25, request, nil, 200) }
      return .json(.null, status: 416, ["Content-Range": "items */25"])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 25, "\(summary)")
  }

  @Test("an author's rule decides what a refused range means")
  func ruledRange() async throws {
    let rule = #""errors": [{"status": 416, "kind": "refused-key"}]"#
    let things = try OneList(#""by": "offset", "size": 10, "end": "empty""#, top: rule + ",") { _ in
      .json(.null, status: 416, ["Content-Range": "*/0"])
    }
    #expect(await things.error()?.kind == .refusedKey)
  }

  @Test("rows that begin after the requested ones are an error, since others were left out", arguments: [0, 1, 10])
  func jumped(distance: Int) async throws {
    let things = try OneList(#""by": "offset", "size": 10, "end": "empty""#) { request in
      let start = Self.start(of: request) + distance
      var answer = Self.page(of: 25, request, nil, 206)
      answer.headers.append(.init("Content-Range", "items \(start)-\(start + 9)/*"))
      return answer
    }
    #expect(await things.error()?.kind == (distance == 10 ? .badRequest : nil))
  }

  private static func start(of request: Request) -> Int {
    request.query["after"].map { (Int($0.drop { !$0.isNumber }) ?? 0) + 1 } ?? request.query["skip"].flatMap { Int($0) }
      ?? (request.int("page", or: 1) - 1) * 10
  }

  /// Ten of `count` rows, from the place that the request names.
  private static func page(of count: Int, _ request: Request, _ unit: String?, _ status: Int) -> HTTPResponse {
    let start = start(of: request)
    let rows = (0..<count).dropFirst(start).prefix(min(10, request.int("take", or: 10)))
    let end = start + rows.count
    var answer = HTTPResponse.rows(
      rows.map { "r\($0)" },
      ["total": .int(count), "pages": 3, "more": .bool(end < count), "next": end < count ? .text("r\(end - 1)") : .null])
    answer.status = status
    if let unit {
      answer.headers.append(.init("Content-Range", rows.isEmpty ? "\(unit)*/\(count)" : "\(unit)\(start)-\(end - 1)/\(count)"))
    }
    return answer
  }

  @Test("a member that names a next page is watched when pages are counted", arguments: ["offset", "page"])
  func watched(way: String) async throws {
    // The service filters after its paging: an empty page that names another one is not the end.
    let things = try OneList(#""by": "\#(way)", "size": 2, "next": "links.next", "end": "empty", "unchanging": true"#) { request in
      .rows([0, 2].contains(request.number) ? ["r\(request.number)"] : [], ["links": ["next": request.number < 2 ? "?page=9" : .null]])
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == ["r0", "r2"] && summary.verdict == .complete)
  }

  @Test("a whole list whose end is a word of the answer is an error without that word", arguments: ["more", "pages", "next", "total"])
  func missingWord(end: String) async throws {
    let things = try OneList(#""by": "whole", "\#(end)": "word", "end": "\#(end)""#) { _ in .rows(["a"]) }
    #expect(await things.error()?.message == "the answer has no word")
  }

  @Test("true and false, 1 and 0 and their texts tell whether more rows follow", arguments: [true, "true", "TRUE", 1, "1"] as [Value])
  func plainWords(word: Value) async throws {
    for (value, verdict) in [(word, Verdict.partial(.more)), (Self.contrary[word] ?? .null, .complete)] {
      let things = try OneList(#""by": "whole", "more": "more""#) { _ in .rows(["a"], ["more": value]) }
      #expect(try await things.walked().summary.verdict == verdict)
    }
  }

  private static let contrary: [Value: Value] = [true: false, "true": "false", "TRUE": "False", 1: 0, "1": "0"]

  @Test(
    "any other word for more is an error that shows the word",
    arguments: ["yes", "no", "No", "", "maybe", 2, .null, [1], ["a": true]] as [Value], ["whole", "page"])
  func otherWords(word: Value, way: String) async throws {
    let things = try OneList(#""by": "\#(way)", "more": "meta.more", "end": "more""#) { _ in .rows(["a"], ["meta": ["more": word]]) }
    let error = await things.error()
    #expect(error?.kind == .malformed)
    let found = String(decoding: word.bytes, as: UTF8.self)
    #expect(error?.message == "meta.more: expected true or false, found \(found)")
  }

  @Test(
    "a numbered page that says it is the last ends the list",
    arguments: [
      (#""total": "total", "end": "total""#, Verdict.complete), (#""total": "total", "end": "empty""#, .complete),
      (#""total": "total", "end": "more""#, .complete), (#""end": "more""#, .unverifiable), (#""end": "empty""#, .unverifiable),
      (#""end": "more", "unchanging": true"#, .complete), (#""end": "empty", "unchanging": true"#, .complete),
    ])
  func numbered(end: String, verdict: Verdict) async throws {
    let things = try OneList(#""by": "page", "size": 10, "more": "more", \#(end)"#) { Self.page(of: 25, $0, nil, 200) }
    let (ids, summary) = try await things.walked()
    #expect(ids.count == 25 && summary.verdict == verdict && things.transport.requests.count == 3)
  }
}
