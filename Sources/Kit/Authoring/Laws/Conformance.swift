public import AggregatorCore
public import Recordings
public import Services

/// Checks a source against every law under every hazard.
///
/// ```swift
/// let report = await Conformance(of: .ports, fixture: fixture).report()
/// #expect(report.isPassed, "\(report)")
/// ```
///
/// The source is opened in the usual way, in a world of its own: a service made from the fixture (``ModelServer``), a clock that never
/// waits, and seeded dice. Keys that `settings` leaves out are made up, and all output is searched for them.
public struct Conformance: Sendable {
  /// The source to check.
  public let descriptor: SourceDescriptor
  /// The recording that the hazards are made from.
  public let fixture: Fixture
  /// The settings to open it with; keys that they leave out are made up.
  public let settings: [String: String]
  /// The failures that are accepted, and the reasons.
  public let skips: [Skip]
  private let model: ServiceModel?

  /// `model` says how the service pages and searches if that cannot be guessed from the recording. `skips` name the
  /// checks of behavior that cannot be modelled at all.
  public init(
    of descriptor: SourceDescriptor, fixture: Fixture, settings: [String: String] = [:], model: ServiceModel? = nil,
    skipping skips: [Skip] = []
  ) {
    (self.descriptor, self.fixture, self.settings) = (descriptor, fixture, settings)
    (self.model, self.skips) = (model, skips)
  }

  /// The same over the source's own recording. Throws if the source has none, or one that cannot be read.
  public init(of descriptor: SourceDescriptor, settings: [String: String] = [:], skipping skips: [Skip] = []) throws {
    guard let recording = descriptor.recording else { throw SourceError(noRecordingOf: descriptor.name) }
    let fixture = try Fixture(har: recording(), name: "\(descriptor.name).har")
    self.init(of: descriptor, fixture: fixture, settings: settings, skipping: skips)
  }

  /// A source from a manifest, over `fixture` or the manifest's own recording. The service is modelled as the manifest describes it.
  public init(of manifest: Manifest, _ name: String, fixture: Fixture? = nil, skipping skips: [Skip] = []) throws {
    try self.init(
      of: manifest.source(name).descriptor, describedBy: manifest, fixture: fixture ?? manifest.recording(of: name),
      skipping: skips)
  }

  /// A source in code, over a service modelled as the manifest describes the source of the same name. Plain settings that `settings` leaves
  /// out get the values in the recording.
  public init(
    of descriptor: SourceDescriptor, describedBy manifest: Manifest, fixture: Fixture, settings: [String: String] = [:],
    skipping skips: [Skip] = []
  ) throws {
    let source = try manifest.description(of: descriptor.name)
    self.init(
      of: descriptor, fixture: fixture, settings: manifest.values(of: source, in: fixture).merging(settings) { $1 },
      model: try ServiceModel(of: fixture, as: source), skipping: skips)
  }

  /// Checks every law under every hazard.
  public func report() async -> ConformanceReport {
    do {
      let source = try await SourceUnderTest(descriptor, fixture, settings: settings, model: model)
      var rows: [ConformanceReport.Row] = []
      func note(_ law: Law, under hazard: Hazard, _ check: () async throws -> LawOutcome) async {
        let outcome: LawOutcome
        do { outcome = try await check() } catch { outcome = .failed("it failed: \(error)") }
        rows.append(.init(hazard: hazard, law: law, outcome: outcome))
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

/// The outcome of every law under every hazard.
public struct ConformanceReport: Sendable, Hashable {
  /// The outcome of one law under one hazard.
  public struct Row: Sendable, Hashable {
    /// The behavior of the service.
    public let hazard: Hazard
    /// The law that was checked.
    public let law: Law
    /// The result of the check.
    public fileprivate(set) var outcome: LawOutcome
  }

  /// The name of the source.
  public let source: String
  /// A description of the modelled service.
  var service: String?
  /// The outcomes; empty if the checks could not begin.
  public internal(set) var rows: [Row] = []
  /// The reason why the checks could not begin.
  public internal(set) var unfit: String?
  /// Complaints about the skips themselves.
  var needless: [String] = []

  /// The rows of broken laws. Those under a calm service come first.
  public var failures: [Row] {
    let failures = rows.filter(\.outcome.isFailure)
    return failures.filter { $0.hazard == .calm } + failures.filter { $0.hazard != .calm }
  }
  /// True when the checks could begin, no law was broken and every skip is needed.
  public var isPassed: Bool { unfit == nil && failures.isEmpty && needless.isEmpty }

  /// Returns the same report with the failures that `skips` cover marked as skipped.
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

  /// The outcome of a law under a hazard; nil if the two were not tried together.
  public subscript(hazard: Hazard, law: Law) -> LawOutcome? { rows.first { $0.hazard == hazard && $0.law == law }?.outcome }
}

extension ConformanceReport: CustomStringConvertible {
  /// One line for each failure, with the source, the law, the hazard and what was seen; then one line for each skip that is not needed.
  public var complaints: [String] {
    lines { if case .failed(let seen) = $0 { seen } else { nil } } + needless.map { "\(source): \($0)" }
  }

  /// One line for each skipped check, with the source, the law, the hazard and the reason.
  public var omissions: [String] { lines { if case .skipped(let reason, _) = $0 { "skipped: \(reason)" } else { nil } } }

  private func lines(_ words: (LawOutcome) -> String?) -> [String] {
    rows.compactMap { row in words(row.outcome).map { "\(source): \(row.law), under \(row.hazard): \($0)" } }
  }

  /// The number of checks with each result.
  public var summary: String {
    let passed = rows.count { $0.outcome == .passed }
    let (failed, skipped) = (failures.count, omissions.count)
    let counts = "\(passed) checks passed, \(failed) failed\(skipped == 0 ? "" : ", \(skipped) skipped")"
    return "\(source): \(counts), \(rows.count - passed - failed - skipped) do not apply"
  }

  /// The failures and skips, then what to do.
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

  private static let guess = "for what the kit cannot guess, see Docs/guides/verify-a-source.md"

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
