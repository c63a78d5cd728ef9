import AggregatorCore
import Testing

@Suite struct JSONGrammarTests {
  @Test(
    "the JSON reader accepts what RFC 8259 allows",
    arguments: [
      "null", "true", "false", "0", "-0", "10", "-1.5e+10", "1E5", "0.0", #""""#, #""a""#, "[]", "{}", " [ ] ", "\t{\r\n}\n", "[1,2]",
      #"{"a":1,"b":[{}]}"#, #"{"":0}"#, #"{"a":1,"a":2}"#, #""\"\\\/\b\f\n\r\t\u00E9""#, "\"\u{7F}\"", "\"\u{2028}\"", "\u{FEFF}[]",
      #""\ud800""#,
    ])
  func accepts(text: String) { #expect(throws: Never.self) { try JSON(text) } }

  @Test(
    "the JSON reader refuses documents that RFC 8259 does not allow",
    arguments: [
      "nul ", "True", "NaN", "Infinity", "-Infinity", "+1", "01", "-a", "1.e5", ".5", "1e5.5", "0x10", "1_0", "[1,]", "[,]", "[1 2]", "{,}",
      "{a:1}", "{'a':1}", #"{"a":1,}"#, #"{"a",1}"#, #"{"a" 1}"#, "{1:2}", "[}", "{]", #"{"a":1]"#, "[1}", #""\x""#, #""\u12G4""#,
      #""\U0041""#,
      "'a'", "1 2", "[] []", "]", "}", ",", ":", "// c", "/**/1", "\u{FEFF}\u{FEFF}1", "\u{A0}1", "\u{B}1", "\u{C}[]", "1\0", "\0",
    ])
  func refuses(text: String) { #expect(kind(of: Array(text.utf8)) == .malformed) }

  @Test("the JSON reader refuses a control character anywhere in a string", arguments: 0..<0x20, [0, 7, 15, 16, 40])
  func controlCharacters(byte: UInt8, place: Int) { #expect(kind(of: quoted([byte], after: place)) == .malformed) }

  @Test(
    "the JSON reader refuses bytes that are not UTF-8 anywhere in a string",
    arguments: [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
      [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3],
      [0xC3, 0x28], [0xE2, 0x82], [0xE2, 0x28, 0xA1], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x8C, 0xBC],
    ] as [[UInt8]], [0, 1, 15, 16, 17, 40])
  func invalidUTF8(bytes: [UInt8], place: Int) {
    #expect(kind(of: quoted(bytes, after: place)) == .malformed)
    #expect(kind(of: bytes) == .malformed)
  }

  @Test("the JSON reader accepts the first and the last character of every length of UTF-8", arguments: [0, 1, 15, 16, 17])
  func validUTF8(place: Int) throws {
    for scalar in ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"] {
      #expect(try JSON(quoted(Array(scalar.utf8), after: place)).asString() == String(repeating: "a", count: place) + scalar + "z")
    }
  }

  @Test("the JSON reader refuses other encodings and names them")
  func otherEncodings() {
    for bytes: [UInt8] in [[0xFF, 0xFE, 0x5B, 0, 0x5D, 0], [0xFE, 0xFF, 0, 0x5B], [0, 0x5B, 0, 0x5D]] {
      #expect(throws: SourceError(.malformed, "expected UTF-8, got UTF-16 or UTF-32")) { try JSON(bytes) }
    }
  }

  @Test("the JSON reader allows 512 levels at most", arguments: [("[", "]"), (#"{"a":"#, "}")])
  func depth(open: String, close: String) throws {
    func nested(_ levels: Int) -> String {
      String(repeating: open, count: levels) + (open == "[" ? "" : "1") + String(repeating: close, count: levels)
    }
    let deepest = try JSON(nested(512))
    #expect(Int(deepest.path.count) == 0)
    var writer = JSONWriter()
    writer.write(deepest.value)
    #expect(writer.bytes == Array(nested(512).utf8))
    #expect(kind(of: Array(nested(513).utf8)) == .malformed)
    #expect(kind(of: Array(String(repeating: open, count: 100_000).utf8)) == .malformed)
  }

  @Test("siblings in JSON do not count as levels")
  func width() throws { #expect(try JSON("[" + String(repeating: "[],{},", count: 2_000) + "[]]").elements.count == 4_001) }

  @Test("a JSON document cut short anywhere is truncated, not malformed")
  func truncation() throws {
    let whole = Array(#"{"a": [1.5e3, -0, true, null, {"é漢😀": "x\u00e9\n"}], "b": false, "c": {}, "d": []}"#.utf8)
    _ = try JSON(whole)
    for length in whole.indices { #expect(kind(of: Array(whole[..<length])) == .truncated, "after \(length) bytes") }
  }

  @Test("a JSON document with a byte changed anywhere is read or refused, and does no harm")
  func mutation() {
    let whole = Array(#"{"a": [1.5e3, -0, true, null, {"é": "x\u00e9\n\ud83d\ude00"}], "b": {}}"#.utf8)
    for place in whole.indices {
      for byte in UInt8.min...UInt8.max {
        var bytes = whole
        bytes[place] = byte
        if let json = try? JSON(bytes) { _ = (json.value, json.raw, json.elements.map(\.path)) }
      }
    }
  }
}

extension JSON {
  init(_ text: String) throws { try self.init(Array(text.utf8)) }
}

/// The error with which the reader refuses these bytes; nil if it reads them.
func kind(of bytes: [UInt8]) -> SourceError.Kind? {
  do {
    _ = try JSON(bytes)
    return nil
  } catch {
    return (error as? SourceError)?.kind
  }
}

/// A string of `count` letters, then `bytes`, then one letter more.
private func quoted(_ bytes: [UInt8], after count: Int) -> [UInt8] {
  Array("\"".utf8) + Array(repeating: 0x61, count: count) + bytes + Array("z\"".utf8)
}
