import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Importing a file")
struct ImportingTests {
  /// Keeps what lands, and nothing else.
  private final class Shelf: RecordKeeper {
    private let bodies = Mutex<[String]>([])

    var kept: [String] { bodies.withLock { $0 } }

    func land(_ batch: Batch) -> Landed {
      var landed = Landed()
      landed.new = batch.rows.count
      bodies.withLock { bodies in
        for row in batch.rows { bodies.append(String(decoding: batch.bytes[row.body], as: UTF8.self)) }
      }
      return landed
    }

    func settle(_ kind: RecordKind, bulk isBulk: Bool) {}

    func snapshot() throws -> any RecordSnapshot { throw SourceError(.storage, "it shows nothing") }
  }

  private struct Outcome {
    let imported: Imported
    let kept: [String]
    let events: [Event]
  }

  private func run(_ text: some Sequence<UInt8>, step: Int = .max, called name: String = "-") async throws -> Outcome {
    let shelf = Shelf()
    let recorder = EventRecorder()
    let intake = Intake<Row>(RecordKind("rows", Row.self), rule: .firstStays, into: shelf, pace: .bulk)
    var importing = Importing(of: "rows", into: intake, from: Drip(text, step: step), called: name, clock: TestClock())
    let imported = try await recorder.listen { try await importing.run() }
    return Outcome(imported: imported, kept: shelf.kept, events: recorder.events)
  }

  @Test(
    "finds out what it is from the first byte that is not blank, however the bytes come",
    arguments: [
      "{\"id\":\"1\",\"name\":\"a\"}\n", "\u{FEFF}{\"id\":\"1\",\"name\":\"a\"}", "\n{\"id\":\"1\",\"name\":\"a\"}",
      "\u{FEFF}\r\n\n \t{\"id\":\"1\",\"name\":\"a\"}\n\n", "id,name\n1,a\n", "\u{FEFF}id,name\n1,a", "\n\r\nid,name\r\n\r\n1,a\r\n",
      "\u{FEFF}\"name\",\"id\"\n\"a\",\"1\"\n", "id,other,name\n1,,a\n",
    ], [1, 2, .max])
  func sniffed(text: String, step: Int) async throws {
    let outcome = try await run(text.utf8, step: step)
    #expect(outcome.kept == [#"{"id":"1","name":"a"}"#])
    #expect(outcome.imported.received == 1)
    #expect(outcome.imported.skipped == 0)
    #expect(outcome.imported.bytes == text.utf8.count)
  }

  @Test(
    "of nothing, of blank lines or of a header alone brings nothing",
    arguments: ["", "\n\n \r\n", "\u{FEFF}", "\u{FEFF}\n", "id,name", "id,name\r\n\r\n"])
  func nothing(text: String) async throws {
    let outcome = try await run(text.utf8, step: 1)
    #expect(outcome.imported.received == 0)
    #expect(outcome.events.isEmpty)
  }

  @Test(
    "goes by the name's ending before it looks inside", arguments: [("rows.CSV", "id,name"), ("rows.jsonl", "{}"), ("rows.ndjson", "x")])
  func named(name: String, first: String) async throws {
    let outcome = try await run("\(first)\n".utf8, called: name)
    #expect(outcome.imported.received == (name.hasSuffix("CSV") ? 0 : 1))
  }

  @Test("counts every row, keeps those that can be read, and says of the others on which line they are, once each", arguments: [1, .max])
  func faults(step: Int) async throws {
    let table = "id,name\n0,Plain\n1,19\" monitor\n2\n3,\"a\nb\"\n,nobody\n5,\"open\n6,27\" \"screen\"\n7,\"x\"y\n8\u{0},Cup\n"
    let outcome = try await run(table.utf8, step: step)
    #expect(
      outcome.kept == [
        #"{"id":"0","name":"Plain"}"#, #"{"id":"1","name":"19\" monitor"}"#, #"{"id":"3","name":"a\nb"}"#,
        #"{"id":"6","name":"27\" \"screen\""}"#, #"{"id":"8\u0000","name":"Cup"}"#,
      ])
    #expect(outcome.imported.received == 9)
    #expect(outcome.imported.skipped == 4)
    let lines = outcome.imported.faults.map { String($0.text.prefix { $0 != ":" }) }
    #expect(lines == ["line 4", "line 7", "line 8", "line 10"])
    #expect(outcome.events == outcome.imported.faults.map { .rowSkipped(source: "rows", $0) })
  }

  @Test("tells of every broken row, and keeps the first five of them to show")
  func manyFaults() async throws {
    let outcome = try await run(String(repeating: "{\n", count: 5_000).utf8)
    #expect(outcome.imported.received == 5_000)
    #expect(outcome.imported.skipped == 5_000)
    #expect(outcome.imported.faults.count == 5)
    #expect(outcome.events.count == 5_000)
  }
}
