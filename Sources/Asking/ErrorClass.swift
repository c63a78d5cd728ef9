public import AggregatorCore

/// The class of an error, for faces that answer with a code: the command has an exit code for each class, a server a status.
public enum ErrorClass: String, Sendable, Hashable, CaseIterable {
  /// The ask makes no sense.
  case misused
  /// The service's answer was not understood.
  case misunderstood
  /// The record or the file does not exist.
  case missing
  /// The service could not be reached, or did not answer in time.
  case unreachable
  /// The store could not be read or written.
  case storage
  /// The request has to wait, because the service, a budget, another process or the number of requests that a person allowed does not permit
  /// it now.
  case later
  /// The key is missing, or the service refused it.
  case refused
  /// A setting makes no sense.
  case settings
  /// Anything else.
  case unforeseen

  /// The class to which a kind of error belongs.
  public init(of kind: SourceError.Kind) {
    self =
      switch kind {
      case .unreachable, .noTransport, .interrupted, .timedOut, .unavailable, .noSuchAddress, .unsafeRedirect, .notStored,
        .programFailed:
        .unreachable
      case .throttled, .budgetSpent, .taken, .requestsSpent: .later
      case .malformed, .truncated, .missingField: .misunderstood
      case .refusedKey, .missingKey: .refused
      case .notFound, .unreadableFile: .missing
      case .settings: .settings
      case .unsortable, .incomparable: .misused
      case .storage: .storage
      default: .unforeseen
      }
  }

  /// The HTTP status for such errors (RFC 9110).
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
  /// The HTTP status for this error; 504 if the answer came too late.
  public var status: Int { kind == .timedOut ? 504 : ErrorClass(of: kind).status }
}

extension SourceError.Kind {
  /// A file that was named cannot be read.
  package static let unreadableFile = custom("unreadable-file")
  /// A file has no name for a field that every record needs.
  package static let missingField = custom("missing-field")
}
