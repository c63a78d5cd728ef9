import AggregatorCommand
import BrowseFace
import CoffeeBars
import ServeFace

/// The command with this source. Add other sources, and other faces, to the lists.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.coffeeBars], faces: [.browse, .serve], name: "records") }
}
