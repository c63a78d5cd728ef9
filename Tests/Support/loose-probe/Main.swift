import AggregatorCommand
import LooseSource

/// The whole command over a source whose fields are known only when it runs.
@main struct Main {
  static func main() async throws { await AggregatorCommand.run(sources: [try Stones.descriptor()], name: "quarry") }
}
