import Testing

@testable import Pictures

struct PictureNameTests {
  static let table: [(String, String)] = [
    ("Spider-Man", "Spider-Man"), ("Łódź, Straße 漢字", "Łódź, Straße 漢字"), ("  two   words\t", "two words"),
    ("../../etc/passwd", "etc-passwd"), ("/etc/passwd", "etc-passwd"), ("..", "picture"), (".", "picture"), ("...", "picture"),
    ("", "picture"), ("   ", "picture"), ("a/../b", "a-..-b"), (#"..\..\windows"#, "windows"), ("C:\\x", "C-x"), ("a\u{0}b.png", "ab.png"),
    (".hidden", "hidden"), ("-rf *", "rf"), ("--save", "save"), ("~root", "root"), ("\u{1B}[31mred\u{1B}[0m", "red"),
    ("a\nb\r\nc", "a b c"),
    ("\u{1B}]0;title\u{7}x", "x"), ("a\u{202E}gnp.exe", "agnp.exe"), ("\u{200B}\u{2060}\u{FEFF}", "picture"), ("a\u{AD}b\u{200D}c", "abc"),
    ("CON", "CON_"), ("nul.txt", "nul.txt_"), ("COM1", "COM1_"), ("com¹", "com¹_"), ("LPT9.x", "LPT9.x_"), ("COM10", "COM10"),
    ("Conan", "Conan"),
    ("what? <a>|\"b\":*", "what- -a-b"), ("ends. . ", "ends"), ("a//b", "a-b"), ("///", "picture"), ("🦸🏽‍♀️ hero", "🦸🏽♀ hero"),
    ("\u{E000}\u{10FFFF}", "picture"),
  ]

  @Test("any text becomes a safe name", arguments: table)
  func safe(text: String, name: String) { #expect("\(PictureName(text))" == name) }

  @Test("the first text that says anything names it")
  func fallback() {
    #expect("\(PictureName(nil, "", "..", "1443"))" == "1443")
    #expect("\(PictureName(nil))" == "picture")
  }

  @Test(
    "a long name is cut between characters, and leaves room",
    arguments: [
      String(repeating: "x", count: 5000), String(repeating: "é", count: 500), String(repeating: "漢", count: 500),
      String(repeating: "👨‍👩‍👧", count: 100), "a" + String(repeating: "\u{301}", count: 5000), String(repeating: ". ", count: 1000) + "x",
    ])
  func long(text: String) {
    let name = "\(PictureName(text))"
    #expect(!name.isEmpty)
    #expect(name.utf8.count <= 121)
    #expect(!name.contains("\u{FFFD}"))
  }

  @Test("no text whatever leads anywhere or hides")
  func fuzzed() {
    var dice = SystemRandomNumberGenerator()
    let pieces = [
      "/", "..", ".", "\\", "\u{0}", "\u{1B}[2J", " ", "-", "~", "a", "é", "CON", ":", "\n", "\u{202E}", "\u{301}", "漢", "\u{FEFF}", "*",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...8, using: &dice)).map { _ in pieces.randomElement(using: &dice) ?? "" }.joined()
      let name = "\(PictureName(text))"
      #expect(!name.isEmpty && name != "." && name != ".." && name.utf8.count <= 121, "\(text.debugDescription)")
      #expect(!"-.~ ".contains(name.first ?? " "), "\(text.debugDescription)")
      #expect(!name.unicodeScalars.contains { "/\\:*?\"<>|".unicodeScalars.contains($0) || $0.value < 0x20 }, "\(text.debugDescription)")
    }
  }
}
