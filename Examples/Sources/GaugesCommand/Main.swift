import AggregatorCommand
import Gauges
import Orders

/// The whole command over these two sources; add the names of others to the list.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.gauges, .orders], name: "records") }
}
