import AggregatorCore
import Testing

@testable import Terminal

@Suite("Keys") struct KeyParserTests {
  static let sequences: [(String, [TerminalInput])] = [
    ("j", [.key(.text("j"))]), ("é", [.key(.text("é"))]), ("東", [.key(.text("東"))]), ("😀", [.key(.text("😀"))]),
    ("\r", [.key(Key(.enter))]), ("\t", [.key(Key(.tab))]), ("\u{7F}", [.key(Key(.backspace))]), ("\u{8}", [.key(Key(.backspace))]),
    ("\u{3}", [.key(.control("c"))]), ("\u{1A}", [.key(.control("z"))]), ("\u{0}", [.key(.control(" "))]),
    ("\u{1B}[A", [.key(Key(.up))]), ("\u{1B}OB", [.key(Key(.down))]), ("\u{1B}[H", [.key(Key(.home))]), ("\u{1B}[4~", [.key(Key(.end))]),
    ("\u{1B}[8~", [.key(Key(.end))]), ("\u{1B}[5~", [.key(Key(.pageUp))]), ("\u{1B}[6~", [.key(Key(.pageDown))]),
    ("\u{1B}[3~", [.key(Key(.delete))]), ("\u{1B}[Z", [.key(Key(.tab, .shift))]), ("\u{1B}[1;5C", [.key(Key(.right, .control))]),
    ("\u{1B}[1;2A", [.key(Key(.up, .shift))]), ("\u{1B}x", [.key(Key(.text("x"), .alt))]), ("\u{1B}OP", [.key(Key(.f1))]),
    ("\u{1B}[[A", [.key(Key(.f1))]), ("\u{1B}[11~", [.key(Key(.f1))]), ("\u{1B}[15~", []),
    // Keys by number: Esc, Ctrl-C, Ctrl-Z with Num Lock on, Alt-ß.
    ("\u{1B}[27u", [.key(Key(.escape))]), ("\u{1B}[99;5u", [.key(.control("c"))]), ("\u{1B}[122;133u", [.key(.control("z"))]),
    ("\u{1B}[223;3u", [.key(Key(.text("ß"), .alt))]), ("\u{1B}[106:74;1:1u", [.key(.text("j"))]), ("\u{1B}[57441u", []),
    ("\u{1B}[200~a\rb\u{1B}[31m\u{1B}[201~", [.paste("a\rb\u{1B}[31m")]),
    // Answers of a terminal are not keys.
    ("\u{1B}[?1;2c", []), ("\u{1B}[>84;0;0c", []), ("\u{1B}P>|tmux 3.3a\u{1B}\\", []), ("\u{1B}]11;rgb:0000/0000/0000\u{7}", []),
    ("\u{1B}_Gi=31;OK\u{1B}\\", []), ("\u{1B}[24;80R", []), ("\u{1B}[?0u", []), ("\u{1B}[6;18;9t", []), ("\u{1B}[?2026;2$y", []),
    ("\u{1B}[24;80H", []), ("\u{1B}[2;1;3A", []), ("\u{1B}[?1;0;256S", []),
    // Reports of a mouse: a press, the wheel up and down. A release, a movement, another button and nonsense are ignored.
    ("\u{1B}[<0;85;23M", [.mouse(MouseEvent(.press, column: 84, row: 22))]),
    ("\u{1B}[<64;1;1M", [.mouse(MouseEvent(.wheelUp, column: 0, row: 0))]),
    ("\u{1B}[<65;1;2M", [.mouse(MouseEvent(.wheelDown, column: 0, row: 1))]), ("\u{1B}[<0;1;1m", []), ("\u{1B}[<32;1;1M", []),
    ("\u{1B}[<2;1;1M", []), ("\u{1B}[<0;0;1M", []), ("\u{1B}[<0;1M", []), ("\u{1B}[<0;1;999999999999999999999M", []),
    ("\u{1B}[<0;-1;1M", []), ("\u{1B}[M !!", []), ("\u{1B}[I", []), ("\u{1B}[O", []),
    // A broken sequence is skipped, and the following key is understood.
    ("\u{FFFD}", [.key(.text("\u{FFFD}"))]), ("\u{1B}[1;\u{3}", [.key(.control("c"))]), ("\u{1B}]0;x\u{3}", [.key(.control("c"))]),
    ("\u{1B}[200~never ended\u{3}", [.key(.control("c"))]), ("\u{1B}\u{1B}[A", [.key(Key(.escape)), .key(Key(.up))]),
  ]

  @Test("keys are distinguished from answers, in the sequences that terminals send", arguments: sequences)
  func sequence(bytes: String, expected: [TerminalInput]) {
    var parser = KeyParser()
    // The next key is understood after any sequence.
    #expect(parser.read(Array(bytes.utf8)) == expected)
    #expect(parser.read([0x71]) == [.key(.text("q"))])
  }

  @Test("broken UTF-8 between keys is skipped")
  func broken() {
    var parser = KeyParser()
    #expect(
      parser.read([0xC3, 0x28, 0xFF, 0x80, 0xE2, 0x82, 0x71, 0xF5, 0xC2, 0x9B, 0x41]) == [
        .key(.text("(")), .key(.text("q")), .key(.text("A")),
      ])
  }

  @Test("an escape alone is the key Esc once nothing follows, and not before")
  func escape() {
    var parser = KeyParser()
    #expect(parser.read([0x1B]).isEmpty && parser.isUndecided)
    #expect(parser.flush() == [.key(Key(.escape))] && !parser.isUndecided)
    #expect(parser.flush().isEmpty)
    #expect(parser.read(Array("\u{1B}[".utf8)).isEmpty && parser.isUndecided)
    #expect(parser.flush() == [.key(Key(.text("["), .alt))])
    // After half an answer the parser waits: the rest must not become keys.
    #expect(parser.read(Array("\u{1B}[?1;".utf8)).isEmpty && !parser.isUndecided && parser.flush().isEmpty)
    #expect(parser.read(Array("2c".utf8)).isEmpty)
  }

  @Test("keys are the same in any pieces of any bytes, and the keys after them are soon understood")
  func splits() {
    let dice = SeededDice(seed: 7)
    let pieces = Self.sequences.map { Array($0.0.utf8) }
    for _ in 0..<3_000 {
      var bytes: [UInt8] = []
      for _ in 0..<dice.index(below: 12) {
        switch dice.index(below: 3) {
        case 0: bytes += pieces[dice.index(below: pieces.count)]
        case 1: bytes.append(UInt8(dice.index(below: 256)))
        default: bytes += pieces[dice.index(below: pieces.count)].prefix(dice.index(below: 6))
        }
      }
      var whole = KeyParser()
      let expected = whole.read(bytes)
      var split = KeyParser()
      var events: [TerminalInput] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = 1 + dice.index(below: 4)
        events += split.read(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(events == expected)
      // After any bytes, Ctrl-C and q are soon understood.
      let last = split.read([0x03, 0x03, 0x03, 0x03, 0x71])
      #expect(last.contains(.key(.control("c"))) && last.last == .key(.text("q")), "\(bytes)")
    }
  }

  @Test("a paste of a megabyte and an answer without an end are read, and little of them is stored")
  func bounds() throws {
    var parser = KeyParser()
    let paste = Array("\u{1B}[200~".utf8) + Array(repeating: UInt8(ascii: "a"), count: 1 << 20) + Array("\u{1B}[201~".utf8)
    guard case .paste(let text)? = parser.read(paste).first else { throw Lost() }
    #expect(text.utf8.count == 4096)
    #expect(parser.read(Array("\u{1B}]52;".utf8) + Array(repeating: UInt8(ascii: "a"), count: 1 << 17)).count < 1 << 17)
    #expect(parser.read(Array("\u{3}q".utf8)).last == .key(.text("q")))
    // If the end of an answer was lost, keys are understood again after some bytes.
    _ = parser.read(Array("\u{1B}P".utf8) + Array(repeating: UInt8(ascii: "a"), count: 1 << 17))
    #expect(parser.read(Array("q".utf8)) == [.key(.text("q"))])
  }

  private struct Lost: Error {}
}
