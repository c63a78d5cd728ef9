/// Something that happened on the way to an answer. `--explain`, `--verbose`, progress, logs and tests all read this one stream.
public indirect enum Event: Sendable, Hashable {
  /// A request was sent, perhaps a retry or a redirect.
  case requestSent(HTTPRequest)
  /// The response to a request came, with any status.
  case responseReceived(HTTPRequest, HTTPResponse, took: Duration)
  /// A request failed without a response.
  case requestFailed(HTTPRequest, SourceError, took: Duration)
  /// The next attempt waits that long, for the given reason.
  case waiting(Duration, because: String)
  /// The service refused a page that was requested one row early. It is requested at its place instead, and the walk stops looking back.
  case lookBackRefused(source: String, SourceError)
  /// A page was read; `rows` counts the rows that were not read before.
  case pageRead(source: String, rows: Int, total: Int?, origin: Origin.Kind)
  /// A row could not be read.
  case rowSkipped(source: String, RowFault)
  /// This many more rows of a page could not be read, beyond those that were reported one by one.
  case rowsSkipped(source: String, Int)
  /// This many rows of a page were cleaned: placeholders removed, addresses corrected.
  case rowsCleaned(source: String, Int)
  /// The first source could not answer, and the second one answers instead.
  case fellBack(from: String, to: String, SourceError)
  /// The store could not be used, and the answer does without it.
  case storeFailed(SourceError)
  /// A program was started, with these words.
  case programStarted(String)
  /// A program printed this line, to its output or to its errors. It is shortened, and has no secrets.
  case programSaid(String, isError: Bool)
  /// A program ended in that way.
  case programEnded(String, took: Duration)
  /// A notice for a person; the answer is still valid.
  case noticed(source: String, String)

  /// Boxed for the same reason as `TaskTerms`.
  private struct Listener: Sendable {
    let hear: @Sendable (Event) -> Void
  }

  /// The listener of this task and the tasks below it. Task-local, as an event concerns the caller, whom no parameter of a source names.
  @TaskLocal private static var listener: Listener?

  /// Runs `work` in the caller's isolation. Its events, and those of tasks below it, go to `hear` and to the listeners around it.
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

  /// Runs `work`. Events for which `take` returns true go to no other listener.
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

  package static var isHeard: Bool { listener != nil }

  /// Tells the listener, if one is set.
  public static func emit(_ event: @autoclosure () -> Event) {
    if let listener { listener.hear(event()) }
  }
}

/// The wait for an answer, as its events describe it.
public struct Waiting: Sendable, Hashable {
  /// The moment at which the answer was requested.
  public let since: Moment
  /// The last host that got a request, with its port unless that is the default one.
  public private(set) var host: String?
  /// The reason for the last wait; nil again once a page was read or another source took over.
  public private(set) var reason: String?
  /// The moment at which the next request is sent; nil while a response is awaited.
  public private(set) var until: Moment?

  /// A wait that begins at `moment`, before any host is known.
  public init(since moment: Moment) { since = moment }

  /// Returns the wait after `event`; a nil event changes nothing.
  public func hearing(_ event: Event?, at now: Moment) -> Waiting {
    copy(of: self) { wait in
      switch event {
      case .requestSent(let request): (wait.host, wait.until) = (request.address.origin.authority, nil)
      case .waiting(let length, let reason): (wait.reason, wait.until) = (reason, now + length)
      case .pageRead, .fellBack: (wait.host, wait.reason, wait.until) = (nil, nil, nil)
      default: break
      }
    }
  }
}
