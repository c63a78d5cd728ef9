import SourceTesting
import Testing

@testable import AggregatorCommand
@testable import AggregatorCore
@testable import Asking

@Suite("The rows of JSON documents")
struct DocumentShapeTests {
  /// The numbers of bytes that come at a time.
  static let steps = [1, 2, 3, 7, .max]

  struct Document: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    /// The rows without blanks, each with the line it begins at.
    var rows: [String]
    /// The reason why reading stops after the rows.
    var end: String?
    var shortage: String?

    init(_ name: String, _ text: String, _ rows: [String], end: String? = nil, shortage: String? = nil) {
      (testDescription, self.text, self.rows) = (name, text, rows)
      (self.end, self.shortage) = (end, shortage)
    }
  }

  static let documents = [
    Document("nothing", "", []),
    Document("an empty list", " [ ]\n", []),
    Document("a list on one line", #"[{"a":1},{"a":[{"b":"]}"}]}]"#, [#"1:{"a":1}"#, #"1:{"a":[{"b":"]}"}]}"#]),
    Document("a list in lines", "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": {}\n  }\n]\n", [#"2:{"a":1}"#, #"5:{"a":{}}"#]),
    Document("a list with Windows line ends", "[\r\n{\"a\":\r\n1},\r\n\r\n{\"a\":2}\r\n]\r\n", [#"2:{"a":1}"#, #"5:{"a":2}"#]),
    Document("a list with returns", "[\r{\"a\":\r1},\r\r{\"a\":2}\r]\r", [#"1:{"a":1}"#, #"1:{"a":2}"#]),
    Document(
      "records one after the other", "{\n\"a\":1\n}\n{\n\"a\":2\n}{\"a\":3} {\"a\":4}",
      [#"1:{"a":1}"#, #"4:{"a":2}"#, #"6:{"a":3}"#, #"6:{"a":4}"#]),
    Document("what is no object", "[1,null,\"x\",[2]]3", ["1:1", "1:null", #"1:"x""#, "1:[2]", "1:3"]),
    Document("escapes", #"[{"a":"\"]\\"},{"a":"\\\""}]"#, [#"1:{"a":"\"]\\"}"#, #"1:{"a":"\\\""}"#]),
    Document(
      "an envelope", #"{"source":"rows","query":{"text":null},"items":[{"a":1},{"a":2}],"total":2}"#, [#"1:{"a":1}"#, #"1:{"a":2}"#]),
    Document(
      "an envelope in lines", "{\n  \"source\": \"rows\",\n  \"items\": [\n    {\n      \"a\": 1\n    }\n  ],\n  \"total\": 1\n}\n",
      [#"4:{"a":1}"#]),
    Document(
      "envelopes one after the other", "{\"items\":[{\"a\":1}]}\n{\"items\":[]}\n{\"items\":[{\"a\":2}]}", [#"1:{"a":1}"#, #"3:{"a":2}"#]),
    Document(
      "an envelope that is incomplete", #"{"items":[{"a":1}],"verdict":{"kind":"partial","reason":"total: 3 fewer"}}"#, [#"1:{"a":1}"#],
      shortage: "3 fewer"),
    Document(
      "one that says so first", #"{"verdict":{"kind":"partial","reason":"deadline: timed out"},"items":[]}"#, [], shortage: "timed out"),
    Document("a record that has items itself", #"{"a":1,"items":[{"a":2}]}"#, [#"1:{"a":1,"items":[{"a":2}]}"#]),
    Document("a list that is cut short", "[{\"a\":1},", [#"1:{"a":1}"#], end: "1: the file is cut short"),
    Document(
      "a row that is", "[\n{\"a\":1},\n{\"a\":[\n", [#"2:{"a":1}"#],
      end: "3: the JSON is cut short: expected a value or ']' at byte 7, line 4:1"),
    Document(
      "a text that is never closed", "[{\"a\":1},{\"a\":\"x\n},\n{\"a\":2}]", [#"1:{"a":1}"#],
      end: "1: invalid JSON: expected an escape instead of a control character, found the byte 0x0A at byte 7, line 1:17"),
    Document(
      "a text that is cut short", "[{\"a\":1},{\"a\":\"x", [#"1:{"a":1}"#],
      end: "1: the JSON is cut short: expected the end of the string at byte 7, line 1:17"),
    Document(
      "an envelope that is, after its rows", #"{"items":[{"a":1}],"total":"#, [#"1:{"a":1}"#],
      end: "1: the JSON is cut short: expected a value at byte 9, line 1:28"),
    Document(
      "an envelope whose end is broken", #"{"items":[{"a":1}],"total":}"#, [#"1:{"a":1}"#],
      end: "1: invalid JSON: expected a value, found '}' at byte 9, line 1:28"),
    Document(
      "a broken row", #"[{"a":0},{"é":},{"a":2}]"#, [#"1:{"a":0}"#],
      end: "1: invalid JSON: expected a value, found '}' at byte 6, line 1:15"),
    Document(
      "one with a bracket too few", "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": [\n  },\n  {\n    \"a\": 3\n  }\n]\n", [#"2:{"a":1}"#],
      end: "5: invalid JSON: expected a value, found '}' at byte 15, line 7:3"),
    Document(
      "what is no document", "[]\n]\n{\"a\":1}", [], end: "2: invalid JSON: expected a value, found ']' at byte 0, line 2:1"),
    Document(
      "a bracket too many in a list", "[{\"a\":1}},{\"a\":2}]", [#"1:{"a":1}"#],
      end: "1: invalid JSON: expected a value, found '}' at byte 0, line 1:9"),
    Document(
      "more levels than any record has", String(repeating: "[", count: 600) + "\n{}", [],
      end: "1: invalid JSON: expected at most 512 levels, found '[' at byte 512, line 1:514"),
  ]

  private func read(_ text: some Sequence<UInt8>, step: Int, longest: Int = 1 << 20, fields: Set<String> = ["a"]) throws -> Document {
    let envelope = EnvelopeReader(of: "rows", fields: fields)
    var rows = FileRows(FileBuffer(ChunkedStream(text, step: step), piece: 4), of: DocumentShape(envelope), longest: longest)
    var reader = JSON.Reader()
    var read = Document("", "", [])
    do {
      while true {
        let row = try rows.next { bytes, _, start in
          do { _ = try reader.read(bytes, from: start) } catch let error as SourceError { throw Refusal(error: error) }
          return String(decoding: bytes.filter { $0 > Byte.space }, as: UTF8.self)
        }
        if row == nil, rows.isOver { break }
        if let row { read.rows.append("\(rows.rowLine):\(row)") } else { _ = try rows.buffer.fill() }
      }
    } catch let refusal as Refusal {
      read.end = "\(rows.rowLine): \(refusal.error.message)"
    }
    read.shortage = (rows.shape as? DocumentShape)?.envelope.shortage
    return read
  }

  @Test("the rows of a JSON document are found in any pieces of bytes, up to the place where it breaks", arguments: documents, steps)
  func rows(_ document: Document, step: Int) throws {
    let read = try read(document.text.utf8, step: step)
    #expect(read.rows == document.rows)
    #expect(read.end == document.end)
    #expect(read.shortage == document.shortage)
  }

  @Test("the rows of a JSON document end at a row that is too long", arguments: steps)
  func tooLong(step: Int) throws {
    let read = try read("[\n{\"a\":1},\n{\"a\":\"0123456789012345\"},\n{\"a\":2}\n]".utf8, step: step, longest: 16)
    #expect(read.rows == [#"2:{"a":1}"#])
    #expect(read.end == "3: it is longer than 16 bytes")
  }

  @Test(
    "a JSON document of another source, or of all sources, is refused",
    arguments: [
      (#"{"source":"stones","items":[{"a":1}]}"#, "these are stones, not rows"),
      (#"{"items":[],"source":"stones"}"#, "these are stones, not rows"),
      (#"{"source":"a'; b","items":["#, "these are the records of another source"),
      (#"{"query":{"text":"x"},"sources":[{"source":"rows""#, "this is the answer of a search over all sources"),
    ], steps)
  func refused(document: (text: String, message: String), step: Int) throws {
    #expect(try read(document.text.utf8, step: step).end?.hasSuffix(": \(document.message)") == true)
  }

  @Test("records with a field called items are distinguished from an envelope by the members before it")
  func items() throws {
    let fields: Set = ["items", "source"]
    #expect(try read(#"{"items":[1,2]}"#.utf8, step: .max, fields: fields).rows == [#"1:{"items":[1,2]}"#])
    #expect(try read(#"{"source":"rows","items":[1]}"#.utf8, step: .max, fields: fields).rows == [#"1:{"source":"rows","items":[1]}"#])
    #expect(try read(#"{"source":"rows","query":{},"items":[1]}"#.utf8, step: .max, fields: fields).rows == ["1:1"])
  }

  @Test("reading a damaged JSON document never hangs, and finds every whole row before the damage", arguments: 0..<300)
  func damaged(seed: UInt64) throws {
    let dice = SeededDice(seed: seed)
    let isLaidOut = dice.index(below: 2) == 0
    let rows = (0..<8).map { isLaidOut ? "  {\n    \"a\": [\($0), \"x\"]\n  }" : "{\"a\":[\($0),\"x\"]}" }
    var bytes = Array("{\"source\":\"rows\",\"items\":[\n\(rows.joined(separator: ",\n"))\n],\"total\":8}\n".utf8)
    let place = dice.index(below: bytes.count)
    let noise: [UInt8] = Array("{}[]\",:\\\n\r 1x".utf8) + [0, 0xFF]
    switch dice.index(below: 3) {
    case 0: bytes.remove(at: place)
    case 1: bytes.insert(noise[dice.index(below: noise.count)], at: place)
    default: bytes[place] = noise[dice.index(below: noise.count)]
    }
    let whole = rows.filter { row in
      let end = "\(row)".utf8.count
      return (0...max(0, place - end)).contains { bytes[$0...].starts(with: row.utf8) }
    }
    let one = try? read(bytes, step: 1)
    let all = try? read(bytes, step: .max)
    #expect(one?.rows == all?.rows && one?.end == all?.end)
    // Damage in the source's own name is refused before any row.
    guard let all, place > 26 else { return }
    #expect(all.rows.count >= whole.count)
  }
}
