import AggregatorCore
import StoreTables
import Terminal
import Testing

@testable import AggregatorCommand

/// The names that Tab offers at the prompt. A bar marks the cursor.
@Suite("Completion of statements") struct StatementCompletionTests {
  private static func table(_ name: String, _ columns: String..., text takesText: Bool = false) -> QueryTable {
    let columns = columns.map { QueryTable.Column($0, at: .path(FieldPath([$0])), .text) }
    return QueryTable(name, of: ["ports"], columns, takesText: takesText, count: 0) { _ in .init([], next: nil) }
  }

  private let completion = StatementCompletion(tables: [
    table("ports", "id", "name", "name.first", "order"), table("ports_search", "id", "place", text: true), table("tea-shops", "owner"),
  ])

  private func offered(_ text: String) -> (typed: Int, candidates: [String]) {
    let parts = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    let found = completion.completion(of: parts[0], before: parts[1])
    return (found.typed, found.candidates.map(\.text))
  }

  private static let texts: [(String, Int, [String])] = [
    ("sel|", 3, ["select"]), ("SEL|", 3, ["SELECT"]), ("Wh|", 2, ["WHEN", "WHERE"]),
    ("SELECT * FROM |", 0, ["\"tea-shops\"", "ports", "ports_search("]), ("SELECT * FROM p|", 1, ["ports", "ports_search("]),
    ("SELECT * FROM ports JOIN te|", 2, ["\"tea-shops\""]), ("SELECT * FROM ports JOIN \"te|", 3, ["\"tea-shops\""]),
    // Columns of the tables that the statement names, before or after the cursor.
    ("SELECT na| FROM ports", 2, ["\"name.first\"", "name", "natural"]), ("SELECT own| FROM \"tea-shops\"", 3, ["owner"]),
    ("SELECT own| FROM ports", 3, []), ("SELECT \"na| FROM ports", 3, ["\"name.first\""]),
    ("SELECT \"or| FROM ports", 3, ["\"order\""]),
    ("SELECT own| FROM 'tea-shops'", 3, []), ("SELECT own| /* \"tea-shops\" */", 3, []),
    // Those of one table after its name or its other name.
    ("SELECT p.| FROM ports p JOIN \"tea-shops\" AS t", 0, ["\"name.first\"", "\"order\"", "id", "name"]),
    ("SELECT t.o| FROM ports p JOIN \"tea-shops\" AS t", 1, ["owner"]), ("SELECT ports.i| FROM ports", 1, ["id"]),
    ("SELECT s.pl| FROM ports_search('x, (y') s", 2, ["place"]), ("SELECT x.| FROM ports p", 0, []),
    ("SELECT medi|", 4, ["median("]), ("SELECT PERC|", 4, ["percentile("]),
    // Nothing in a text or a comment, and of other statements nothing either.
    ("SELECT 'sel|", 0, []), ("-- sel|", 0, []), ("/* sel|", 0, []),
    ("\\|", 1, ["\\?", "\\d", "\\f", "\\q"]), ("\\d te|", 2, ["tea-shops"]), ("\\f js|", 2, ["json"]), ("\\q x|", 1, []),
  ]

  @Test("Tab offers what may stand there", arguments: texts)
  func offers(text: String, typed: Int, candidates: [String]) {
    let offered = offered(text)
    #expect(offered.typed == typed && offered.candidates == candidates)
  }

  @Test("an empty statement offers words of SQL, and no functions")
  func empty() {
    #expect(offered("|").candidates.contains("SELECT") && !offered("|").candidates.contains("median("))
  }

  @Test("only a function or a search is followed by no space")
  func words() {
    let found = completion.completion(of: "SELECT * FROM p", before: "").candidates
    #expect(found == [.init("ports"), .init("ports_search(", isWord: false)])
  }
}
