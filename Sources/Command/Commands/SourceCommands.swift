import AggregatorCore
import Asking

/// What every source can do, by what it declares.
enum SourceCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    [
      list(source), search(source), next(source), reset(source), SyncCommand.command(of: source), show(source),
      ImageCommand.command(of: source), pick(source),
    ].compactMap { $0 } + ComparingCommands.all(of: source) + DeletionCommands.all(of: source) + [ForgetCommand.command(of: source)]
  }

  private static func list(_ source: SourceDescriptor) -> Command {
    walking(
      source, "list", options: source.isEndless ? [.deleted] : [], summary: "list \(source.name) from the beginning",
      examples: ["--limit 5", "--all --format ndjson", "--fields"]
    ) { _ in .everything }
  }

  private static func search(_ source: SourceDescriptor) -> Command? {
    source.searches.map { fields in
      walking(
        source, "search", .text(.text), options: source.isEndless ? [.more] : [],
        summary: "search by \(fields); case and diacritics do not matter",
        examples: ["TEXT", "TEXT --limit 3 --format json", "TEXT --offline"]
      ) { .matching($0.joined(separator: " ")) }
    }
  }

  private static func next(_ source: SourceDescriptor) -> Command {
    Command(
      [source.name, "next"], options: [.limit] + Option.printing + Option.asking, printing: source.fields.inLists,
      "show the next \(source.name); the position is remembered between runs",
      examples: source.examples("next", ["", "--limit 5", "--limit 100 --format csv"])
    ) { invocation in
      try await invocation.printing {
        var question = try SourceQuestion(.everything, of: source, invocation)
        question.ask.limit = try invocation.count(.limit) ?? invocation.usualLimit
        return try await NextCommand.run(question)
      }
    }
  }

  private static func reset(_ source: SourceDescriptor) -> Command {
    Command(
      [source.name, "reset"], options: [.timeout, .store], "start 'next' again at the first record; records are kept",
      examples: source.examples("reset", ["", "--store work.db"])
    ) { invocation in
      try await ResetCommand.run(SourceQuestion(.everything, of: source, invocation))
    }
  }

  private static func show(_ source: SourceDescriptor) -> Command {
    single(
      source, "show", .several(.record), summary: "show one record in full, or several",
      examples: ["ID", "ID --format json", "ID --fields"]
    ) { invocation in
      try await ShowCommand.run(
        SourceQuestion(.record(invocation.arguments.first ?? ""), of: source, invocation), names: invocation.arguments)
    }
  }

  private static func pick(_ source: SourceDescriptor) -> Command? {
    source.pick.map { pick in
      single(
        source, pick.verb, options: [.seed], summary: pick.summary, examples: ["", "--seed 7", "--format json"]
      ) { invocation in
        try await PickCommand.run(SourceQuestion(.everything, of: source, invocation), seed: invocation.number(.seed))
      }
    }
  }
}

extension SourceCommands {
  /// A command that walks over what a query finds.
  private static func walking(
    _ source: SourceDescriptor, _ verb: String, _ arguments: Command.Arguments = .none, options: [Option] = [],
    summary: String,
    examples: [String] = [], _ query: @escaping @Sendable ([String]) -> Query
  ) -> Command {
    Command(
      [source.name, verb], arguments, options: options + Option.walking + Option.pictures(of: source) + Option.printing + Option.asking,
      printing: source.fields.inLists, summary,
      examples: source.examples(verb, examples)
    ) { invocation in
      try await invocation.printing {
        try await WalkCommand.run(WalkCommand.question(query(invocation.arguments), of: source, invocation))
      }
    }
  }

  /// A command that prints one record.
  private static func single(
    _ source: SourceDescriptor, _ verb: String, _ arguments: Command.Arguments = .none, options: [Option] = [], summary: String,
    examples: [String] = [], run: @escaping Command.Action
  ) -> Command {
    Command(
      [source.name, verb], arguments, options: options + Option.printing + Option.asking, printing: source.fields, summary,
      examples: source.examples(verb, examples)
    ) { invocation in
      try await invocation.printing { try await run(invocation) }
    }
  }
}

extension [FieldOutline] {
  /// Those that lists have: some are in a full record alone.
  var inLists: [FieldOutline] { filter { !$0.isDetail } }
}
