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
