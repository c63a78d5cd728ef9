import AggregatorCore

/// The catalogue: what there is, what it can do, and where its data would come from.
enum SourcesCommand {
  static let command = Command(
    ["sources"], options: Option.printing, "what there is, what it can do, where it would come from"
  ) { invocation in
    try await invocation.printing(Row.self, detail: false) {
      let program = invocation.program
      let settings = try program.settings(invocation)
      let grammar = Grammar(program.catalogue)
      try invocation.printRows(program.catalogue.sources.map { Row($0, settings, verbs: grammar.verbs(of: $0.name)) })
      return .success
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

    init(_ source: SourceDescriptor, _ settings: Settings, verbs: [String]) {
      name = source.name
      summary = source.summary
      self.verbs = verbs
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
