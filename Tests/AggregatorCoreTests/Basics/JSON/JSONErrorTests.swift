import AggregatorCore
import Testing

@Suite struct JSONErrorTests {
  @Test(
    "the error for broken JSON says what was expected and where",
    arguments: [
      ("[1,\n 2 x]", "invalid JSON: expected ',' or ']', found 'x' at byte 7, line 2:4"),
      ("{\"é\" 1}", "invalid JSON: expected ':', found '1' at byte 6, line 1:6"),
      ("[1] 2", "invalid JSON: expected the end, found '2' at byte 4, line 1:5"),
      ("[01]", "invalid JSON: expected ',' or ']', found '1' at byte 2, line 1:3"),
      ("{\"a\":1,}", "invalid JSON: expected a name, found '}' at byte 7, line 1:8"),
      ("[\"\n\"]", "invalid JSON: expected an escape instead of a control character, found the byte 0x0A at byte 2, line 1:3"),
    ])
  func malformed(text: String, message: String) { #expect(throws: SourceError(.malformed, message)) { try JSON(text) } }

  @Test(
    "the error for a JSON document that is cut short says so",
    arguments: [
      ("", "the JSON is cut short: expected a value at byte 0, line 1:1"),
      ("[1,\n2", "the JSON is cut short: expected ',' or ']' at byte 5, line 2:2"),
      ("{\"a\":\"b", "the JSON is cut short: expected the end of the string at byte 7, line 1:8"),
    ])
  func truncated(text: String, message: String) { #expect(throws: SourceError(.truncated, message)) { try JSON(text) } }

  @Test(
    "a JSON document that would fill the memory is refused, and one that nearly does is read",
    arguments: [("0", ",0"), (#"{"":0"#, #","":0"#)])
  func tooMany(first: String, other: String) throws {
    let end = first == "0" ? "]" : "}]"
    let values = first == "0" ? 1 : 2
    func document(of count: Int) -> [UInt8] {
      let others = (count / values - 1) * other.utf8.count
      var bytes = Array(other.utf8)
      // A loop over each byte takes seconds in a debug build.
      while bytes.count < others { bytes += bytes }
      return Array("[".utf8) + Array(first.utf8) + bytes.prefix(others) + Array(end.utf8)
    }
    #expect(try !JSON(document(of: 3_999_000)).elements.isEmpty)
    #expect(throws: SourceError(.malformed, "the JSON has more than 4 million values")) { try JSON(document(of: 4_001_000)) }
  }

  @Test("the error for HTML in place of JSON says that it is HTML", arguments: ["<html>", " \n<!DOCTYPE html>", "\u{FEFF}<p>"])
  func html(text: String) { #expect(throws: SourceError(.malformed, "expected JSON, got an HTML page")) { try JSON(text) } }

  @Test(
    "the error for XML in place of JSON says that it is XML", arguments: ["<?xml version='1.0'?><html/>", " <rss version='2.0'>", "<feed>"])
  func xml(text: String) { #expect(throws: SourceError(.malformed, "expected JSON, got XML")) { try JSON(text) } }

  @Test("a wrong field is named by its path")
  func paths() throws {
    let json = try JSON(#"{"results":[{},{"name":null,"id":1.5,"odd key":[[true]]}]}"#)
    let row = try Array(json.array("results"))[1]
    #expect(message { try row.string("name") } == "results[1].name: expected a string, found null")
    #expect(message { try row.int("id") } == "results[1].id: expected an integer, found a fraction")
    #expect(message { try row.int("age") } == "results[1]: the member age is missing")
    #expect(message { try row.object("odd key") } == #"results[1]["odd key"]: expected an object, found an array"#)
    #expect(message { try row.member("name").string("x") } == "results[1].name: expected an object, found null")
    #expect(message { try json.array("nothing") } == "the member nothing is missing")
    #expect(message { try json.asString() } == "expected a string, found an object")
    #expect(row["odd key"]?.elements.first?.elements.first?.path == #"results[1]["odd key"][0][0]"#)
  }

  @Test("a field that may be missing may not be of another type")
  func optionalFields() throws {
    let json = try JSON(#"{"null":null,"empty":"","text":"x","int":"7","double":0.5,"bool":true,"object":{},"array":[]}"#)
    for key in ["null", "missing"] {
      #expect(try json.stringIfPresent(key) == nil)
      #expect(try json.intIfPresent(key) == nil)
      #expect(try json.doubleIfPresent(key) == nil)
      #expect(try json.arrayIfPresent(key) == nil)
      #expect(try json.objectIfPresent(key)?.kind == nil)
    }
    #expect(try json.stringIfPresent("empty") == nil)
    #expect(try json.intIfPresent("empty") == nil)
    #expect(try json.stringIfPresent("text") == "x")
    #expect(try json.intIfPresent("int") == 7)
    #expect(try json.doubleIfPresent("double") == 0.5)
    #expect(try json.objectIfPresent("object")?.kind == .object)
    #expect(try json.arrayIfPresent("array")?.count == 0)
    for key in ["bool", "object", "array", "double"] { #expect(throws: SourceError.self) { try json.stringIfPresent(key) } }
    #expect(throws: SourceError.self) { try json.objectIfPresent("array") }
    let list = try JSON("[1]")
    #expect(throws: SourceError.self) { try list.stringIfPresent("a") }
    #expect(throws: SourceError.self) { try list.intIfPresent("a") }
  }

  @Test("text from outside does not decide how long a path is")
  func longPaths() throws {
    let name = String(repeating: "n", count: 10_000)
    var json = try JSON(String(repeating: #"{"\#(name)":"#, count: 100) + "1" + String(repeating: "}", count: 100))
    while let inner = json[name] { json = inner }
    #expect(json.path.utf8.count < 1_000)
    #expect(json.path.contains("…"))
  }

  private func message(_ body: () throws -> some Any) -> String? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? SourceError)?.message
    }
  }
}
