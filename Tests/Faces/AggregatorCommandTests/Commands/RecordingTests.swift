import AggregatorCore
import Platform
import SourceTesting
import Testing

/// `--record DIR` and `--replay DIR`.
struct RecordingTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  private static let germany = Service.row("DE", "Germany", capital: "Berlin")

  /// Writes a recording of 2 January 2026 with this body at this address.
  private static func write(_ body: String, from address: String, to path: String) throws {
    let request = TapedRequest("GET", try #require(WebAddress(address)))
    let exchange = Exchange(
      request, HTTPResponse(status: 200, body: Array(body.utf8)), startedAt: Moment(secondsSinceEpoch: 1_767_323_045),
      took: .milliseconds(50))
    try Folder.write(String(decoding: Fixture(path, exchanges: [exchange]).har, as: UTF8.self), to: path)
  }

  @Test("a recording is replayed unchanged, without the service")
  func roundTrip() async throws {
    let service = try Service(Service.rows(Self.germany, Service.row("IT", "Italy", capital: "Rome")))
    let recorded = try await service.run("countries", "list", "--format", "csv", "--record", folder + "/new/fixtures")
    #expect(recorded.code == 0)
    #expect(recorded.errors == "aggregator: countries: added 1 answer to \(folder)/new/fixtures/countries.har\n")
    let environment = service.environment
    let replayed = try await expect(
      InProcess.run("countries", "list", "--format", "csv", "--replay", folder + "/new/fixtures", environment: environment), 0,
      output: .exactly(recorded.output))
    #expect(replayed.lines.count == 3)
    #expect(service.connections == 1)
    try await expect(service.run("countries", "search", "ital", "--quiet", "--record", folder + "/new/fixtures"), errors: "")
    #expect(try Fixture(contentsOf: folder + "/new/fixtures/countries.har").exchanges.count == 2)
  }

  @Test("a recording of next is replayed from the beginning each time")
  func next() async throws {
    let service = try Service(Service.rows(Self.germany, Service.row("IT", "Italy", capital: "Rome")))
    let recorded = try await service.run("countries next --limit 1 --fields code --record \(folder)")
    #expect(recorded.output == "DE\n")
    #expect(recorded.errors == "aggregator: countries: added 1 answer to \(folder)/countries.har\n")
    for _ in 0..<2 {
      let replayed = try await InProcess.run("countries next --limit 1 --fields code --replay \(folder)", environment: service.environment)
      #expect(replayed.output == "DE\n")
      #expect(replayed.errors.hasPrefix("aggregator: countries: recorded on "))
    }
  }

  @Test("a recording of another source is not an answer, and the error names the source that was asked", arguments: ["list", "next"])
  func otherSource(verb: String) async throws {
    try Self.write("[]", from: "http://127.0.0.1:1/", to: "\(folder)/countries.har")
    try await expect(
      InProcess.run("products \(verb) --replay \(folder)", environment: ["PRODUCTS_BASE_URL": "http://127.0.0.1:2/"]), 1,
      output: "",
      errors:
        "aggregator: products: POST http://127.0.0.1:2/products/offset was not recorded; nothing from http://127.0.0.1:2 was; replace --replay with --record to record it\n"
    )
  }

  @Test("a replay is named in the notice and in JSON, with the time of the recording")
  func origin() async throws {
    try Self.write("[\(Self.germany)]", from: "http://127.0.0.1:1/", to: "\(folder)/a.har")
    let list = try await InProcess.run("countries list --fields code --replay \(folder)")
    #expect(list.output == "DE\n")
    #expect(list.errors == "aggregator: countries: recorded on 2026-01-02\n")
    try await expect(
      InProcess.run("countries list --format json --fields code --replay \(folder)"),
      output: .exactly(
        #"{"source":"countries","query":{"text":null,"limit":20},"origin":{"kind":"replay","age":null,"reason":null},"items":[{"code":"DE"}],"total":1,"skipped":0,"duplicates":0,"misfits":{},"verdict":{"kind":"complete","reason":null}}"#
          + "\n"))
    let explained = try await InProcess.run("countries deal --fields code --replay \(folder) --explain")
    #expect(explained.errors.contains("← HTTP 200, \(Self.germany.utf8.count + 2) bytes in 50 ms"))
  }

  @Test("an error is recorded as well, and keeps its own exit code")
  func failure() async throws {
    let service = try Service("no", status: "401 Unauthorized")
    try await expect(service.run("countries list --record \(folder)"), 77)
    #expect(try Fixture(contentsOf: folder + "/countries.har").exchanges.map(\.response.status) == [401])
    let broken = try await service.run("countries list --record /dev/null/x")
    #expect(broken.code == 77)
    #expect(broken.errors.hasPrefix("aggregator: cannot write /dev/null/x/countries.har: "))
    try await expect(Service("[\(Self.germany)]").run("countries list --record /dev/null/x"), 74, output: .begins("DE\t"))
  }

  @Test(
    "an existing file that is not a recording is named and left unchanged, and the answer is still shown", arguments: ["", "{}", "{"])
  func brokenFile(text: String) async throws {
    let path = "\(folder)/countries.har"
    try Folder.write(text, to: path)
    let outcome = try await expect(
      Service("[\(Self.germany)]").run("countries list --fields code --record \(folder)"), 74, output: "DE\n",
      errors: .begins("aggregator: \(path) is not a HAR file ("))
    #expect(outcome.errors.hasSuffix("); left unchanged; move it away, or record into another folder\n"), "\(outcome.errors)")
    #expect(try Folder.read(path) == text)
  }

  @Test("a replay shows no progress on a terminal, because the time that it waits is the recording's")
  func noProgress() throws {
    let request = TapedRequest("GET", try #require(WebAddress("http://127.0.0.1:1/")))
    let start = Moment(secondsSinceEpoch: 1_767_323_045)
    let refused = HTTPResponse(status: 503, headers: [.init("Retry-After", "20")])
    let exchanges = [
      Exchange(request, refused, startedAt: start, took: .seconds(9)),
      Exchange(request, refused, startedAt: start + .seconds(40), took: .seconds(9)),
      Exchange(
        request, HTTPResponse(status: 200, body: Array("[\(Self.germany)]".utf8)), startedAt: start + .seconds(80), took: .seconds(9)),
    ]
    try Folder.write(String(decoding: Fixture("a", exchanges: exchanges).har, as: UTF8.self), to: "\(folder)/countries.har")
    let terminal = try Terminal("countries list --format tsv --fields code --replay \(folder) --color never", columns: 80).ending()
    #expect(terminal.shown == "aggregator: countries: recorded on 2026-01-02\r\nDE\r\n")
  }
}
