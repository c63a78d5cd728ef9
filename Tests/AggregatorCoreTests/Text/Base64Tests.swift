import AggregatorCore
import Testing

struct Base64Tests {
  @Test(
    "RFC 4648's examples",
    arguments: [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
  func examples(text: String, encoded: String) {
    #expect(Base64.encode(text.utf8) == encoded)
    #expect(Base64.decode(encoded) == Array(text.utf8))
  }

  @Test("there and back, and what other tools write of it")
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
