/// Something that happened on the way to an answer: `--explain`, `--verbose`, progress, logs and tests all read this one stream.
public indirect enum Event: Sendable, Hashable {
  /// A request goes out, a retry or a redirect too.
  case requestSent(HTTPRequest)
  /// Its answer came, whatever the status.
  case responseReceived(HTTPRequest, HTTPResponse, took: Duration)
  /// No answer came to it.
  case requestFailed(HTTPRequest, SourceError, took: Duration)
  /// The next attempt waits.
  case waiting(Duration, because: String)
  /// The service refused a page that was asked for one row early; it is asked for at its place, and the walk looks back no more.
  case lookBackRefused(source: String, SourceError)
  /// A page was read; `rows` are those that were not read before.
  case pageRead(source: String, rows: Int, total: Int?, origin: Origin.Kind)
  /// A row could not be read.
  case rowSkipped(source: String, RowFault)
  /// So many more rows of a page could not be read than were told one by one.
  case rowsSkipped(source: String, Int)
  /// So many rows of a page were cleaned: placeholders removed, addresses corrected.
  case rowsCleaned(source: String, Int)
  /// The first source could not answer, and the second stands in for it.
  case fellBack(from: String, to: String, SourceError)
  /// The store could not be used, and the answer does without it.
  case storeFailed(SourceError)
  /// Something a person should know although the answer stands.
  case noticed(source: String, String)

  /// Boxed, as `TaskTerms` is.
  private struct Listener: Sendable {
    let hear: @Sendable (Event) -> Void
  }

  /// Who listens in this task and the ones below it: an event concerns the caller, whom no parameter of a source names.
  @TaskLocal private static var listener: Listener?

  /// Runs `work` where the caller does; what happens in it and below is told to `hear`, and to whoever listens around it.
  public static func listening<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ hear: @escaping @Sendable (Event) -> Void,
    during work: () async throws -> Answer
  ) async rethrows -> Answer {
    let take: @Sendable (Event) -> Bool = { event in
      hear(event)
      return false
    }
    return try await intercepting(isolation: isolation, take, during: work)
  }

  /// Runs `work`; events in it that `take` takes are told to nobody else.
  package static func intercepting<Answer>(
    isolation: isolated (any Actor)? = #isolation, _ take: @escaping @Sendable (Event) -> Bool,
    during work: () async throws -> Answer
  ) async rethrows -> Answer {
    let outer = listener
    return try await $listener.withValue(Listener { if !take($0) { outer?.hear($0) } }) {
      _ = isolation
      return try await work()
    }
  }

  /// Tells the listener, if there is one.
  public static func emit(_ event: @autoclosure () -> Event) {
    if let listener { listener.hear(event()) }
  }
}

/// What somebody waits for on the way to an answer, as the events tell it.
public struct Waiting: Sendable, Hashable {
  /// When it was asked for.
  public let since: Moment
  /// The host that was asked last, with its port where that is not the usual one.
  public private(set) var host: String?
  /// Why the next request waits, or what became of the last one.
  public private(set) var reason: String?
  /// When the next request goes out; nil while an answer is waited for.
  public private(set) var until: Moment?

  /// A wait that begins at that moment, before any host is known.
  public init(since moment: Moment) { since = moment }

  /// The same wait once `event` was heard; a nil event lets time pass.
  public func hearing(_ event: Event?, at now: Moment) -> Waiting {
    changing(self) { wait in
      switch event {
      case .requestSent(let request): (wait.host, wait.until) = (request.address.origin.place, nil)
      case .waiting(let length, let reason): (wait.reason, wait.until) = (reason, now + length)
      case .pageRead, .fellBack: (wait.host, wait.reason, wait.until) = (nil, nil, nil)
      default: break
      }
    }
  }
}
