import AggregatorCore
import Asking

/// `source accept`: takes the shape that a source's rows have now as the one that is due.
enum ShapeCommand {
  static let accept = Command(
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

extension Command {
  /// True when it tells how the rows of a source have drifted, so that their shape can be required of it.
  var tellsDrift: Bool { words.last == "sync" || words.last == "changes" }
}

extension SourceDescriptor {
  /// What in the shape of the rows began and what ended, and what can be done about it; each a line.
  func words(for drift: [ShapeDrift], _ program: String) -> [String] {
    let rest = drift.count - 10
    let more = rest > 0 ? ["and \(rest) more: type '\(program) doctor'"] : []
    return drift.prefix(10).map(\.sentence) + more
      + (drift.contains { $0.until == nil } ? [remedy(for: drift).words(program, nil)] : [])
  }
}
