// swift-tools-version: 6.2
import PackageDescription

/// One module of the house: where it lies and what it knows.
func module(_ name: String, _ folder: String, knows dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(folder)")
}

/// The tests of one module.
func tests(of name: String, knows dependencies: [Target.Dependency] = []) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies)
}

let package = Package(
  name: "aggregator",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "AggregatorCore", targets: ["AggregatorCore"])
  ],
  targets: [
    module("AggregatorCore", "Core", knows: ["CText"]),
    // Unicode tables: constant C arrays cost nothing at start and compile at once.
    .target(name: "CText", path: "Sources/CText"),
    tests(of: "AggregatorCore"),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .gnu2x
)

// Language mode 6 checks concurrency completely; these are the rest of what the next mode will ask for.
for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}
