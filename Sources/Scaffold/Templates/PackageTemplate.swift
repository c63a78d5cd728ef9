import AggregatorCore
import Manifests
import SourceVerification

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
    \(Layout.imports(["AggregatorCommand", module]))

    /// The whole command over this one source; others are named beside it.
    @main struct Main {
      static func main() async { await AggregatorCommand.run(sources: [.\(member)], name: "records") }
    }

    """
  }
}

// Its README and its tests.
extension SourcePlan {
  func readme(core: String, _ guesses: GuessReport) -> String {
    let keys = service.keys.map(\.setting)
    let set = keys.isEmpty ? "" : "\n$ export " + keys.map { "\($0)=…" }.joined(separator: " ")
    return """
      # \(name.text)

      \(SwiftText.clause(service.address.host)) as a source of [aggregator](\(core)).\(origin)

      ```console
      $ swift test\(set)
      $ swift run records \(name.text) list --limit 5\(record.searchable.isEmpty ? "" : "\n$ swift run records \(name.text) search TEXT")
      $ swift run records \(name.text) list --pages 2 --record Tests/\(name.module)Tests/Fixtures
      ```

      | file | holds |
      |---|---|
      | `Sources/\(name.module)/\(name.record).swift` | the record: its fields, where each is read and what it is for |
      | `Sources/\(name.module)/\(name.service).swift` | the source: a request, and the page that answers it |
      | `Sources/\(name.module)/Source+\(name.module).swift` | its name, its settings, what stands around it |
      | `Sources/\(name.module)Command/Main.swift` | a command over it |
      | `Tests/\(name.module)Tests` | every law under every hazard, and the recording read back |

      The last line above adds to the recording that the tests replay, without keys; remove the old file first to replace it.

      ## What was guessed

      ```text\(guesses.text(under: "read from the recording"))```

      """
  }

  private var origin: String {
    isInvented ? " The service is invented: put a real one in its place, and record it." : ""
  }

  // MARK: - The tests: every law under every hazard, and what was recorded, read again

  var testsCode: String {
    let fixtures = [name.text, search == nil ? nil : "\(name.text)-search"].compactMap { $0 }.map(SwiftText.literal).joined(
      separator: ", ")
    return """
      \(Layout.imports(["AggregatorCore", name.module, "SourceTesting", "SourceTestingTraits", "Testing"]))

      @Suite struct \(name.module)Tests {
        @Test("every law is kept under every hazard")
        func laws() async throws {
          let report = await Conformance(of: .\(name.member), fixture: try .beside(\(fixtures))).report()
          #expect(report.isPassed, "\\(report)")
        }

      \(test("what was recorded is read whole", "list", name.text, walk))
      \(search.map { test("what was searched for is found", "search", "\(name.text)-search", $0) + "\n" } ?? "")
      \(WalkTest.walk(over: name.member, isAsked: true))
      }

      """
  }

  private func test(_ sentence: String, _ function: String, _ fixture: String, _ walk: FixturePlan) -> String {
    let query = walk.text.map { ".matching(\(SwiftText.literal($0)))" }
    let pages = walk.isComplete ? nil : "pages: \(walk.exchanges.count)"
    let title = walk.firstTitle.flatMap { title in record.title.map { (field: $0.label, text: title) } }
    let expectations = WalkTest.expectations(
      walk.ids.count, title: title, asking: [query, pages].compactMap(\.self), isComplete: walk.isComplete)
    return """
        @Test(\(SwiftText.literal(sentence)), .fixture(\(SwiftText.literal(fixture))))
        func \(function)() async throws {
      \(expectations)
        }

      """
  }
}

/// What written tests ask of a walk over a recording.
enum WalkTest {
  /// The statements of a test: how many records come, which is the first, and whether that is all.
  static func expectations(_ count: Int, title: (field: String, text: String)?, asking arguments: [String], isComplete: Bool)
    -> String
  {
    var lines = [
      "    let (records, \(isComplete ? "verdict" : "_")) = try await walk(\(arguments.joined(separator: ", ")))",
      "    #expect(records.count == \(count))",
    ]
    if let title {
      let value = "records.first?[\(SwiftText.literal(title.field))] == .text(\(SwiftText.literal(title.text)))"
      lines.append(Layout.call("#expect", [value], indent: 4))
    }
    if isComplete { lines.append("    #expect(verdict == .complete)") }
    return lines.joined(separator: "\n")
  }

  /// The function that walks over the running test's recording of `member`: as it is asked, or under the test's `settings`.
  static func walk(over member: String, isAsked: Bool) -> String {
    let (parameter, argument) = isAsked ? ("_ query: Query = .everything, ", "query, ") : ("", "")
    return """
        /// A walk over the running test's recording: the records, as their fields describe them, and how it ended.
        private func walk(\(parameter)pages: Int? = nil) async throws -> (records: [Value], verdict: Verdict?) {
          func walk(_ source: some DataSource) async throws -> (records: [Value], verdict: Verdict?) {
            var walk = Walk(source, \(argument)bounds: Bounds(pages: pages))
            var records: [Value] = []
            while let items = try await walk.nextPage() { records += items.map { source.schema.value(of: $0) } }
            return (records, walk.summary.verdict)
          }
          return try await walk(SourceDescriptor.\(member).source(replaying: Fixture.current\(isAsked ? "" : ", settings")))
        }
      """
  }
}

// The source as a command takes it, and its settings.
extension SourcePlan {
  private var host: String { SwiftText.clause(service.address.host) }

  var descriptorCode: String {
    """
    import AggregatorCore

    extension SourceDescriptor {
      /// The \(name.plural) of \(host)\(searches.map { _ in ", searched by \(searched)" } ?? "").
      public static let \(name.member) = Source(
        \(SwiftText.literal(name.text)), \(SwiftText.literal("\(capitalised(name.plural)) from \(host)")),
        settings: [\((["\(name.member)URL"] + service.keys.map(\.member)).map { ".\($0)" }.joined(separator: ", "))],\(searches.map { " \($0)," } ?? "")
        \(live)
      ).descriptor
    }

    extension Setting {
      public static let \(name.member)URL = Setting(
        \(SwiftText.literal("\(name.setting)_URL")), .address, \(SwiftText.literal("where the service of the \(name.plural) is")),
        default: \(SwiftText.literal(service.address.base)))
    \(service.keys.map(setting).joined())}

    """
  }

  private var searched: String { record.searchable.first.map { SwiftText.clause($0.label) } ?? "" }

  private var searches: String? {
    record.searchable.isEmpty ? nil : "searches: \(SwiftText.literal(searched))"
  }

  private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  private func setting(_ key: KeyPlan) -> String {
    let what = service.keys.count == 1 ? "the key to \(host)" : "\(SwiftText.clause(key.carrier.name)), for \(host)"
    return Layout.call(
      "public static let \(key.member) = Setting", [SwiftText.literal(key.setting), ".secret", SwiftText.literal(what)], "\n",
      indent: 2)
  }

  private var live: String {
    let line = "      live: { \(name.service)(client: try $0.client(\(client.joined(separator: ", ")))) }"
    if line.count <= Layout.width { return String(line.dropFirst(6)) }
    return "live: { world in\n" + Layout.call("let client = try world.client", client, "\n", indent: 6)
      + "      return \(name.service)(client: client)\n    }"
  }

  private var client: [String] {
    [".\(name.member)URL", list("keys", service.keys.map(credential)), list("headers", service.headers.map(item))].compactMap {
      $0
    }
  }

  private func list(_ label: String, _ items: [String]) -> String? {
    items.isEmpty ? nil : "\(label): [\(items.joined(separator: ", "))]"
  }

  private func credential(_ key: KeyPlan) -> String {
    let place = key.carrier.isHeader ? "header" : "query"
    let scheme = key.carrier.scheme.map { ", scheme: \(SwiftText.literal($0))" } ?? ""
    return ".\(place)(\(SwiftText.literal(key.carrier.name)), .\(key.member)\(scheme))"
  }

  private func item(_ header: HTTPResponse.Header) -> String {
    "HTTPRequest.Item(\(SwiftText.literal(header.name)), \(SwiftText.literal(header.value)))"
  }
}
