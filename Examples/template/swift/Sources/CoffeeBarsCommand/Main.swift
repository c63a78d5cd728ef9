import AggregatorCommand
import CoffeeBars

/// The command with this source. Add other sources to the list.
@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.coffeeBars], name: "records") }
}
