import AggregatorCore
import Asking

/// `status [SOURCE...]`: what is known of each stored list and what is missing from it, the worst first. No service is asked.
enum StatusCommand {
  static let command = Command(
    ["status"], .any(.source), options: Option.printing + [.require, .store, .timeout],
    printing: SourceReport.statusFields { _, _ in nil }.map { $0.outline },
    "show what is stored of each source; and what is missing, and since when",
    examples: ["status", "status countries --format json", "status --format cards"]
  ) { invocation in
    let catalogue = invocation.program.catalogue
    var sources: [SourceDescriptor] = []
    for name in invocation.arguments where !sources.contains(where: { $0.name == name }) {
      sources.append(try invocation.source(named: name, in: "status SOURCE"))
    }
    let requirements = try invocation.reading { words throws(AskError) in
      try Ask.Parameter.require.meanings(in: words) { text throws(SourceError) in try Requirement.all(in: text) }
    }
    let world = try invocation.world()
    guard world.store != nil else {
      throw SourceError(ofStore: "nothing is stored without a folder for it", remedy: .useAnotherStore)
    }
    let reports = try await invocation.tellingStore { [sources] in
      try await catalogue.reports(on: sources.isEmpty ? catalogue.sources : sources, in: world).worstFirst
    }
    try invocation.printRows(reports, of: SourceReport.statusFields(invocation.wording))
    try invocation.program.console.flush()
    if invocation.tellsPerson { for report in reports { advise(report, invocation) } }
    for omission in sources.isEmpty ? catalogue.omissions : [] { invocation.say("\(omission.reason)") }
    let unmet = reports.map { ($0.source.name, $0.shortfalls(of: requirements)) }
    for (name, shortfalls) in unmet { for shortfall in shortfalls { invocation.tell("\(name): \(shortfall) (--require)") } }
    return unmet.contains { !$0.1.isEmpty } ? .partial : .success
  }

  /// Prints what to do about a list, unless it is whole.
  private static func advise(_ report: SourceReport, _ invocation: Invocation) {
    guard report.state != .neverSynced, let remedy = report.remedy, let words = invocation.wording(remedy, report.source.name)
    else { return }
    invocation.say("\(report.source.name): \(words)")
  }
}
