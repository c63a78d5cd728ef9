import AggregatorCore
import Recordings
import Services

// What holds a package together, whatever source is in it.
extension SourceName {
  /// `Package.swift`; `core` is where the checkout is that it depends on.
  func package(core: String, knowing products: [String] = []) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    /// A product of the checkout that this package is built on.
    func aggregator(_ product: String) -> Target.Dependency { .product(name: product, package: "aggregator") }

    let package = Package(
      name: \(SwiftText.literal(text)),
      platforms: [.macOS(.v15), .iOS(.v18)],
      products: [
        .executable(name: "records", targets: ["\(module)Command"]),
        .library(name: "\(module)", targets: ["\(module)"]),
      ],
      dependencies: [
        .package(name: "aggregator", path: \(SwiftText.literal(core)))
      ],
      targets: [
        .target(name: "\(module)", dependencies: [\((["AggregatorCore"] + products).map { "aggregator(\"\($0)\")" }.joined(separator: ", "))]),
        .executableTarget(name: "\(module)Command", dependencies: ["\(module)", aggregator("AggregatorCommand")]),
        .testTarget(
          name: "\(module)Tests",
          dependencies: ["\(module)", aggregator("AggregatorCore"), aggregator("SourceTesting"), aggregator("SourceTestingTraits")],
          exclude: ["Fixtures"]),
      ],
      swiftLanguageModes: [.v6]
    )

    """
  }

  /// `Main.swift`.
  var command: String {
    """
    \(SwiftText.imports(["AggregatorCommand", module]))

    /// The whole command over this one source; others are named beside it.
    @main struct Main {
      static func main() async { await AggregatorCommand.run(sources: [.\(member)], name: "records") }
    }

    """
  }

  /// `Port+Bundled.swift`: rows in the source's own fields, one on each line of `rows`.
  func bundled(rows: [UInt8]) -> String {
    let lines = rows.split(separator: UInt8(ascii: "\n")).map {
      "    \(SwiftText.literal(String(decoding: $0, as: UTF8.self))),\n"
    }
    return """
      // swift-format-ignore-file

      extension \(record) {
        /// What answers where the service does not, as JSON.
        static let bundled: [String] = [
      \(lines.joined())  ]
      }

      """
  }
}
