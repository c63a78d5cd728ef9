/// The reason why a source could not answer. A cancellation stays a `CancellationError`. Kinds may be added, so switches need a default.
public struct SourceError: Error, Sendable, Hashable {
  /// The kind of an error, for programs.
  public struct Kind: Sendable, Hashable {
    /// The word for it in logs and JSON.
    public let name: String
    /// True when the same request may succeed if it is simply sent again.
    package let isTransient: Bool
    /// True when another origin of the same data may answer instead.
    public let mayFallBack: Bool
    /// True when the error may concern one page or one part of a list, while the others can be read.
    package var isOfPlace = false
  }

  /// The kind of trouble. It decides whether a stand-in may answer, and the exit code of a command.
  public var kind: Kind
  /// The event in words for a person: a clause without the source's name and without a full stop.
  public var message: String
  /// The source that failed, once known; empty for an error of the store, which all sources share.
  public var source: String?
  /// The way to deal with the error, if there is one.
  public var remedy: Remedy?
  /// The time to wait before the next try, as the service or our own budget says; nil if unknown.
  public var retryAfter: Duration?
  /// The number of times that the request was sent.
  public var attempts = 1
  /// The errors of the stand-ins that were asked.
  public var others: [SourceError] = []

  /// An error without a source yet; see ``message`` for its style.
  public init(_ kind: Kind, _ message: String, remedy: Remedy? = nil, retryAfter: Duration? = nil) {
    (self.kind, self.message, self.remedy, self.retryAfter) = (kind, message, remedy, retryAfter)
  }
}

extension SourceError.Kind {
  /// The connection failed: no such host, refused, or no answer in time.
  public static let unreachable = Self("unreachable", isTransient: false, mayFallBack: true)
  /// This machine lacks something that a request needs: a library, a thread, certificates. It says nothing about the host.
  public static let noTransport = Self("no-transport", isTransient: false, mayFallBack: true)
  /// The connection was made and then lost.
  public static let interrupted = Self("interrupted", isTransient: true, mayFallBack: true).ofPlace
  /// No answer came in the given time.
  public static let timedOut = Self("timed-out", isTransient: true, mayFallBack: true).ofPlace
  /// The service answered that it cannot serve the request: 5xx.
  public static let unavailable = Self("unavailable", isTransient: true, mayFallBack: true).ofPlace
  /// A program that has the records did not end well, or hung. It makes its own attempts, and is not started again for another.
  public static let programFailed = Self("program-failed", isTransient: false, mayFallBack: true)
  /// The service does not know the address of its own list: 404.
  public static let noSuchAddress = Self("no-such-address", isTransient: false, mayFallBack: true)
  /// The service wants us to ask later: 420, 429, or its own error for that.
  public static let throttled = Self("throttled", isTransient: true, mayFallBack: true)
  /// Our own budget for the service is spent.
  public static let budgetSpent = Self("budget-spent", isTransient: false, mayFallBack: true)
  /// The limit on the number of requests was reached.
  public static let requestsSpent = Self("requests-spent", isTransient: false, mayFallBack: false)
  /// The end of a plan, which stops where something would be written.
  package static let planned = Self("planned", isTransient: false, mayFallBack: false)
  /// The records are of another shape than the due one, and were not stored.
  static let otherShape = Self("other-shape", isTransient: false, mayFallBack: false)
  /// Another process does the same thing at this moment.
  public static let taken = Self("taken", isTransient: false, mayFallBack: false)
  /// The answer is not what the service promises.
  public static let malformed = Self("malformed", isTransient: false, mayFallBack: true).ofPlace
  /// The answer was cut short: worth asking again, unlike an answer that is whole and wrong.
  public static let truncated = Self("truncated", isTransient: true, mayFallBack: true).ofPlace
  /// The service wants a key and none is set.
  public static let missingKey = Self("missing-key", isTransient: false, mayFallBack: true)
  /// The answer was never stored, so it cannot be given again.
  public static let notStored = Self("not-kept", isTransient: false, mayFallBack: true)
  /// The recording that is played lacks this request, which was optional.
  public static let notRecorded = Self("not-recorded", isTransient: false, mayFallBack: false)
  /// The service refused the key.
  public static let refusedKey = Self("refused-key", isTransient: false, mayFallBack: false)
  /// The key may not read this address: 403. It may read others. Programs see it as ``refusedKey``.
  package static let forbidden = Self("refused-key", isTransient: false, mayFallBack: false).ofPlace
  /// The service refused the request, which is our mistake.
  public static let badRequest = Self("bad-request", isTransient: false, mayFallBack: false)
  /// The record does not exist.
  public static let notFound = Self("not-found", isTransient: false, mayFallBack: false)
  /// A cursor was given to a source that did not make it.
  public static let foreignCursor = Self("foreign-cursor", isTransient: false, mayFallBack: false)
  /// The settings are invalid.
  public static let settings = Self("settings", isTransient: false, mayFallBack: false)
  /// The store cannot be read or written.
  public static let storage = Self("storage", isTransient: false, mayFallBack: false)
  /// The store cannot count the requests of a budget. No request was sent, and a stand-in may answer. Programs see it as ``storage``.
  package static let uncountedBudget = Self("storage", isTransient: false, mayFallBack: true)
  /// A redirect would have carried a secret to another host: the service has moved, or a network asks for a login.
  public static let unsafeRedirect = Self("unsafe-redirect", isTransient: false, mayFallBack: true)

  init(_ name: String, isTransient: Bool, mayFallBack: Bool) {
    (self.name, self.isTransient, self.mayFallBack) = (name, isTransient, mayFallBack)
  }

  private var ofPlace: Self { copy(of: self) { $0.isOfPlace = true } }

  /// A kind that an author defines.
  public static func custom(_ name: String, isTransient: Bool = false, mayFallBack: Bool = false) -> Self {
    Self(name, isTransient: isTransient, mayFallBack: mayFallBack)
  }

  /// Compares names only: two kinds with the same name are the same for a program, whatever else they allow.
  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension SourceError: CustomStringConvertible {
  /// `heroes: the key was refused; set COMIC_VINE_API_KEY …`
  public var description: String {
    var text = source.flatMap { $0.isEmpty ? nil : "\($0): \(message)" } ?? message
    if attempts > 1 { text += ", tried \(attempts) times" }
    for other in others { text += "; fallback failed: \(other)" }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}

extension SourceError {
  /// Returns the error with the source's name, unless it already has one.
  public func from(_ source: String) -> SourceError {
    copy(of: self) { $0.source = $0.source ?? source }
  }
}

// MARK: - Pauses

extension SourceError {
  /// An error of a service that asks for a pause; the message includes the length of `wait` if the service gave one.
  public static func throttled(_ message: String, for wait: Duration?) -> SourceError {
    .pausing(.throttled, message, for: wait)
  }

  /// An error after which the service may be asked again; the message includes the length of `wait` if that is known.
  package static func pausing(_ kind: Kind, _ message: String, for wait: Duration?) -> SourceError {
    SourceError(kind, message + (wait.map(advice(toWait:)) ?? ""), retryAfter: wait)
  }

  private static func advice(toWait wait: Duration) -> String { wait > .zero ? "; try again in \(wait.inWords)" : "" }

  /// The message without the advice how long to wait, for callers that show the wait themselves.
  public var reasonToWait: String {
    guard let advice = retryAfter.map(Self.advice(toWait:)), message.hasSuffix(advice) else { return message }
    return String(message.dropLast(advice.count))
  }
}

// MARK: - The store

extension SourceError {
  /// An error of the store as a whole, which is the same for every source and names none of them.
  public init(ofStore message: String, remedy: Remedy? = nil) {
    self.init(.storage, message, remedy: remedy)
    source = ""
  }

  /// True when a text is not what it should be, or ends too early.
  package var isOfContent: Bool { kind == .malformed || kind == .truncated }

  /// True when the store as a whole cannot be used, whichever source found out.
  public var isOfStore: Bool { kind == .storage && source == "" }

  /// The store's error, if it is this one or the reason why an answer is not stored.
  var storeTrouble: SourceError? {
    kind == .storage ? self : kind == .notStored ? others.first { $0.kind == .storage } : nil
  }

  /// False for an error of the store, and for one that only says that nothing is stored. The store's trouble is reported by itself.
  var explains: Bool { storeTrouble == nil && (kind != .notStored || remedy != nil) }
}
