import SourceTesting
import Testing

/// What becomes of a service's answers: what falls back, what is an error with `--live`, and what both say.
struct ServiceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let status: String
    var headers = "Content-Type: text/plain\r\n"
    var body = ""
    /// With `--live`; 0 where the answer stands.
    let code: Int32
    let message: String
    /// Whether the bundled copy stands in without `--live`.
    var fallsBack = true
  }

  // Retries are asked for at once: no test waits.
  static let soon = "Content-Type: text/html\r\nRetry-After: 0\r\n"

  static let cases = [
    Case(
      testDescription: "500", status: "500 Internal Server Error", headers: soon, code: 69,
      message: "the service failed (HTTP 500) (tried 3 times)"),
    Case(
      testDescription: "503", status: "503 Service Unavailable", headers: soon, code: 69,
      message: "the service failed (HTTP 503) (tried 3 times)"),
    Case(
      testDescription: "404", status: "404 Not Found", headers: soon, code: 69,
      message: "the service cannot find this address (HTTP 404)"),
    Case(
      testDescription: "429 for an hour", status: "429 Too Many Requests", headers: "Retry-After: 3600\r\n", code: 75,
      message: "rate-limited (HTTP 429); try again in 1 h"),
    Case(
      testDescription: "429 until a date", status: "429 Too Many Requests", headers: "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\n",
      code: 75, message: "rate-limited (HTTP 429); try again in "),
    Case(
      testDescription: "401", status: "401 Unauthorized", code: 77, message: "the service refused the request (HTTP 401)", fallsBack: false),
    Case(
      testDescription: "403", status: "403 Forbidden", code: 77, message: "the service refused the request (HTTP 403)", fallsBack: false),
    Case(
      testDescription: "400", status: "400 Bad Request", code: 1, message: "the service rejected the request (HTTP 400)",
      fallsBack: false),
    Case(
      testDescription: "HTML with 200", status: "200 OK", headers: soon, body: "<!DOCTYPE html><title>Gone fishing</title>", code: 65,
      message: ""),
    Case(
      testDescription: "a part that nobody asked for", status: "206 Partial Content",
      headers: "Content-Range: bytes 0-199/4000\r\nRetry-After: 0\r\n", body: Service.rows(Service.row("FR", "France")), code: 65,
      message: "the service sent only a part of the response (HTTP 206) (tried 3 times)"),
    Case(
      testDescription: "511", status: "511 Network Authentication Required", headers: soon, code: 69,
      message: "this network asks for a login (HTTP 511); log in to this network"),
    Case(testDescription: "an object", status: "200 OK", body: #"{"error":"no"}"#, code: 65, message: ""),
    Case(
      testDescription: "a body that would fill the memory", status: "200 OK", body: "[\(String(repeating: "0,", count: 4_000_000))0]",
      code: 65, message: "the JSON has more than 4 million values"),
    Case(testDescription: "nothing at all", status: "200 OK", code: 65, message: ""),
    Case(
      testDescription: "an empty array", status: "200 OK", body: "[]", code: 65, message: "the service returned no countries"),
  ]

  @Test("an answer that is none", arguments: cases)
  func trouble(_ test: Case) async throws {
    let service = try Service(test.body, status: test.status, headers: test.headers)
    let live = try await expect(
      service.run("countries list --live --format json"), test.code, output: "",
      errors: .begins("aggregator: countries: \(test.message)"))
    #expect(live.errors.split(separator: "\n").count == 1)
    #expect(live.errors.contains("; "))

    let usual = try await service.run("countries list --limit 1 --fields code")
    #expect(usual.code == (test.fallsBack ? 0 : test.code))
    #expect(usual.output == (test.fallsBack ? "AF\n" : ""))
    if test.fallsBack { #expect(usual.errors.hasPrefix("aggregator: countries: using bundled data: ")) }
  }

  @Test(
    "a network that sends everybody to its login page is like a host that nobody answers at",
    arguments: ["200 OK", "401 Unauthorized", "403 Forbidden"])
  func portal(status: String) async throws {
    let service = try Service { connection in
      while let request = connection.request() {
        if request.target == "/login" {
          connection.answer(status: status, headers: "Content-Type: text/html\r\n", "<html><form>Room number</form></html>")
        } else {
          let port = request["host"]?.split(separator: ":").last ?? ""
          connection.answer(status: "302 Found", headers: "Location: http://localhost:\(port)/login\r\n")
        }
      }
    }
    let live = try await expect(service.run("countries list --live"), 69)
    let usual = try await expect(service.run("countries list --limit 1 --fields code"), 0, output: "AF\n")
    for errors in [live.errors, usual.errors] {
      #expect(errors.contains(", which sent an HTML page; this network may ask for a login; log in to this network, or set"), "\(errors)")
    }
  }

  @Test("a host that nobody answers at")
  func unreachable() async throws {
    let live = try await expect(InProcess.run("countries list --live"), 69, errors: .begins("aggregator: countries: "))
    #expect(live.errors.hasSuffix("; omit --live to use cached or bundled data\n"))
    #expect(try await InProcess.run("countries show FR --fields capital").output == "Capital: Paris\n")
  }

  @Test("a service that recovers is asked again")
  func recovers() async throws {
    let service = try Service { connection in
      _ = connection.request()
      connection.answer(status: "503 Service Unavailable", headers: "Retry-After: 0\r\n")
      _ = connection.request()
      connection.answer(Service.rows(Service.row("DE", "Germany")))
    }
    let outcome = try await service.run("countries list --live --fields code --explain")
    #expect(outcome.output == "DE\n")
    #expect(outcome.errors.contains("aggregator: waiting 0 ms: the service failed (HTTP 503)\n"))
  }

  @Test("a byte-order mark and a strange type are no trouble")
  func oddities() async throws {
    let service = try Service("\u{FEFF}" + Service.rows(Service.row("DE", "Germany")), headers: "Content-Type: application/x-odd\r\n")
    try await expect(service.run("countries list --live --fields name"), output: "Germany\n", errors: "")
  }

  @Test("one bad row and one repeated code are left out and counted")
  func counted() async throws {
    let service = try Service(
      Service.rows(Service.row("DE", "Germany"), #"{"code":"FR"}"#, Service.row("DE", "Germany again"), Service.row("IT", "Italy")))
    let outcome = try await service.run("countries list --fields name")
    let verbose = try await service.run("countries list --fields name --verbose")
    let json = try await service.run("countries list --format json --fields code")
    #expect(outcome.lines == ["Germany", "Italy"])
    #expect(verbose.errors.contains("aggregator: countries: skipped [1]"))
    // A file announces nothing: what it holds is all there is, and a repeated row is none that is missing.
    #expect(outcome.code == 0)
    #expect(
      outcome.errors == """
        aggregator: countries: skipped 1 broken row; --verbose shows why
        aggregator: countries: left out 1 repeated record

        """)
    #expect(json.output.hasSuffix(#""skipped":1,"duplicates":1,"verdict":{"kind":"complete","reason":null}}"# + "\n"))
  }

  @Test("rows that are all broken are a broken file, not an empty world")
  func allBroken() async throws {
    let service = try Service("[{},{}]")
    let live = try await service.run("countries list --live")
    let usual = try await service.run("countries list --limit 1 --fields code")
    #expect(live.code == 65)
    #expect(usual.output == "AF\n")
  }

  @Test("a service that never answers is given up in time, and the bundled copy stands in")
  func timeout() async throws {
    let service = try Service { connection in connection.untilClosed() }
    let live = try await service.run("countries list --live --timeout 100ms")
    #expect(live.code == 69)
    #expect(live.errors == "aggregator: countries: timed out after 100 ms; try a longer --timeout\n")
    let usual = try await service.run("countries list --timeout 0.1 --limit 1 --fields code")
    #expect(usual.output == "AF\n")
    #expect(usual.errors == "aggregator: countries: using bundled data: timed out\n")
  }

  @Test("nothing leaves the machine offline")
  func offline() async throws {
    let service = try Service(Service.rows(Service.row("DE", "Germany")))
    let outcome = try await service.run("countries list --offline --limit 1 --fields code")
    #expect(outcome.output == "AF\n")
    #expect(outcome.errors == "aggregator: countries: using bundled data (--offline)\n")
    #expect(service.connections == 0)
  }

  @Test("what does not exist is 66, and says how to find what does")
  func missing() async throws {
    try await expect(
      InProcess.run("countries show ZZ --offline --quiet"), 66, output: "",
      errors: "aggregator: countries: no such record: \"ZZ\"; type 'aggregator countries search ZZ' to find one\n")
  }

  @Test("the first twenty say that there are more, unless a limit was asked for")
  func bounded() async throws {
    let usual = try await InProcess.run("countries list --offline")
    #expect(usual.lines.count == 20)
    #expect(usual.errors.hasSuffix("aggregator: countries: showing the first 20 of 250; --all or --limit N shows more\n"))
    #expect(
      try await InProcess.run("countries list --offline --limit 20").errors
        == "aggregator: countries: using bundled data (--offline)\n")
    #expect(try await InProcess.run("countries list --offline --all").lines.count == 250)
    #expect(try await InProcess.run("countries list --offline --pages 1").lines.count == 100)
    #expect(try await InProcess.run("countries list --offline --limit 1000").lines.count == 250)
  }

  @Test("the deal of the day is another each time, and the same for the same seed")
  func deal() async throws {
    let seeded = try await InProcess.run("countries deal --offline --seed 7")
    #expect(seeded.output.hasPrefix("Deal of the Day\nCode: "))
    #expect(try await InProcess.run("countries deal --offline --seed 7").output == seeded.output)
    var (codes, unseeded): (Set<String>, Set<String>) = ([], [])
    for seed in -4..<4 {
      codes.insert(try await InProcess.run("countries", "deal", "--offline", "--seed", "\(seed)", "--fields", "code").output)
      unseeded.insert(try await InProcess.run("countries deal --offline --fields code").output)
    }
    #expect(codes.count > 4)
    #expect(unseeded.count > 1)
  }
}
