import AggregatorCommand
import Gauges

/// The whole command over this one source; others are named beside it.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.gauges], name: "records") }
}
