import AggregatorCommand
import Countries
import Heroes
import Products
import Users

@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.countries, .heroes, .products, .users]) }
}
