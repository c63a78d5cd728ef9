import AggregatorCore

/// Help, written from what the commands declare.
struct Help: Sendable {
  let program: Program
  let commands: [Command]

  init(_ program: Program, _ commands: [Command]) {
    self.program = program
    self.commands = commands
  }

  /// The help of what `words` name: everything, a source, or one command.
  func text(forWords words: [String]) throws -> String {
    guard let first = words.first else { return overview }
    let matching = commands.filter { $0.words.starts(with: words) }
    if let exact = matching.first(where: { $0.words == words }) { return text(for: exact) }
    guard matching.isEmpty else {
      let summary = program.catalogue[first]?.summary ?? ""
      return "\(program.name) \(first): \(summary)\n\n" + listing(matching) + "\n"
    }
    let known = commands.map(\.name) + program.catalogue.sources.map(\.name)
    throw UsageError(
      "there is no help on \"\(words.joined(separator: " "))\"", suggestion: closest(to: words.joined(separator: " "), among: known))
  }

  func text(for command: Command) -> String {
    var text = "usage: \(program.name) \(command.usage)\(command.options.isEmpty ? "" : " [OPTIONS]")\n\n\(command.summary)\n"
    if !command.options.isEmpty { text += "\noptions:\n" + rows(command.options.map { ($0.usage, $0.summary) }) }
    if !command.examples.isEmpty { text += "\nfor example:\n" + command.examples.map { "  \(program.name) \($0)\n" }.joined() }
    return text
  }

  private var overview: String {
    let own = commands.filter { program.catalogue[$0.words[0]] == nil }
    let sources = program.catalogue.sources.map { source in
      (source.name, source.summary + ": " + commands.filter { $0.words.first == source.name }.map { $0.words[1] }.joined(separator: ", "))
    }
    return """
      usage: \(program.name) SOURCE VERB [ARGUMENTS] [OPTIONS]

      Records from services that may fail, with the truth about where they came from.

      sources:
      \(rows(sources))
      commands:
      \(listing(own))
      '\(program.name) help SOURCE' and '\(program.name) SOURCE VERB --help' tell more.

      """
  }

  private func listing(_ commands: [Command]) -> String { rows(commands.map { ($0.usage, $0.summary) }) }

  private func rows(_ rows: [(String, String)]) -> String {
    let least = min(34, rows.reduce(0) { max($0, $1.0.count) })
    return rows.map { left, right in
      left.count <= least
        ? "  " + left + String(repeating: " ", count: least - left.count + 2) + right + "\n"
        : "  " + left + "\n" + String(repeating: " ", count: least + 4) + right + "\n"
    }.joined()
  }
}
