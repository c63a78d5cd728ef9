import AggregatorCore
import Asking
import RecordFormats

extension SourceQuestion {
  /// Prints where the answer comes from, unless it comes from the service.
  func tell(_ origin: Origin) {
    if !origin.isOwnService { say(.origin(origin)) }
  }

  /// Returns a function that prints where records come from, once for each kind of origin and its maker.
  func originTeller() -> (Origin) -> Void {
    var told: Set<[String]> = []
    return { if told.insert([$0.kind.rawValue, $0.maker ?? ""]).inserted { tell($0) } }
  }

  /// Prints a notice, unless the line asked for exactly that.
  func say(_ notice: Notice) {
    if case .noMatch = notice { return invocation.say(notice.text(of: descriptor.name, at: program.clock.now)) }
    if let words = notice.words(for: self) { self.notice(words) }
  }

  /// Ends the answer with its verdict and the other facts, and prints below a table which columns did not fit.
  /// `heard` are notices that came on the way.
  func end(_ renderer: inout any Renderer, _ outcome: Outcome, hearing heard: [String] = []) throws {
    let summary = outcome.summary
    renderer.remark(heard + outcome.notices.filter(\.isRemark).map { $0.text(of: descriptor.name, at: program.clock.now) })
    if case .partial = summary.verdict { program.console.markPartial() }
    try renderer.end(summary.worded(invocation.wording))
    try invocation.tell(shortage: renderer.shortage)
  }

  /// Prints the notices of an answer. Returns the exit code, which also says whether `--require` is met.
  func conclude(_ outcome: Outcome) -> ExitCode {
    for notice in outcome.notices { say(notice) }
    if case .partial = outcome.summary.verdict { return checked(.partial, outcome.unmet) }
    return checked(.success, outcome.unmet)
  }

  /// Says below a table on a terminal that the list is whole. Any other end is a notice, which a pipe gets too.
  func tellWhole(_ summary: Summary) {
    guard summary.verdict == .complete, summary.given > 0, !invocation.has(.quiet), invocation.tellsPerson,
      program.console.isOutputTerminal
    else { return }
    let kind = summary.origin?.kind
    let origin = kind == .live ? ", live" : kind == .bundled ? " in the bundled data" : ""
    program.console.note("\(plural(summary.given, "record")), complete\(origin)")
  }

  /// Returns `code`, unless the answer lacks something that `--require` wants; that is printed even with `--quiet`.
  func checked(_ code: ExitCode, _ unmet: [Unmet]) -> ExitCode {
    // The records come first, then what they lack. A file of them is not what was asked for.
    if !unmet.isEmpty {
      try? program.console.flush()
      program.console.markPartial()
    }
    for shortfall in unmet { invocation.tell("\(descriptor.name): \(shortfall) (--require)") }
    return unmet.isEmpty ? code : .partial
  }

  package func notice(_ text: String) { invocation.say("\(descriptor.name): \(text)") }
}

extension Notice {
  /// True for a notice that says what neither the origin, the counts nor the verdict of an answer say.
  fileprivate var isRemark: Bool {
    switch self {
    case .origin, .first, .incomplete, .noRecords, .noMatch, .stored, .seenEverything: false
    default: true
    }
  }
}
