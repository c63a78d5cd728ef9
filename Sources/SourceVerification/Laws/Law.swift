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
