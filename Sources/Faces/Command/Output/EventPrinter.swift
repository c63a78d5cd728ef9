import AggregatorCore
import Asking
import Synchronization

/// Prints the events on the way to an answer that the options ask for, as lines and as progress.
final class EventPrinter: Sendable {
  private let source: String
  private let invocation: Invocation
  private let showsProgress: Bool
  private let tellsWaiting: Bool
  private let tellsStore: Bool
  private let progress: Mutex<Progress>
  private let hearNotice: @Sendable (String) -> Void
  /// The notices that were printed; each is printed once.
  private let said = Mutex<Set<String>>([])
  /// The task that says once what the command waits for, if no progress is shown and the first page takes longer than two seconds.
  private let waiting = Mutex(Waiting?.none)

  // A structure, since every start would look for the type of an optional task, and a function alone would be wrapped at each access.
  private struct Waiting {
    let cancel: @Sendable () -> Void
  }

  /// Makes a printer for an ask. `hear` takes the notices too, also those that were printed before.
  init(
    _ question: SourceQuestion, showsProgress: Bool = true, tellsStore: Bool = true, already: Int = 0,
    hearing hear: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (source, invocation, hearNotice) = (question.descriptor.name, question.invocation, hear)
    self.showsProgress = showsProgress && invocation.isProgressSeen
    self.tellsStore = tellsStore
    tellsWaiting = showsProgress && !invocation.isProgressSeen && !invocation.has(.replay)
    progress = Mutex(Progress(source: source, limit: question.ask.limit, already: already, start: invocation.program.clock.now))
  }

  /// Runs `work` and prints the events in it.
  func during<Result>(_ work: () async throws -> Result) async throws -> Result {
    defer { waiting.withLock { $0?.cancel() } }
    return try await Event.listening({ self.hear($0) }) {
      guard showsProgress else { return try await work() }
      return try await ProgressLine(invocation) { elapsed in self.progress.withLock { $0.line(at: $0.start + elapsed) } }
        .during(work)
    }
  }

  private func hear(_ event: Event) {
    if showsProgress { progress.withLock { $0.note(event, at: invocation.program.clock.now) } }
    switch event {
    // The two seconds begin with the first request, so that a command without requests starts no task.
    case .requestSent(let request) where tellsWaiting:
      waiting.withLock { $0 = $0 ?? Waiting(cancel: wait(for: request.address.origin.authority).cancel) }
    case .pageRead, .fellBack: waiting.withLock { $0?.cancel() }
    default: break
    }
    if case .noticed(let source, let text) = event {
      hearNotice(text)
      let isNew = said.withLock { $0.insert("\(source): \(text)").inserted }
      return isNew ? invocation.say("\(source): \(text)") : ()
    }
    if case .storeFailed(let error) = event { return tellsStore ? invocation.say(error) : () }
    if let line = line(for: event) { invocation.tell(line) }
  }

  private func wait(for host: String) -> Task<Void, Never> {
    Task { [source, invocation] in
      guard (try? await invocation.program.clock.sleep(for: .seconds(2))) != nil else { return }
      invocation.say("\(source): waiting for \(host)")
    }
  }

  private func line(for event: Event) -> String? {
    let (tellsRequests, tellsPages) = (invocation.has(.explain), invocation.has(.verbose))
    return switch event {
    case .requestSent(let request): tellsRequests ? "→ \(request)" : nil
    case .responseReceived(_, let response, let took):
      tellsRequests ? "← HTTP \(response.status), \(response.body.count) bytes in \(took.inWords)" : nil
    case .requestFailed(_, let error, let took): tellsRequests ? "✗ \(error.message) after \(took.inWords)" : nil
    case .programStarted(let words): tellsRequests ? "→ \(words)" : nil
    case .programSaid(let line, let isError): tellsRequests ? "\(isError ? "!" : "←") \(line)" : nil
    case .programEnded(let how, let took): tellsRequests ? "← it \(how) after \(took.inWords)" : nil
    case .waiting(let wait, let reason): tellsRequests || tellsPages ? "waiting \(wait.inWords): \(reason)" : nil
    case .fellBack(let from, let to, let error): tellsRequests || tellsPages ? "\(from) → \(to): \(error.message)" : nil
    case .pageRead(let source, let rows, let total, let origin):
      tellsPages ? "\(source): received \(rows) rows\(total.map { " of \($0)" } ?? "") (\(origin.rawValue))" : nil
    case .rowSkipped(let source, let fault): tellsPages ? "\(source): skipped \(fault.text)" : nil
    case .rowsSkipped(let source, let count): tellsPages ? "\(source): skipped \(count) more unreadable rows" : nil
    case .lookBackRefused(let source, let error):
      tellsRequests ? "\(source): the service refused an overlapping page (\(error.message)); continuing without overlap" : nil
    case .rowsCleaned(let source, let count):
      tellsPages ? "\(source): removed unusable values from \(plural(count, "row"))" : nil
    case .storeFailed, .noticed: nil
    }
  }
}

extension Invocation {
  /// True when progress would be seen. A replay is over at once and shows none.
  package var isProgressSeen: Bool {
    !has(.replay) && program.console.isErrorTerminal && program.environment["TERM"] != "dumb" && !has(.quiet)
  }

  /// Prints an error of the store, once, in the same words as an error that ends a command.
  func say(_ error: SourceError) {
    let failure = Failure(error.worded(wording), program: program.name)
    if !has(.quiet), program.console.isNews(failure) { program.console.note(failure.text) }
  }

  /// Prints the error of one part of the work, and returns its exit code.
  @discardableResult
  package func tell(failure error: any Error) -> ExitCode {
    let failure = Failure((error as? SourceError)?.ending(self) ?? error, program: program.name)
    program.console.tell(failure, of: program.name)
    return failure.code
  }
}

extension Invocation {
  /// Runs `work`, which asks no source, and tells what happens to the store meanwhile.
  func tellingStore<Result>(_ work: () async throws -> Result) async throws -> Result {
    try await Event.listening({ event in
      switch event {
      case .noticed(let source, let text): say("\(source): \(text)")
      case .storeFailed(let error): say(error)
      default: break
      }
    }) { try await work() }
  }
}
