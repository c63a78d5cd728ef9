import AggregatorCore
import Asking

/// `SOURCE history ID`: every value that a record had, as far as syncs found it.
enum HistoryCommand {
  static let command = SourceCommand(
    .history, .one(.id), options: Option.printing + [.store], printing: { _ in FoundChange.fields.map { $0.outline } },
    examples: { _ in ["ID", "ID --format json"] }
  ) { question, source in
    let history = try await source.history(of: question.invocation.arguments[0], question.ask)
    try question.invocation.printChanges(history.changes, [], ofSeveral: false)
    try question.program.console.flush()
    if history.isCut { question.notice(ChangesAnswer.cut) }
    history.knowledge.words(of: [source.name]).map { question.notice(question.invocation.words($0)) }
    return .success
  }
}
