import AggregatorCore
import Asking
import Platform
import RecordFormats
import StoreTables
import Terminal

/// The prompt of `sql` on a terminal: statements are typed, and answered one after the other.
struct StatementPrompt {
  private var invocation: Invocation
  private let world: World
  private let history: StatementHistory
  private var editor = LineEditor(prompt: "sql> ", continuation: "...> ", isWhole: PromptCommand.isWhole)
  private var terminal: LineTerminal
  /// The tables whose names are completed, read at the first Tab. What sources declare does not change meanwhile.
  private var tables: [QueryTable]?
  private var last = ""

  /// True when a line is `sql` without a statement, typed at a terminal that can show a prompt.
  static func isWanted(by invocation: Invocation) -> Bool {
    let (program, console) = (invocation.program, invocation.program.console)
    guard invocation.command.words == SQLCommand.command.words, invocation.arguments.isEmpty, !invocation.has(SQLCommand.tables)
    else {
      return false
    }
    return console.isInputTerminal && console.isOutputTerminal && !["", "dumb"].contains(program.environment["TERM"] ?? "")
  }

  init(_ invocation: Invocation) throws {
    self.invocation = invocation
    let program = invocation.program
    world = try invocation.world()
    history = StatementHistory(in: program.folders.state)
    terminal = LineTerminal(on: TerminalSize(columns: program.console.width(program.environment), rows: 24)) {
      Interruption.forget()
    }
    for statement in history.read() { editor.remember(statement) }
  }

  mutating func run() async throws -> ExitCode {
    Interruption.restoreTerminalOnCrash()
    Interruption.liveOn()
    // A file in which SQLite sorts may get too long. That is an error of one statement.
    signal(SIGXFSZ, SIG_IGN)
    invocation.say("a statement ends with ; (\\? shows help, \\q leaves)")
    var action: LineEditor.Action?
    while true {
      try console.flush()
      switch terminal.edit(&editor, performing: action) {
      case .completing:
        action = editor.complete(with: await completion())
        continue
      case .entered: if try await take(editor.takeText()) { return .success }
      case .cancelled: if editor.takeText().isEmpty { invocation.say("type \\q or press Ctrl-D to leave") }
      case .ended: return .success
      case .lost: return .hungUp
      }
      action = nil
    }
  }

  private var console: Console { invocation.program.console }

  private mutating func completion() async -> LineCompletion {
    if tables == nil { tables = try? await invocation.program.catalogue.statementTables(in: world) }
    return StatementCompletion(tables: tables ?? []).completion(of: editor.textBeforeCursor, before: editor.textAfterCursor)
  }

  /// Obeys or answers a text that was entered. Returns true if it ends the prompt.
  private mutating func take(_ text: String) async throws -> Bool {
    remember(text)
    guard let command = PromptCommand(text) else {
      for statement in StatementText(text).parts.statements {
        guard try await answers({ [invocation, world] in _ = try await SQLCommand.run(statement, invocation, in: world) })
        else { break }
      }
      return false
    }
    switch command {
    case .quit: return true
    case .help: try console.write(PromptCommand.explanation.map { $0 + "\n" }.joined())
    case .describe(let name):
      _ = try await answers { [invocation, world] in try await Self.describe(name, invocation, in: world) }
    case .format(let name): choose(format: name)
    case .unknown(let name): invocation.tell("unknown command \"\(name)\"; \\? lists the commands")
    }
    return false
  }

  /// Keeps a text, unless it is the one before again.
  private mutating func remember(_ text: String) {
    guard StatementHistory.keeps(text), text != last else { return }
    last = text
    editor.remember(text)
    do { try history.add(text) } catch { invocation.say("this statement is not kept: \(error)") }
  }

  private mutating func choose(format name: String?) {
    if let name, !PromptCommand.formats.contains(name) {
      return invocation.tell("unknown format \"\(name)\"; choose one of \(PromptCommand.formats.joined(separator: ", "))")
    }
    invocation.values[Option.format.name] = name.map { [$0] }
  }

  private static func describe(_ name: String?, _ invocation: Invocation, in world: World) async throws {
    let tables = try await invocation.program.catalogue.statementTables(in: world)
    guard let name else { return try invocation.printRows(tables.map { TableSummary(table: $0) }) }
    if let table = tables.first(where: { $0.name.lowercased() == name.lowercased() }) {
      return try SQLCommand.printColumns(of: [table], invocation)
    }
    throw UsageError(Unknown("table", name, among: tables.map(\.name))) { "\\d \($0)" }
  }

  /// Runs `work` within the time limit. Ctrl-C stops it, and an error is told. Returns false then. Throws if nothing can be printed any more.
  private func answers(_ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
    console.forgetNews()
    do {
      let (clock, limit) = (invocation.program.clock, try invocation.timeout())
      try await Interruption.stopping {
        [invocation] in
        invocation.tell("the statement has not stopped yet; press Ctrl-C again to leave")
      } _: {
        try await Deadline.keep(until: limit.map { clock.now + $0 }, by: clock) { try await work() }
      }
      try console.flush()
      return true
    } catch let error where error is Console.Closed || error is Console.Unwritable {
      throw error
    } catch {
      try console.flush()
      tell(error)
      return false
    }
  }

  /// Prints an error. What to type belongs to the shell, and is left out.
  private func tell(_ error: any Error) {
    if let error = error as? UsageError {
      for line in [error.message] + error.notes { invocation.tell(line) }
      for line in error.choices { console.note(Printable.clean(line)) }
      if let suggestion = error.suggestion { console.note(Printable.clean("did you mean \"\(suggestion)\"?")) }
      return
    }
    let error = (error as? SourceError)?.ending(invocation) ?? error
    console.tell(Failure(error, program: invocation.program.name), of: invocation.program.name)
  }
}

/// A table in a list of tables.
private struct TableSummary: Fielded, Sendable {
  let table: QueryTable

  static let fields = [
    Field<TableSummary>("table", .title, width: .whole) { $0.table.takesText ? "\($0.table.name)('TEXT')" : $0.table.name },
    Field<TableSummary>("columns") { $0.table.columns.map(\.name).joined(separator: ", ") },
  ]
}
