import AggregatorCore

/// What every source can do, by what it declares.
enum SourceCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    [list(source), search(source), show(source), pick(source)].compactMap { $0 }
  }

  private static func list(_ source: SourceDescriptor) -> Command {
    Command(
      [source.name, "list"], options: Option.walking + Option.printing + Option.asking, "\(source.summary), from the beginning",
      examples: ["\(source.name) list --limit 5", "\(source.name) list --all --format ndjson"]
    ) { try await walk($0, source, .everything) }
  }

  private static func search(_ source: SourceDescriptor) -> Command? {
    source.searches.map { fields in
      Command(
        [source.name, "search"], .text("TEXT"), options: Option.walking + Option.printing + Option.asking,
        "those that match, by \(fields); case and diacritics never matter", examples: ["\(source.name) search fra"]
      ) { try await walk($0, source, .matching($0.arguments.joined(separator: " "))) }
    }
  }

  private static func show(_ source: SourceDescriptor) -> Command {
    Command(
      [source.name, "show"], .one("ID"), options: Option.printing + Option.asking, "one record in full",
      examples: ["\(source.name) show ID --format json"]
    ) { invocation in
      let asking = try Asking(invocation, source)
      return try await show(asking, asking.source(), id: invocation.arguments.first ?? "")
    }
  }

  private static func pick(_ source: SourceDescriptor) -> Command? {
    source.pick.map { pick in
      Command(
        [source.name, pick.verb], options: [.seed] + Option.printing + Option.asking, "\(pick.title): one by chance",
        examples: ["\(source.name) \(pick.verb) --seed 7"]
      ) { invocation in
        let asking = try Asking(invocation, source)
        return try await choose(asking, asking.source(), title: pick.title)
      }
    }
  }

  private static func walk(_ invocation: Invocation, _ source: SourceDescriptor, _ query: Query) async throws -> ExitCode {
    let asking = try Asking(invocation, source)
    return try await walk(asking, asking.source(), query)
  }

  private static func walk<Item>(_ asking: Asking, _ source: some DataSource<Item>, _ query: Query) async throws -> ExitCode {
    let invocation = asking.invocation
    if invocation.isBare(.fields) { return try invocation.listFields(of: Item.self) }
    let bounds = try asking.bounds()
    let renderer = try invocation.renderer(
      invocation.columns(of: Item.self), envelope: Envelope(source: asking.descriptor.name, text: query.text, limit: bounds.limit))
    let summary = try await asking.listening { try await asking.print(source, query, bounds: bounds, to: renderer) }
    return asking.conclude(summary, of: query)
  }

  private static func show<Item>(_ asking: Asking, _ source: some DataSource<Item>, id: String) async throws -> ExitCode {
    if asking.invocation.isBare(.fields) { return try asking.invocation.listFields(of: Item.self) }
    let (items, summary) = try await collect(asking, source, .record(id))
    guard let item = items.first else {
      if case .partial(let shortfall) = summary.verdict {
        throw SourceError(.unavailable, "\"\(id)\" was not found in what could be read (\(shortfall))").from(asking.descriptor.name)
      }
      let remedy = asking.descriptor.searches == nil ? nil : "'\(asking.program.name) \(asking.descriptor.name) search TEXT' finds others"
      throw SourceError(.notFound, "there is no \"\(id)\"", remedy: remedy).from(asking.descriptor.name)
    }
    try one(item, asking, title: nil)
    return .success
  }

  private static func choose<Item>(_ asking: Asking, _ source: some DataSource<Item>, title: String) async throws -> ExitCode {
    if asking.invocation.isBare(.fields) { return try asking.invocation.listFields(of: Item.self) }
    let seed = try asking.invocation.number(.seed)
    let (items, summary) = try await collect(asking, source, .everything)
    guard !items.isEmpty else { throw SourceError(.notFound, "there is nothing to choose from").from(asking.descriptor.name) }
    let dice: any Dice = seed.map { SeededDice(seed: $0) } ?? SystemDice()
    // Sorted first: the same seed gives the same record whatever order the service keeps.
    let sorted = items.sorted { $0.id < $1.id }
    try one(sorted[dice.index(below: sorted.count)], asking, title: title)
    return asking.conclude(summary, of: .everything)
  }

  private static func collect<Item>(
    _ asking: Asking, _ source: some DataSource<Item>, _ query: Query
  ) async throws -> ([Item], Summary) {
    let bounds = Bounds(deadline: try asking.deadline())
    return try await asking.listening {
      var walk = Walk(source, query, bounds: bounds, clock: asking.program.clock)
      var items: [Item] = []
      while let page = try await walk.nextPage() { items += page }
      asking.tellOrigin(walk.summary.origin)
      return (items, walk.summary)
    }
  }

  /// Prints one record: a labelled line for each field unless another format was asked for; in JSON it stands alone.
  private static func one<Item>(_ item: Item, _ asking: Asking, title: String?) throws where Item: Record {
    let invocation = asking.invocation
    let columns = try invocation.columns(of: Item.self, detail: true)
    var renderer: any Renderer<Item>
    switch invocation.chosenFormat {
    case nil:
      if let title { try asking.program.console.write("\(title)\n") }
      renderer = LabelledRenderer(columns: columns, console: asking.program.console)
    case .json: renderer = NDJSONRenderer(columns, asking.program.console)
    case let format: renderer = invocation.renderer(columns, envelope: nil, format: format)
    }
    try renderer.begin(nil)
    try renderer.print([item])
    try renderer.end(nil)
  }
}
