import AggregatorCore
import Asking
package import CommandLines

/// `source accept`: accepts the shape that a source's rows have now as the expected one.
package enum ShapeCommand {
  package static let accept = Command(
    ["source", "accept"], .one(.source), options: [.timeout, .store],
    "take the shape of the rows as due; for a source whose rows have other fields, types or keys than they had",
    examples: ["source accept countries", "source accept countries --timeout 10"]
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "source accept SOURCE")
    let question = try SourceQuestion(.changes, of: source, invocation)
    let drift = try await question.opened().acceptShape()
    guard !drift.isEmpty else {
      invocation.say("\(source.name): the rows look as they did; nothing has to be accepted")
      return .success
    }
    for drift in drift { invocation.say("\(source.name): accepted that \(drift.sentence)") }
    return .success
  }
}
