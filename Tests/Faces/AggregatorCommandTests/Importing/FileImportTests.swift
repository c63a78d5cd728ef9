import Platform
import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Asking

@Suite("Importing a file")
struct FileImportTests {
  /// Keeps what lands, and nothing else.
  private final class RecordList: Sendable {
    private let bodies = Mutex<[String]>([])

    var kept: [String] { bodies.withLock { $0 } }

    func land(_ batch: Batch) -> LandingResult {
      var landed = LandingResult()
      landed.new = batch.rows.count
      bodies.withLock { bodies in
        for row in batch.rows { bodies.append(String(decoding: batch.bytes[row.body], as: UTF8.self)) }
      }
      return landed
    }
  }

  private func intake(
    _ shelf: RecordList, optimizing optimize: @escaping @Sendable () async throws -> Void = {}
  ) -> Intake<Row> {
    Intake(
      RecordKind("rows", of: Row.schema), of: Row.schema, rule: .firstStays, pace: .bulk,
      landing: { [shelf] in shelf.land($0) }, optimizing: optimize)
  }

  private struct Outcome {
    let imported: ImportResult
    let kept: [String]
    let events: [Event]
  }

  private func run(_ text: some Sequence<UInt8>, step: Int = .max, called name: String = "-") async throws -> Outcome {
    let shelf = RecordList()
    let recorder = EventRecorder()
    var reading = FileImport(of: "rows", into: intake(shelf), from: ChunkedStream(text, step: step), called: name, clock: TestClock())
    let imported = try await recorder.listen { try await reading.run() }
    return Outcome(imported: imported, kept: shelf.kept, events: recorder.events)
  }

  @Test("an import refuses a table whose header is not valid UTF-8, and does not take its first record for the header")
  func brokenHeader() async throws {
    await #expect {
      try await run(Array("id,caf".utf8) + [0xE9] + Array("\n1,a\n2,b\n".utf8))
    } throws: {
      ($0 as? SourceError)?.message == "-:1: it is not valid UTF-8: byte 7 is 0xE9"
    }
  }

  @Test(
    "an import recognizes the format by the beginning, in any pieces of bytes",
    arguments: [
      "{\"id\":\"1\",\"name\":\"a\"}\n", "\u{FEFF}{\"id\":\"1\",\"name\":\"a\"}", "\n{\"id\":\"1\",\"name\":\"a\"}",
      "\u{FEFF}\r\n\n \t{\"id\":\"1\",\"name\":\"a\"}\n\n", "id,name\n1,a\n", "\u{FEFF}id,name\n1,a", "\n\r\nid,name\r\n\r\n1,a\r\n",
      "\u{FEFF}\"name\",\"id\"\n\"a\",\"1\"\n", "id,other,name\n1,,a\n",
      "id\tname\n1\ta\n", "\u{FEFF}\r\nname\tother\tid\r\na\t\t1\r\n", "[{\"id\":\"1\",\"name\":\"a\"}]",
      "\u{FEFF}\n[\r\n{\"id\":\"1\",\"name\":\"a\"}]\r\n",
      "{\n  \"id\": \"1\",\n  \"name\": \"a\"\n}", "{\"id\":\r\"1\",\"name\":\"a\"\r}\r",
      "{\"source\":\"rows\",\"query\":{},\"items\":[{\"id\":\"1\",\"name\":\"a\"}],\"total\":1}\n",
      "{\n  \"source\": \"rows\",\n  \"items\": [\n    {\n      \"id\": \"1\",\n      \"name\": \"a\"\n    }\n  ]\n}\n",
    ], [1, 2, .max])
  func sniffed(text: String, step: Int) async throws {
    let outcome = try await run(text.utf8, step: step)
    #expect(outcome.kept == [#"{"id":"1","name":"a"}"#])
    #expect(outcome.imported.counts.received == 1)
    #expect(outcome.imported.counts.skipped == 0)
    #expect(outcome.imported.bytes == text.utf8.count)
  }

  @Test(
    "an import separates values by what the first rows have as often as the header, not by what the header has most of",
    arguments: [
      ("id,name,a;b;c;d\n1,a,x\n2,b,y\n", []), ("id;name;in EUR,USD,GBP\r\n\r\n1;a;2,50\r\n2;b;3,50\r\n", []),
      ("id,name,\"a;b;c;d\"\n1,a,x\n2,b,y\n", []), ("id,name,a;b;c\n1,a,\"x;y;z\"\n2,b,\"x;y;z\"\n", []),
      ("id,name,a;b;c;d\n\"1\"x,a\n1,a,x\n2,b,y\n", []),
      ("id;name;a,b\n1;a;2,5\n2;b;3,5\n", ["semicolons", "commas"]),
    ] as [(String, [String])])
  func separators(text: String, separators: [String]) async throws {
    for (name, step) in [("rows.csv", 1), ("rows.csv", Int.max), ("-", 1), ("-", Int.max)] {
      let outcome = try await run(text.utf8, step: step, called: name)
      #expect(outcome.kept == [#"{"id":"1","name":"a"}"#, #"{"id":"2","name":"b"}"#])
      #expect(outcome.imported.separators == separators)
    }
  }

  @Test(
    "an import brings nothing from an empty file, from blank lines or from a header alone, which is not empty",
    arguments: ["", "\n\n \r\n", "\u{FEFF}", "\u{FEFF}\n", "id,name", "id,name\r\n\r\n"])
  func nothing(text: String) async throws {
    let outcome = try await run(text.utf8, step: 1)
    #expect(outcome.imported.counts.received == 0)
    #expect(outcome.imported.isEmpty == !text.contains("id"))
    #expect(outcome.events.isEmpty)
  }

  @Test(
    "zero bytes, as a crash leaves them, are broken rows and not blank lines",
    arguments: ["\u{0}\u{0}\u{0}", "{\"id\":\"1\",\"name\":\"a\"}\n\u{0}\u{0}\n", "{\"id\":\"1\",\"name\":\"a\"}\n\u{B}\u{C}\n"])
  func zeroBytes(text: String) async throws {
    #expect(try await run(text.utf8, called: "rows.ndjson").imported.counts.skipped == 1)
  }

  @Test(
    "an import reads lines that end in carriage returns",
    arguments: ["id,name\r1,a\r", "{\"id\":\"1\",\"name\":\"a\"}\r", "\rid,name\r\r1,a"])
  func returns(text: String) async throws {
    #expect(try await run(text.utf8).kept == [#"{"id":"1","name":"a"}"#])
  }

  /// A pipe on a clock of its own. A wait for more bytes moves the time.
  private final class DelayedStream: ByteStream {
    private struct State {
      var pieces: [(text: String, after: Duration)]
      var waited = Duration.zero
    }

    private let state: Mutex<State>
    private let clock: TestClock
    private let read: @Sendable () -> Void

    /// Each piece comes the given time after the one before was read; `read` is called for each.
    init(_ pieces: [(String, after: Duration)], clock: TestClock, reading read: @escaping @Sendable () -> Void) {
      state = Mutex(State(pieces: pieces.map { ($0.0, $0.after) }))
      (self.clock, self.read) = (clock, read)
    }

    func isReady(within wait: Duration) -> Bool {
      state.withLock { state in
        guard let next = state.pieces.first, state.waited < next.after else { return true }
        let span = min(wait, next.after - state.waited)
        clock.advance(by: span)
        state.waited += span
        return state.waited >= next.after
      }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      read()
      return state.withLock { state in
        guard !state.pieces.isEmpty else { return 0 }
        state.waited = .zero
        let text = state.pieces.removeFirst().text
        buffer.copyBytes(from: text.utf8)
        return text.utf8.count
      }
    }
  }

  private static func row(_ number: Int) -> String { "{\"id\":\"\(number)\",\"name\":\"a\"}\n" }

  private func trickle(
    _ pieces: [(String, after: Duration)], checking check: @escaping () throws -> Void = {}
  ) async throws -> (kept: [Int], shelf: RecordList, told: [Int]) {
    let (shelf, clock) = (RecordList(), TestClock())
    let kept = Mutex<[Int]>([])
    let stream = DelayedStream(pieces, clock: clock) { kept.withLock { $0.append(shelf.kept.count) } }
    var reading = FileImport(of: "rows", into: intake(shelf), from: stream, called: "-", clock: clock)
    var told: [Int] = []
    do {
      _ = try await reading.run(checking: check) { told.append($0.stored) }
    } catch is CancellationError {}
    return (kept.withLock { $0 }, shelf, told)
  }

  @Test("an import stores what a slow pipe brought within a second, and tells how much is stored, not how much was read")
  func slow() async throws {
    let pieces = [(Self.row(1) + Self.row(2), after: Duration.zero), (Self.row(3) + "{", after: .seconds(2)), ("}\n", after: .seconds(2))]
    let (kept, shelf, told) = try await trickle(pieces)
    #expect(kept == [0, 2, 3, 3])
    #expect(shelf.kept.count == 3)
    #expect(told.first == 0)
    #expect(told.contains(2))
    #expect(told == told.sorted())
  }

  @Test(
    "an import stores the rows of a document from a slow pipe before its end has come",
    arguments: ["[", "{\"source\":\"rows\",\"items\":["])
  func slowDocument(head: String) async throws {
    let pieces = [
      (head, after: Duration.zero), (Self.row(1) + "," + Self.row(2), after: .seconds(1)), ("," + Self.row(3) + ",{", after: .seconds(2)),
      ("}", after: .seconds(2)),
    ]
    let (kept, shelf, _) = try await trickle(pieces)
    #expect(kept == [0, 0, 2, 3, 3])
    #expect(shelf.kept.count == 3)
  }

  @Test(
    "an import takes broken first rows of ndjson as broken rows of ndjson",
    arguments: ["{", "{\"id\":\"1", "{\"id\":", "{\"id\":\"1\",", "{\"id\":\"1\",\"name\":\"a\"", "{\"id\":{\"x\":1}", "{\"id\":]", "{} {"])
  func brokenFirst(row: String) async throws {
    let outcome = try await run("\(row)\n{\"id\":\"2\",\"name\":\"b\"}\n{\"id\":\"3\",\"name\":\"c\"}\n".utf8)
    #expect(outcome.kept == [#"{"id":"2","name":"b"}"#, #"{"id":"3","name":"c"}"#])
    #expect(outcome.imported.faults.first?.text.hasPrefix("-:1: ") == true)
  }

  @Test("an import stores the rows of a document up to the place where it breaks, and tells the line and the character")
  func broken() async throws {
    let outcome = try await run(
      "[\n{\"id\":\"1\",\"name\":\"a\"},{\"id\":7},\n{\n\"id\":\"2\",\n\"name\":nul\n},\n{\"id\":\"3\",\"name\":\"c\"}]".utf8)
    #expect(outcome.kept == [#"{"id":"1","name":"a"}"#])
    #expect(outcome.imported.counts.received == 2)
    #expect(outcome.imported.faults.count == 1)
    #expect(outcome.imported.shortfall == "-:3: invalid JSON: expected null, found the byte 0x0A at byte 22, line 5:11")
  }

  @Test("an import refuses a document that breaks before its first row", arguments: ["[", "[{\"id\":", "{\n\"id\":\"1\",\n]"])
  func brokenAtOnce(text: String) async throws {
    await #expect {
      try await run(text.utf8)
    } throws: {
      ($0 as? SourceError)?.message.hasPrefix("-:1: ") == true
    }
  }

  @Test("an import also stores rows that come one by one without a pause")
  func steady() async throws {
    let (kept, _, _) = try await trickle((0..<40).map { (Self.row($0), after: .milliseconds(100)) })
    for (read, kept) in kept.enumerated() { #expect(kept >= read - 13) }
  }

  @Test("an import stores the rows that were read when it is stopped", arguments: [1, 2_000, 5_000])
  func stopped(count: Int) async throws {
    let pieces = (0..<count).map { (Self.row($0), after: Duration.zero) } + [(Self.row(count), after: .seconds(3600))]
    var looks = 0
    let (_, shelf, told) = try await trickle(pieces) {
      looks += 1
      // The last look comes while it waits.
      if looks > count / 2_000 + 2 { throw CancellationError() }
    }
    #expect(shelf.kept.count == count)
    #expect(told.last == count)
  }

  @Test(
    "an import recognizes a file by the ending of its name before it looks inside",
    arguments: [("rows.CSV", "id,name"), ("rows.jsonl", "{}"), ("rows.ndjson", "x")])
  func named(name: String, first: String) async throws {
    let outcome = try await run("\(first)\n".utf8, called: name)
    #expect(outcome.imported.counts.received == (name.hasSuffix("CSV") ? 0 : 1))
  }

  @Test("an import counts every row, keeps the readable ones, and tells the line of each of the others once", arguments: [1, .max])
  func faults(step: Int) async throws {
    let table = "id,name\n0,Plain\n1,19\" monitor\n2\n3,\"a\nb\"\n,nobody\n5,\"open\n6,27\" \"screen\"\n7,\"x\"y\n8\u{0},Cup\n"
    let outcome = try await run(table.utf8, step: step)
    #expect(
      outcome.kept == [
        #"{"id":"0","name":"Plain"}"#, #"{"id":"1","name":"19\" monitor"}"#, #"{"id":"3","name":"a\nb"}"#,
        #"{"id":"6","name":"27\" \"screen\""}"#, #"{"id":"8\u0000","name":"Cup"}"#,
      ])
    #expect(outcome.imported.counts.received == 9)
    #expect(outcome.imported.counts.skipped == 4)
    let lines = outcome.imported.faults.map { String($0.text.prefix { $0 != " " }) }
    #expect(lines == ["-:4:", "-:7:", "-:8:", "-:10:"])
    #expect(outcome.events == outcome.imported.faults.map { .rowSkipped(source: "rows", $0) })
  }

  @Test("an import counts a broken line after sound ones as skipped", arguments: [#"{"id":"3","na"#, #"{"id":"3","name":"c",}"#])
  func brokenAfterSound(line: String) async throws {
    let outcome = try await run(#"{"id":"1","name":"a"}\#n{"id":"2","name":"b"}\#n\#(line)\#n"#.utf8)
    #expect(outcome.kept == [#"{"id":"1","name":"a"}"#, #"{"id":"2","name":"b"}"#])
    #expect(outcome.imported.counts.received == 3)
    #expect(outcome.imported.counts.skipped == 1)
  }

  @Test("an import reads the names of every row of JSON, and tells those that no field has")
  func namesOfLaterRows() async throws {
    let rows = [#"{"id":"1","name":"a"}"#, #"{"id":"2","name":"b","colour":"red"}"#, #"{"id":"3","namee":"c"}"#, #"{"id":"4","name":"d"}"#]
    let outcome = try await run(rows.joined(separator: "\n").utf8)
    try #require(outcome.kept.count == 4)
    #expect(outcome.kept[2] == #"{"id":"3","name":"c"}"#)
    #expect(outcome.imported.unknown == ["colour"])
    #expect(outcome.imported.guesses == ["namee as name"])
  }

  @Test(
    "an import whose rows are all stored ends well where the store fails to put its index in order, and tells of that",
    arguments: [SourceError.Kind.storage, .timedOut])
  func unsettled(kind: SourceError.Kind) async throws {
    let (shelf, recorder) = (RecordList(), EventRecorder())
    let intake = intake(shelf) { throw SourceError(kind, "the store is locked") }
    var reading = FileImport(of: "rows", into: intake, from: ChunkedStream("id,name\n1,a\n"), called: "-", clock: TestClock())
    let imported = try await recorder.listen { try await reading.run() }
    #expect(imported.counts.received == 1 && imported.shortfall == nil && shelf.kept == [#"{"id":"1","name":"a"}"#])
    let text = "everything is stored, but searching may be slow until the next time: the store is locked"
    #expect(recorder.events == [.noticed(source: "rows", text)])
  }

  @Test("an import tells of every broken row, and keeps the first five of them to show")
  func manyFaults() async throws {
    let outcome = try await run(String(repeating: "{\n", count: 5_000).utf8)
    #expect(outcome.imported.counts.received == 5_000)
    #expect(outcome.imported.counts.skipped == 5_000)
    #expect(outcome.imported.faults.count == 5)
    #expect(outcome.events.count == 5_000)
  }
}
