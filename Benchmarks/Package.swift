// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "aggregator", path: "..")
  ],
  targets: [
    .executableTarget(name: "read-bench", dependencies: [.product(name: "AggregatorCore", package: "aggregator")])
  ],
  swiftLanguageModes: [.v6]
)
