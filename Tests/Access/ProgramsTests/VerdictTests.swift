import AggregatorCore
import Platform
import Programs
import ScratchFolders
import Testing

@testable import Services

/// Verdicts of walks over what programs say. A fault after the first rows ends the walk as partial; without rows it is an error.
struct VerdictTests {
  private static let row = #"echo '{"item": {"id": "1", "name": "a"}}'; "#
  private static let end = #"echo '{"end": {"verdict": "complete"}}'; "#

  @Test(
    "the verdict of a program is that of the walk",
    arguments: [
      (#"{"verdict": "complete"}"#, "complete", ""), (#"{"verdict": "unverifiable"}"#, "unverifiable", ""),
      (#"{"verdict": "partial", "reason": "two shops are closed"}"#, "partial", "two shops are closed"),
      (#"{"verdict": "partial"}"#, "partial", "the program says that rows are missing"),
      (#"{"verdict": "bounded"}"#, "partial", "the program stopped before the end of its list"),
      (#"{"verdict": "bounded", "reason": "a test run"}"#, "partial", "a test run"),
    ])
  func verdicts(end: String, kind: String, reason: String) async throws {
    let outcome = try await ProgramHome("\(Self.row)echo '{\"end\": \(end)}'").walk()
    #expect(outcome.ids == ["1"] && outcome.error == nil)
    #expect(outcome.verdict?.kind == kind && outcome.reason == reason)
  }

  private static let faults: [(program: String, reason: String)] = [
    ("kill -9 $$", "the program was ended by signal 9"),
    ("kill -15 $$", "the program was ended by signal 15"),
    ("exit 1", "the program ended with exit code 1"),
    ("echo first >&2; echo the reason >&2; echo >&2; exit 3", "the program ended with exit code 3: the reason"),
    ("printf 'no line break' >&2; exit 3", "the program ended with exit code 3: no line break"),
    ("echo hello", "the program printed a line that is not JSON: hello"),
    ("printf '\\377\\376\\n'", "the program printed a line that is not JSON: ��"),
    ("echo '[1]'", "a line of the program has none of"),
    ("echo '{}'", "a line of the program has none of"),
    ("echo '{\"id\": \"2\"}'", "a line of the program has none of"),
    ("echo '{\"item\": {\"id\": \"2\"}, \"cursor\": \"c\"}'", "a line of the program has none of"),
    ("echo '{\"cursor\": 7}'", "expected"),
    ("echo '{\"end\": {}}'", "verdict"),
    ("echo '{\"end\": {\"verdict\": \"perfect\"}}'", "the program ended with an unknown verdict: perfect"),
    ("echo '{\"end\": {\"verdict\": \"complete\", \"total\": 100}}'", "has a member that is unknown: total"),
    ("exit 0", "the program ended without its last line, {\"end\": …}: rows may be missing"),
    (end + row, "the program printed more after its end"),
    (end + end, "the program printed more after its end"),
    (end + "exit 1", "the program ended with exit code 1"),
    (end + "kill -9 $$", "the program was ended by signal 9"),
    ("echo '{\"error\": {\"kind\": \"strange\", \"message\": \"of its own\"}}'", "the program says: of its own"),
    ("echo '{\"error\": {\"kind\": \"unavailable\"}}'", "the program says: unavailable"),
    ("echo '{\"error\": {}}'", "kind"),
  ]

  @Test("a fault after a row keeps the row, and the walk is partial with its reason", arguments: faults)
  func faultAfterRow(program: String, reason: String) async throws {
    let outcome = try await ProgramHome(Self.row + program).walk()
    #expect(outcome.ids == ["1"] && outcome.error == nil)
    #expect(outcome.verdict?.kind == "partial")
    #expect(outcome.reason.contains(reason), "\(outcome.reason)")
  }

  @Test("a fault without a row is an error, and never an empty list", arguments: faults)
  func faultAlone(program: String, reason: String) async throws {
    guard !program.contains(Self.row) else { return }
    let outcome = try await ProgramHome(program).walk()
    let error = try #require(outcome.error)
    #expect(outcome.records.isEmpty && outcome.verdict != .complete)
    #expect(error.message.contains(reason), "\(error.message)")
  }

  @Test(
    "each kind of error is the same kind here",
    arguments: [
      ("refused-key", SourceError.Kind.refusedKey), ("bad-request", .badRequest), ("not-found", .notFound),
      ("unavailable", .unreachable), ("malformed", .malformed), ("throttled", .budgetSpent), ("of-its-own", .programFailed),
    ])
  func kinds(word: String, kind: SourceError.Kind) async throws {
    let outcome = try await ProgramHome(#"echo '{"error": {"kind": "\#(word)", "message": "because", "retryAfter": 1e300}}'"#).walk()
    #expect(outcome.error?.kind == kind)
    #expect(outcome.error?.message.contains("the program says: because") ?? false)
  }

  @Test("a program that prints nothing but its end has an empty list, unless the list is never empty")
  func empty() async throws {
    let outcome = try await ProgramHome(Self.end).walk()
    #expect(outcome.records.isEmpty && outcome.error == nil && outcome.verdict == .complete)
    let error = try await ProgramHome(Self.end, #""neverEmpty": true"#).walk().error
    #expect(error?.message == "the list is empty, which it never is")
  }

  @Test("broken rows are counted and left out; if every row is broken that is an error")
  func brokenRows() async throws {
    let broken = #"echo '{"item": {"name": "no id"}}'; echo '{"item": 7}'; "#
    let outcome = try await ProgramHome(Self.row + broken + Self.end).walk()
    #expect(outcome.ids == ["1"] && outcome.summary?.skipped == 2)
    let error = try await ProgramHome(broken + Self.end).walk().error
    #expect(error?.message.contains("cannot read any of the 2 rows") ?? false, "\(error?.message ?? "")")
  }

  @Test("a row that comes twice is one record")
  func twice() async throws {
    let outcome = try await ProgramHome(Self.row + Self.row + Self.end).walk()
    #expect(outcome.ids == ["1"] && outcome.summary?.duplicates == 1)
  }

  @Test("two different rows with one id are told, however far apart they come", arguments: [50, 150])
  func farTwins(between count: Int) async throws {
    let program = """
      #!python3
      for id in ["1"] + [str(n) for n in range(2, \(count) + 2)]: print('{"item": {"id": "%s", "name": "a"}}' % id)
      print('{"item": {"id": "1", "name": "b"}}')
      print('{"end": {"verdict": "complete"}}')
      """
    #expect(try await ProgramHome(program).walk().verdict == .partial(.sharedKeys(1)))
  }

  @Test("lines that only log, blank lines and line breaks of Windows change nothing, and the last line needs no break")
  func harmless() async throws {
    let outcome = try await ProgramHome(
      #"""
      echo '{"log": "starting"}'; echo; printf '{"item": {"id": "1"}}\r\n   \r\n'; printf '{"end": {"verdict": "complete"}}'
      """#
    ).walk()
    #expect(outcome.ids == ["1"] && outcome.verdict == .complete)
  }

  @Test("a program that is not there, or cannot be started, is an error that says so")
  func missing() async throws {
    let home = try ProgramHome(Self.end)
    for (command, reason) in [("no-such-program-anywhere", "is not installed, or not on the PATH"), ("./absent", "is not installed")] {
      let text = #"{"aggregator": 1, "sources": {"things": {"command": ["\#(command)"], \#(ProgramHome.fields)}}}"#
      let manifest = try Manifest(Array(text.utf8), file: home.folder["things.json"])
      var walk = Walk(try manifest.source("things").source(in: home.world()), clock: home.clock)
      do {
        _ = try await walk.nextPage()
        Issue.record("it was started")
      } catch let error as SourceError {
        #expect(error.kind == .noTransport && error.message.contains(reason), "\(error.message)")
      }
    }
  }
}
