import Testing

@testable import AggregatorCommand

/// A text that is typed at the prompt, as statements.
@Suite("Statements in a text") struct StatementTextTests {
  private static let texts: [(String, [String], String?)] = [
    ("", [], nil), ("  \n ", [], nil), (";;", [], nil), ("SELECT 1", [], "SELECT 1"), ("SELECT 1;", ["SELECT 1;"], nil),
    ("SELECT 1;\n SELECT\n2 ; rest ", ["SELECT 1;", "SELECT\n2 ;"], "rest"),
    // A semicolon in a text, a name or a comment ends nothing.
    ("SELECT ';'", [], "SELECT ';'"), ("SELECT ';", [], "SELECT ';"), ("SELECT 'it''s;';", ["SELECT 'it''s;';"], nil),
    ("SELECT \"a;\"\";b\";", ["SELECT \"a;\"\";b\";"], nil), ("SELECT [a;b], `c;d`;", ["SELECT [a;b], `c;d`;"], nil),
    ("SELECT 1 -- not yet;", [], "SELECT 1 -- not yet;"), ("SELECT 1 -- no;\n;", ["SELECT 1 -- no;\n;"], nil),
    ("SELECT /* ; */ 1;", ["SELECT /* ; */ 1;"], nil), ("SELECT 1 - -1;", ["SELECT 1 - -1;"], nil),
    // A comment alone is not a statement. An open one may continue.
    ("-- only this", [], nil), ("SELECT 1; -- done", ["SELECT 1;"], nil), ("/* a;", [], "/* a;"), ("/* a */", [], nil), ("/*", [], "/*"),
    ("SELECT '東;京';é", ["SELECT '東;京';"], "é"),
  ]

  @Test("a semicolon ends a statement", arguments: texts)
  func parts(text: String, statements: [String], rest: String?) {
    let parts = StatementText(text).parts
    #expect(parts.statements == statements && parts.rest == rest)
  }

  @Test("a name in quotes is read without them")
  func names() {
    let text = StatementText("a \"b\"\"c\" [d] `e` \"open 'x' 1")
    #expect(text.tokens.map { text.name(of: $0) } == ["a", "b\"c", "d", "e", "open 'x' 1"])
  }

  private static let commands: [(String, PromptCommand?)] = [
    ("\\q", .quit), (" .quit ", .quit), ("exit", .quit), ("QUIT;", .quit), ("exit now", nil), ("help", .help), ("\\?", .help),
    ("\\d", .describe(nil)), ("\\d countries;", .describe("countries")), (".schema x", .describe("x")), ("\\f", .format(nil)),
    ("\\f json", .format("json")), ("\\f json son", .format("json son")), ("\\x", .unknown("\\x")), (".import a b", .unknown(".import")),
    ("SELECT 1", nil), ("", nil), (".5 + 1", .unknown(".5")), ("help\nme", nil),
  ]

  @Test("some lines are obeyed by the prompt itself", arguments: commands)
  func command(line: String, expected: PromptCommand?) { #expect(PromptCommand(line) == expected) }

  @Test(
    "Enter ends such a line, a statement with its semicolon, and a line without text", arguments: ["\\d x", "exit", "SELECT 1;", "", " "])
  func whole(text: String) {
    #expect(PromptCommand.isWhole(text))
    #expect(!PromptCommand.isWhole("SELECT\n" + (text.hasSuffix(";") ? "1" : text)))
  }
}
