import AggregatorCore

/// The catalogue: what there is, what it can do, and where its data would come from.
enum SourcesCommand {
  static let command = Command(
    ["sources"], options: Option.printing, "what there is, what it can do, where it would come from"
  ) { invocation in
    if invocation.isBare(.fields) { return try invocation.listFields(of: Row.self) }
    let program = invocation.program
    let settings = try program.settings(invocation)
    let commands = Grammar(program).commands
    let rows = program.catalogue.sources.map { Row($0, settings, verbs: commands.filter { $0.words.count > 1 }.map(\.words)) }
    return try invocation.print(rows)
  }

  private struct Row: Fielded {
    let name: String
    let summary: String
    let verbs: [String]
    let search: String?
    let needsKey: Bool
    let keySet: Bool
    let url: String?

    init(_ source: SourceDescriptor, _ settings: Settings, verbs: [[String]]) {
      name = source.name
      summary = source.summary
      self.verbs = verbs.filter { $0[0] == source.name }.map { $0[1] }
      search = source.searches
      let keys = source.settings.filter(\.isSecret)
      needsKey = !keys.isEmpty
      keySet = !keys.isEmpty && keys.allSatisfy { settings.secret($0) != nil }
      url = source.settings.first { $0.kind == .address }.flatMap { settings.text($0) }
    }

    static let fields = [
      Field<Row>("name", width: .whole) { $0.name },
      Field<Row>("summary") { $0.summary },
      Field<Row>("verbs") { $0.verbs },
      Field<Row>("search") { $0.search },
      Field<Row>("needsKey", width: .whole) { $0.needsKey },
      Field<Row>("keySet", width: .whole) { $0.keySet },
      Field<Row>("url") { $0.url },
    ]
  }
}

extension Invocation {
  /// Prints rows that are no source's records: in JSON an array.
  func print<Item: Fielded>(_ rows: [Item]) throws -> ExitCode {
    var renderer = renderer(try columns(of: Item.self), envelope: nil)
    try renderer.begin(nil)
    try renderer.print(rows)
    try renderer.end(nil)
    return .success
  }
}
