import AggregatorCore
import Testing

@Suite struct JSONWriterTests {
  @Test(
    "the JSON writer writes what was read, compactly",
    arguments: [
      "null", "true", "false", "0", "-9223372036854775808", "0.1", "1e+20", "5e-324", "-0.0", "100.0", #""""#, #""é漢😀""#, "[]", "{}",
      "[1,[2,{}],[]]",
      #"{"a":1,"b":{"c":[null,true]},"":"x"}"#, #""\"\\\b\f\n\r\t\u0000\u001f""#, "\"\u{2028}/\u{A0}\"",
    ])
  func roundTrip(text: String) throws { #expect(written(try JSON(text).value) == text) }

  @Test(
    "the JSON writer escapes the necessary characters at every place of a text, and no others",
    arguments: [0, 1, 15, 16, 17, 31, 32, 33, 100])
  func escapes(place: Int) {
    let run = String(repeating: "é", count: place / 2) + String(repeating: "a", count: place % 2)
    #expect(written(.text(run + "\"" + run + "\u{1}" + run)) == "\"" + run + #"\""# + run + #"\u0001"# + run + "\"")
  }

  @Test("every character up to U+2FFF and half a plane beyond is read back from JSON")
  func characters() throws {
    for start: UInt32 in [0, 0x1000, 0x2000, 0x1F000] {
      let text = String(String.UnicodeScalarView((start..<start + 0x1000).compactMap(Unicode.Scalar.init)))
      #expect(try JSON(written(.text(text))).asString() == text)
    }
  }

  @Test("the JSON writer shows no control character to a terminal, and keeps what only looks like one")
  func terminalControls() throws {
    var writer = JSONWriter()
    writer.write(.text("a\u{7F}\u{80}\u{9B}31m\u{9F}\u{A0}«é\"\n"))
    #expect(String(decoding: writer.bytes, as: UTF8.self) == #""a\u007f\u0080\u009b31m\u009f\#u{A0}«é\"\n""#)
    #expect(try JSON(writer.bytes).asString() == "a\u{7F}\u{80}\u{9B}31m\u{9F}\u{A0}«é\"\n")
  }

  @Test("infinities and values that are not numbers are written as null in JSON", arguments: [Double.infinity, -.infinity, .nan])
  func infinities(double: Double) { #expect(written(.double(double)) == "null") }

  @Test("doubles are read back from JSON unchanged")
  func doubles() throws {
    var dice: UInt64 = 42
    for _ in 0..<2_000 {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let double = Double(bitPattern: dice)
      guard double.isFinite else { continue }
      #expect(try JSON(written(.double(double))).asDouble().bitPattern == dice)
    }
  }

  @Test("the JSON writer sets the commas when it writes piece by piece")
  func pieces() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("a")
    writer.beginArray()
    writer.write(string: "x")
    writer.write(.object([]))
    writer.beginArray()
    writer.endArray()
    writer.write(.int(1))
    writer.endArray()
    writer.key("b")
    writer.write(raw: Array("[ 1 ]".utf8))
    writer.endObject()
    #expect(String(decoding: writer.take(), as: UTF8.self) == #"{"a":["x",{},[],1],"b":[ 1 ]}"#)
    writer.write(.null)
    writer.endLine()
    writer.write(.null)
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "null\nnull")
  }

  @Test("the JSON writer continues in the middle after its bytes were taken")
  func streaming() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.write(.int(1))
    var text = writer.take()
    writer.write(.int(2))
    text += writer.take()
    writer.removeAll(keepingCapacity: true)
    writer.endArray()
    text += writer.take()
    #expect(String(decoding: text, as: UTF8.self) == "[1,2]")
  }

  private func written(_ value: Value) -> String {
    var writer = JSONWriter()
    writer.write(value)
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
