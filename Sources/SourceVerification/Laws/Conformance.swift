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
  public let descriptor: SourceDescriptor
  public let fixture: Fixture
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
      let candidate = try await Candidate(TestBed(descriptor, fixture, settings: settings, model: model))
      let trials = Trials(candidate: candidate)
      var rows: [ConformanceReport.Row] = []
      for hazard in Hazard.allCases {
        guard !hazard.befallsSyncs else {
          rows.append(.init(hazard, .nothingLost, await .of { try await trials.outcome(ofSyncUnder: hazard) }))
          continue
        }
        let inspection = try await Inspection(candidate, under: hazard)
        rows += Law.allCases.filter { !$0.isTriedAlone }.map { .init(hazard, $0, inspection.outcome(of: $0)) }
      }
      let isEndless = rows.contains { $0.hazard == .calm && $0.law == .pagesEnd && $0.outcome.isFailure }
      for law in Law.allCases where law.isTriedAlone {
        rows.append(
          .init(.calm, law, isEndless ? .notApplicable("the walk did not end") : await .of { try await trials.outcome(of: law) }))
      }
      return ConformanceReport(source: descriptor.name, rows: rows)
    } catch {
      return ConformanceReport(source: descriptor.name, unfit: "\(error)")
    }
  }
}
