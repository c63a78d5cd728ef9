import AggregatorCommand
import BrowseFace
import Gauges
import Orders
import ServeFace

/// The command over these two sources, with a browser for the terminal and a server; add the names of others to the lists.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.gauges, .orders], faces: [.browse, .serve], name: "records") }
}
