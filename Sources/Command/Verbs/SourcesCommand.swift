import AggregatorCore
import Asking

/// `sources`: lists the sources, what they can do, and where their data would come from.
enum SourcesCommand {
  static let command = Command(
    ["sources"], options: [.all] + Option.printing + [.store], printing: SourceReport.fields.map { $0.outline },
    "list the sources; tells what each can do, whether its key is set, and its address",
    examples: ["sources", "sources --fields name,keySet,url", "sources --all --format json"]
  ) { invocation in
    let catalogue = invocation.program.catalogue
    let settings = try invocation.effectiveSettings()
    let store = try invocation.store
    var stored: [String: Int]?
    // If the store cannot be read, the rest is listed without it.
    do { stored = try await catalogue.storedCounts(in: store) } catch let error as SourceError { invocation.say(error) }
    let hidden = invocation.has(.all) ? catalogue.hidden : []
    let reports = catalogue.sources.map { SourceReport($0, settings: settings, stored: stored?[$0.name]) }
    try invocation.printRows(
      reports + hidden.map { SourceReport($0, settings: settings, stored: stored?[$0.name], isHidden: true) })
    for omission in catalogue.omissions { invocation.say("\(omission.reason)") }
    return .success
  }
}
