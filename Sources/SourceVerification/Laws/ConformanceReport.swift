import AggregatorCore

/// What became of every law under every hazard.
public struct ConformanceReport: Sendable, Hashable {
  public struct Row: Sendable, Hashable {
    public let hazard: Hazard
    public let law: Law
    public let outcome: LawOutcome

    public init(_ hazard: Hazard, _ law: Law, _ outcome: LawOutcome) {
      self.hazard = hazard
      self.law = law
      self.outcome = outcome
    }
  }

  public let source: String
  /// Empty when the suite could not begin.
  public let rows: [Row]
  /// Why the suite could not begin.
  public let unfit: String?

  init(source: String, rows: [Row] = [], unfit: String? = nil) {
    self.source = source
    self.rows = rows
    self.unfit = unfit
  }

  public var failures: [Row] { rows.filter(\.outcome.isFailure) }
  public var isPassed: Bool { unfit == nil && failures.isEmpty }

  public subscript(hazard: Hazard, law: Law) -> LawOutcome? { rows.first { $0.hazard == hazard && $0.law == law }?.outcome }
}

extension ConformanceReport: CustomStringConvertible {
  /// A line for each failure: the source, the law, the hazard, and what was seen.
  public var complaints: [String] {
    failures.map { row in
      guard case .failed(let seen) = row.outcome else { return "" }
      return "\(source): \(row.law), under \(row.hazard): \(seen)"
    }
  }

  /// How many checks came out how.
  public var summary: String {
    let passed = rows.count { $0.outcome == .passed }
    let failed = failures.count
    return "\(source): \(passed) checks passed, \(failed) failed, \(rows.count - passed - failed) do not apply"
  }

  /// Each failure, then what to do.
  public var description: String {
    if let unfit { return "\(source): the suite cannot start: \(unfit)" }
    guard !failures.isEmpty else { return summary }
    let advice = "fix the first failure first, since it often causes the others; then run this again"
    return (complaints + [summary, advice]).joined(separator: "\n")
  }
}

extension ConformanceReport {
  /// The whole matrix: a line for each hazard, a column for each law.
  public var table: String {
    let laws = Law.allCases
    let width = Hazard.allCases.map(\.rawValue.count).max() ?? 0
    func padded(_ text: String) -> String { text + String(repeating: " ", count: max(0, width - text.count)) }
    var lines = laws.enumerated().map { index, law in
      padded("") + String(repeating: " │", count: index) + " ┌ " + law.rawValue
    }
    for hazard in Hazard.allCases {
      lines.append(padded(hazard.rawValue) + laws.map { " " + symbol(self[hazard, $0]) }.joined())
    }
    lines.append("✓ passed  ✗ failed  · does not apply")
    return lines.joined(separator: "\n")
  }

  private func symbol(_ outcome: LawOutcome?) -> String {
    switch outcome {
    case .passed: "✓"
    case .failed: "✗"
    case .notApplicable: "·"
    case nil: " "
    }
  }
}
