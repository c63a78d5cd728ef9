import AggregatorCore
import Asking

/// The catalogue: what there is, what it can do, and where its data would come from.
enum SourcesCommand {
  static let command = Command(
    ["sources"], options: [.all] + Option.printing + [.store], printing: Row.fields.map { $0.outline },
    "list the sources; tells what each can do, whether its key is set, and its address",
    examples: ["sources", "sources --fields name,keySet,url", "sources --all --format json"]
  ) { invocation in
    let catalogue = invocation.program.catalogue
    let settings = try invocation.effectiveSettings()
    let store = try invocation.store
    var stored: [String: Int]?
    // Where the store cannot be read, the rest is listed all the same.
    do { stored = try await invocation.storedCounts(in: store) } catch let error as SourceError { invocation.say(error) }
    let hidden = invocation.has(.all) ? catalogue.hidden : []
    let rows = catalogue.sources.map { source in
      Row(source: source, settings: settings, verbs: source.verbs.map { $0.name(for: source) }, stored: stored?[source.name])
    }
    try invocation.printRows(
      rows + hidden.map { Row(source: $0, settings: settings, verbs: [], stored: stored?[$0.name], isHidden: true) })
    for omission in catalogue.omissions { invocation.say("\(omission.reason)") }
    return .success
  }

  private struct Row: Fielded {
    let source: SourceDescriptor
    let settings: Settings
    let verbs: [String]
    let stored: Int?
    var isHidden = false

    static let fields = [
      Field<Row>("name", .title, width: .whole) { $0.source.name },
      Field<Row>("records", width: .whole) { $0.stored }.inTextOnly,
      Field<Row>("key", .badge, width: .whole) { $0.keys.isEmpty ? "not needed" : $0.isKeySet ? "set" : "missing" }.inTextOnly,
      // Where its records would come from now; without its key that is the bundled copy.
      Field<Row>("from") { row in
        row.isHidden
          ? "hidden" : row.keys.isEmpty || row.isKeySet ? row.url : "bundled copy; with a key \(row.url ?? "the service")"
      }.inTextOnly,
      Field<Row>("summary", .subtitle, width: .hidden) { $0.source.summary },
      Field<Row>("verbs", width: .hidden) { $0.verbs },
      Field<Row>("search", width: .hidden) { $0.source.searches },
      Field<Row>("needsKey", width: .hidden) { !$0.keys.isEmpty },
      Field<Row>("keySet", width: .hidden) { $0.isKeySet },
      Field<Row>("url", .link, width: .hidden) { $0.url },
      Field<Row>("stored", width: .hidden) { $0.stored },
      Field<Row>("file", width: .hidden) { $0.source.file },
      Field<Row>("hidden", width: .hidden) { $0.isHidden },
      Field<Row>("budget", width: .hidden) { row in
        row.source.settings.first { $0.kind == .budget }.flatMap { row.settings.text($0) }
      },
    ]

    private var keys: [Setting] {
      source.settings.filter { $0.isSecret && (!$0.isOptional || settings.secret($0) != nil) }
    }
    private var isKeySet: Bool { !keys.isEmpty && keys.allSatisfy { settings.secret($0) != nil } }
    private var url: String? { source.settings.first { $0.kind == .address }.flatMap { settings[$0]?.shown } }
  }
}

extension Invocation {
  func storedCounts(in store: any RecordStore) async throws -> [String: Int] {
    let snapshot = try await store.snapshot()
    var counts: [String: Int] = [:]
    for source in program.catalogue.sources + program.catalogue.hidden {
      counts[source.name] = try await snapshot.census(of: RecordKind(source.name)).count
    }
    return counts
  }
}
