import AggregatorCommand
import Countries

@main struct Main {
  static func main() async { await AggregatorCommand.run(sources: [.countries]) }
}
