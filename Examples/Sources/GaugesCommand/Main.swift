import AggregatorCommand
import Gauges
import Orders

/// The whole command over these two sources; others are named beside them.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.gauges, .orders], name: "records") }
}
