import Testing

@testable import Terminal

/// Keys go in; the text with a bar at the cursor comes out.
@Suite("An edited line") struct LineEditorTests {
  /// Types keys as a terminal sends them, and returns the editor.
  static func typed(_ bytes: String, into editor: LineEditor = LineEditor(prompt: "> ", continuation: ". ")) -> LineEditor {
    var (editor, parser) = (editor, KeyParser())
    for input in parser.read(Array(bytes.utf8)) + parser.flush() { _ = editor.take(input) }
    return editor
  }

  static func shown(_ editor: LineEditor) -> String { editor.textBeforeCursor + "|" + editor.textAfterCursor }

  private static let edits: [(String, String)] = [
    ("abc", "abc|"), ("abc\u{1B}[D", "ab|c"), ("abc\u{1B}[D\u{1B}[Dx", "ax|bc"), ("abc\u{1}x", "x|abc"), ("abc\u{1}\u{5}x", "abcx|"),
    ("abc\u{1B}[Hx\u{1B}[Fy", "xabcy|"), ("ab\u{2}\u{2}\u{6}x", "ax|b"), ("abc\u{7F}", "ab|"), ("a\u{7F}\u{7F}", "|"),
    ("abc\u{1B}[D\u{1B}[3~", "ab|"), ("abc\u{1}\u{4}", "|bc"), ("abc\u{4}", "abc|"),
    // Words.
    ("one two\u{1B}b", "one |two"), ("one two\u{1B}b\u{1B}b\u{1B}f", "one| two"), ("one two\u{1B}[1;5D", "one |two"),
    ("a.b c\u{17}", "a.b |"), ("a.b\u{1B}\u{7F}", "a.|"), ("one two\u{1}\u{1B}d", "| two"), ("one  \u{17}", "|"),
    // Parts that are deleted one after the other come back as one.
    ("one two\u{17}\u{17}\u{19}", "one two|"), ("one two\u{1B}b\u{B}\u{1}\u{19}", "two|one "), ("one two\u{1B}b\u{15}", "|two"),
    ("one two\u{17}\u{1B}[D\u{17}\u{19}", "one| "), ("one two\u{1}\u{1B}d\u{1B}d\u{19}\u{19}", "one twoone two|"),
    ("abc\u{14}", "acb|"), ("abc\u{1B}[D\u{1B}[D\u{14}", "ba|c"), ("a\u{14}", "a|"), ("\u{14}", "|"),
    // A combining mark joins the letter before the cursor, and is deleted with it.
    ("ae\u{301}b\u{1B}[D\u{7F}", "a|b"), ("東京\u{1B}[D\u{7F}", "|京"), ("👩\u{200D}👩\u{1B}[Dx", "x|👩\u{200D}👩"),
    // What has no meaning changes nothing.
    ("ab\u{1C}\u{7}\u{1B}[5~\u{1B}OP", "ab|"),
    // Line breaks of a paste belong to the text; what a terminal would obey does not.
    ("\u{1B}[200~a\r\nb\tc\u{1B}[31m\u{202E}\u{9B}d\u{1B}[201~", "a\nb\tc[31md|"),
    // Lines of a text: up and down keep the column, Home and End belong to a line.
    ("\u{1B}[200~abc\nd\nefg\u{1B}[201~\u{1B}[A", "abc\nd|\nefg"),
    ("\u{1B}[200~abc\nd\nefg\u{1B}[201~\u{1B}[A\u{1B}[A\u{1B}[B", "abc\nd|\nefg"),
    ("\u{1B}[200~abc\ndef\u{1B}[201~\u{1}", "abc\n|def"), ("\u{1B}[200~abc\ndef\u{1B}[201~\u{1}\u{15}", "abc|def"),
    ("\u{1B}[200~abc\ndef\u{1B}[201~\u{1B}[A\u{B}", "abc|def"),
  ]

  @Test("keys move and change the text as in readline", arguments: edits)
  func edit(bytes: String, expected: String) { #expect(Self.shown(Self.typed(bytes)) == expected) }

  @Test("some keys ask for something else")
  func actions() {
    var editor = LineEditor(prompt: "> ", continuation: ". ") { $0.hasSuffix(";") }
    #expect(editor.take(.key(.control("d"))) == .end)
    #expect(editor.take(.key(.text("a"))) == nil)
    #expect(editor.take(.key(.control("d"))) == nil)
    #expect(editor.take(.key(.control("c"))) == .cancel && editor.take(.notice(.interrupted)) == .cancel)
    #expect(editor.take(.key(.control("l"))) == .clear && editor.take(.key(.control("z"))) == .suspend)
    #expect(editor.take(.key(Key(.tab))) == .complete)
    // Enter ends only a whole text.
    #expect(editor.take(.key(Key(.enter))) == nil && editor.text == "a\n")
    #expect(editor.take(.paste("b;")) == nil)
    _ = editor.take(.key(Key(.left)))
    #expect(editor.take(.key(Key(.enter))) == .enter && editor.cursor == 4)
    #expect(editor.takeText() == "a\nb;" && editor.text.isEmpty && editor.cursor == 0)
  }

  private func remembering(_ texts: String...) -> LineEditor {
    var editor = LineEditor(prompt: "> ", continuation: ". ")
    for text in texts { editor.remember(text) }
    return editor
  }

  private static let recalls: [(String, String)] = [
    ("\u{1B}[A", "third\nline|"), ("\u{1B}[A\u{1B}[A", "second|"), ("\u{10}\u{10}\u{10}", "first|"),
    ("\u{1B}[A\u{1B}[A\u{1B}[A\u{1B}[A", "first|"),
    // The unfinished line waits behind the last one, and an edited one stays edited.
    ("new\u{1B}[A\u{1B}[B", "new|"), ("new\u{1B}[A\u{1B}[A\u{E}\u{E}", "new|"), ("\u{1B}[A\u{1B}[A!\u{1B}[A\u{1B}[B", "second!|"),
    ("\u{1B}[B", "|"),
    // In a text of several lines, a moved cursor moves on in it.
    ("\u{1B}[A\u{1B}[D\u{1B}[A", "thi|rd\nline"),
    // Ctrl-R goes back, and on with another Ctrl-R; Ctrl-G restores, Esc and other keys keep what was found.
    ("x\u{12}SEC", "second|"), ("x\u{12}i", "third\nline|"), ("x\u{12}i\u{12}", "first|"), ("x\u{12}i\u{12}\u{12}", "first|"),
    ("xy\u{1B}[D\u{12}i\u{7}", "x|y"), ("x\u{12}sec\u{1}", "|second"), ("x\u{12}sec\u{1B}", "second|"), ("x\u{12}ix\u{7F}", "third\nline|"),
    ("x\u{12}second place", "second|"), ("x\u{12}sec\u{1B}[A", "first|"),
  ]

  @Test("texts that were entered come back", arguments: recalls)
  func recall(bytes: String, expected: String) {
    #expect(Self.shown(Self.typed(bytes, into: remembering("first", "second", "third\nline"))) == expected)
  }

  @Test("after the text is entered the history begins at its end, with the texts as they were")
  func entered() {
    var editor = Self.typed("\u{1B}[A\u{1B}[A!", into: remembering("first", "second"))
    #expect(editor.takeText() == "first!")
    #expect(Self.shown(Self.typed("\u{1B}[A\u{1B}[A", into: editor)) == "first|")
    #expect(editor.take(.key(Key(.down))) == .ring)
  }

  @Test("a text from outside that is remembered loses what a terminal would obey")
  func cleaned() { #expect(Self.typed("\u{1B}[A", into: remembering("a\u{1B}[2Jb\u{9B}c")).text == "a[2Jbc") }

  private func completed(_ text: String, _ typed: Int, _ candidates: String..., times: Int = 1) -> (String, LineEditor.Action?) {
    var (editor, action) = (Self.typed(text), LineEditor.Action?.none)
    for _ in 0..<times {
      #expect(editor.take(.key(Key(.tab))) == .complete)
      let count = editor.textBeforeCursor.count - (text.count - typed)
      action = editor.complete(
        with: LineCompletion(replacing: count, with: candidates.map { .init($0, isWord: !$0.hasSuffix("(")) }))
    }
    return (Self.shown(editor), action)
  }

  @Test("Tab completes as far as the candidates agree; a second Tab shows them")
  func completion() {
    #expect(completed("sel", 3, "SELECT") == ("SELECT |", nil))
    #expect(completed("cou", 3, "count(") == ("count(|", nil))
    #expect(completed("from c", 1, "countries", "countries_all") == ("from countries|", .ring))
    #expect(completed("from c", 1, "countries", "countries_all", times: 2) == ("from countries|", .list(["countries", "countries_all"])))
    #expect(completed("x", 1) == ("x|", .ring))
    // Nothing that was typed is lost where the candidates have nothing in common.
    #expect(completed("na", 2, "\"name.first\"", "nationality") == ("na|", .ring))
    #expect(completed("na", 2, "\"name.first\"", "\"name.last\"") == ("\"name.|", .ring))
  }

  @Test("another key between two Tabs does not show candidates, and of many only some are shown")
  func listing() {
    var editor = Self.typed("c")
    let many = LineCompletion(replacing: 1, with: (0..<300).map { .init("c\($0)") })
    for (key, expected) in [(Key(.tab), LineEditor.Action.ring), (Key(.end), nil), (Key(.tab), .ring)] {
      if editor.take(.key(key)) == .complete { #expect(editor.complete(with: many) == expected) }
    }
    _ = editor.take(.key(Key(.tab)))
    guard case .list(let names) = editor.complete(with: many) else { return #expect(Bool(false)) }
    #expect(names.count == 201 && names.last == "(and 100 more)")
  }
}
