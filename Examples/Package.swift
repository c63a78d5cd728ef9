// swift-tools-version: 6.2
import PackageDescription

/// Returns a product of the checkout that this package lies in; a package elsewhere names its path.
func aggregator(_ product: String) -> Target.Dependency { .product(name: product, package: "aggregator") }

let package = Package(
  name: "examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "records", targets: ["GaugesCommand"]),
    .library(name: "Gauges", targets: ["Gauges"]),
    .library(name: "Orders", targets: ["Orders"]),
  ],
  dependencies: [
    .package(name: "aggregator", path: "..")
  ],
  targets: [
    .target(name: "Gauges", dependencies: [aggregator("AggregatorCore")]),
    .target(name: "Orders", dependencies: [aggregator("AggregatorCore")], resources: [.embedInCode("orders.json")]),
    .executableTarget(
      name: "GaugesCommand",
      dependencies: ["Gauges", "Orders", aggregator("AggregatorCommand"), aggregator("BrowseFace"), aggregator("ServeFace")]),
    // What `aggregator source new` copies.
    .target(name: "CoffeeBars", dependencies: [aggregator("AggregatorCore")], path: "template/swift/Sources/CoffeeBars"),
    .executableTarget(
      name: "CoffeeBarsCommand",
      dependencies: ["CoffeeBars", aggregator("AggregatorCommand"), aggregator("BrowseFace"), aggregator("ServeFace")],
      path: "template/swift/Sources/CoffeeBarsCommand"),
    .testTarget(
      name: "CoffeeBarsTests",
      dependencies: ["CoffeeBars", aggregator("AggregatorCore"), aggregator("SourceTesting")],
      path: "template/swift/Tests/CoffeeBarsTests", exclude: ["Fixtures"]),
    .testTarget(
      name: "GaugesTests",
      dependencies: ["Gauges", aggregator("AggregatorCore"), aggregator("SourceTesting")],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "OrdersTests",
      dependencies: ["Orders", aggregator("AggregatorCore"), aggregator("SourceTesting")],
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)
