import AggregatorCommand
import Countries
import Heroes

@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.countries, .heroes]) }
}
