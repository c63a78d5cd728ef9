import AggregatorCore
import Testing

@Suite struct JSONValueTests {
  @Test(
    "JSON integers are read to the limits of Int",
    arguments: [
      ("0", .int(0)), ("-0", .int(0)), ("999999999999999999", .int(999_999_999_999_999_999)), ("-1", .int(-1)),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ] as [(String, Value)])
  func integers(text: String, value: Value) throws { #expect(try JSON(text).value == value) }

  @Test(
    "a JSON number is read as the nearest double",
    arguments: [
      ("0.1", 0.1), ("4.35", 4.35), ("-123.456", -123.456), ("9007199254740993.0", 9_007_199_254_740_992),
      ("0.30000000000000004", 0.1 + 0.2),
      ("5e-324", .leastNonzeroMagnitude), ("2e-324", 0), ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1e400", .infinity),
      ("-1e400", -.infinity), ("2.2250738585072014e-308", .leastNormalMagnitude), ("1e0", 1),
    ])
  func doubles(text: String, value: Double) throws { #expect(try JSON(text).asDouble() == value) }

  @Test(
    "values are the same however they are written",
    arguments: [
      ("1", "1.0"), ("1.00", "1.0"), ("1e2", "100"), ("-0.0", "0"), ("1e17", "100000000000000000"), ("0.10", "1e-1"), ("1e400", "10e399"),
      ("9007199254740993.0", "9007199254740993"), (#""é""#, #""\u00e9""#),
      (#"{"a":1,"b":[2,{"c":3,"d":4}]}"#, #"{"b":[2.0,{"d":4,"c":3}],"a":1.0}"#),
      (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("[ ]", "[]"),
    ])
  func same(one: String, other: String) throws {
    let (one, other) = (try JSON(one).value, try JSON(other).value)
    #expect(one.hasValue(of: other) && other.hasValue(of: one) && one.canonical == other.canonical)
  }

  @Test(
    "values that differ have other canonical bytes",
    arguments: [
      ("1", #""1""#), ("1", "true"), ("1", "1.5"), ("1", "-1"), ("1", "[1]"), ("null", #""""#), ("null", "[]"), ("[]", "{}"),
      ("[1,2]", "[2,1]"),
      ("[[1],2]", "[[1,2]]"), (#"["a","b"]"#, #"["ab"]"#), (#"{"a":null}"#, "{}"), (#"{"a":1}"#, #"{"b":1}"#),
      (#"{"a":{},"b":1}"#, #"{"a":{"b":1}}"#),
      (#""\u00e9""#, #""e\u0301""#), ("9007199254740993", "9007199254740992"), ("0.1", "0.10000000000000001"), ("1e400", "1e401"),
    ])
  func different(one: String, other: String) throws {
    let (one, other) = (try JSON(one).value, try JSON(other).value)
    #expect(!one.hasValue(of: other) && one.canonical != other.canonical)
  }

  @Test("a JSON zero keeps its sign") func negativeZero() throws { #expect(try JSON("-0.0").asDouble().sign == .minus) }

  @Test("a JSON integer may be written as a fraction or as text", arguments: ["12", "12.0", "1.2e1", "\"12\"", "\"12.0\""])
  func integral(text: String) throws { #expect(try JSON(text).asInt() == 12) }

  @Test(
    "a JSON value that is not an integer is refused as one",
    arguments: ["1.5", "1e400", "9223372036854775808", "\"\"", "\"a\"", "\"+1\"", "\" 1\"", "\"1.5\"", "\"12x\"", "\"1 \"", "true", "[]"])
  func fractional(text: String) throws {
    let json = try JSON(text)
    #expect(throws: SourceError.self) { try json.asInt() }
  }

  @Test(
    "escapes in a JSON string are resolved",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u6F22""#, "é漢"), (#""\uD83D\uDE00""#, "😀"), (#""\u0000""#, "\0"),
      (#""plain \u0041 and é""#, "plain A and é"),
    ])
  func escapes(text: String, expected: String) throws { #expect(try JSON(text).asString() == expected) }

  @Test(
    "half a surrogate pair is kept as its escape in lower case, and takes no other character with it",
    arguments: [
      (#""\uD83d""#, #"\ud83d"#), (#""\ude00""#, #"\ude00"#), (#""a\ud83dz""#, #"a\ud83dz"#), (#""\ude00\ud83d""#, #"\ude00\ud83d"#),
      (#""\ude00\ude00""#, #"\ude00\ude00"#), (#""\ud83d\u0041""#, #"\ud83dA"#), (#""\ud83d\n""#, "\\ud83d\n"),
      (#""\ud83d\ud83d\ude00""#, #"\ud83d😀"#), (#""\ud83dx\ude00""#, #"\ud83dx\ude00"#), (#""\ufffd""#, "\u{FFFD}"),
    ])
  func surrogates(text: String, expected: String) throws {
    #expect(try JSON(text).asString() == expected)
    // Written and read again it is the same text.
    #expect(try JSON(JSON(text).value.bytes).asString() == expected)
    #expect(try JSON("{\(text):1}").int(expected) == 1)
  }

  @Test("two texts are one value only if their bytes are the same", arguments: ["{}", "[{}]", #"{"a":{}}"#])
  func spellings(form: String) throws {
    let texts = [#""\u00e9""#, #""e\u0301""#]
    let values = try texts.map { try JSON(form.replacing("{}", with: #"{"name":\#($0)}"#)).value }
    #expect(values[0] == values[0] && values[0] != values[1] && Set(values).count == 2)
  }

  @Test("the last value of a repeated name counts, however the name is written and however many values it has", arguments: [0, 40])
  func duplicates(others: Int) throws {
    let filler = (0..<others).map { #","n\#($0)":0"# }.joined()
    let json = try JSON(#"{"a":1,"b":2\#(filler),"\u0061":3}"#)
    #expect(try json.int("a") == 3)
    #expect(json.members.map(\.key).prefix(2) == ["a", "b"])
    #expect(json.members.map(\.key).last == "a")
    guard case .object(let members) = json.value else { return #expect(Bool(false), "no object") }
    #expect(members.count == 2 + others)
    #expect(members.first == Member(name: "a", value: .int(3)))
  }

  @Test("names in JSON are compared by their bytes, not by their looks")
  func normalForms() throws {
    let json = try JSON("{\"\u{E9}\":1,\"e\u{301}\":2}")
    #expect(try json.int("\u{E9}") == 1)
    #expect(try json.int("e\u{301}") == 2)
    guard case .object(let members) = json.value else { return #expect(Bool(false), "no object") }
    #expect(members.count == 2)
  }

  @Test("a JSON object finds names of every length, and no name that only has the same beginning", arguments: 0..<40)
  func names(length: Int) throws {
    let name = String(repeating: "k", count: length)
    let json = try JSON(#"{"\#(name)x":1,"\#(name)":2,"y\#(name)":3}"#)
    #expect(try json.int(name) == 2)
    #expect(json[name + "z"] == nil)
  }

  @Test("JSON arrays and objects of mixed content can be walked")
  func walking() throws {
    let json = try JSON(#"[1,[2,[3]],{"a":{"b":[]}},"x",[],{}]"#)
    #expect(json.elements.map(\.kind) == [.number, .array, .object, .string, .array, .object])
    #expect(json.elements.count == 6)
    #expect(json.elements.map { String(decoding: $0.raw, as: UTF8.self) } == ["1", "[2,[3]]", #"{"a":{"b":[]}}"#, #""x""#, "[]", "{}"])
    #expect(Array(try JSON("{}").elements).isEmpty)
    #expect(Array(try JSON("[1]").members).isEmpty)
  }

  @Test("the raw bytes are the value's own, even with brackets and quotes in strings")
  func raw() throws {
    let json = try JSON(#"{"a": {"b]": "}\"]", "c": [1 , 2]} , "d":0}"#)
    #expect(String(decoding: try json.member("a").raw, as: UTF8.self) == #"{"b]": "}\"]", "c": [1 , 2]}"#)
  }
}

@Suite struct JSONReaderTests {
  @Test("one JSON reader reads many documents in turn, longer and shorter, good and bad")
  func sequence() throws {
    var reader = JSON.Reader()
    for round in 0..<3 {
      for count in [0, 1, 1_000, 3] {
        let text = "[" + Array(repeating: "\(round)", count: count).joined(separator: ",") + "]"
        #expect(try reader.read(Array(text.utf8)[...]).elements.map { try $0.asInt() } == Array(repeating: round, count: count))
        #expect(throws: SourceError.self) { try reader.read(Array("[1,".utf8)[...]) }
        #expect(throws: SourceError.self) { try reader.read([]) }
      }
    }
  }

  @Test("a stored view does not change when the next document is read")
  func keptViews() throws {
    var reader = JSON.Reader()
    let kept = try (0..<100).map { try reader.read(Array(#"{"n":\#($0),"s":"text \#($0)"}"#.utf8)[...]) }
    for (number, json) in kept.enumerated() {
      #expect(try json.int("n") == number)
      #expect(try json.string("s") == "text \(number)")
    }
  }

  @Test("paths of one document do not affect the next one")
  func pathsAfterward() throws {
    var reader = JSON.Reader()
    #expect(try reader.read(Array("[[1]]".utf8)).elements.first?.elements.first?.path == "[0][0]")
    #expect(try reader.read(Array(#"{"a":{"b":1}}"#.utf8))["a"]?["b"]?.path == "a.b")
  }

  @Test("copies of a reader do not disturb each other")
  func copies() throws {
    var first = JSON.Reader()
    _ = try first.read(Array("[1]".utf8))
    var second = first
    let one = try first.read(Array("[2]".utf8))
    let other = try second.read(Array("[3]".utf8))
    #expect(one.value == .list([.int(2)]))
    #expect(other.value == .list([.int(3)]))
  }
}
