import AggregatorCore
import Asking
import Synchronization

/// Prints what happens on the way to an answer, as far as the options ask for it: as lines and as progress.
struct EventPrinter: Sendable {
  private let notices: Notices
  private let tellsRequests: Bool
  private let tellsPages: Bool
  private let progress: ProgressLine<Progress>?
  private let waiting: WaitingLine?

  init(_ question: SourceQuestion, showsProgress: Bool = true, already: Int = 0, tellsWaiting: Bool = true) {
    let program = question.program
    let invocation = question.invocation
    notices = program.notices(invocation)
    tellsRequests = invocation.has(.explain)
    tellsPages = invocation.has(.verbose)
    let console = program.console
    progress =
      showsProgress && invocation.isProgressSeen
      ? ProgressLine(
        Progress(source: question.descriptor.name, limit: question.ask.limit, already: already, start: program.clock.now),
        clock: program.clock
      ) { console.show(status: $0) } : nil
    waiting =
      tellsWaiting && !invocation.isProgressSeen && !invocation.has(.replay)
      ? WaitingLine(question.descriptor.name, clock: program.clock, notices) : nil
  }

  /// Runs `work`, hearing what happens in it.
  func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    defer { waiting?.end() }
    return try await Event.listening({ hear($0) }) {
      guard let progress else { return try await work() }
      return try await progress.during(work)
    }
  }

  private func hear(_ event: Event) {
    progress?.note(event)
    waiting?.note(event)
    switch event {
    case .noticed(let source, let text): notices.say("\(source): \(text)")
    case let event: if let line = line(for: event) { notices.tell(line) }
    }
  }

  private func line(for event: Event) -> String? {
    switch event {
    case .requestSent(let request): tellsRequests ? "→ \(request)" : nil
    case .responseReceived(_, let response, let took):
      tellsRequests ? "← HTTP \(response.status), \(response.body.count) bytes in \(took.inWords)" : nil
    case .requestFailed(_, let error, let took): tellsRequests ? "✗ \(error.message) after \(took.inWords)" : nil
    case .waiting(let wait, let reason): tellsRequests || tellsPages ? "waiting \(wait.inWords): \(reason)" : nil
    case .fellBack(let from, let to, let error): tellsRequests || tellsPages ? "\(from) → \(to): \(error.message)" : nil
    case .pageRead(let source, let rows, let total, let origin):
      tellsPages ? "\(source): received \(rows) rows\(total.map { " of \($0)" } ?? "") (\(origin.rawValue))" : nil
    case .rowSkipped(let source, let fault): tellsPages ? "\(source): skipped \(fault.text)" : nil
    case .rowsSkipped(let source, let count): tellsPages ? "\(source): skipped \(count) more unreadable rows" : nil
    case .lookBackRefused(let source, let error):
      tellsRequests
        ? "\(source): the service refused an overlapping page (\(error.message)); continuing without overlap" : nil
    case .rowsCleaned(let source, let count):
      tellsPages ? "\(source): removed unusable picture addresses from \(count) row\(count == 1 ? "" : "s")" : nil
    case .noticed: nil
    }
  }
}

/// Says once what is waited for, where no progress is shown and the first page takes longer than two seconds.
private final class WaitingLine: Sendable {
  private let source: String
  private let clock: any Timekeeper
  private let notices: Notices
  private let wait = Mutex(Task<Void, Never>?.none)

  init(_ source: String, clock: any Timekeeper, _ notices: Notices) {
    (self.source, self.clock, self.notices) = (source, clock, notices)
  }

  /// Time runs from the first request on, so that a command which asks nobody starts nothing.
  func note(_ event: Event) {
    switch event {
    case .requestSent(let request):
      wait.withLock { wait in
        guard wait == nil else { return }
        wait = Task { [source, clock, notices] in
          guard (try? await clock.sleep(for: .seconds(2))) != nil else { return }
          notices.say("\(source): waiting for \(request.address.origin.place)")
        }
      }
    case .pageRead, .fellBack: end()
    default: break
    }
  }

  func end() { wait.withLock { $0?.cancel() } }
}

extension Invocation {
  /// Whether progress would be seen. A replay is over at once and shows none.
  var isProgressSeen: Bool {
    !has(.replay) && program.console.isErrorTerminal && program.environment["TERM"] != "dumb" && !has(.quiet)
  }
}
