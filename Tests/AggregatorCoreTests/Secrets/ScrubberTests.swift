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

/// What is stripped later, in the ways in which a service may write it.
private let gaps =
  // Control characters, and terminal sequences with and without an end.
  [
    "\u{0}", "\u{7}", "\u{7F}", "\u{85}", "\n", "\r\n", "\t", #"\n"#, #"\r\n"#, #"\u0007"#, #"\\u0007"#, "\u{1B}", "\u{1B}[0m",
    "\u{1B}[1;31m",
  ]
  + [#"\u001b[0m"#, #"\u001B[38;5;1m"#, #"\\\u001b[0m"#, "\u{1B}]0;title\u{7}", #"\u001b]8;;http:\/\/x\/\u001b\\"#, "\u{1B}(B", "\u{1B}7"]
  + ["\u{9B}0m", #"\u009b0m"#, "\u{9D}title\u{9C}", #"\u001bPq\u0007"#]
  // Characters without a shape.
  + [
    "\u{AD}", "\u{200B}", "\u{200D}\u{200C}", "\u{202E}", "\u{2028}", "\u{2066}", "\u{FEFF}", "\u{FE0F}", "\u{E0041}", #"\u200b"#,
    #"\u202E"#,
  ]
  + [
    #"\udb40\udc41"#, "&shy;", "&shy", "&ZeroWidthSpace;", "&zwj;", "&#8203;", "&#x200B;", "&#x202e;", "&#10;", "&NewLine;", #"\u0026shy;"#,
  ]
  // HTML.
  + [
    "<b>", "</b>", #"<\/b>"#, "<br/>", "<i><b>", "</i>\n<b>", #"<a href="/x?a=1&b">"#, #"<a href=\"\/x\">"#, "<a title='>'>",
    #"<a title=\">\">"#,
  ]
  + ["<!-- x -->", "<!-- > -->", "<!---->", "<!-->", "<!doctype>", "<?x?>", "<!", "</1>", #"\u003cb\u003e"#, #"\u003C\/b\u003E"#]
  + ["<script>x</script>", #"<STYLE a=b>p > q<\/style>"#, "<svg/>", "<figure><img src='x'></figure>", "\u{1B}[0m<b>&shy;\u{200B}\n"]
  + ["<b title='\(String(repeating: "x", count: 400))'>"]

@Suite struct ScrubberTests {
  @Test("finds the key with anything between its characters that is stripped later", arguments: gaps)
  func split(gap: String) {
    let scrubber = Scrubber(recording: [Secret(key)])
    for spelling in [key] + spellings + [Base64.encode(Array(key.utf8))] {
      // Where a spelling of one character begins is not to be told from here, so it is split where letters meet.
      let letters = Array(spelling)
      for place in letters.indices.dropFirst() where "cret".contains(letters[place - 1]) && "cret".contains(letters[place]) {
        let text = String(letters[..<place]) + gap + String(letters[place...])
        #expect(scrubber.scrub("(\(text)), \"\(text)\"") == "(KEY), \"KEY\"", "\(text)")
      }
    }
    // Between all of them, whatever they are.
    let plain = Scrubber(recording: [Secret("k3y-of<&>mine")])
    #expect(plain.scrub("a " + "k3y-of<&>mine".map(String.init).joined(separator: gap) + " b") == "a KEY b")
    #expect(plain.scrub("k3y-o\(gap)f%3C\(gap)&amp;\(gap)\\u003em\(gap)ine") == "KEY")
  }

  @Test("what a reader sees between its characters keeps them apart")
  func apart() {
    let scrubber = Scrubber(recording: [Secret("k3y-of-mine"), Secret("123")])
    for text in [
      "k3y-<b>x</b>of-mine", "k3y- of-mine", "k3y-<of-mine", "k3y-< b >of-mine", "k3y-&amp;of-mine", "k3y-&eacute;of-mine", "k3y-éof-mine",
      "k3y-&shyx;of-mine", "k3y-<b>x", "k3y-<b", #"k3y-\u00e9of-mine"#, "<td>1</td><td>2</td><td>3</td>", "1\n2\n3", "1\u{200B}23",
      "k3y-<b title='\(String(repeating: "x", count: Gap.longest))'>of-mine",
    ] { #expect(scrubber.scrub(text) == text) }
  }

  @Test("finds the key in every spelling, wherever it stands", arguments: spellings)
  func anySpelling(spelling: String) {
    let scrubber = Scrubber(recording: [Secret(key)])
    #expect(scrubber.scrub(spelling) == "KEY")
    #expect(scrubber.scrub("a\(spelling)b, \(spelling)") == "aKEYb, KEY")
    #expect(scrubber.finds(in: Array("<\(spelling)>".utf8)))
    #expect(!scrubber.finds(in: Array("<\(spelling.dropLast())>".utf8)))
  }

  @Test("finds the key in base64, whatever stands around it", arguments: 0..<12)
  func base64(before: Int) {
    let scrubber = Scrubber(recording: [Secret(key)])
    let text = Base64.encode(Array(String(repeating: "x", count: before).utf8) + Array(key.utf8) + Array("tail".utf8))
    #expect(scrubber.scrub("a: \(text); b") == "a: KEY; b")
    let safe = text.replacingEach("+", with: "-").replacingEach("/", with: "_")
    #expect(scrubber.finds(in: Array(safe.utf8)))
    #expect(scrubber.finds(in: Array(PercentEncoding.query(text).utf8)))
  }

  @Test("a short secret is found where it stands alone, and no part of a word")
  func short() {
    let scrubber = Scrubber(recording: [Secret("ab1")])
    #expect(
      scrubber.scrub(#"key=ab1&label=lab1, "ab1", %22ab1%22 ab12, \nab1, \u0022ab1"#)
        == #"key=KEY&label=lab1, "KEY", %22KEY%22 ab12, \nKEY, \u0022KEY"#)
  }

  @Test("of two secrets that share letters both go")
  func nested() {
    let scrubber = Scrubber(recording: [Secret("secret"), Secret("secret-longer"), Secret("")])
    #expect(scrubber.scrub("secret-longer secret secretly") == "KEY KEY KEYly")
  }

  @Test("what holds no secret stays as it is, bytes that are no text too")
  func untouched() {
    let scrubber = Scrubber(recording: [Secret(key)])
    let bytes: [UInt8] = Array("%2 \\u00 &# %%%".utf8) + [0xFF, 0xC3, 0x5C]
    #expect(scrubber.scrub(bytes) == bytes)
    #expect(Scrubber(recording: []).scrub(bytes) == bytes)
    #expect(scrubber.scrub([0xFF] + Array(key.utf8) + [0xFE]) == [0xFF] + Array("KEY".utf8) + [0xFE])
  }

  @Test("shows no secret by itself, however it is printed")
  func silent() {
    let scrubber = Scrubber(recording: [Secret(key)])
    var dumped = ""
    dump(scrubber, to: &dumped)
    for text in ["\(scrubber)", String(reflecting: scrubber), dumped] { #expect(!text.contains("scalar") && !text.contains("cret")) }
  }

  @Test("a key with percent signs is found encoded once and twice", arguments: ["k3y%25==", "a%41b%c3d", "zz&&%%25zz", "50%2525off"])
  func percent(key: String) {
    let scrubber = Scrubber([Secret(key)])
    let once = PercentEncoding.query(key)
    for spelling in [key, once, PercentEncoding.query(once)] { #expect(scrubber.scrub("?\(spelling)&") == "?•••&") }
  }

  @Test("a short secret is looked for only by who asks for it")
  func shortUnasked() {
    #expect(Scrubber([Secret("ab1")]).scrub("key=ab1") == "key=ab1")
    #expect(Scrubber([Secret("ab1cde")]).scrub("key=ab1cde") == "key=•••")
  }

  @Test("a secret of digits is no part of a longer number, and leaves JSON whole")
  func digits() throws {
    let scrubber = Scrubber([Secret("50130162")])
    #expect(scrubber.scrub("150130162 501301620 50130162.5") == "150130162 501301620 50130162.5")
    #expect(scrubber.scrub("key 50130162. ?k=50130162&x %2250130162%22 50130162.json") == "key •••. ?k=•••&x %22•••%22 •••.json")
    let document = scrubber.scrub(Array(#"{"a":50130162,"b":[-50130162, 50130162 ],"c":"50130162"}"#.utf8))
    #expect(String(decoding: document, as: UTF8.self) == #"{"a":0,"b":[-0, 0 ],"c":"•••"}"#)
    #expect(try JSON(document).int("a") == 0)
  }

  @Test("the quick search finds what looking at every byte finds, in texts made to trip it up", arguments: 0..<300)
  func differential(seed: Int) {
    let secrets = ["ab/c+d", "bab/ab", "aé b/c"].map { Secret($0) }
    let dice = SeededDice(seed: UInt64(seed))
    let pieces =
      [
        "a", "b", "/", "c", "+", "d", "é", " ", "\\", "\\/", "\\u0061", "%61", "%2F", "%252f", "&#98;", "&#x2F;", "%", "&", "u", "\"", "2",
        "5",
      ]
      + ["ab/c+d", "bab/", "YWIvYytk", "61622f632b64", "aé b", "a%C3%A9+b\\/c"]
      + ["<", "<b>", "\u{200B}", "\\n", "\n", "&shy;", "\u{1B}", "\u{1B}[", "ab\u{AD}/c+", "YW<b>IvY"]
    let text = (0..<60).map { _ in pieces[Int(dice.fraction() * Double(pieces.count))] }.joined()
    #expect(Scrubber(secrets).scrub(text) == Self.slowly(text, secrets))
  }

  /// What is left of `text` when every form is tried at every byte.
  private static func slowly(_ text: String, _ secrets: [Secret]) -> String {
    let texts = secrets.map { $0.reveal() }.sorted { $0.utf8.count > $1.utf8.count }
    let forms = texts.flatMap(SecretForm.all)
    let bytes = Array(text.utf8)
    return bytes.withUnsafeBufferPointer { bytes in
      var result: [UInt8] = []
      var (clean, at) = (0, 0)
      while at < bytes.count {
        let found = forms.lazy.compactMap { form in
          form.spelling.end(in: bytes, at: at).flatMap { form.found(at..<$0, in: bytes) }
        }.first
        guard let found else {
          at += 1
          continue
        }
        result += bytes[clean..<max(clean, found.range.lowerBound)] + Array("•••".utf8)
        (clean, at) = (found.range.upperBound, found.range.upperBound)
      }
      return String(decoding: result + bytes[clean...], as: UTF8.self)
    }
  }

  @Test("a long run of what looks like escapes is looked at once", .timeLimit(.minutes(10)))
  func runs() {
    let scrubber = Scrubber([Secret("a\\b&c%d")])
    for piece in ["\\", "%25", "&", "&#", "a\\"] {
      let bytes = Array(String(repeating: piece, count: 200_000).utf8)
      #expect(!scrubber.finds(in: bytes))
    }
  }

  @Test("so is a long run of what looks like gaps, even behind the beginning of a secret", .timeLimit(.minutes(10)))
  func gapRuns() {
    let scrubber = Scrubber([Secret("aaaaaaaaaaaaaaaaaaaaaaaa"), Secret("s3cret-key")])
    for piece in [
      "<", "s<", "s<!", "s3<a b=\"", "s\u{1B}", "s\u{1B}]", "\0", "s\0\0\0", "s&shy;", "s\\u003c", "a\u{1B}a\u{1B}",
      "aaaaaaaaaaaaaaaaaa\u{1B}",
    ] {
      let bytes = Array(String(repeating: piece, count: 20_000).utf8)
      #expect(!scrubber.finds(in: bytes) || piece.hasPrefix("a"))
    }
  }
}
