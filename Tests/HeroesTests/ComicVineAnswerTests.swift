import AggregatorCore
import Heroes
import SourceTesting
import Testing

/// The meaning of Comic Vine's answers, whatever their status.
struct ComicVineAnswerTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let answer: StubTransport.Answer
    let kind: SourceError.Kind
    /// The number of requests until the answer is believed.
    var attempts = 1
  }

  private static let ban = "<!DOCTYPE html><title>Abnormal Traffic Detected</title>"

  static let cases = [
    Case(testDescription: "100", answer: Envelope.error(100, "Invalid API Key", status: 401), kind: .refusedKey),
    Case(testDescription: "100 with 200", answer: Envelope.error(100, "Invalid API Key"), kind: .refusedKey),
    Case(testDescription: "101 for a list", answer: Envelope.error(101, "Object Not Found", status: 404), kind: .noSuchAddress),
    Case(testDescription: "102", answer: Envelope.error(102, "Error in URL Format"), kind: .badRequest),
    Case(testDescription: "103", answer: Envelope.error(103, "'jsonp' format requires a 'json_callback' argument"), kind: .badRequest),
    Case(testDescription: "104", answer: Envelope.error(104, "Filter Error"), kind: .badRequest),
    Case(testDescription: "105", answer: Envelope.error(105, "Subscriber only video"), kind: .badRequest),
    Case(testDescription: "107", answer: Envelope.error(107, "Rate limit exceeded.", status: 420), kind: .throttled, attempts: 3),
    Case(testDescription: "107 with 200", answer: Envelope.error(107, "Rate limit exceeded."), kind: .throttled, attempts: 3),
    Case(testDescription: "420 without a word", answer: .status(420), kind: .throttled, attempts: 3),
    Case(testDescription: "a code nobody knows", answer: Envelope.error(999, "New"), kind: .unavailable, attempts: 3),
    Case(testDescription: "a ban with 200", answer: .status(200, ["Content-Type": "text/html"], body: ban), kind: .throttled),
    Case(testDescription: "a ban with 403", answer: .status(403, ["Content-Type": "text/html"], body: ban), kind: .throttled),
    Case(testDescription: "403", answer: .status(403, body: "<html>no agent</html>"), kind: .refusedKey),
    Case(testDescription: "401", answer: .status(401), kind: .refusedKey),
    Case(testDescription: "502", answer: .status(502, body: "<html>"), kind: .unavailable, attempts: 3),
    Case(testDescription: "HTML with 200", answer: .status(200, body: "<html>Hello</html>"), kind: .malformed),
    Case(testDescription: "no envelope", answer: .json("[]"), kind: .malformed),
    Case(testDescription: "an envelope without a code", answer: .json(#"{"results":[]}"#), kind: .malformed),
    Case(testDescription: "an envelope without results", answer: .json(#"{"status_code":1}"#), kind: .malformed),
    Case(testDescription: "an object where a list is due", answer: Envelope.detail(Envelope.row(1, "A")), kind: .malformed),
  ]

  @Test("an answer that is an error is never an empty list", arguments: cases)
  func error(_ test: Case) async throws {
    let vine = try StubbedComicVine(test.answer)
    let error = await vine.failure()
    #expect(error?.kind == test.kind)
    #expect(vine.transport.requests.count == test.attempts)
    #expect(error.map { "\($0)".contains(StubbedComicVine.key) } == false)
  }

  @Test("a refused key and a bad request never fall back, and all other errors do", arguments: cases)
  func fallback(_ test: Case) async throws {
    let vine = try StubbedComicVine(test.answer, reach: .anywhere)
    switch test.kind {
    case .refusedKey, .badRequest: #expect(await vine.failure()?.kind == test.kind)
    default:
      let summary = try await vine.walk(limit: 3).summary
      #expect(summary.origin?.kind == .bundled)
      #expect(summary.origin?.reason?.kind == test.kind)
    }
  }

  @Test("an answer without a list means that nothing was found, which is not an error")
  func nothing() async throws {
    let (items, summary) = try await StubbedComicVine(Envelope.list([])).walk(.matching("nobody"))
    #expect(items.isEmpty)
    #expect(summary.verdict == .complete)
  }

  @Test("the service is asked again before its earlier answer is used")
  func patience() async throws {
    let store = StoreInMemory()
    _ = try await StubbedComicVine(Envelope.list([Envelope.row(1, "A")]), reach: .anywhere, store: store).walk()
    let vine = try StubbedComicVine(Envelope.error(107, "Rate limit exceeded.", status: 420), reach: .anywhere, store: store)
    let (items, summary) = try await vine.walk()
    #expect(items.map(\.name) == ["A"])
    #expect(summary.origin?.kind == .cache)
    #expect(summary.origin?.reason?.kind == .throttled)
    #expect(summary.verdict == .complete)
    #expect(vine.transport.requests.count == 3)
  }

  @Test("without a key nothing is asked, and the stand-in says how to set one")
  func noKey() async throws {
    let vine = try StubbedComicVine(Envelope.list([]), key: nil, reach: .anywhere)
    let summary = try await vine.walk(limit: 1).summary
    #expect(summary.origin?.kind == .bundled)
    #expect(summary.origin?.reason?.remedy == .set(["COMIC_VINE_API_KEY"]))
    #expect(vine.transport.requests.isEmpty)
    #expect(await (try StubbedComicVine(Envelope.list([]), key: nil)).failure()?.kind == .missingKey)
  }
}
