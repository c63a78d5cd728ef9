import AggregatorCore
import Testing

@testable import Terminal

@Suite("A picture made of characters") struct CharacterPictureTests {
  private func read(_ output: String, _ columns: Int = 8, _ rows: Int = 4) -> CharacterPicture? {
    CharacterPicture(Array(output.utf8), columns: columns, rows: rows)
  }

  @Test("a picture made of characters is read line by line, with its colors")
  func reads() throws {
    let output = "\u{1B}[0m\u{1B}[38;5;232;48;5;16m▄ \u{1B}[7;31m▌\u{1B}[0m\n\u{1B}[97;104mx\u{1B}[39;49my\u{1B}[0m\n"
    let picture = try #require(read(output))
    #expect((picture.columns, picture.rows) == (3, 2))
    #expect(picture.cells.map(\.colors.text) == [232, 232, 1, 15, nil, nil])
    #expect(picture.cells.map(\.colors.background) == [16, 16, 16, 12, nil, nil])
    #expect(picture.cells.map { $0.style.contains(.reversed) } == [false, false, true, false, false, false])
    var screen = Screen(columns: 4, rows: 2)
    for row in 0..<2 { screen.put(picture, row: row, at: (1, row)) }
    #expect(screen.lines == [" ▄ ▌", " xy"])
    // A place outside the screen changes nothing.
    for place in [(-1, 0), (0, -1), (0, 2), (9, 0)] { screen.put(picture, row: 0, at: place) }
    for row in [-1, 2] { screen.put(picture, row: row, at: (0, 0)) }
    #expect(screen.lines == [" ▄ ▌", " xy"])
  }

  @Test("a picture made of characters obeys only colors, and takes no more room than it was given")
  func bounded() throws {
    let hostile =
      "\u{1B}[2J\u{1B}[?25l\u{1B}]0;x\u{7}a東\u{301}b\u{9B}c\rd\u{1B}[38;2;1;2;3me\u{1B}[38;5;999mf\u{1B}[48;5m"
      + String(repeating: "z", count: 90)
    let picture = try #require(read(hostile + String(repeating: "\nline", count: 90)))
    #expect((picture.columns, picture.rows) == (8, 4))
    var screen = Screen(columns: 8, rows: 4)
    for row in 0..<4 { screen.put(picture, row: row, at: (0, row)) }
    // A sequence that sets the terminal's title is text here.
    #expect(screen.lines == ["0;xa bcd", "line", "line", "line"])
    #expect(String(decoding: screen.difference(from: nil), as: UTF8.self).contains("\u{1B}[?25l\u{1B}[?7l"))
  }

  @Test("an output that draws nothing gives no picture", arguments: ["", "\n\n", "\u{1B}[0m\n\u{1B}[0m", "\u{1B}[2J"])
  func none(output: String) { #expect(read(output) == nil) }

  @Test("a picture made of characters keeps its shapes on a screen without colors")
  func uncoloured() throws {
    let picture = try #require(read("\u{1B}[38;5;232;48;5;16m▄"))
    var screen = Screen(columns: 2, rows: 1, isColored: false)
    screen.put(picture, row: 0, at: (0, 0))
    let frame = String(decoding: screen.difference(from: nil), as: UTF8.self)
    #expect(frame.contains("▄") && !frame.contains("8;5"))
  }

  @Test("a picture that begins in the middle of a wide character covers all of it")
  func overWide() throws {
    let picture = try #require(read("x"))
    var screen = Screen(columns: 4, rows: 1)
    screen.put("東京", at: (0, 0))
    screen.put(picture, row: 0, at: (1, 0))
    #expect(screen.lines == [" x京"])
  }
}

@Suite("A picture by kitty's protocol") struct KittyPictureTests {
  private static let chafa =
    "\u{1B}_Ga=T,f=32,s=128,v=96,c=16,r=12,m=1\u{1B}\\\u{1B}_Gm=1;AAAA/wEA\u{1B}\\\u{1B}_Gm=1;BBBB\u{1B}\\\u{1B}_Gm=0\u{1B}\\\r\n"

  @Test("a picture by kitty's protocol is found in the output of another program that shows it")
  func found() throws {
    let picture = try #require(KittyPicture(shownBy: Array(Self.chafa.utf8)))
    #expect((picture.width, picture.height, picture.format) == (128, 96, "f=32,s=128,v=96"))
    #expect(String(decoding: picture.data, as: UTF8.self) == "AAAA/wEABBBB")
    for wrong in [
      "", "text", "\u{1B}_Gf=32", "\u{1B}_Gf=32,s=0,v=1;AAAA\u{1B}\\", "\u{1B}_Gf=100,s=1,v=1;AAAA\u{1B}\\", "\u{1B}[2J",
      "\u{1B}_Gf=32,s=99999999999999999999,v=1;AAAA\u{1B}\\", "\u{1B}_Gf=32,s=1,v=1,o=z;AAAA\u{1B}\\",
    ] {
      #expect(KittyPicture(shownBy: Array(wrong.utf8)) == nil, "\(wrong)")
    }
    // Bytes that are not base64 might end the command early.
    let broken = try #require(KittyPicture(shownBy: Array("\u{1B}_Gf=24,s=1,v=1;AA\u{7}\u{9C}AA\u{1B}\\".utf8)))
    #expect(broken.data == Array("AAAA".utf8))
  }

  @Test("a picture by kitty's protocol keeps its shape within the given room")
  func extent() throws {
    func png(_ width: Int, _ height: Int) throws -> KittyPicture {
      let sizes = [width, height].flatMap { value in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
      return try #require(KittyPicture(png: Array(repeating: 0, count: 16) + sizes))
    }
    var size = TerminalSize(columns: 100, rows: 50)
    for (width, height, expected) in [
      (100, 100, [24, 12]), (100, 200, [12, 12]), (400, 100, [36, 5]), (1, 10_000, [1, 12]), (10_000, 1, [36, 1]),
    ] {
      let extent = try png(width, height).extent(36, 12, on: size)
      #expect([extent.columns, extent.rows] == expected, "\(width)x\(height)")
    }
    // Cells as wide as they are high.
    (size.width, size.height) = (1000, 500)
    let extent = try png(100, 100).extent(36, 12, on: size)
    #expect(extent == (12, 12))
    #expect(KittyPicture(png: []) == nil && KittyPicture(png: Array(repeating: 0, count: 24)) == nil)
  }

  @Test("a picture by kitty's protocol is sent once, shown when wanted and hidden otherwise; the terminal holds only a few")
  func plane() throws {
    var plane = KittyPlane()
    func picture(_ data: String) throws -> KittyPicture {
      try #require(KittyPicture(shownBy: Array("\u{1B}_Gf=24,s=1,v=1;\(data)\u{1B}\\".utf8)))
    }
    func show(_ data: String?, _ column: Int = 3) throws -> String {
      let placement = try data.map { KittyPlane.Placement(try picture($0), at: (column, 4), columns: 5, rows: 6) }
      return String(decoding: plane.show(placement), as: UTF8.self).replacing("\u{1B}", with: "^")
    }
    let place = #"^7^[5;4H^_Ga=p,i=1,p=1,c=5,r=6,C=1,q=2^\^8"#
    #expect(try show(nil) == "")
    #expect(try show("AAAA") == #"^_Ga=t,f=24,s=1,v=1,i=1,q=2,m=0;AAAA^\"# + place)
    #expect(try show("AAAA") == "")
    #expect(try show("AAAA", 8) == #"^_Ga=d,d=i,i=1,q=2^\^7^[5;9H^_Ga=p,i=1,p=1,c=5,r=6,C=1,q=2^\^8"#)
    #expect(try show(nil) == #"^_Ga=d,d=i,i=1,q=2^\"#)
    #expect(try show("AAAA") == place)
    for number in 2...8 { #expect(try show("AA\(number)A").contains("a=t,f=24,s=1,v=1,i=\(number),")) }
    #expect(try show("BBBB").contains(#"^_Ga=d,d=I,i=1,q=2^\^_Ga=t,f=24,s=1,v=1,i=9,"#))
    // After the screen was cleared it is sent again.
    #expect(String(decoding: plane.clear(), as: UTF8.self).contains("a=d,d=I,i=9,"))
    #expect(try show("BBBB").hasPrefix("^_Ga=t,"))
  }
}
