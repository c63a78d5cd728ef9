import AggregatorCore

struct OpenAPI {
  let document: Value
  init(of interface: Interface, _ catalogue: Catalogue) { document = .null }
}
