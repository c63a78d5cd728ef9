import Recordings

/// A rule that every source keeps under every hazard.
public enum Law: String, Sendable, Hashable, CaseIterable {
  /// A walk ends after few requests for each record.
  case pagesEnd = "pages end"
  /// A failure of the service gives an error or a partial verdict, not an empty list.
  case emptyIsNotFailed = "empty is not failed"
  /// No walk returns an ID twice, and no two rows have the same ID.
  case noIdTwice = "no id twice"
  /// Every row that stayed in the list comes, and no other row does. Missing rows are reported.
  case nothingLost = "nothing lost"
  /// A verdict claims neither more nor less than the walk could know.
  case verdict = "verdict"
  /// Broken rows and repeats are counted, each once.
  case counts = "counts"
  /// Every failure is a `SourceError` of the right kind, with the source's name and a message.
  case errors = "errors typed"
  /// A fallback answers only if it may, says why, and is never mixed with the service in one walk.
  case fallback = "fallback honest"
  /// A request is repeated at most twice, only if that is safe, and not before the service allows it.
  case patience = "patience bounded"
  /// No request allows a larger body or a longer time than usual.
  case bodies = "bodies bounded"
  /// No key appears in a record, an error, an event or a stored answer.
  case secrets = "secrets absent"
  /// A key that the service repeats in rows, errors or addresses does not appear anywhere either, and a value that had it is a misfit.
  case echoes = "echoed keys hidden"
  /// A walk returns as many records as its limit allows, and a page has at most the declared number.
  case limits = "limits respected"
  /// A search finds the records with its words, and no others.
  case search = "search finds"
  /// A stand-in is asked only what it declares: while the service fails, no search or look-up gives a record that does not match.
  case declared = "asked only what it declares"
  /// A cursor of another source is refused before any request.
  case cursors = "cursors refuse strangers"
  /// A cancelled page ends at once with a `CancellationError`, and so does its request.
  case cancellation = "cancellation prompt"
  /// A page ends at its deadline even if the service does not answer.
  case deadline = "deadline kept"
  /// A record is the same after it is written and read.
  case roundTrip = "records round-trip"
  /// Cached answers of a walk have the same records and claim no more than the walk did: offline, by their age, and when the service fails.
  case kept = "a cached answer claims only what was known"
  /// A source declares what it does: its names, its summary, and fields that have values.
  case description = "descriptions complete"

  /// The laws before ``echoes`` are observed in every walk. The others have checks of their own, without a hazard.
  static let observed = allCases.prefix { $0 != .echoes }
}

extension Law: CustomStringConvertible {
  public var description: String { rawValue }
}

/// The outcome of one check.
public enum LawOutcome: Sendable, Hashable {
  /// The source kept the law.
  case passed
  /// The law was broken; the text says what was seen.
  case failed(String)
  /// The law was broken, and the author of the source accepts that for a reason.
  case skipped(because: String, seen: String)
  /// The check does not apply, for this reason.
  case notApplicable(String)

  /// True when the law was broken.
  public var isFailure: Bool { if case .failed = self { true } else { false } }

  static func unless(_ complaint: String?) -> LawOutcome { complaint.map(LawOutcome.failed) ?? .passed }
}

/// Checks that a source does not have to pass, because its service does something that the stand-in cannot do.
///
/// ```swift
/// Conformance(
///   of: .ports, fixture: fixture,
///   skipping: [.law(.search, because: "the service finds words by their meaning, which the stand-in does not know")])
/// ```
///
/// They still run. The report prints each skipped check with the reason, and fails if a skip is not needed any more.
public struct Skip: Sendable, Hashable {
  /// The law; nil for every law.
  public let law: Law?
  /// The hazard; nil for every hazard.
  public let hazard: Hazard?
  /// The reason for the skip.
  public let reason: String

  /// One law, under every hazard or under one.
  public static func law(_ law: Law, under hazard: Hazard? = nil, because reason: String) -> Skip {
    Skip(law: law, hazard: hazard, reason: reason)
  }

  /// Every law under one hazard.
  public static func hazard(_ hazard: Hazard, because reason: String) -> Skip { Skip(law: nil, hazard: hazard, reason: reason) }

  func covers(_ row: ConformanceReport.Row) -> Bool { law ?? row.law == row.law && hazard ?? row.hazard == row.hazard }

  /// Returns a complaint about the skip itself, judged by the checks that it covers; nil if the skip is needed and has a reason.
  func complaint(over outcomes: [LawOutcome]) -> String? {
    if reason.allSatisfy(\.isWhitespace) { return "\(self) is skipped without a reason; say why" }
    if outcomes.contains(where: \.isFailure) { return nil }
    let isPassed = outcomes.contains(.passed)
    let found = outcomes.isEmpty ? "no check has that name" : isPassed ? "passes" : "does not apply"
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
