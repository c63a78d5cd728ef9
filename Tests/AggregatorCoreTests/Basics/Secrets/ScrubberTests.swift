import Platform
import ProcessorTime
import SourceTesting
import Testing

@testable import AggregatorCore

private let key = #"s3/cret "k\y&+é~"#

/// The key in every spelling that a service may send back.
private let spellings: [String] =
  [key, PercentEncoding.query(key), PercentEncoding.query(key).lowercased(), PercentEncoding.query(PercentEncoding.query(key))]
  + [#"s3%2fcret+%22k%5Cy%26%2b%C3%A9~"#]
  + [#"s3\/cret \"k\\y&+é~"#, #"s3\u002fcret\u0020\u0022k\u005Cy\u0026\u002B\u00E9\u007e"#, #"s3\\\/cret \\\"k\\\\y&+é~"#]
  + ["s3/cret &quot;k\\y&amp;+&#233;~", "s3&#x2F;cret &#34;k\\y&#38;+&#xE9;~"]
  + [key.utf8.map { String(256 + Int($0), radix: 16).dropFirst() }.joined()]

/// The key read as Latin-1 and written in UTF-8, plain and as JSON escapes it; and the key written in Latin-1 and read as UTF-8.
private let misreadSpellings: [String] =
  [#"s3/cret "k\y&+Ã©~"#, #"s3/cret \"k\\y&+\u00c3\u00a9~"#, "s3/cret \"k\\y&+\u{FFFD}~"]

@Suite struct ScrubberTests {
  @Test("as many secrets as rows are found in time that grows with the length of the text")
  func many() {
    func work(_ count: Int) -> (scrubber: Scrubber, text: [UInt8]) {
      // Each secret is a step of a generator, so that none has a pattern of its own.
      let secrets = (1...count).map { String(UInt64($0) &* 0x9E37_79B9_7F4A_7C15, radix: 36) }
      let text = secrets.map { #"{"id":1,"name":"Ada Lovelace of London","password":"\#($0)"}"# }.joined(separator: ",")
      return (Scrubber(secrets.map { Secret($0) }), Array(text.utf8))
    }
    let (small, large) = (work(100), work(1000))
    LinearTime.expect(
      "a search for many secrets", factor: 10, small: { _ = small.scrubber.scrub(small.text) },
      large: { _ = large.scrubber.scrub(large.text) })
    #expect(!large.scrubber.finds(in: large.scrubber.scrub(large.text)))
  }

  @Test("the scrubber finds a key in every spelling, anywhere in a text", arguments: spellings + misreadSpellings)
  func anySpelling(spelling: String) {
    let scrubber = Scrubber(recording: [Secret(key)])
    #expect(scrubber.scrub(spelling) == "KEY")
    #expect(scrubber.scrub("a\(spelling)b, \(spelling)") == "aKEYb, KEY")
    #expect(scrubber.finds(in: Array("<\(spelling)>".utf8)))
    #expect(!scrubber.finds(in: Array("<\(spelling.dropLast())>".utf8)))
  }

  @Test("the scrubber finds a key in base64, with any text around it", arguments: 0..<12)
  func base64(before: Int) {
    let scrubber = Scrubber(recording: [Secret(key)])
    let text = Base64.encode(Array(String(repeating: "x", count: before).utf8) + Array(key.utf8) + Array("tail".utf8))
    #expect(scrubber.scrub("a: \(text); b") == "a: KEY; b")
    let safe = text.replacingEach("+", with: "-").replacingEach("/", with: "_")
    #expect(scrubber.finds(in: Array(safe.utf8)))
    #expect(scrubber.finds(in: Array(PercentEncoding.query(text).utf8)))
  }

  @Test("the scrubber finds a key in base64 whose lines are broken, wherever they break", arguments: ["\n", "\r\n", #"\n"#, #"\r\n"#])
  func brokenLines(lineBreak: String) {
    let encoded = Base64.encode(Array((String(repeating: "x", count: 50) + key + "tail").utf8))
    for width in 4..<100 {
      var rest = encoded[...]
      var lines: [Substring] = []
      while !rest.isEmpty {
        lines.append(rest.prefix(width))
        rest = rest.dropFirst(width)
      }
      #expect(Scrubber([Secret(key)]).scrub("a \(lines.joined(separator: lineBreak)) b") == "a ••• b", "\(width)")
    }
  }

  @Test("a short secret is found alone, but not as part of a word")
  func short() {
    let scrubber = Scrubber(recording: [Secret("ab1")])
    #expect(
      scrubber.scrub(#"key=ab1&label=lab1, "ab1", %22ab1%22 ab12, \nab1, \u0022ab1"#)
        == #"key=KEY&label=lab1, "KEY", %22KEY%22 ab12, \nKEY, \u0022KEY"#)
  }

  @Test("two secrets that share letters are both masked")
  func nested() {
    let scrubber = Scrubber(recording: [Secret("secret"), Secret("secret-longer"), Secret("")])
    #expect(scrubber.scrub("secret-longer secret secretly") == "KEY KEY KEYly")
  }

  @Test("bytes without a secret stay unchanged, even those that are not text")
  func untouched() {
    let scrubber = Scrubber(recording: [Secret(key)])
    let bytes: [UInt8] = Array("%2 \\u00 &# %%%".utf8) + [0xFF, 0xC3, 0x5C]
    #expect(scrubber.scrub(bytes) == bytes)
    #expect(Scrubber(recording: []).scrub(bytes) == bytes)
    #expect(scrubber.scrub([0xFF] + Array(key.utf8) + [0xFE]) == [0xFF] + Array("KEY".utf8) + [0xFE])
  }

  @Test("a key in Latin-1 is found in bytes that are not UTF-8")
  func latin1() {
    #expect(Scrubber([Secret("café-0123")]).scrub(Array("a caf".utf8) + [0xE9] + Array("-0123 b".utf8)) == Array("a ••• b".utf8))
    #expect(!Scrubber([Secret("ééé")]).finds(in: [0xE9, 0xE9, 0xE9]))
  }

  @Test("the scrubber never shows a secret when it is printed")
  func silent() {
    let scrubber = Scrubber(recording: [Secret(key)])
    var dumped = ""
    dump(scrubber, to: &dumped)
    for text in ["\(scrubber)", String(reflecting: scrubber), dumped] { #expect(!text.contains("scalar") && !text.contains("cret")) }
  }

  @Test("a key with percent signs is found, encoded once or twice", arguments: ["k3y%25==", "a%41b%c3d", "zz&&%%25zz", "50%2525off"])
  func percent(key: String) {
    let scrubber = Scrubber([Secret(key)])
    let once = PercentEncoding.query(key)
    for spelling in [key, once, PercentEncoding.query(once)] { #expect(scrubber.scrub("?\(spelling)&") == "?•••&") }
  }

  @Test("a short secret is looked for only on request")
  func shortUnasked() {
    #expect(Scrubber([Secret("ab1")]).scrub("key=ab1") == "key=ab1")
    #expect(Scrubber([Secret("ab1cde")]).scrub("key=ab1cde") == "key=•••")
  }

  @Test("a secret of digits is not found inside a longer number, and JSON stays valid")
  func digits() throws {
    let scrubber = Scrubber([Secret("50130162")])
    #expect(scrubber.scrub("150130162 501301620 50130162.5") == "150130162 501301620 50130162.5")
    #expect(scrubber.scrub("key 50130162. ?k=50130162&x %2250130162%22 50130162.json") == "key •••. ?k=•••&x %22•••%22 •••.json")
    let document = scrubber.scrub(Array(#"{"a":50130162,"b":[-50130162, 50130162 ],"c":"50130162"}"#.utf8))
    #expect(String(decoding: document, as: UTF8.self) == #"{"a":"•••","b":["•••", "•••" ],"c":"•••"}"#)
    #expect(try JSON(document).string("a") == "•••")
  }

  /// The encoders that may work on a text.
  private static let encoders: [@Sendable (String) -> String] = [
    PercentEncoding.query,
    { PercentEncoding.query($0).lowercased() },
    { PercentEncoding.query($0).replacingEach("%20", with: "+") },
    { $0.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"") },
    { $0.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"").replacingEach("/", with: "\\/") },
    { $0.utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined() },
    { $0.replacingEach("&", with: "&amp;").replacingEach("\"", with: "&quot;").replacingEach("<", with: "&lt;") },
    { $0.unicodeScalars.map { "&#\($0.value);" }.joined() },
    { $0.unicodeScalars.map { "&#x\(String($0.value, radix: 16));" }.joined() },
  ]

  @Test("the scrubber finds a key after any encoders, one after the other", arguments: 0..<300)
  func layers(seed: Int) {
    let dice = SeededDice(seed: UInt64(seed))
    func oneOf<Choice>(_ choices: [Choice]) -> Choice { choices[Int(dice.fraction() * Double(choices.count))] }
    let key = oneOf([key, "k3y/of\"mine", "0a1b2c3d", "50%25&off", "c:\\n\"key", "sea%41<bed", "😀&<k3y>", "n0t-a-key"])
    let scrubber = Scrubber([Secret(key)])
    let pieces = ["", "\n", "100% ", "\\", "\"a\": \"", "&", "é", "tail"]
    var text = oneOf(pieces) + key + oneOf(pieces)
    var plain = text.replacingEach(key, with: "•••")
    for _ in 0..<Int(dice.fraction() * 4) {
      let encoder = oneOf(Self.encoders)
      (text, plain) = (encoder(text), encoder(plain))
    }
    #expect(scrubber.finds(in: text), "\(text)")
    let scrubbed = scrubber.scrub("(\(text))")
    #expect(scrubbed.contains("•••") && !scrubber.finds(in: scrubbed), "\(text) became \(scrubbed)")
    #expect(!scrubber.finds(in: plain), "\(plain)")
  }

  @Test("the scrubber leaves the rest of a text as it was written")
  func around() {
    let scrubber = Scrubber([Secret("/k3y&mine")])
    #expect(scrubber.scrub(#"{"a":"\/k3y\u0026mine\n\/","b":"%2fk3y%26mine%2f"}"#) == #"{"a":"•••\n\/","b":"•••%2f"}"#)
  }

  @Test("a long run of apparent escapes takes no longer than its length", .timeLimit(.minutes(10)))
  func runs() {
    let scrubber = Scrubber([Secret("a\\b&c%d")])
    for piece in ["\\", "%25", "&", "&#", "a\\", "&#38;", "a"] {
      let bytes = Array(String(repeating: piece, count: 200_000).utf8)
      #expect(!scrubber.finds(in: bytes))
    }
  }
}
