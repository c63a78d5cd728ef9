import AggregatorCore
import Terminal

/// Help, written from what the commands declare.
struct Help: Sendable {
  let program: String
  let catalogue: Catalogue
  let grammar: Grammar
  /// How many columns a line may take.
  let width: Int

  /// The help of what `words` begin with: everything, a source, or one command.
  func text(for words: [String]) throws(UsageError) -> String {
    guard let first = words.first else { return overview }
    if words.count == 1, let source = catalogue[first] { return text(forAll: first, source.summary) }
    // Words that are no command by themselves, such as "source".
    if words.count == 1, (try? grammar.command(in: words)) == nil, !grammar.verbs(of: first).isEmpty { return text(forAll: first) }
    return text(for: try grammar.command(in: words))
  }

  private func text(for command: Command) -> String {
    guard !command.words.isEmpty else { return overview }
    return paragraph("usage: \(program) \(command.usage) [OPTIONS]") + "\n" + paragraph(command.summary) + "\noptions:\n"
      + table(command.options.map { ($0.usage, $0.summary) }) + examples(command.examples)
  }

  /// The help of all commands that begin with `word`.
  private func text(forAll word: String, _ summary: String? = nil) -> String {
    let commands = grammar.commands(behind: word)
    return paragraph("usage: \(program) \(word) \(grammar.verbs(of: word).joined(separator: "|")) [OPTIONS]") + "\n"
      + (summary.map { paragraph($0) + "\n" } ?? "") + table(commands.map { ($0.usage, $0.summary) })
      + examples(commands.flatMap { $0.examples.prefix(1) })
  }

  private var overview: String {
    let own = grammar.commands.filter { $0.words.first.map { catalogue[$0] == nil } ?? false }
    let sources = catalogue.sources.map {
      ($0.name, "\($0.summary) (\(grammar.verbs(of: $0.name).joined(separator: ", ")))")
    }
    return paragraph("usage: \(program) SOURCE VERB [ARGUMENTS] [OPTIONS]") + "\n"
      + paragraph("Records from unreliable services, each answer with its origin and whether it is complete.")
      + "\nsources:\n" + table(sources) + "\ncommands:\n"
      + table(own.map { ($0.usage, $0.summary) } + [("--version", Option.version.summary)])
      + "\n" + paragraph("Type '\(program) help SOURCE' or '\(program) SOURCE VERB --help' for more.")
  }

  private func examples(_ examples: [String]) -> String {
    examples.isEmpty ? "" : "\nfor example:\n" + examples.map { paragraph("\(program) \($0)", indent: 2) }.joined()
  }

  private func paragraph(_ text: String, indent: Int = 0) -> String {
    let margin = String(repeating: " ", count: indent)
    return DisplayWidth.wrap(text, width: max(1, width - indent)).map { margin + $0 + "\n" }.joined()
  }

  /// Two columns, or one below the other where there is no room for both.
  private func table(_ rows: [(left: String, right: String)]) -> String {
    let left = min(28, rows.reduce(0) { max($0, DisplayWidth.of($1.left)) })
    let right = width - left - 4
    guard right >= 24 else { return rows.map { paragraph($0.left, indent: 2) + paragraph($0.right, indent: 4) }.joined() }
    return rows.map { row in
      let lines = DisplayWidth.wrap(row.right, width: right)
      let fits = DisplayWidth.of(row.left) <= left
      let margin = String(repeating: " ", count: left + 4)
      let first = fits ? "  " + DisplayWidth.pad(row.left, to: left) + "  " : paragraph(row.left, indent: 2) + margin
      return first + lines.joined(separator: "\n" + margin) + "\n"
    }.joined()
  }
}
