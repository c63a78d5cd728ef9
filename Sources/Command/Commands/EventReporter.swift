import AggregatorCore

/// Tells what happens, for `--explain` and `--verbose`, on standard error.
struct EventReporter: Sendable {
  let program: String
  let console: Console
  let tellsRequests: Bool
  let tellsPages: Bool

  var isSilent: Bool { !tellsRequests && !tellsPages }

  func tell(_ event: Event) {
    if let line = line(for: event) { console.note(Printable.clean("\(program): \(line)")) }
  }

  private func line(for event: Event) -> String? {
    switch event {
    case .requestSent(let request): tellsRequests ? "→ \(request)" : nil
    case .responseReceived(_, let response, let took):
      tellsRequests ? "← HTTP \(response.status), \(response.body.count) bytes in \(took.amount)" : nil
    case .requestFailed(_, let error, let took): tellsRequests ? "✗ \(error.message) after \(took.amount)" : nil
    case .waiting(let wait, let reason): "waiting \(wait.amount): \(reason)"
    case .fellBack(let from, let to, let error): "\(from) → \(to): \(error.message)"
    case .pageLanded(let source, let rows, let total, let origin):
      tellsPages ? "\(source): a page of \(rows)\(total.map { " of \($0)" } ?? ""), \(origin.rawValue)" : nil
    case .rowSkipped(let source, let fault): tellsPages ? "\(source): skipped \(fault.reason)" : nil
    case .noticed(let source, let text): "\(source): \(text)"
    }
  }
}
