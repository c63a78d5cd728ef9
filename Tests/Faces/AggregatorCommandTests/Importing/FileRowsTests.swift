import ProcessorTime
import RecordFormats
import SourceTesting
import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Asking

@Suite("The rows of a file")
struct FileRowsTests {
  /// The numbers of bytes that come at a time.
  static let steps = [1, 2, 3, 7, .max]

  struct Table: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var values: [[String]]
    var lines: [Int]
    var faults: [String] = []

    init(_ name: String, _ text: String, _ values: [[String]], at lines: [Int], faults: [String] = []) {
      (testDescription, self.text, self.values, self.lines, self.faults) = (name, text, values, lines, faults)
    }
  }

  static let tables = [
    Table("nothing", "", [], at: []),
    Table("line feeds", "a,b\nc,d\n", [["a", "b"], ["c", "d"]], at: [1, 2]),
    Table("Windows line ends", "a,b\r\n\"c\",\"d\"\r\n", [["a", "b"], ["c", "d"]], at: [1, 2]),
    Table("no line end at the end", "a,b\nc,d", [["a", "b"], ["c", "d"]], at: [1, 2]),
    Table("a quote at the end", "a,\"b\"", [["a", "b"]], at: [1]),
    Table("a return at the end", "a,\"b\"\r", [["a", "b"]], at: [1]),
    Table("a return at the end of a plain value", "a,b\r", [["a", "b"]], at: [1]),
    Table("empty values", ",\n\"\",\n,\"\"\na,", [["", ""], ["", ""], ["", ""], ["a", ""]], at: [1, 2, 3, 4]),
    Table("blank lines", "\n\r\n a\n  \n\nb\n\n", [[" a"], ["b"]], at: [3, 6]),
    Table("returns alone", "a,b\r\r\"c\rd\",e\rf", [["a", "b"], ["c\rd", "e"], ["f"]], at: [1, 1, 1]),
    Table("a lone return in quotes", "\"a\rb\",c\nd\n", [["a\rb", "c"], ["d"]], at: [1, 2]),
    Table(
      "lines in quotes", "\"a\nb\r\n\n\",\"c\nd\"\n\"\n\"\ne\n", [["a\nb\r\n\n", "c\nd"], ["\n"], ["e"]], at: [1, 6, 8]),
    Table("commas in quotes", "\"a,b\",\",\"\n", [["a,b", ","]], at: [1]),
    Table("quotes in quotes", #""""","a""b","""a""","""","#, [["\"", "a\"b", "\"a\"", "\"", ""]], at: [1]),
    Table(
      "quotes in the middle", "1,19\" monitor\n2,Lamp\n3,\"\"\"x\n4,\"a\"\"b\"\n",
      [["1", "19\" monitor"], ["2", "Lamp"], ["4", "a\"b"]], at: [1, 2, 4], faults: ["3: a quote is never closed"]),
    Table("quotes after a space", "a, \"b\", \"c\nd\n", [["a", " \"b\"", " \"c"], ["d"]], at: [1, 2]),
    Table(
      "a quote that is never closed", "a\nb,\"c\nd\ne\n", [["a"], ["d"], ["e"]], at: [1, 3, 4], faults: ["2: a quote is never closed"]),
    Table("one in the last line", "a\n\"b", [["a"]], at: [1], faults: ["2: a quote is never closed"]),
    Table(
      "one before quotes that are", "a,\"b\nc\n\"d\",e\n\"f\ng\"\n", [["c"], ["d", "e"], ["f\ng"]], at: [2, 3, 4],
      faults: ["1: a quote is never closed"]),
    Table(
      "one in every line", "\"a\n\"b\n\"c\nd", [["d"]], at: [4], faults: (1...3).map { "\($0): a quote is never closed" }),
    Table(
      "text after a closing quote", "\"a\"b,c\nd\n\"e\" ,f\n\"g\" h\ni\n", [["d"], ["i"]], at: [2, 5],
      faults: [1, 3, 4].map { "\($0): there is text after a closing quote" }),
  ]

  @Test("the rows of a table are those of RFC 4180, in any pieces of bytes, and a broken row costs only itself", arguments: tables, steps)
  func table(_ table: Table, step: Int) throws {
    let read = try ReadRows(table: table.text.utf8, step: step)
    #expect(read.values == table.values)
    #expect(read.lines == table.lines)
    #expect(read.faults == table.faults)
    #expect(read.consumed == table.text.utf8.count)
  }

  @Test("the rows of a file of lines are its lines, with any quotes in them", arguments: steps)
  func lines(step: Int) throws {
    let text = "\n{\"a\":\"\r\n\"\n \r\n\"\"\"\r\nb"
    let read = try ReadRows(lines: text.utf8, step: step)
    #expect(read.values == [["{\"a\":\""], ["\""], ["\"\"\""], ["b"]])
    #expect(read.lines == [2, 3, 5, 6])
    #expect(read.consumed == text.utf8.count)
  }

  @Test("a line of a file that is too long is refused", arguments: steps)
  func tooLong(step: Int) throws {
    let text = "1234\n\(String(repeating: "x", count: 100))\nlast\n"
    #expect(throws: Refusal.self) { try ReadRows(lines: text.utf8, step: step, longest: 20) }
    #expect(throws: Refusal.self) { try ReadRows(table: text.utf8, step: step, longest: 20) }
  }

  @Test("a row with quotes that run beyond the limit ends with its first line", arguments: steps)
  func tooLongQuoted(step: Int) throws {
    let read = try ReadRows(table: "\"a\nb\n\(String(repeating: "c\n", count: 50))".utf8, step: step, longest: 20)
    #expect(read.values == [["b"]] + Array(repeating: ["c"], count: 50))
    #expect(read.faults == ["1: it is longer than 20 bytes"])
  }

  @Test("rows of a table that are not UTF-8 are faults")
  func notText() throws {
    let table: [UInt8] = "a\n\u{1}\nb\nö,c\u{2},d\n".utf8.map { $0 == 1 ? 0xFF : $0 == 2 ? 0xE9 : $0 }
    let read = try ReadRows(table: table)
    #expect(read.values == [["a"], ["b"]])
    #expect(read.faults == ["2: it is not valid UTF-8: byte 1 is 0xFF", "4: it is not valid UTF-8: byte 5 is 0xE9"])
  }

  @Test("a row that comes in many pieces takes a time that grows as its length does")
  func longRow() {
    func read(_ count: Int) -> () -> Void {
      let row = Array(#"{"id": "1", "name": ""#.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: count) + Array("\"}\n".utf8)
      return { #expect((try? ReadRows(lines: row, step: 256, longest: 64 << 20))?.consumed == row.count) }
    }
    LinearTime.expect("a row of 4 MB for one of 256 kB", factor: 16, small: read(256 << 10), large: read(4 << 20))
  }

  @Test("rows that are written as csv are read back unchanged, with any values", arguments: 0..<200)
  func roundTrip(seed: UInt64) throws {
    let dice = SeededDice(seed: seed)
    let pieces = [
      "\"", ",", "\n", "\r", "\r\n", " ", "\t", "\u{0}", "\u{FEFF}", "a", "19", "é", "e\u{301}", "日本", "👩‍👩‍👧", "\u{85}", "\\", "{",
    ]
    let width = 1 + dice.index(below: 4)
    let rows = (0..<1 + dice.index(below: 12)).map { _ in
      (0..<width).map { _ in (0..<dice.index(below: 6)).map { _ in pieces[dice.index(below: pieces.count)] }.joined() }
    }
    let text = rows.map { CSVLine.of($0) }.joined()
    for step in [1 + dice.index(below: 9), .max] {
      let read = try ReadRows(table: text.utf8, step: step)
      // As bytes, because two spellings of one text are equal as strings.
      #expect(read.values.map { $0.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } })
      #expect(read.faults.isEmpty)
    }
  }
}
