import AggregatorCore
import Asking

/// Figures as OpenMetrics has them: of what is stored of each source, and of what the server did.
struct Metrics {
  private(set) var text = ""

  /// Without reports the store cannot be read. `omissions` counts the sources and files that are left out of the catalogue.
  init(_ found: [SourceReport]?, leavingOut omissions: Int, _ figures: Traffic.Figures, version: String) {
    family("aggregator_build", "info", "the version of the program", [(["version": version], 1)])
    family("aggregator_store_readable", "gauge", "1 if the store can be read, else 0", [([:], found == nil ? 0 : 1)])
    family(
      "aggregator_left_out", "gauge", "sources and their files that cannot be used; /readyz says why",
      [([:], Double(omissions))])
    add(found ?? [])
    add(figures)
    text += "# EOF\n"
  }

  private mutating func add(_ reports: [SourceReport]) {
    func each(_ value: (SourceReport) -> Double?) -> [Sample] {
      reports.compactMap { report in value(report).map { (["source": report.source.name], $0) } }
    }
    family("aggregator_records", "gauge", "records that are stored", each { $0.stored.map(Double.init) })
    family(
      "aggregator_complete", "gauge", "1 if the stored list is complete, else 0",
      each { $0.status.map { $0.verdict == .complete ? 1 : 0 } })
    family(
      "aggregator_verdict", "stateset", "the verdict of the stored list",
      reports.flatMap { report -> [Sample] in
        guard let verdict = report.status?.verdict?.kind else { return [] }
        return ["complete", "bounded", "partial", "unverifiable"].map { kind in
          (["source": report.source.name, "aggregator_verdict": kind], kind == verdict ? 1 : 0)
        }
      })
    family(
      "aggregator_age_seconds", "gauge", "time since the stored list was what the service had", each { $0.age?.inSeconds })
    family(
      "aggregator_failures", "gauge", "syncs that failed one after the other",
      each { $0.status.map { Double($0.failures?.count ?? 0) } })
    family(
      "aggregator_failing_since_timestamp_seconds", "gauge", "the first failure of the present series",
      each { report in report.status?.failures.map { Double($0.since.nanoseconds) / 1e9 } })
    family(
      "aggregator_missing", "gauge", "parts of the list that are missing, or may be", each { Double($0.missing.count) })
    family(
      "aggregator_misfits", "gauge", "stored values that do not fit their fields",
      each { report in
        report.status.map { status in Double(status.misfits.map { $0.fields.values.reduce(0) { $0 + $1.records } } ?? 0) }
      })
    family(
      "aggregator_budget_left", "gauge", "requests that the budget allows now", each { $0.budgetLeft.map { Double($0.count) } })
  }

  private mutating func add(_ figures: Traffic.Figures) {
    family(
      "aggregator_walks", "counter", "whole walks by verdict",
      figures.walks.sorted { $0.key < $1.key }.map { (["verdict": $0.key], Double($0.value)) }, suffix: "_total")
    family("aggregator_walks_running", "gauge", "whole walks that run", [([:], Double(figures.running))])
    family("aggregator_streams", "gauge", "streams that are open", [([:], Double(figures.streams))])
    family(
      "aggregator_http_requests", "counter", "replies by route and status",
      figures.replies.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
        (["route": $0.key.route, "status": String($0.key.status)], Double($0.value))
      }, suffix: "_total")
    histogram("aggregator_http_seconds", figures)
  }

  private typealias Sample = (labels: KeyValuePairs<String, String>, value: Double)

  private mutating func family(
    _ name: String, _ type: String, _ help: String, _ samples: [Sample], suffix: String? = nil
  ) {
    guard !samples.isEmpty else { return }
    text += "# TYPE \(name) \(type)\n# HELP \(name) \(help)\n"
    let suffix = suffix ?? (type == "info" ? "_info" : "")
    for (labels, value) in samples { line(name + suffix, labels, value) }
  }

  private mutating func histogram(_ name: String, _ figures: Traffic.Figures) {
    let count = figures.replies.values.reduce(0, +)
    text += "# TYPE \(name) histogram\n# HELP \(name) seconds until a reply began\n"
    for (bound, within) in zip(Traffic.bounds, figures.within) {
      line(name + "_bucket", ["le": Self.written(bound.inSeconds)], Double(within))
    }
    line(name + "_bucket", ["le": "+Inf"], Double(count))
    line(name + "_count", [:], Double(count))
    line(name + "_sum", [:], figures.spent.inSeconds)
  }

  private mutating func line(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Double) {
    let told = labels.map { name, value in
      let escaped = value.replacingEach("\\", with: "\\\\").replacingEach("\"", with: "\\\"").replacingEach("\n", with: "\\n")
      return "\(name)=\"\(escaped)\""
    }
    text += "\(name)\(told.isEmpty ? "" : "{\(told.joined(separator: ","))}") \(Self.written(value))\n"
  }

  private static func written(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? "\(value)"
  }
}
