import AggregatorCore
import Platform
import SourceTesting
import Testing

/// Sixty sessions of the browser with random keys, pastes, noise and sizes, over records that try to control the terminal.
@Suite("Hostile sessions of the browser", .timeLimit(.minutes(10))) struct HostileBrowseTests {
  private static let texts = [
    #"\u001b[2J\u001b[H\u001b]0;owned\u0007clears"#, #"\u0000nul\u0008\u0008\u0008"#, #"\u202eright to left\u202c"#, #"\u2066isolated"#,
    #"\u009b31mred\u009c"#, #"two\nlines\r\tand a tab"#, #"\ufffe\uffff\ufeff"#, #"\u001bP1;1q\u001b\\ after"#,
    #"\u001b[?1049l\u001b[?1000hmodes"#, #"\u001b]52;c;b3duZWQ=\u0007copies"#, "e" + String(repeating: "\u{301}", count: 400),
    String(repeating: "長", count: 80), #"\u001b[999;999H\u001b[6n"#, #"\u001b_Ga=T;AAAA\u001b\\picture"#, "=cmd|' /C calc'!A0",
    #"\u007f\u0085\u2028"#,
  ]

  /// Rows whose every text is hostile, and a store with them in which all sessions browse.
  private static let home = Result { () throws -> String in
    let home = try Folder.fresh()
    let rows = (0..<160).map { number in
      FakeRandomUser.row(
        "h\(number)@example.com", uuid: "h\(number)", first: texts[number % texts.count], last: texts[(number / 7) % texts.count])
    }
    try Folder.write(rows.joined(separator: "\n") + "\n", to: "\(home)/rows.ndjson")
    let outcome = try Binary.shell(#""$A" import users "$HOME/rows.ndjson" --quiet"#, environment: environment(home))
    #expect(outcome.code == 0, "\(outcome.errors)")
    return home
  }

  private static func environment(_ home: String) -> [String: String] {
    ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "D": home]
  }

  @Test("a session with random keys leaves a sound terminal, and no text of a record controls it", arguments: 0..<60)
  func session(seed: Int) throws {
    let (home, dice) = (try Self.home.get(), SeededDice(seed: UInt64(seed)))
    let folder = try Folder.fresh()
    func size() -> (Int, Int) { (1 + dice.index(below: 200), 1 + dice.index(below: 300)) }
    let (columns, rows) = seed == 0 ? (1, 1) : seed == 1 ? (200, 300) : size()
    let terminal = try Terminal(
      script: #"""
        cd "$D"; stty -g >before; "$A" browse users --offline; code=$?
        stty -g | cmp - before && echo "the terminal is as it was, $code"
        """#, columns: columns, environment: Self.environment(home) + ["D": folder])
    terminal.resize(to: columns, rows)
    // Before the browser has the terminal, that would echo what is typed.
    try terminal.waitFor("\u{1B}[?2026l")
    for _ in 0..<60 {
      if dice.index(below: 12) == 0 {
        let (columns, rows) = size()
        terminal.resize(to: columns, rows)
      } else {
        terminal.type((0...dice.index(below: 6)).map { _ in Self.input(dice) }.joined())
      }
      terminal.look(times: 20)
    }
    // Whatever was begun is ended: a paste, a sequence. Escape is sent as its number, because a key after a bare one would be another key.
    let isInterrupt = seed % 3 == 2
    terminal.type("\u{1B}[201~\u{1B}\\" + String(repeating: "\u{1B}[27u", count: 8) + (isInterrupt ? "\u{3}" : "q"))
    #expect(terminal.end() == 0, "seed \(seed): \(terminal.shown.suffix(300).debugDescription)")
    #expect(
      terminal.shown.hasSuffix("the terminal is as it was, \(isInterrupt ? 130 : 0)\r\n"),
      "seed \(seed): \(terminal.shown.suffix(300).debugDescription)")
    let trace = TerminalTrace(terminal.shown)
    #expect(trace.faults.isEmpty, "seed \(seed): \(trace.faults.prefix(3))")
    #expect(trace.leftOver.isEmpty, "seed \(seed): \(trace.leftOver)")
  }

  /// A key, a paste, or noise; nothing that ends or suspends the browser.
  private static func input(_ dice: SeededDice) -> String {
    let special = [
      "\r", "\t", "\u{7F}", "\u{1B}[27u", "\u{1B}[A", "\u{1B}[B", "\u{1B}[C", "\u{1B}[D", "\u{1B}[5~", "\u{1B}[6~", "\u{1B}[H", "\u{1B}[F",
      "\u{1B}[Z", "\u{15}", "\u{17}", "\u{F}", "\u{C}", "\u{1B}[200~paste \u{1B}]0;x\u{7}\r:sort name\u{1B}[201~", "\u{1B}[999;999;999~",
      "\u{1B}[<0;5;5M", "\u{1B}[<64;5;3M", "\u{1B}]11;rgb:00/00/00\u{7}", "é", "長", "\u{202E}",
    ]
    let lines = [
      ":where email~h1\r", ":sort -email\r", ":fields email,nat\r", ":fields\r", ":where nope=1\r", ":export out.csv\r", ":find ada\r",
      ":status\r", ":changes\r", ":source heroes\r", ":source users\r", ":\u{9}\u{9}\r", "/ada\r", "e\r", "Shero\r", "v \r", ":sync\r",
    ]
    switch dice.index(below: 10) {
    case 0...2: return special[dice.index(below: special.count)]
    case 3, 4: return lines[dice.index(below: lines.count)]
    default:
      let scalar = Unicode.Scalar(UInt8(0x20 + dice.index(below: 0x5F)))
      return "qQ".unicodeScalars.contains(scalar) ? "j" : String(Character(scalar))
    }
  }
}

/// The bytes that a program sent to a terminal. It says whether the browser sends such bytes by itself, and which modes they left set.
private struct TerminalTrace {
  /// Anything that the browser does not send by itself, so that it came from a record or from what was typed.
  private(set) var faults: [String] = []
  private var modes: [String: Bool] = [:]
  private var keyboards = 0

  init(_ text: String) {
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1B: readSequence(&rest)
      case 0x0A, 0x0D: break
      case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: faults.append("U+\(String(scalar.value, radix: 16))")
      default: break
      }
    }
  }

  /// The modes that are not as a program finds them.
  var leftOver: [String] {
    // The cursor and the wrapping of lines are on at first, everything else is off.
    let usual: [String: Bool] = ["?25": true, "?7": true]
    let modes = modes.filter { $0.value != usual[$0.key] ?? false }.map { "\($0.key) is \($0.value ? "set" : "reset")" }
    return modes.sorted() + (keyboards == 0 ? [] : ["\(keyboards) modes of the keyboard"])
  }

  private mutating func readSequence(_ rest: inout ArraySlice<Unicode.Scalar>) {
    switch rest.popFirst() {
    case "\\": break
    case "[":
      let parameters = rest.prefix { $0.value < 0x40 }
      rest = rest.dropFirst(parameters.count)
      let (text, final) = (String(String.UnicodeScalarView(parameters)), rest.popFirst())
      switch final {
      case "h", "l": for mode in text.split(separator: ";") { modes[String(mode)] = final == "h" }
      case "u": keyboards += text == ">1" ? 1 : text == "<" ? -1 : 1_000
      case "H", "K", "m": if text.contains(where: { !"0123456789;".contains($0) }) { faults.append("ESC [ \(text)") }
      case "J": if text != "2" { faults.append("ESC [ \(text) J") }
      default: faults.append("ESC [ \(text) \(final.map { "\($0)" } ?? "")")
      }
    case "]":
      // Only what a person copies.
      let payload = rest.prefix { $0.value != 0x1B && $0.value != 7 }
      rest = rest.dropFirst(payload.count)
      let text = String(String.UnicodeScalarView(payload))
      if !text.hasPrefix("52;c;") || rest.first?.value == 7 { faults.append("ESC ] \(text.prefix(40))") }
    case let other: faults.append("ESC \(other.map { "\($0)" } ?? "")")
    }
  }
}
