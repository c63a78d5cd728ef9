public import AggregatorCore
public import Recordings
public import Services

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
  /// What is not held against it, and why.
  public let skips: [Skip]
  private let model: ServiceModel?

  /// `model` says how the service pages and searches where the recording does not show it well enough to be guessed; `skips` name what
  /// cannot be modelled at all.
  public init(
    of descriptor: SourceDescriptor, fixture: Fixture, settings: [String: String] = [:], model: ServiceModel? = nil,
    skipping skips: [Skip] = []
  ) {
    (self.descriptor, self.fixture, self.settings) = (descriptor, fixture, settings)
    (self.model, self.skips) = (model, skips)
  }

  /// The same over the recording that the source brings along; throws when it brings none, or one that cannot be read.
  public init(of descriptor: SourceDescriptor, settings: [String: String] = [:], skipping skips: [Skip] = []) throws {
    guard let recording = descriptor.recording else {
      throw SourceError(
        .settings, "\(descriptor.name) has no recording of its own", remedy: .record(descriptor.name))
    }
    let fixture = try Fixture(har: recording(), name: "\(descriptor.name).har")
    self.init(of: descriptor, fixture: fixture, settings: settings, skipping: skips)
  }

  /// A source that a manifest describes, over `fixture` or the recording beside the manifest, as the service that the manifest says it is.
  public init(of manifest: Manifest, _ name: String, fixture: Fixture? = nil, skipping skips: [Skip] = []) throws {
    try self.init(
      of: manifest.source(name).descriptor, describedBy: manifest, fixture: fixture ?? manifest.recording(of: name),
      skipping: skips)
  }

  /// A source of one's own, over a service that is as the manifest says of the source of its name. Plain settings that `settings` leaves out
  /// have the values that the recording shows.
  public init(
    of descriptor: SourceDescriptor, describedBy manifest: Manifest, fixture: Fixture, settings: [String: String] = [:],
    skipping skips: [Skip] = []
  ) throws {
    let source = try manifest.description(of: descriptor.name)
    // What no recording shows may be anything.
    let values = Dictionary(manifest.texts.filter { $0.defaultValue == nil }.map { ($0.name, "made-up") }) { first, _ in first }
    self.init(
      of: descriptor, fixture: fixture,
      settings: values.merging(source.settings(in: fixture)) { $1 }.merging(settings) { $1 },
      model: try ServiceModel(of: fixture, as: source), skipping: skips)
  }

  /// Every law under every hazard.
  public func report() async -> ConformanceReport {
    do {
      let source = try await SourceUnderTest(descriptor, fixture, settings: settings, model: model)
      var rows: [ConformanceReport.Row] = []
      func note(_ law: Law, under hazard: Hazard, _ check: () async throws -> LawOutcome) async {
        rows.append(.init(hazard: hazard, law: law, outcome: await .of(check)))
      }
      for hazard in Hazard.allCases {
        if hazard.befallsSyncs {
          await note(.nothingLost, under: hazard) { try await source.outcome(ofSyncUnder: hazard) }
        } else {
          let check = try await HazardCheck(source, under: hazard)
          for law in Law.observed { await note(law, under: hazard) { check.outcome(of: law) } }
        }
      }
      let isEndless = rows.contains { $0.hazard == .calm && $0.law == .pagesEnd && $0.outcome.isFailure }
      for law in Law.allCases where !Law.observed.contains(law) {
        await note(law, under: .calm) {
          isEndless ? .notApplicable("the walk did not end") : try await source.outcome(of: law)
        }
      }
      return ConformanceReport(source: descriptor.name, service: "\(source.model.list)", rows: rows).skipping(skips)
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
    public fileprivate(set) var outcome: LawOutcome
  }

  /// The name of the source.
  public let source: String
  /// How the service was modelled.
  private var service: String?
  /// Empty when the suite could not begin.
  public internal(set) var rows: [Row] = []
  /// Why the suite could not begin.
  public internal(set) var unfit: String?
  /// What is wrong with the skips themselves.
  private var needless: [String] = []

  init(source: String, service: String? = nil, rows: [Row] = [], unfit: String? = nil) {
    (self.source, self.service, self.rows, self.unfit) = (source, service, rows, unfit)
  }

  /// The rows of broken laws, first those that are broken although the service behaves.
  public var failures: [Row] {
    let failures = rows.filter(\.outcome.isFailure)
    return failures.filter { $0.hazard == .calm } + failures.filter { $0.hazard != .calm }
  }
  /// Whether the suite could begin, no law was broken and no skip is needless.
  public var isPassed: Bool { unfit == nil && failures.isEmpty && needless.isEmpty }

  /// The same without the failures that somebody skips.
  func skipping(_ skips: [Skip]) -> ConformanceReport {
    var report = self
    for skip in skips {
      report.needless += [skip.complaint(over: rows.filter(skip.covers).map(\.outcome))].compactMap(\.self)
      for index in report.rows.indices where skip.covers(report.rows[index]) {
        guard case .failed(let seen) = report.rows[index].outcome else { continue }
        report.rows[index].outcome = .skipped(because: skip.reason, seen: seen)
      }
    }
    return report
  }

  /// What became of a law under a hazard; nil where the two were not tried together.
  public subscript(hazard: Hazard, law: Law) -> LawOutcome? { rows.first { $0.hazard == hazard && $0.law == law }?.outcome }
}

extension ConformanceReport: CustomStringConvertible {
  /// A line for each failure: the source, the law, the hazard, and what was seen; then one for each skip that is not needed.
  public var complaints: [String] {
    lines { if case .failed(let seen) = $0 { seen } else { nil } } + needless.map { "\(source): \($0)" }
  }

  /// A line for each check that was skipped: the source, the law, the hazard, and why.
  public var omissions: [String] { lines { if case .skipped(let reason, _) = $0 { "skipped: \(reason)" } else { nil } } }

  private func lines(_ words: (LawOutcome) -> String?) -> [String] {
    rows.compactMap { row in words(row.outcome).map { "\(source): \(row.law), under \(row.hazard): \($0)" } }
  }

  /// How many checks came out how.
  public var summary: String {
    let passed = rows.count { $0.outcome == .passed }
    let (failed, skipped) = (failures.count, omissions.count)
    let counts = "\(passed) checks passed, \(failed) failed\(skipped == 0 ? "" : ", \(skipped) skipped")"
    return "\(source): \(counts), \(rows.count - passed - failed - skipped) do not apply"
  }

  /// Each failure and each skip, then what to do.
  public var description: String {
    if let unfit { return "\(source): the suite cannot start: \(unfit)\nhow to tell \(Self.guess)" }
    var advice: [String] = []
    if failures.contains(where: { $0.hazard == .calm }), let service {
      advice = ["the service was modelled as \(service); where it is another, say so: Conformance(…, model: …)"]
    }
    if !failures.isEmpty {
      advice += [
        "what each law and hazard is, and how to tell \(Self.guess)",
        "fix the first failure first, since it often causes the others; then run this again",
      ]
    }
    return (complaints + omissions + [summary] + advice).joined(separator: "\n")
  }
}

extension ConformanceReport {
  private static let guess = "what cannot be guessed of a service, stands in Docs/guides/verify-a-source.md"

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
    lines.append("✓ passed  ✗ failed\(omissions.isEmpty ? "" : "  – skipped")  · does not apply")
    return lines.joined(separator: "\n")
  }

  private func symbol(_ outcome: LawOutcome?) -> String {
    switch outcome {
    case .passed: "✓"
    case .failed: "✗"
    case .skipped: "–"
    case .notApplicable: "·"
    case nil: " "
    }
  }
}
