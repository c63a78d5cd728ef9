package import AggregatorCore

/// What a service says of itself, by OpenAPI 3.0 or 3.1.
package struct OpenAPIDocument: Sendable {
  /// What the file is called in messages.
  let name: String
  let root: JSON

  package init(_ root: JSON, called name: String) throws(SourceError) {
    (self.root, self.name) = (root, name)
    guard let version = try? root.string("openapi"), version.hasPrefix("3.") else {
      throw SourceError(.malformed, "\(name) is not of OpenAPI 3.0 or 3.1")
    }
  }
}
