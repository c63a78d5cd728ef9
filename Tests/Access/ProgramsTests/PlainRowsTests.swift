import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Programs
@testable import Services

/// Programs that print rows alone.
struct PlainRowsTests {
  private func csv(_ text: String) async throws -> ProgramHome.Outcome {
    let home = try ProgramHome("cat rows", #""prints": "csv""#)
    try home.folder.write("rows", text)
    return try await home.walk()
  }

  private func json(_ text: String, rows: String = "") async throws -> ProgramHome.Outcome {
    let home = try ProgramHome("cat rows", #""prints": "json"\#(rows.isEmpty ? "" : #", "rows": "\#(rows)""#)"#)
    try home.folder.write("rows", text)
    return try await home.walk()
  }

  @Test(
    "the rows of JSON come from an array, from a document or from lines, and it is unknown whether they are all",
    arguments: [
      (#"[{"id": "1"}, {"id": "2"}]"#, ""), ("[\n {\"id\": \"1\"},\n {\"id\": \"2\"}\n]\n", ""), ("{\"id\": \"1\"}\n{\"id\": \"2\"}\n", ""),
      ("\n\n{\"id\": \"1\"}\r\n\n{\"id\": \"2\"}", ""), (#"{"data": {"list": [{"id": "1"}, {"id": "2"}]}}"#, "data.list"),
      ("{\n\"data\": [\n{\"id\": \"1\"}, {\"id\": \"2\"}]\n}", "data"),
    ])
  func shapes(text: String, rows: String) async throws {
    let outcome = try await json(text, rows: rows)
    #expect(outcome.ids == ["1", "2"] && outcome.verdict == .unverifiable, "\(outcome.reason)")
  }

  @Test(
    "output that is not such JSON is an error",
    arguments: [
      ("hello", "", "the program printed something other than JSON"),
      ("[{\"id\": \"1\"}", "", "the program printed something other than JSON"),
      (#"{"data": 7}"#, "data", "the program printed no rows at data"), ("[1]", "data", "the program printed no rows at data"),
      ("7", "", "the program printed no rows at the top"),
    ])
  func wrong(text: String, rows: String, reason: String) async throws {
    let outcome = try await json(text, rows: rows)
    #expect(outcome.error?.kind == .malformed && outcome.reason.hasPrefix(reason), "\(outcome.reason)")
  }

  @Test("a broken line after rows keeps the rows")
  func brokenLine() async throws {
    let outcome = try await json("{\"id\": \"1\"}\nTraceback\n{\"id\": \"2\"}\n")
    #expect(outcome.ids == ["1"] && outcome.verdict?.kind == "partial")
  }

  @Test("csv whose lines end with CR alone has all its rows", arguments: ["id,name\r1,a\r2,\"b\rc\"\r", "id,name\r1,a\r2,b"])
  func carriageReturns(text: String) async throws {
    #expect(try await csv(text).ids == ["1", "2"])
  }

  @Test("a line of 700,000 rows is read row by row, in a time that grows as its length does", .timeLimit(.minutes(1)))
  func manyRowsInOneLine() async throws {
    var csv = PlainCSV()
    let line = Array("id,name\r".utf8) + (0..<700_000).flatMap { Array("\($0),name of a row\r".utf8) }
    #expect(try csv.read(line).count == 700_000)
    #expect(try csv.finish().isEmpty)
  }

  @Test("a document of more than 64 MB is refused before it is in memory")
  func largeDocument() async throws {
    let program = """
      #!python3
      print("[")
      while True: print(" " * 1000000)
      """
    let outcome = try await ProgramHome(program, #""prints": "json""#).walk()
    #expect(outcome.error?.message == "the program printed a document of more than 64 MB; print a row on each line instead")
  }

  @Test("csv has quotes, doubled quotes, commas and line breaks in quotes, a byte-order mark and empty lines")
  func quotes() async throws {
    let outcome = try await csv("\u{FEFF}id,name\r\n1,\"a, \"\"b\"\"\"\r\n\r\n\"2\",\"two\nlines\"\n3,\n")
    #expect(outcome.ids == ["1", "2", "3"] && outcome.verdict == .unverifiable)
    #expect(outcome.records.map { $0.value["name"] } == [.text("a, \"b\""), .text("two\nlines"), .null])
  }

  @Test("a row of csv with more or fewer values than the header is broken, and the others stay")
  func shortRows() async throws {
    let outcome = try await csv("id,name\n1,a\n2\n3,b,c\n4,d\n")
    #expect(outcome.ids == ["1", "4"] && outcome.summary?.skipped == 2)
  }

  @Test("a quote that is never closed keeps the rows before it")
  func openQuote() async throws {
    let outcome = try await csv("id,name\n1,a\n2,\"b\n3,c\n")
    #expect(outcome.ids == ["1"] && outcome.reason == "a quote in the program's csv is never closed")
  }

  @Test("a row that is not UTF-8 is broken and counted, and the others stay")
  func otherEncoding() async throws {
    let outcome = try await ProgramHome("printf 'id,name\\n1,caf\\351\\n2,b\\n'", #""prints": "csv""#).walk()
    #expect(outcome.ids == ["2"] && outcome.summary?.skipped == 1)
  }

  @Test(
    "a program without any output has an empty list, which may not be whole; exit code 1 is an error", arguments: ["csv", "json"])
  func nothing(prints: String) async throws {
    let outcome = try await ProgramHome("exit 0", #""prints": "\#(prints)""#).walk()
    #expect(outcome.records.isEmpty && outcome.verdict == .unverifiable && outcome.error == nil)
    #expect(try await ProgramHome("exit 1", #""prints": "\#(prints)""#).walk().error?.kind == .programFailed)
  }

  @Test("a program that prints rows alone is searched by reading its list")
  func search() async throws {
    let home = try ProgramHome("printf 'id,name\\n1,a\\n2,b\\n'", #""prints": "csv""#)
    #expect(try await home.walk(.matching("b")).ids == ["2"])
    #expect(try await home.walk(.record("1")).ids == ["1"])
  }
}
