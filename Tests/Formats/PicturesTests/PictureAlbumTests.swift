import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Pictures

struct PictureAlbumTests {
  let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test("no file is overwritten: another picture of that name gets a number, the same one stays")
  func collisions() throws {
    try scratch.write("Hero.png", Samples.png(of: 200))
    let album = try PictureAlbum(scratch.path)
    let name = album.name("Hero")
    #expect(try album.save(try Samples.picture(), as: name) == scratch.file("Hero-2.png"))
    #expect(try album.save(try Samples.picture(), as: name) == scratch.file("Hero-2.png"))
    #expect(try album.save(try Samples.picture(Samples.gif), as: name) == scratch.file("Hero.gif"))
    #expect(try scratch.bytes("Hero.png") == Samples.png(of: 200))
    #expect(scratch.names() == ["Hero-2.png", "Hero.gif", "Hero.png"])
  }

  @Test("records of one name get a number each, in any order and in any case")
  func alike() throws {
    let album = try PictureAlbum(scratch.path)
    #expect(["Hero", "hero", "Other", "HERO", "hero-2"].map { "\(album.name($0))" } == ["Hero", "hero-2", "Other", "HERO-3", "hero-2-2"])
  }

  @Test("a link in the folder is not followed")
  func links() throws {
    try SystemFiles().makeFolder(scratch.file("album"))
    try scratch.write("elsewhere", [1])
    try scratch.link("album/Hero.png", to: scratch.file("elsewhere"))
    try scratch.link("album/Hero-2.png", to: scratch.file("nowhere"))
    let album = try PictureAlbum(scratch.file("album"))
    #expect(try album.save(try Samples.picture(), as: album.name("Hero")) == scratch.file("album/Hero-3.png"))
    #expect(try scratch.bytes("elsewhere") == [1])
    #expect(scratch.names() == ["album", "elsewhere"])
  }

  @Test("hostile names do not lead out of the folder", arguments: PictureNameTests.table.map(\.0))
  func hostile(title: String) throws {
    let album = try PictureAlbum(scratch.file("album"))
    let path = try album.save(try Samples.picture(), as: album.name(title))
    #expect(path.hasPrefix(scratch.file("album/")))
    #expect(scratch.names(in: "album").map { scratch.file("album/\($0)") } == [path])
    #expect(scratch.names() == ["album"])
  }

  @Test("of many pictures at once, every one has a file of its own")
  func concurrent() async throws {
    let album = try PictureAlbum(scratch.path)
    let paths = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<50 {
        group.addTask { try album.save(try Samples.picture(Samples.png(of: 200, UInt8(number))), as: PictureName("Hero")) }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(paths.count == 50)
    #expect(try Set(scratch.names().map { try scratch.bytes($0) }).count == 50)
  }

  @Test("in a file system without links a name is taken by one writer alone, too")
  func reserved() throws {
    let file = scratch.file("Hero.png")
    for (number, isFirst) in [(UInt8(1), true), (2, false)] {
      try scratch.write("draft", [number])
      #expect(try PictureFile.reserve(file, for: scratch.file("draft"), mode: 0o666) == isFirst)
      #expect(try scratch.bytes("Hero.png") == [1] && scratch.names() == ["Hero.png"])
    }
  }

  @Test("a folder that cannot be made is an error at once")
  func unusable() throws {
    try scratch.write("file", [1])
    for folder in ["file", "file/album", "a\u{0}b"] {
      let error = #expect(throws: SourceError.self) { try PictureAlbum(scratch.file(folder)) }
      #expect(error?.kind == .storage)
    }
    #expect(scratch.names() == ["file"])
  }
}

struct PictureNameTests {
  static let table: [(String, String)] = [
    ("Spider-Man", "Spider-Man"), ("Łódź, Straße 漢字", "Łódź, Straße 漢字"), ("  two   words\t", "two words"),
    ("../../etc/passwd", "etc-passwd"), ("/etc/passwd", "etc-passwd"), ("..", "picture"), (".", "picture"), ("...", "picture"),
    ("", "picture"), ("   ", "picture"), ("a/../b", "a-..-b"), (#"..\..\windows"#, "windows"), ("C:\\x", "C-x"), ("a\u{0}b.png", "ab.png"),
    (".hidden", "hidden"), ("-rf *", "rf"), ("--save", "save"), ("~root", "root"), ("\u{1B}[31mred\u{1B}[0m", "red"),
    ("a\nb\r\nc", "a b c"),
    ("\u{1B}]0;title\u{7}x", "x"), ("a\u{202E}gnp.exe", "agnp.exe"), ("\u{200B}\u{2060}\u{FEFF}", "picture"), ("a\u{AD}b\u{200D}c", "abc"),
    ("what? <a>|\"b\":*", "what- -a-b"), ("ends. . ", "ends"), ("a//b", "a-b"), ("///", "picture"), ("🦸🏽‍♀️ hero", "🦸🏽♀ hero"),
    ("\u{E000}\u{10FFFF}", "picture"),
  ]

  @Test("any text becomes a safe name", arguments: table)
  func safe(text: String, name: String) { #expect("\(PictureName(text))" == name) }

  @Test("a picture's name is the first text with a letter or a digit, otherwise 'picture'")
  func fallback() {
    #expect("\(PictureName(nil, "", "..", "1443"))" == "1443")
    #expect("\(PictureName(nil))" == "picture")
  }

  @Test(
    "a long name is cut between characters, with room for an ending",
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

  @Test("no text leads to another folder or hides its file")
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
