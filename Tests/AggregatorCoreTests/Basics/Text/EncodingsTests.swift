import AggregatorCore
import Platform
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
  @Test("percent-encoding encodes everything but the unreserved characters")
  func encoded() {
    #expect(PercentEncoding.query("aZ09-._~") == "aZ09-._~")
    #expect(PercentEncoding.query(" &=+/?#%é€") == "%20%26%3D%2B%2F%3F%23%25%C3%A9%E2%82%AC")
  }

  @Test("a segment of a path is encoded whole, and a text that leads out of the path cannot be one")
  func segments() {
    for text in ["7", "a/b", "a.b", "...", "..a", "%2F", "50%", "a\\b", "ä ö"] {
      #expect(PercentEncoding.segment(text) == PercentEncoding.query(text))
    }
    for text in ["", ".", "..", "../a", "a/..", "a/./b", "/..", "..\\a", "%2e%2E", "a%2f..", "%2e./a"] {
      #expect(PercentEncoding.segment(text) == nil, "\(text)")
    }
  }

  @Test("percent-encoding reads back any text that it wrote", arguments: 0..<50)
  func roundTrip(seed: UInt64) {
    let dice = SeededDice(seed: seed)
    let scalars = (0..<40).compactMap { _ in Unicode.Scalar(UInt32(dice.index(below: dice.index(below: 2) == 0 ? 0x80 : 0x11_0000))) }
    let text = String(String.UnicodeScalarView(scalars))
    #expect(PercentEncoding.decode(PercentEncoding.query(text)) == text)
  }

  @Test(
    "percent-decoding leaves bytes that are not an encoding unchanged",
    arguments: [
      ("%", "%"), ("%4", "%4"), ("%zz", "%zz"), ("%-0", "%-0"), ("%+1", "% 1"), ("100%", "100%"), ("%2541", "%41"), ("a+b", "a b"),
      ("%c3%A9", "é"), ("%41%", "A%"),
    ])
  func strays(text: String, decoded: String) { #expect(PercentEncoding.decode(text) == decoded) }
}

struct Base64Tests {
  @Test(
    "base64 encodes and decodes RFC 4648's examples",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func examples(text: String, encoded: String) {
    #expect(Base64.encode(text.utf8) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
  }

  @Test("base64 reads back what it wrote, and what other tools write")
  func roundTrip() {
    for length in 0..<50 {
      let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 89 + length * 7) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.decode("Zm9v\r\nYg") == Array("foob".utf8))
    #expect(Base64.decode("-_-_") == Base64.decode("+/+/"))
    for broken in ["A", "AAAAA", "AA=A", "A*AA"] { #expect(Base64.decode(broken) == nil) }
  }
}
