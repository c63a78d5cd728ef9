import AggregatorCore
import Asking
import RecordFormats
import Store
import StoreTables
import Terminal

/// `sql ['SELECT …']`: one statement over what is stored, or a prompt for several.
enum SQLCommand {
  static let tables = Option("tables", "list the tables and their columns")

  static let command = Command(
    ["sql"], .any(.free("STATEMENT")),
    options: [tables, .of(.asOf)] + [.format, .header, .bom, .noPager] + [.require, .timeout, .store],
    "answer a statement of SQL from what is stored; it reads, and changes nothing; without a statement, a prompt on a terminal",
    examples: [
      "sql --tables", "sql \"SELECT count(*) FROM changes WHERE change = 'gone'\"",
      "sql \"SELECT * FROM changes LIMIT 5\" --format json",
    ]
  ) { invocation in
    if invocation.has(tables) { return try await printTables(invocation) }
    guard invocation.arguments.isEmpty else {
      return try await run(invocation.arguments.joined(separator: " "), invocation)
    }
    if StatementPrompt.isWanted(by: invocation) {
      var prompt = try StatementPrompt(invocation)
      return try await prompt.run()
    }
    let console = invocation.program.console
    let text = try String(decoding: console.readText(upTo: 1_000_000), as: UTF8.self)
    guard !text.trimmingSpaces.isEmpty else { throw UsageError("sql needs a statement, such as 'SELECT * FROM countries'") }
    return try await run(text, invocation)
  }

  /// Runs a statement, and prints its rows and which lists it read. The world is that of the line, unless it is given.
  static func run(_ text: String, _ invocation: Invocation, in world: World? = nil) async throws -> ExitCode {
    let program = invocation.program
    var statement = Statement(text)
    (statement.asOf, statement.requirements) = try invocation.reading { words throws(AskError) in
      (
        try Ask.Parameter.asOf.meanings(in: words) { text throws(SourceError) in [try Moment(past: text, at: program.clock.now)]
        }.last,
        try Ask.Parameter.require.meanings(in: words) { text throws(SourceError) in try Requirement.all(in: text) }
      )
    }
    statement.deadline = try invocation.timeout().map { program.clock.now + min($0, Deadline.left ?? $0) }
    do {
      // SQLite counts its memory only if that is asked for before its first use.
      let engine = SQLiteQueries()
      var answer = try await program.catalogue.answer(to: statement, in: world ?? invocation.world(), by: engine)
      try await invocation.print(&answer, to: statement)
      return invocation.conclude(answer)
    } catch let mistake as QueryMistake {
      if mistake.isOfValues { throw SourceError(.incomparable, mistake.message) }
      for omission in mistake.omissions { invocation.tell(omission) }
      throw UsageError(mistake, in: text, width: program.console.errorWidth)
    }
  }

  private static func printTables(_ invocation: Invocation) async throws -> ExitCode {
    try printColumns(of: try await invocation.program.catalogue.statementTables(in: invocation.world()), invocation)
    return .success
  }

  /// Prints the columns of tables.
  static func printColumns(of tables: [QueryTable], _ invocation: Invocation) throws {
    try invocation.printRows(tables.flatMap { table in table.columns.map { TableColumn(table: table, column: $0) } })
  }
}

/// A column of a table, as `sql --tables` lists it.
private struct TableColumn: Fielded, Sendable {
  let table: QueryTable
  let column: QueryTable.Column

  static let fields = [
    Field<TableColumn>("table", .title, width: .whole) { $0.table.takesText ? "\($0.table.name)('TEXT')" : $0.table.name },
    Field<TableColumn>("column", width: .whole) { $0.column.name },
    Field<TableColumn>("type") { $0.column.kind.sqlType.isEmpty ? "ANY" : $0.column.kind.sqlType },
  ]
}

extension Invocation {
  /// Prints the rows of a statement as they come.
  fileprivate func print(_ answer: inout StatementAnswer, to statement: Statement) async throws {
    let fields = answer.columns.indices.map { index in
      Field<ResultRow>(FieldOutline(answer.columns[index], leaves: .text)) { $0.values[index] }
    }
    let envelope = Envelope(statement: statement.text, reading: answer.lists)
    var renderer = try rows(named: fields.map { $0.outline }, in: envelope)
    // Nothing is printed of a statement that fails before its first row.
    var next = try await answer.nextRows()
    try renderer.begin(answer.summary.origin)
    while let rows = next {
      try renderer.print(shown(rows.map { ResultRow(values: $0) }, of: fields))
      try program.console.flush()
      next = try await answer.nextRows()
    }
    if case .partial = answer.summary.verdict { program.console.markPartial() }
    renderer.remark(answer.notices.map { $0.text(of: "", at: program.clock.now) })
    try renderer.end(answer.summary)
    try tell(shortage: renderer.shortage)
  }

  /// Prints which lists a statement read, and what they lack. Returns the exit code.
  fileprivate func conclude(_ answer: StatementAnswer) -> ExitCode {
    try? program.console.flush()
    for notice in answer.notices { say(notice.text(of: "", at: program.clock.now)) }
    if !answer.unmet.isEmpty { program.console.markPartial() }
    for shortfall in answer.unmet { tell("\(shortfall) (--require)") }
    if case .partial = answer.summary.verdict { return .partial }
    return answer.unmet.isEmpty ? .success : .partial
  }
}

private struct ResultRow: Sendable {
  let values: [Value]
}

extension UsageError {
  /// The error for a mistake in a statement: the line of it, with a mark below the place. A line that is wider than `width` is cut.
  init(_ mistake: QueryMistake, in statement: String, width: Int? = nil) {
    let place = mistake.offset.map { Self.place($0, in: statement, width: width ?? .max) }
    self.init(mistake.message, choices: place ?? [], suggestion: mistake.nearest, topic: "sql")
  }

  private static func place(_ offset: Int, in statement: String, width: Int) -> [String] {
    let bytes = Array(statement.utf8)
    let place = max(0, min(offset, bytes.count))
    let start = bytes[..<place].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    var before = Printable.clean(String(decoding: bytes[start..<place], as: UTF8.self))
    let after = Printable.clean(String(decoding: bytes[place..<end], as: UTF8.self))
    // What follows the place has a third of the line, and what precedes it the rest.
    if DisplayWidth.of(before) + DisplayWidth.of(after) > width {
      let room = max(1, width - min(DisplayWidth.of(after), width / 3))
      if DisplayWidth.of(before) > room {
        while !before.isEmpty, DisplayWidth.of(before) >= room { before.removeFirst() }
        before = "…" + before
      }
    }
    return [DisplayWidth.truncate(before + after, to: width), String(repeating: " ", count: DisplayWidth.of(before)) + "^"]
  }
}
