import AggregatorCore
import Store
import StoreTables
import Terminal

/// The names that may come next in a statement that is being typed.
struct StatementCompletion: Sendable {
  let tables: [QueryTable]

  /// Returns the ways to complete `typed`, the text before the cursor. `rest` is the text after it.
  func completion(of typed: String, before rest: String) -> LineCompletion {
    if typed.hasPrefix("\\") { return command(typed) }
    let before = StatementText(typed)
    guard let last = before.tokens.last, last.isOpen || last.kind == .word, last.range.upperBound == typed.utf8.count else {
      return names("", before, before.tokens[...], rest)
    }
    // In a text or a comment there is nothing to complete.
    guard last.kind == .word || last.kind == .name else { return LineCompletion(replacing: 0, with: []) }
    return names(before.text(of: last), before, before.tokens.dropLast(), rest)
  }

  private func command(_ typed: String) -> LineCompletion {
    let words = typed.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count > 1, let last = words.last else {
      return LineCompletion(replacing: typed.count, with: PromptCommand.names.filter { $0.hasPrefix(typed) }.map { .init($0) })
    }
    let names = words[0] == "\\d" ? tables.map(\.name) : words[0] == "\\f" ? PromptCommand.formats : []
    return LineCompletion(replacing: last.count, with: Self.matching(last, names.map { Name($0) }))
  }

  // MARK: Names in statements

  /// Completes `typed`, which follows the tokens `earlier`.
  private func names(
    _ typed: String, _ before: StatementText, _ earlier: ArraySlice<StatementText.Token>, _ rest: String
  ) -> LineCompletion {
    let earlier = earlier.filter { $0.kind != .comment }
    // Without what is typed: a quote that is open would hide the tables after it.
    let named = namedTables(in: StatementText(before.text(upTo: earlier.last) + " " + rest))
    if let dot = earlier.last, before.isSymbol(dot, "."),
      let qualifier = earlier.dropLast().last.flatMap({ before.name(of: $0) })
    {
      let columns = named.filter { $0.alias == qualifier.lowercased() || $0.table.name.lowercased() == qualifier.lowercased() }
      return LineCompletion(replacing: typed.count, with: Self.matching(typed, columns.flatMap { Self.columns(of: $0.table) }))
    }
    let previous = earlier.last.flatMap { $0.kind == .word ? before.text(of: $0).uppercased() : nil } ?? ""
    let tableNames = tables.map { Name(SQLWords.written($0.name) + ($0.takesText ? "(" : ""), of: $0.name) }
    if ["FROM", "JOIN"].contains(previous) {
      return LineCompletion(replacing: typed.count, with: Self.matching(typed, tableNames))
    }
    var names = named.flatMap { Self.columns(of: $0.table) }
    if !typed.hasPrefix("\"") {
      let isLower = typed.contains { $0.isLowercase } && !typed.contains { $0.isUppercase }
      names += SQLWords.keywords.map { Name(isLower ? $0.lowercased() : $0) }
      if !typed.isEmpty { names += SQLiteQueries.functions.map { Name($0 + "(", of: $0) } + tableNames }
    }
    return LineCompletion(replacing: typed.count, with: Self.matching(typed, names))
  }

  /// The tables that a statement names, each with the name that it has there.
  private func namedTables(in statement: StatementText) -> [(table: QueryTable, alias: String?)] {
    let tokens = statement.tokens.filter { $0.kind != .comment }
    return tokens.indices.compactMap { index in
      guard let name = statement.name(of: tokens[index])?.lowercased(),
        let table = tables.first(where: { $0.name.lowercased() == name })
      else { return nil }
      var rest = tokens[(index + 1)...]
      if table.takesText { rest = rest.drop { !statement.isSymbol($0, ")") }.dropFirst() }
      if let word = rest.first, statement.text(of: word).uppercased() == "AS" { rest = rest.dropFirst() }
      let alias = rest.first.flatMap { statement.name(of: $0) }
      return (table, alias.flatMap { SQLWords.keywords.contains($0.uppercased()) ? nil : $0.lowercased() })
    }
  }

  private static func columns(of table: QueryTable) -> [Name] {
    table.columns.map { Name(SQLWords.written($0.name), of: $0.name) }
  }

  /// A name as it is written in a statement, and as a person begins to type it.
  private struct Name {
    let written: String
    let plain: String

    init(_ written: String, of plain: String? = nil) { (self.written, self.plain) = (written, plain ?? written) }
  }

  /// Returns the names that begin with what is typed, in any case, in alphabetical order.
  private static func matching(_ typed: String, _ names: [Name]) -> [LineCompletion.Candidate] {
    let typed = typed.lowercased()
    let found = names.filter { $0.written.lowercased().hasPrefix(typed) || $0.plain.lowercased().hasPrefix(typed) }
    return Set(found.map(\.written)).sorted { ($0.lowercased(), $0) < ($1.lowercased(), $1) }.map {
      .init($0, isWord: !$0.hasSuffix("("))
    }
  }
}

/// The words of SQL.
enum SQLWords {
  /// The words that a statement that reads may have.
  static let keywords = [
    "ALL", "AND", "AS", "ASC", "BETWEEN", "BY", "CASE", "CAST", "COLLATE", "CROSS", "CURRENT_DATE", "CURRENT_TIMESTAMP", "DESC",
    "DISTINCT", "ELSE", "END", "ESCAPE", "EXCEPT", "EXISTS", "FILTER", "FROM", "FULL", "GLOB", "GROUP", "HAVING", "IN", "INNER",
    "INTERSECT", "IS", "ISNULL", "JOIN", "LEFT", "LIKE", "LIMIT", "NATURAL", "NOT", "NOTNULL", "NULL", "NULLS", "OFFSET", "ON",
    "OR",
    "ORDER", "OUTER", "OVER", "PARTITION", "RECURSIVE", "RIGHT", "ROWS", "SELECT", "THEN", "UNION", "USING", "VALUES", "WHEN",
    "WHERE",
    "WINDOW", "WITH",
  ]

  /// Returns a name as a statement has to write it: in quotes, unless it is a plain word.
  static func written(_ name: String) -> String {
    let isPlain =
      name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
      } && !(name.first?.isNumber ?? true)
    return isPlain && !keywords.contains(name.uppercased()) ? name : "\"\(name.replacingEach("\"", with: "\"\""))\""
  }
}
