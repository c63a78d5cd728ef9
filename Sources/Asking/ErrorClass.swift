public import AggregatorCore

/// What kind of trouble an error is, for whoever has to answer it: a command ends with a code for each, a server answers with a status.
public enum ErrorClass: String, Sendable, Hashable, CaseIterable {
  /// What was asked makes no sense.
  case misused
  /// The service's answer was not understood.
  case misunderstood
  /// There is no such record or file.
  case missing
  /// The service could not be reached, or did not answer in time.
  case unreachable
  /// The store could not be read or written.
  case storage
  /// The service, a budget or another process wants one to wait.
  case later
  /// The service refused the key, or there is none.
  case refused
  /// A setting makes no sense.
  case settings
  /// Anything else.
  case unforeseen

  /// The class of a kind of errors.
  public init(of kind: SourceError.Kind) {
    self =
      switch kind {
      case .unreachable, .noTransport, .interrupted, .timedOut, .unavailable, .noSuchAddress, .unsafeRedirect, .notStored:
        .unreachable
      case .throttled, .budgetSpent, .taken: .later
      case .malformed, .truncated, .missingField: .misunderstood
      case .refusedKey, .missingKey: .refused
      case .notFound, .unreadableFile: .missing
      case .settings: .settings
      case .unsortable, .incomparable: .misused
      case .storage: .storage
      default: .unforeseen
      }
  }

  /// The status of an answer over HTTP (RFC 9110).
  public var status: Int {
    switch self {
    case .misused: 400
    case .missing: 404
    case .misunderstood, .unreachable: 502
    case .later: 503
    case .storage, .refused, .settings, .unforeseen: 500
    }
  }
}

extension SourceError {
  /// The status of an answer over HTTP; one that came too late has a status of its own.
  public var status: Int { kind == .timedOut ? 504 : ErrorClass(of: kind).status }
}
