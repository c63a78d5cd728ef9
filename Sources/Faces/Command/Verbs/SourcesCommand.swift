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
    let reports: [SourceReport]
    do {
      reports = try await invocation.tellingStore {
        try await catalogue.plainReports(settings, countedIn: store, hidden: invocation.has(.all))
      }
    } catch let error as SourceError {
      // If the store cannot be read, the rest is listed without it.
      invocation.say(error)
      reports = try await catalogue.plainReports(settings, hidden: invocation.has(.all))
    }
    try invocation.printRows(reports)
    for omission in catalogue.omissions { invocation.say("\(omission.reason)") }
    for name in FoundPrograms(invocation.program).names {
      invocation.say(
        "\(name) is a program on the PATH; type '\(invocation.program.name) source allow \(name)' to make it a source")
    }
    return .success
  }
}
