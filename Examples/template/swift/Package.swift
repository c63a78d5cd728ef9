// swift-tools-version: 6.2
import PackageDescription

/// Returns a product of the checkout on which this package depends.
func aggregator(_ product: String) -> Target.Dependency { .product(name: product, package: "aggregator") }

let package = Package(
  name: "coffee-bars",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "records", targets: ["CoffeeBarsCommand"]),
    .library(name: "CoffeeBars", targets: ["CoffeeBars"]),
  ],
  dependencies: [
    .package(name: "aggregator", path: "../../..")
  ],
  targets: [
    .target(name: "CoffeeBars", dependencies: [aggregator("AggregatorCore")]),
    .executableTarget(
      name: "CoffeeBarsCommand",
      dependencies: ["CoffeeBars", aggregator("AggregatorCommand"), aggregator("BrowseFace"), aggregator("ServeFace")]),
    .testTarget(
      name: "CoffeeBarsTests",
      dependencies: ["CoffeeBars", aggregator("AggregatorCore"), aggregator("SourceTesting")],
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
