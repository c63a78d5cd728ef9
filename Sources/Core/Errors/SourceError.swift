/// Why a source could not answer; a cancellation stays a `CancellationError`. It grows by new kinds, so switches keep a default.
public struct SourceError: Error, Sendable, Hashable {
  /// What happened, as far as a program cares.
  public struct Kind: Sendable, Hashable {
    /// The word for it in logs and JSON.
    public let name: String
    /// Whether the same request may succeed when it is simply sent again.
    package let isTransient: Bool
    /// Whether another origin of the same data may stand in.
    public let mayFallBack: Bool
  }

  /// What kind of trouble it is: it decides whether something may stand in, and the exit code of a command.
  public var kind: Kind

  /// What happened, for a person: a clause without the source's name and without a full stop.
  public var message: String

  /// The source that failed, once known; empty where it is the store, which all of them share.
  public var source: String?

  /// What can be done about it, where there is such a thing.
  public var remedy: Remedy?

  /// How long the service asked to be left alone.
  public var retryAfter: Duration?

  /// How often the request was sent, all attempts counted.
  public var attempts = 1

  /// What the sources said that were asked to stand in.
  public var others: [SourceError] = []

  /// An error that nobody has given its source yet; see ``message`` for how it is written.
  public init(_ kind: Kind, _ message: String, remedy: Remedy? = nil, retryAfter: Duration? = nil) {
    (self.kind, self.message, self.remedy, self.retryAfter) = (kind, message, remedy, retryAfter)
  }
}

extension SourceError.Kind {
  /// The connection failed: no such host, refused, or no answer in time.
  public static let unreachable = Self("unreachable", isTransient: false, mayFallBack: true)
  /// This machine lacks what a request needs: a library, a thread, certificates. It says nothing of the host.
  public static let noTransport = Self("no-transport", isTransient: false, mayFallBack: true)
  /// The connection was made and then lost.
  public static let interrupted = Self("interrupted", isTransient: true, mayFallBack: true)
  /// No answer in the time that was given.
  public static let timedOut = Self("timed-out", isTransient: true, mayFallBack: true)
  /// The service answered that it cannot: 5xx.
  public static let unavailable = Self("unavailable", isTransient: true, mayFallBack: true)
  /// The service does not know its own address: 404 for a list.
  public static let noSuchAddress = Self("no-such-address", isTransient: false, mayFallBack: true)
  /// The service, or our own budget for it, asks us to come back later.
  public static let throttled = Self("throttled", isTransient: true, mayFallBack: true)
  /// Our own budget for the service is spent.
  public static let budgetSpent = Self("budget-spent", isTransient: false, mayFallBack: true)
  /// Another process does the same at this moment.
  public static let taken = Self("taken", isTransient: false, mayFallBack: false)
  /// The answer is not what the service promises.
  public static let malformed = Self("malformed", isTransient: false, mayFallBack: true)
  /// The answer broke off: worth asking again, unlike one that is whole and wrong.
  public static let truncated = Self("truncated", isTransient: true, mayFallBack: true)
  /// The service wants a key and none is set.
  public static let missingKey = Self("missing-key", isTransient: false, mayFallBack: true)
  /// The answer was never stored, so it cannot be given again.
  public static let notStored = Self("not-kept", isTransient: false, mayFallBack: true)
  /// The recording that is played has no such request, and was asked on trial.
  public static let notRecorded = Self("not-recorded", isTransient: false, mayFallBack: false)
  /// The service refused the key.
  public static let refusedKey = Self("refused-key", isTransient: false, mayFallBack: false)
  /// The service refused the request: a mistake of ours.
  public static let badRequest = Self("bad-request", isTransient: false, mayFallBack: false)
  /// There is no such record.
  public static let notFound = Self("not-found", isTransient: false, mayFallBack: false)
  /// A cursor was handed to a source that did not make it.
  public static let foreignCursor = Self("foreign-cursor", isTransient: false, mayFallBack: false)
  /// The settings make no sense.
  public static let settings = Self("settings", isTransient: false, mayFallBack: false)
  /// The store cannot be read or written.
  public static let storage = Self("storage", isTransient: false, mayFallBack: false)
  /// The store cannot count what is spent of a budget: nothing was sent, and something else may stand in. To a program it is ``storage``.
  package static let uncountedBudget = Self("storage", isTransient: false, mayFallBack: true)
  /// A redirect would have carried a secret elsewhere: the service has moved, or a network asks for a login.
  public static let unsafeRedirect = Self("unsafe-redirect", isTransient: false, mayFallBack: true)

  init(_ name: String, isTransient: Bool, mayFallBack: Bool) {
    (self.name, self.isTransient, self.mayFallBack) = (name, isTransient, mayFallBack)
  }

  /// A kind of an author's own.
  public static func custom(_ name: String, isTransient: Bool = false, mayFallBack: Bool = false) -> Self {
    Self(name, isTransient: isTransient, mayFallBack: mayFallBack)
  }

  public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension SourceError: CustomStringConvertible {
  /// `heroes: the key was refused; set COMIC_VINE_API_KEY …`
  public var description: String {
    var text = source.flatMap { $0.isEmpty ? nil : "\($0): \(message)" } ?? message
    if attempts > 1 { text += " (tried \(attempts) times)" }
    for other in others { text += "; fallback failed: \(other)" }
    if let remedy { text += "; \(remedy)" }
    return text
  }
}

extension SourceError {
  /// The same error with the source's name, unless it already has one.
  public func from(_ source: String) -> SourceError {
    changing(self) { $0.source = $0.source ?? source }
  }
}

// MARK: - The store

extension SourceError {
  /// An error of the store as a whole: it is the same for every source, and bears the name of none.
  public init(ofStore message: String, remedy: Remedy? = nil) {
    self.init(.storage, message, remedy: remedy)
    source = ""
  }

  /// True when the store as a whole cannot be used, whichever source has met that.
  public var isOfStore: Bool { kind == .storage && source == "" }

  /// What is wrong with the store, where that is why this is not stored.
  var storeTrouble: SourceError? {
    kind == .storage ? self : kind == .notStored ? others.first { $0.kind == .storage } : nil
  }

  /// Whether it says more than that nothing is stored, which explains nothing; the store's trouble is told by itself.
  var explains: Bool { storeTrouble == nil && (kind != .notStored || remedy != nil) }
}
