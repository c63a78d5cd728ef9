import AggregatorCommand
import AuthorsFace
import BrowseFace
import Countries
import Heroes
import MCPFace
import Products
import ServeFace
import Users

@main struct Main {
  static func main() async {
    await AggregatorCommand.run(
      sources: [.countries, .heroes, .products, .users], faces: [.browse, .serve, .mcp, .authors])
  }
}
