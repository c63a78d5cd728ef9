import SourceTesting

/// Archives that lie beside these tests, in the shapes that other tools write.
enum Archive {
  static func fixture(_ name: String, file: StaticString = #filePath) throws -> Fixture {
    try Fixture(contentsOf: "\(folder(file))/\(name).har")
  }

  static func folder(_ file: StaticString = #filePath) -> String {
    "\(file)".split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Archives"
  }
}
