import AggregatorCore
import Asking

/// `source accept`: takes the shape that a source's rows have now as the one that is due.
enum ShapeCommand {
  static let accept = Command(
    ["source", "accept"], .one(.source), options: [.timeout, .store],
    "take the fields and types that the rows have now as due; for a source whose rows look otherwise than they did",
    examples: ["source accept countries"]
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "source accept SOURCE")
    let question = try SourceQuestion(toStoreOf: source, invocation)
    let drift = try await question.opened().acceptShape()
    guard !drift.isEmpty else {
      invocation.say("\(source.name): the rows look as they did; nothing has to be accepted")
      return .success
    }
    for drift in drift { invocation.say("\(source.name): accepted that \(drift.sentence)") }
    return .success
  }
}

extension Command {
  /// True when it tells how the rows of a source have drifted, so that their shape can be required of it.
  var tellsDrift: Bool { words.last == "sync" || words.last == "changes" }
}
