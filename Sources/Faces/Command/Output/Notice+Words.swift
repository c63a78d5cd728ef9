import AggregatorCore
import Asking

extension Notice {
  /// Returns the notice and its remedies as the command says them; nil if the line asked for exactly that.
  func words(for question: SourceQuestion) -> String? {
    let invocation = question.invocation
    switch self {
    case .first where invocation.says(.limit, .pages, .offset, .count), .part: return nil
    case .stored where !invocation.says(.limit, .pages, .all): return nil
    case .skippedRow where invocation.has(.verbose), .skippedMore where invocation.has(.verbose): return nil
    case .origin(let origin): return question.words(for: origin)
    case .incomplete(let shortfall): return Notice.incomplete(shortfall.worded(invocation.wording)).text(of: question)
    case .noneMeets(_, areCodes: true): return text(of: question) + " (--fields explains them)"
    default: return ([text(of: question)] + remedies(for: invocation, of: question.descriptor.name)).joined(separator: "; ")
    }
  }

  private func text(of question: SourceQuestion) -> String {
    text(of: question.descriptor.name, at: question.program.clock.now)
  }

  private func remedies(for invocation: Invocation, of source: String) -> [String] {
    switch self {
    case .sortedFirst where invocation.says(.pages): ["omit --pages to sort every record"]
    case .first where invocation.has(.all):
      [Remedy.give([.init("limit", "N")], "to see more").words(invocation.program.name, nil)]
    case .skipped(_, isStored: false) where !invocation.has(.verbose): ["--verbose shows why"]
    default: remedies.compactMap { invocation.wording($0, source) }
    }
  }
}

extension SourceQuestion {
  /// Returns where an answer comes from, and why it does not come from the service.
  func words(for origin: Origin) -> String {
    let origin = origin.worded(invocation.wording)
    let remedies = Notice.origin(origin).remedies.map { "; \($0.words(program.name, descriptor.name))" }.joined()
    return origin.words(because: invocation.has(.offline) ? "--offline" : nil, at: program.clock.now) + remedies
  }
}
