import SourceTesting

/// Archives that lie beside these tests, in the shapes that other tools write.
enum Archive {
  static let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Archives"

  static func fixture(_ name: String) throws -> Fixture { try Fixture(contentsOf: "\(folder)/\(name).har") }
}
