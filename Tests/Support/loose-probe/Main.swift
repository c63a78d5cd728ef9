import AggregatorCommand
import AuthorsFace
import LooseSource

/// The command, with that of authors, over a source whose fields are known only when it runs.
@main struct Main {
  static func main() async throws {
    await AggregatorCommand.run(sources: [try Stones.descriptor()], faces: [.authors], name: "quarry")
  }
}
