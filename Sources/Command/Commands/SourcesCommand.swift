import AggregatorCore

/// The catalogue: what there is, what it can do, and where its data would come from.
enum SourcesCommand {
  static let command = Command(
    ["sources"], options: Option.printing + [.store], printing: Row.fields.map { $0.outline },
    "list the sources: what each can do, whether its key is set, its address",
    examples: ["sources", "sources --fields name,keySet,url", "sources --format json"]
  ) { invocation in
    try await invocation.printing {
      let program = invocation.program
      let settings = try program.settings(invocation)
      let grammar = Grammar(program.catalogue)
      let stored = await counts(invocation)
      try invocation.printRows(
        program.catalogue.sources.map { Row($0, settings, verbs: grammar.verbs(of: $0.name), stored: stored?[$0.name]) })
      return .success
    }
  }

  /// How many records of each source are kept; nil where the store cannot be read; the rest is listed all the same.
  private static func counts(_ invocation: Invocation) async -> [String: Int]? {
    do {
      let snapshot = try await Stores(invocation).store.snapshot()
      var counts: [String: Int] = [:]
      for source in invocation.program.catalogue.sources { counts[source.name] = try await snapshot.census(of: source.kind).count }
      return counts
    } catch {
      invocation.program.notices(invocation).say("\(error)")
      return nil
    }
  }

  private struct Row: Fielded {
    let name: String
    let summary: String
    let verbs: [String]
    let search: String?
    let needsKey: Bool
    let keySet: Bool
    let url: String?
    let stored: Int?
    let budget: String?

    init(_ source: SourceDescriptor, _ settings: Settings, verbs: [String], stored: Int?) {
      name = source.name
      summary = source.summary
      self.verbs = verbs
      search = source.searches
      let keys = source.settings.filter(\.isSecret)
      needsKey = !keys.isEmpty
      keySet = !keys.isEmpty && keys.allSatisfy { settings.secret($0) != nil }
      url = source.settings.first { $0.kind == .address }.flatMap { settings[$0]?.shown }
      self.stored = stored
      budget = source.settings.first { $0.kind == .budget }.flatMap { settings.text($0) }
    }

    static let fields = [
      Field<Row>("name", .title, width: .whole) { $0.name },
      Field<Row>("records", width: .whole) { $0.stored }.inTextOnly,
      Field<Row>("key", .badge, width: .whole) { $0.key }.inTextOnly,
      Field<Row>("from") { $0.from }.inTextOnly,
      Field<Row>("summary", .subtitle, width: .hidden) { $0.summary },
      Field<Row>("verbs", width: .hidden) { $0.verbs },
      Field<Row>("search", width: .hidden) { $0.search },
      Field<Row>("needsKey", width: .hidden) { $0.needsKey },
      Field<Row>("keySet", width: .hidden) { $0.keySet },
      Field<Row>("url", .link, width: .hidden) { $0.url },
      Field<Row>("stored", width: .hidden) { $0.stored },
      Field<Row>("budget", width: .hidden) { $0.budget },
    ]

    private var key: String { needsKey ? keySet ? "set" : "missing" : "not needed" }

    /// Where its records would come from now; without its key that is the bundled copy.
    private var from: String? { needsKey && !keySet ? "bundled copy; with a key \(url ?? "the service")" : url }
  }
}
