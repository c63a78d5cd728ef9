import AggregatorCore
import Asking
import Programs
import Services

/// `alias set|list|delete`: short names for lines that a person types often.
enum AliasCommands {
  static let set = Command(
    ["alias", "set"],
    .two(
      .name, .free("LINE"),
      surplus: "alias set takes the name and the line in quotes: alias set late 'countries list --where region=EU'"),
    "make a short name for a line; what is typed after the name is added to the line",
    examples: ["alias set late 'countries list --where region=EU'", "alias set people 'users list --fields email,name.last'"]
  ) { invocation in
    let (name, text) = (invocation.arguments[0], invocation.arguments[1].trimmingSpaces)
    let program = invocation.program
    try refuse(name, program)
    try refuse(line: text, of: name, program)
    let old = program.aliases[name]
    try program.aliases.set(name, to: text)
    let before = old == nil || old == text ? "" : " (it was '\(old ?? "")')"
    invocation.say("\(name) stands for '\(text)'\(before); type '\(program.name) \(name)'")
    return .success
  }

  static let list = Command(
    ["alias", "list"], options: Option.printing, printing: Row.fields.map { $0.outline }, "list the aliases",
    examples: ["alias list", "alias list --format json"]
  ) { invocation in
    let program = invocation.program
    let rows = program.aliases.all.map { Row(name: $0.name, line: $0.line, trouble: trouble(with: $0, program)) }
    if rows.isEmpty { invocation.say("no aliases yet; type '\(program.name) help alias set' to see how to make one") }
    try invocation.printRows(rows)
    return .success
  }

  static let delete = Command(
    ["alias", "delete"], .several(.alias), "delete aliases", examples: ["alias delete late", "alias delete late people"]
  ) { invocation in
    let aliases = invocation.program.aliases
    let known = aliases.all.map(\.name)
    for name in invocation.arguments where !known.contains(name) {
      throw UsageError(Unknown("alias", name, among: known)) { "alias delete \($0)" }
    }
    for name in invocation.arguments {
      try aliases.set(name, to: nil)
      invocation.say("deleted the alias \(name)")
    }
    return .success
  }

  /// Returns why an alias cannot be used as it is; nil if it can.
  static func trouble(with alias: (name: String, line: String), _ program: Program) -> String? {
    do {
      try refuse(alias.name, program)
      try refuse(line: alias.line, of: alias.name, program)
      return nil
    } catch let error as UsageError {
      return error.message
    } catch {
      return (error as? SourceError)?.message ?? "\(error)"
    }
  }

  private static func refuse(_ name: String, _ program: Program) throws(UsageError) {
    guard ManifestSource.isName(name) else {
      throw UsageError("\"\(name)\" is not a name for an alias; use lower-case letters, digits and dashes")
    }
    if CommandTable.reserved.contains(name) {
      throw UsageError("an alias cannot be named \"\(name)\": a command has that name, and an alias never hides one")
    }
    if program.catalogue[name] != nil || program.catalogue.isHidden(name) {
      throw UsageError("an alias cannot be named \"\(name)\": a source has that name, and an alias never hides one")
    }
  }

  /// Throws if the line does not begin with a command, or has an option that the command lacks. Arguments may be missing.
  private static func refuse(line text: String, of name: String, _ program: Program) throws {
    let line = try ShellWords.command(in: text)
    guard let first = line.first, !first.hasPrefix("-") else {
      throw UsageError("the line of an alias begins with a source or a command")
    }
    let grammar = Grammar(of: program)
    if first == name
      || (try? grammar.command(in: [first])) == nil && grammar.verbs(of: first).isEmpty && program.aliases[first] != nil
    {
      throw UsageError("\(first) is an alias, and an alias does not stand for another")
    }
    let (words, known) = grammar.parts(of: line)
    if words.values[Option.sources.name] != nil {
      throw UsageError("the line of an alias cannot have --sources; set AGGREGATOR_SOURCES, or type it after the alias")
    }
    _ = try grammar.command(of: words, known)
  }

  private struct Row: Fielded {
    let name: String
    let line: String
    let trouble: String?

    static let fields = [
      Field<Row>("name", .title, width: .whole) { $0.name }, Field<Row>("line", .subtitle) { $0.line },
      Field<Row>("trouble", .badge) { $0.trouble },
    ]
  }
}
