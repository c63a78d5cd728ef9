import Recordings

/// Something that every source keeps under every hazard.
public enum Law: String, Sendable, Hashable, CaseIterable {
  /// A walk ends, in few requests for each record.
  case pagesEnd = "pages end"
  /// Where the service failed there is an error or a partial verdict, not an empty list.
  case emptyIsNotFailed = "empty is not failed"
  /// No walk gives an id twice, and no two rows have the same one.
  case noIdTwice = "no id twice"
  /// Every row that stayed in the list comes, and none that is not in it; what is missing is said.
  case nothingLost = "nothing lost"
  /// A verdict claims neither more nor less than the walk could know.
  case verdict = "verdict"
  /// Broken rows and repeats are counted, each once.
  case counts = "counts"
  /// Whatever goes wrong is a `SourceError` of the right kind, with the source's name and a message.
  case errors = "errors typed"
  /// Another origin answers only where it may, says why, and is never mixed with the service in one walk.
  case fallback = "fallback honest"
  /// A request is repeated at most twice, only where that is safe, and not before the service wants it.
  case patience = "patience bounded"
  /// No request allows a larger body or a longer time than is usual.
  case bodies = "bodies bounded"
  /// No key appears in a record, an error, an event or what is stored.
  case secrets = "secrets absent"
  /// A key that the service itself repeats, in rows, errors or addresses, appears nowhere either.
  case echoes = "echoed keys hidden"
  /// A walk gives as many records as its limit allows, and a page no more than is declared.
  case limits = "limits respected"
  /// A search finds the records that hold its words, and only those.
  case search = "search finds"
  /// A cursor of another source is refused, before anything is asked.
  case cursors = "cursors refuse strangers"
  /// A cancelled page ends at once with a `CancellationError`, and so does its request.
  case cancellation = "cancellation prompt"
  /// A page whose time is over ends, although the service does not answer.
  case deadline = "deadline kept"
  /// A record that is written and read again is the same.
  case roundTrip = "records round-trip"
  /// What was kept of a walk claims no more than the walk did, and has no other records: offline, by its age, and where the service fails.
  case kept = "kept is no more than known"
  /// A source declares what it does: names, summary, fields that have values.
  case description = "descriptions complete"

  /// Those above ``echoes`` are observed in every walk; the others are tried on their own, without a hazard.
  static let observed = allCases.prefix { $0 != .echoes }
}

extension Law: CustomStringConvertible {
  public var description: String { rawValue }
}

/// What became of one check.
public enum LawOutcome: Sendable, Hashable {
  /// The source kept the law.
  case passed
  /// What was seen instead of what is due.
  case failed(String)
  /// What was seen instead of what is due, and why the author of the source lets that be.
  case skipped(because: String, seen: String)
  /// Why there is nothing to check.
  case notApplicable(String)

  /// Whether the law was broken.
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
    if reason.allSatisfy(\.isWhitespace) { return "\(self) is skipped without a reason; say why" }
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
