public import AggregatorCore

/// Puts a source through every hazard and holds what it does against every law.
///
/// ```swift
/// let report = await Conformance(of: .ports, fixture: fixture).report()
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// The source is opened as anyone opens it, in a world of its own: a service made from the fixture (``ModelServer``), a clock that
/// never waits, seeded dice. Secrets that `settings` leaves out are made up, and looked for in all that comes out.
public struct Conformance: Sendable {
  /// The source that is tried.
  public let descriptor: SourceDescriptor
  /// The recording that the hazards are made from.
  public let fixture: Fixture
  /// The settings it is opened with; keys that they leave out are made up.
  public let settings: [String: String]
  private let model: ServiceModel?

  /// `model` says how the service pages where the recording does not show it well enough to be guessed.
  public init(of descriptor: SourceDescriptor, fixture: Fixture, settings: [String: String] = [:], model: ServiceModel? = nil) {
    self.model = model
    self.descriptor = descriptor
    self.fixture = fixture
    self.settings = settings
  }

  /// The same over the recording that the source brings along; throws when it brings none, or one that cannot be read.
  public init(of descriptor: SourceDescriptor, settings: [String: String] = [:]) throws {
    guard let recording = descriptor.recording else {
      throw SourceError(
        .settings, "\(descriptor.name) has no recording of its own",
        remedy: "record one with --record DIR, then type --fixtures DIR")
    }
    self.init(of: descriptor, fixture: try Fixture(har: recording(), name: "\(descriptor.name).har"), settings: settings)
  }

  /// Every law under every hazard.
  public func report() async -> ConformanceReport {
    do {
      let candidate = try await Candidate(descriptor, fixture, settings: settings, model: model)
      var rows: [ConformanceReport.Row] = []
      for hazard in Hazard.allCases {
        guard !hazard.befallsSyncs else {
          rows.append(
            .init(hazard: hazard, law: .nothingLost, outcome: await .of { try await candidate.outcome(ofSyncUnder: hazard) }))
          continue
        }
        let inspection = try await Inspection(candidate, under: hazard)
        rows += Law.observed.map { .init(hazard: hazard, law: $0, outcome: inspection.outcome(of: $0)) }
      }
      let isEndless = rows.contains { $0.hazard == .calm && $0.law == .pagesEnd && $0.outcome.isFailure }
      for law in Law.allCases where !Law.observed.contains(law) {
        let outcome =
          isEndless ? .notApplicable("the walk did not end") : await LawOutcome.of { try await candidate.outcome(of: law) }
        rows.append(.init(hazard: .calm, law: law, outcome: outcome))
      }
      return ConformanceReport(source: descriptor.name, rows: rows)
    } catch {
      return ConformanceReport(source: descriptor.name, unfit: "\(error)")
    }
  }
}

/// What became of every law under every hazard.
public struct ConformanceReport: Sendable, Hashable {
  /// One law under one hazard.
  public struct Row: Sendable, Hashable {
    /// What the service did.
    public let hazard: Hazard
    /// What was held against it.
    public let law: Law
    /// What became of it.
    public let outcome: LawOutcome
  }

  /// The name of the source.
  public let source: String
  /// Empty when the suite could not begin.
  public internal(set) var rows: [Row] = []
  /// Why the suite could not begin.
  public internal(set) var unfit: String?

  /// The rows of broken laws, in their order.
  public var failures: [Row] { rows.filter(\.outcome.isFailure) }
  /// Whether the suite could begin and no law was broken.
  public var isPassed: Bool { unfit == nil && failures.isEmpty }

  /// What became of a law under a hazard; nil where the two were not tried together.
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
