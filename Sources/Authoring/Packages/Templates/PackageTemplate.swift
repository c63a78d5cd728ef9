// The files that are alike in every package.
extension SourceName {
  /// Returns the text of `Package.swift`. `core` is the path of the checkout that it depends on;
  /// `endings` are those of the compiled-in files.
  func package(core: String, bundling endings: [String]) -> String {
    """
    // swift-tools-version: 6.2
    import PackageDescription

    /// Returns a product of the checkout on which this package depends.
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
        \(target(bundling: endings))
        .executableTarget(name: "\(module)Command", dependencies: ["\(module)", aggregator("AggregatorCommand")]),
        .testTarget(
          name: "\(module)Tests",
          dependencies: ["\(module)", aggregator("AggregatorCore"), aggregator("SourceTesting")],
          exclude: ["Fixtures"]),
      ],
      swiftLanguageModes: [.v6]\(endings.isEmpty ? "" : ",\n  // For `#embed`.\n  cLanguageStandard: .gnu2x")
    )

    """
  }

  /// Returns the target of the source, and that of the files that are compiled in.
  private func target(bundling endings: [String]) -> String {
    guard !endings.isEmpty else { return #".target(name: "\#(module)", dependencies: [aggregator("AggregatorCore")]),"# }
    let excluded = endings.map { SwiftText.literal("\(text).\($0)") }.joined(separator: ", ")
    return """
      .target(
            name: "\(module)", dependencies: [aggregator("AggregatorCore"), "\(bundle)"],
            exclude: ["Bundle"]),
          // The files that are compiled in.
          .target(name: "\(bundle)", path: "Sources/\(module)/Bundle", exclude: [\(excluded)]),
      """
  }

  /// The text of `Main.swift`.
  var command: String {
    """
    \(SwiftText.imports(["AggregatorCommand", module]))

    /// The command with this source. Add other sources to the list.
    @main struct Main {
      static func main() async { await AggregatorCommand.run(sources: [.\(member)], name: "records") }
    }

    """
  }

  /// Returns the beginning of a README; `names` are the settings that must be set.
  func readme(_ summary: String, core: String, setting names: [String] = []) -> String {
    let set = names.isEmpty ? "" : "\n$ export " + names.map { "\($0)=…" }.joined(separator: " ")
    return """
      # \(text)

      \(SwiftText.clause(summary)), as a source of [aggregator](\(core)).

      ```console
      $ swift test\(set)
      $ swift run records \(text) list --limit 5
      ```

      `swift format -i -r Sources Tests` breaks long lines.

      """
  }
}
