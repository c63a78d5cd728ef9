import Platform
import Testing

@testable import AggregatorCore

/// Reads `text` as the file `/k/Main.xcconfig`, beside other files.
func config(_ text: String, beside others: ListedFiles = [:]) throws -> XCConfig {
  try XCConfig(FileContents(Array(text.utf8)), at: "/k/Main.xcconfig", reader: others)
}

@Suite struct XCConfigTests {
  @Test(
    "a line of a key file is read as Xcode reads it",
    arguments: [
      ("A = b", "b"), ("A=b", "b"), ("\t A\t=\tb c \t", "b c"), ("A = b;", "b"), ("A = b ; ", "b"), ("A = b;;", "b;"), ("A =", ""),
      ("A = ;", ""), ("A = // nothing", ""), ("A = b // c", "b"), ("A = b // c; // d", "b"), ("A = \"b c\"", "\"b c\""),
      ("A = 'b'", "'b'"), ("A = b=c", "b=c"), ("A = b / c", "b / c"), ("A = [b]", "[b]"), ("A = é", "é"), ("A = b\u{A0}", "b\u{A0}"),
      ("\u{FEFF}A = b", "b"), ("A = b\r\n", "b"), ("A = b\rB = c", "b"),
      ("// A = c\nA = b", "b"), ("A = b\nA = c", "c"), ("A = b\nA =", ""), ("\n\n  // x\n\u{0B}\u{0C}A = b", "b"),
      ("A = b \\ c", "b \\ c"), ("A = b\\$()", "b\\"), ("A = b \\\n c", nil), ("A = https:/$()/x/", "https://x/"),
      ("A // comment\n= b", nil), ("_a1 = b\nA = $(_a1)", "b"),
    ] as [(String, String?)])
  func lines(text: String, expected: String?) throws {
    #expect((try? config(text).value(of: "A")?.text.reveal()) == expected)
  }

  @Test(
    "references in a key file are followed",
    arguments: [
      ("A = $(B)\nB = 1", "1"), ("B = 1\nA = x${B}y\nB = 2", "x2y"), ("A = $(NONE)", ""), ("A = a$()b${}", "ab"),
      ("A = 1\nA = $(inherited)2", "12"), ("A = $(inherited)2", "2"), ("A = 1\nA = $(A)2\nA = ${A}3", "123"), ("A = x$(A)", "x"),
      ("B = 1\nB = $(inherited)2\nA = $(B)$(inherited)", "12"), ("A = $$", "$"), ("A = $$(B)\nB = 1", "$(B)"), ("A = 5$", "5$"),
      ("A = $ 5", "$ 5"), ("A = $5.", "$5."), ("A = (b) {c} [d] : e", "(b) {c} [d] : e"), ("B = x\nA = $(B)-$(B)", "x-x"),
    ])
  func references(text: String, expected: String) throws {
    #expect(try config(text).value(of: "A")?.text.reveal() == expected)
  }

  @Test(
    "the error for text that makes no sense names its file and line, and repeats none of it",
    arguments: [
      ("\nsk-hidden", 2, "has no ="), ("A sk-hidden", 1, "has no ="), ("A\n= 1", 1, "has no ="), ("1A = sk-hidden", 1, "KEY = value"),
      ("A-B = sk-hidden", 1, "has no ="), ("= sk-hidden", 1, "KEY = value"), ("é = sk-hidden", 1, "KEY = value"), ("\\", 1, "KEY = value"),
      ("# sk-hidden", 1, "#include"), ("#define A 1", 1, "#include"), ("#include", 1, "double quotes"), ("#include sk-hidden", 1, "quotes"),
      ("#include \"sk-hidden", 1, "double quotes"), ("#include \"a\" sk-hidden", 1, "double quotes"),
      ("#include \"\"", 1, "double quotes"), ("A[b=sk-hidden", 1, "closing ]"), ("A[b=c]", 1, "has no ="),
      ("A = sk-hidden \\\n b", 1, "cannot end with \\"), ("B = 1\n\nA = sk-hidden$(B", 3, "not closed"),
      ("A = sk-hidden${B)", 1, "not closed"), ("B = 1\r\nA = $(", 2, "not closed"),
    ]
      // The other parts of Xcode's language: defaults, operators, nesting, and further ways to write a reference.
      + [
        "$(B:default=sk-hidden)", "$(:default=sk-hidden)", "$(B:upper)", "$(sk-hidden B)", "$(A_$(B))", "${A_${B}}", "$B", "$sk_hidden",
        "$[B]",
      ].map { ("B = 1\nA = \($0)", 2, "is not $(NAME)") })
  func faults(text: String, line: Int, words: String) throws {
    let error = try #require(throws: SourceError.self) { try config(text).value(of: "A") }
    #expect(error.kind == .settings)
    #expect(error.message.hasPrefix("/k/Main.xcconfig:\(line): "))
    #expect(error.message.contains(words))
    #expect(!"\(error)".contains("sk-hidden"))
  }

  @Test("names that refer to one another in a circle are an error that shows the circle")
  func circle() throws {
    let error = try #require(throws: SourceError.self) { try config("A = $(B)\nB = $(C)\n\nC = $(A)").value(of: "A") }
    #expect(error.message.hasPrefix("/k/Main.xcconfig:4: "))
    #expect(error.message.hasSuffix("A → B → C → A"))
    #expect(throws: SourceError.self) { try config("A = 1\nB = $(A)\nA = $(B)2").value(of: "A") }
  }

  @Test("references are followed up to a limit of depth and number", arguments: [10, 1000])
  func bounds(count: Int) throws {
    let chain = (0..<count).map { "A\($0) = $(A\($0 + 1))" }.joined(separator: "\n")
    let doubling = (0..<count).map { "A\($0) = $(A\($0 + 1))$(A\($0 + 1))" }.joined(separator: "\n")
    let growing = "A0 = $(B)\n" + (0..<count).map { _ in "B = 12345678$(B)$(B)" }.joined(separator: "\n")
    for text in [chain, doubling, growing] {
      if count == 10 {
        #expect(throws: Never.self) { try config(text).value(of: "A0") }
      } else {
        #expect(throws: SourceError.self) { try config(text).value(of: "A0") }
      }
    }
  }

  @Test("a tree of references that doubles at each of sixty levels ends in an error at once")
  func blowUp() throws {
    let text = (0..<60).map { "A\($0) = $(A\($0 + 1))$(A\($0 + 1))" }.joined(separator: "\n")
    let error = try #require(throws: SourceError.self) { try config(text).value(of: "A0") }
    #expect(error.message.contains("expand too far"))
  }

  @Test("bytes of a key file that are not UTF-8 are an error")
  func encoding() throws {
    let error = try #require(throws: SourceError.self) {
      try XCConfig(FileContents([0x41, 0x3D, 0xFF]), at: "/k/x", reader: [:] as ListedFiles)
    }
    #expect(error.message.contains("UTF-8"))
  }

  @Test(
    "a warning names a value that was cut at //, and shows the spelling that is not cut",
    arguments: [("A = https://x.org/api", "https:/$()/"), ("B = 1\nA = \"http://x", "http:/$()/"), ("A = HTTPS: // x", "https:/$()/")])
  func cutAddress(text: String, spelling: String) throws {
    let warnings = try config(text).warnings
    try #require(warnings.count == 1)
    #expect(warnings[0].hasPrefix("/k/Main.xcconfig:\(text.hasPrefix("B") ? 2 : 1): "))
    #expect(warnings[0].contains(spelling))
  }

  @Test("an address in the right spelling gives no warning")
  func wholeAddress() throws { #expect(try config("A = https:/$()/x.org // http://y").warnings == []) }

  @Test("a warning says that a condition does not apply, and the value is left alone")
  func conditions() throws {
    let config = try config("A = 1\nA[sdk=macosx*] [arch=x] = sk-hidden\nB[config=Debug] = 2")
    #expect(try config.value(of: "A")?.text.reveal() == "1")
    #expect(try config.value(of: "B") == nil)
    #expect(
      config.warnings.map { $0.prefix(41) } == ["/k/Main.xcconfig:2: A[sdk=macosx*] [arch=", "/k/Main.xcconfig:3: B[config=Debug] does "])
    #expect(!config.warnings.joined().contains("sk-hidden"))
  }

  @Test("a key file never prints a value")
  func redaction() throws {
    let config = try config("A = sk-hidden\nB = x$(A)")
    var dumped = ""
    dump(config, to: &dumped)
    dump(try config.value(of: "B"), to: &dumped)
    #expect(!(dumped + "\(config)" + String(reflecting: config)).contains("hidden"))
  }
}

/// Files that a test lists, so that a test needs no system that behaves oddly.
struct ListedFiles: FileReading, ExpressibleByDictionaryLiteral {
  var files: [String: Result<FileContents, FileProblem>]

  init(dictionaryLiteral elements: (String, String)...) {
    files = Dictionary(uniqueKeysWithValues: elements.map { ($0, .success(FileContents(Array($1.utf8)))) })
  }

  subscript(path: String) -> Result<FileContents, FileProblem>? {
    get { files[path] }
    set { files[path] = newValue }
  }

  func read(_ path: String, upTo limit: Int) throws(FileProblem) -> FileContents {
    guard let file = files[path] else { throw .missing }
    return try file.get()
  }
}

@Suite struct XCConfigFuzzTests {
  private static let seeds = [
    "A = $(B)x\nB = https:/$()/x; // y", "#include \"B\"\nA[x=y] = 1 \n", "A = $(A)${inherited}$(B)$$\r\nA = \"$$\"",
    "\u{FEFF}#include? \"A\"\nB = $(A_)\nC = é",
  ].map { Array($0.utf8) }

  /// Bytes with a meaning.
  private static let alphabet = Array("$(){}[]:=/\\\"#;AB \n\r\t\0".utf8) + [0xFF, 0xE2, 0x80, 0xEF]

  @Test("no bytes make the reader of key files crash, hang, or return anything but text")
  func mutations() {
    let dice = SeededDice(seed: 7)
    let files: ListedFiles = ["/k/A": "A = $(B)\n#include \"/k/B\"", "/k/B": "B = $(inherited)$(A)"]
    var read = 0
    for round in 0..<20_000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      for _ in 0...dice.index(below: 4) {
        let byte = Self.alphabet[dice.index(below: Self.alphabet.count)]
        let index = dice.index(below: bytes.count)
        switch dice.index(below: 4) {
        case 0: bytes[index] = byte
        case 1: bytes.insert(byte, at: index)
        case 2 where bytes.count > 1: bytes.remove(at: index)
        default: bytes.insert(contentsOf: bytes[index..<min(bytes.count, index + 8)], at: dice.index(below: bytes.count))
        }
      }
      guard let config = try? XCConfig(FileContents(bytes), at: "/k/Main", reader: files) else { continue }
      for name in config.assignments.keys.sorted() where (try? config.value(of: name)) != nil { read += 1 }
    }
    // Most nearly correct texts must still be read, or the loop only tests refusals.
    #expect(read > 5_000)
  }

  @Test("every readable key file can be changed, and then has the new value")
  func edits() throws {
    let dice = SeededDice(seed: 8)
    for round in 0..<1_000 {
      var bytes = Self.seeds[round % Self.seeds.count]
      bytes.insert(Self.alphabet[dice.index(below: Self.alphabet.count)], at: dice.index(below: bytes.count))
      let files: ListedFiles = ["/k/A": "", "/k/B": "A = 0"]
      guard (try? XCConfig(FileContents(bytes), at: "/k/Main", reader: files)) != nil else { continue }
      let value = (0..<dice.index(below: 6)).map { _ in "$()/;\\ A:".randomElement(from: dice) }.joined()
      let edited = try XCConfigEdit.setting("A", to: Secret(value), in: bytes, at: "/k/Main", reader: files)
      let config = try XCConfig(FileContents(edited), at: "/k/Main", reader: files)
      #expect(try config.value(of: "A")?.text.reveal() == value, "\(bytes)")
    }
  }
}

extension String {
  fileprivate func randomElement(from dice: SeededDice) -> String { String(Array(self)[dice.index(below: count)]) }
}
