/// Something that every source keeps under every hazard.
public enum Law: String, Sendable, Hashable, CaseIterable {
  case pagesEnd = "pages end"
  case emptyIsNotFailed = "empty is not failed"
  case noIdTwice = "no id twice"
  case nothingLost = "nothing lost"
  case verdict = "verdict"
  case counts = "counts"
  case errors = "errors typed"
  case fallback = "fallback honest"
  case patience = "patience bounded"
  case bodies = "bodies bounded"
  case secrets = "secrets absent"
  case echoes = "echoed keys hidden"
  case limits = "limits respected"
  case search = "search finds"
  case cursors = "cursors refuse strangers"
  case cancellation = "cancellation prompt"
  case deadline = "deadline kept"
  case roundTrip = "records round-trip"
  case description = "descriptions complete"

  /// Those above ``echoes`` are observed in every walk; the others are tried on their own, without a hazard.
  static let observed = allCases.prefix { $0 != .echoes }
}

extension Law: CustomStringConvertible {
  public var description: String { rawValue }
}

/// What became of one check.
public enum LawOutcome: Sendable, Hashable {
  case passed
  /// What was seen instead of what is due.
  case failed(String)
  /// What was seen instead of what is due, and why the author of the source lets that be.
  case skipped(because: String, seen: String)
  /// Why there is nothing to check.
  case notApplicable(String)

  public var isFailure: Bool { if case .failed = self { true } else { false } }

  /// The outcome of a check, which fails where it throws.
  static func of(_ check: () async throws -> LawOutcome) async -> LawOutcome {
    do {
      return try await check()
    } catch {
      return .failed("it failed: \(error)")
    }
  }

  static func unless(_ complaint: String?) -> LawOutcome { complaint.map(LawOutcome.failed) ?? .passed }
}

/// Checks that a source is not held to, because its service does what the stand-in cannot do.
///
/// ```swift
/// Conformance(
///   of: .ports, fixture: fixture,
///   skipping: [.law(.search, because: "the service finds words by their meaning, which the stand-in does not know")])
/// ```
///
/// They are tried all the same. The report prints what was skipped and why, and does not pass where nothing needs a skip any more.
public struct Skip: Sendable, Hashable {
  /// Nil for every law.
  public let law: Law?
  /// Nil for every hazard.
  public let hazard: Hazard?
  /// Why the source is not held to them.
  public let reason: String

  /// One law, under every hazard or under one.
  public static func law(_ law: Law, under hazard: Hazard? = nil, because reason: String) -> Skip {
    Skip(law: law, hazard: hazard, reason: reason)
  }

  /// Every law under one hazard.
  public static func hazard(_ hazard: Hazard, because reason: String) -> Skip { Skip(law: nil, hazard: hazard, reason: reason) }

  func covers(_ row: ConformanceReport.Row) -> Bool { law ?? row.law == row.law && hazard ?? row.hazard == row.hazard }

  /// What is wrong with it, judged by what became of the checks that it covers.
  func complaint(over outcomes: [LawOutcome]) -> String? {
    if reason.isEmpty { return "\(self) is skipped without a reason; say why" }
    if outcomes.contains(where: \.isFailure) { return nil }
    let isPassed = outcomes.contains(.passed)
    let found = outcomes.isEmpty ? "there is no such check" : isPassed ? "passes" : "does not apply"
    return "\(self) is skipped, but \(found); remove the skip"
  }
}

extension Skip: CustomStringConvertible {
  public var description: String {
    switch (law, hazard) {
    case (let law?, let hazard?): "\(law), under \(hazard),"
    case (let law?, nil): "\(law)"
    case (nil, let hazard?): "\(hazard)"
    case (nil, nil): "everything"
    }
  }
}
