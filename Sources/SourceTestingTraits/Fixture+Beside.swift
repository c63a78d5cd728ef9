import AggregatorCore
public import SourceTesting

extension Fixture {
  /// The recordings `Fixtures/NAME.har` beside the test's own file, one behind the other.
  ///
  /// ```swift
  /// let report = await Conformance(of: .ports, fixture: try .beside("ports")).report()
  /// ```
  public static func beside(_ names: String..., file: String = #filePath) throws -> Fixture {
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Fixtures"
    let fixtures = try names.map { try Fixture(contentsOf: "\(folder)/\($0.hasSuffix(".har") ? $0 : "\($0).har")") }
    return Fixture(fixtures.map(\.name).joined(separator: ", "), exchanges: fixtures.flatMap(\.exchanges))
  }
}
