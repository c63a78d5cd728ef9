import AggregatorCore
public import Manifests
import SourceVerification

extension SourcePackage {
  /// The source of that name of a manifest as a package of its own: the same requests, rows and pages in Swift, with tests over `fixture`.
  ///
  /// - Throws: a `SourceError` that names each member of the manifest for which no Swift is written.
  public init(_ name: SourceName, ejecting manifest: Manifest, over fixture: Fixture, core: String) async throws {
    guard let source = manifest.sources.first(where: { $0.name == name.text }) else {
      throw SourceError(.settings, "\(manifest.file): no source is called \"\(name.text)\"")
    }
    let plan = try await EjectPlan(name, manifest, source, fixture)
    let sources = "Sources/\(name.module)"
    let tests = "Tests/\(name.module)Tests"
    self.init(
      name,
      [
        ("Package.swift", name.package(core: core, knowing: plan.record.needsHTML ? ["HTML"] : [])),
        ("README.md", plan.readme(core: core)),
        (".gitignore", "/.build/\n.swiftpm/\n"), ("\(sources)/\(name.record).swift", plan.record.code),
        ("\(sources)/\(name.service).swift", plan.service.code), ("\(sources)/Source+\(name.module).swift", plan.descriptor),
        ("\(sources)Command/Main.swift", name.command), ("\(tests)/\(name.module)Tests.swift", plan.tests),
        ("\(tests)/Fixtures/\(name.text).har", String(decoding: fixture.har, as: UTF8.self)),
      ])
  }
}

/// A source on its way out of its manifest.
private struct EjectPlan {
  let name: SourceName
  let manifest: Manifest
  let source: ManifestSource
  let fixture: Fixture
  let model: ServiceModel
  let record: EjectedRecord
  let service: EjectedService
  /// What the plain settings and the address were when the recording was made.
  let values: [String: String]
  /// What a walk over the recording gives.
  private let walk: (count: Int, title: String?, pages: Int, isComplete: Bool)

  init(_ name: SourceName, _ manifest: Manifest, _ source: ManifestSource, _ fixture: Fixture) async throws {
    (self.name, self.manifest, self.source, self.fixture) = (name, manifest, source, fixture)
    model = try ServiceModel(of: fixture, as: source)
    let documents = model.list.rows.compactMap { try? JSON($0.bytes) }
    let rows = source.rows.unwrap.map { unwrap in documents.map { unwrap.value(in: $0) ?? $0 } } ?? documents
    let keyed = model.list.isKeyed ? rows.compactMap { $0["value"] } : rows
    record = EjectedRecord(name, source, rows: keyed, site: manifest.address.defaultValue ?? "")
    let list = model.list
    let sendsNumbers = list.pages.contains { page in
      list.paging.value.parameter.map { page.call.document?[FieldPath(text: $0.name)]?.text == nil && page.call[$0] != nil }
        ?? false
    }
    let keyPath: FieldPath? = if case .keyset(let path, _) = list.paging.value { path } else { nil }
    service = EjectedService(name, manifest, source, record, keyPath: keyPath, sendsNumbers: sendsNumbers)
    var values = Dictionary(manifest.texts.filter { $0.defaultValue == nil }.map { ($0.name, "made-up") }) { first, _ in first }
    values.merge(source.settings(in: fixture)) { $1 }
    values[manifest.address.name] = source.base(in: fixture)
    self.values = values.filter { name, value in manifest.settings.first { $0.name == name }?.defaultValue != value }
    walk = try await Self.walk(
      manifest.source(source.name).source(replaying: Replay(fixture), values), title: record.title?.name)
    let problems = record.problems + service.problems
    guard problems.isEmpty else {
      throw SourceError(
        .settings,
        "\(manifest.file): no Swift can be written for what \(source.name) says: \(problems.joined(separator: "; "))",
        remedy: "leave it out of the manifest, and write it in Swift")
    }
  }

  private static func walk(_ source: any DataSource<LooseRecord>, title: String?) async throws -> (Int, String?, Int, Bool) {
    func walk(_ source: some DataSource<LooseRecord>) async throws -> (Int, String?, Int, Bool) {
      var walk = Walk(source)
      var (count, pages, first) = (0, 0, String?.none)
      while let items = try await walk.nextPage() {
        if count == 0, let title { first = items.first?.value[title]?.text }
        count += items.count
        pages += 1
        if walk.summary.verdict != nil { break }
      }
      return (count, first, pages, walk.summary.verdict == .complete)
    }
    return try await walk(source)
  }

  // MARK: - The descriptor

  var descriptor: String {
    let searches = source.searches.map { "searches: \(SwiftText.literal($0)),\n    " } ?? ""
    let client = Layout.call(
      "let client = try world.client",
      [".\(member(manifest.address.name))"] + (keys.isEmpty ? [] : ["keys: [\(keys.joined(separator: ", "))]"])
        + (headers.isEmpty ? [] : ["headers: [\(headers.joined(separator: ", "))]"]) + ["budget: budget"], "\n", indent: 6)
    let made = Layout.call("return \(name.service)", (["client: client"] + service.arguments), "\n", indent: 6)
    return """
      import AggregatorCore

      extension SourceDescriptor {
        /// \(SwiftText.clause(source.summary)).
        public static let \(name.member) = Source(
          \(SwiftText.literal(name.text)), \(SwiftText.literal(source.summary)),
          settings: [\(settings.map { ".\(member($0.name))" }.joined(separator: ", "))],
          \(searches)\(source.isEndless ? "paging: \(service.paging),\n    " : "")live: { world in
            let budget = try world.settings.budget(.\(member(manifest.budgetSetting.name)), published: \(budget))
      \(client)\(made)    }
        ).descriptor
      }

      extension Setting {
      \(settings.map(declaration).joined())}

      """
  }

  private var settings: [Setting] { [manifest.address] + users + manifest.keys.map(\.setting) + [manifest.budgetSetting] }

  /// The plain settings that requests and keys name.
  private var users: [Setting] {
    let names =
      service.texts.map(\.name) + manifest.keys.compactMap { if case .basic(_, let user) = $0.carrier { user } else { nil } }
    return manifest.texts.filter { names.contains($0.name) }
  }

  private func member(_ setting: String) -> String { name.member + EjectedService.member(setting).capitalisedFirst }

  private func declaration(of setting: Setting) -> String {
    let kind =
      switch setting.kind {
      case .address: ".address"
      case .secret: ".secret"
      case .budget: ".budget"
      default: ".text"
      }
    var arguments = [SwiftText.literal(setting.name), kind, SwiftText.literal(setting.summary)]
    if let value = setting.defaultValue { arguments.append("default: \(SwiftText.literal(value))") }
    guard setting.isOptional else {
      return Layout.call("public static let \(member(setting.name)) = Setting", arguments, "\n", indent: 2)
    }
    return "  public static let \(member(setting.name)): Setting = {\n"
      + Layout.call("var setting = Setting", arguments, "\n", indent: 4)
      + "    setting.isOptional = true\n    return setting\n  }()\n"
  }

  private var budget: String {
    if manifest.budget == .unlimited { return ".unlimited" }
    let rates = manifest.budget.rates.map { rate in
      "Budget.Rate(\(rate.count), per: .seconds(\(rate.period.components.seconds))\(rate.scope == .resource ? ", for: .resource" : ""))"
    }
    return "Budget([\(rates.joined(separator: ", "))])"
  }

  private var keys: [String] {
    manifest.keys.map { key in
      let setting = ".\(member(key.setting.name))"
      return switch key.carrier {
      case .header(let name, let scheme):
        ".header(\(SwiftText.literal(name)), \(setting)\(scheme.map { ", scheme: \(SwiftText.literal($0))" } ?? ""))"
      case .query(let name): ".query(\(SwiftText.literal(name)), \(setting))"
      case .basic(let header, let user): ".basic(\(setting), user: .\(member(user)), header: \(SwiftText.literal(header)))"
      }
    }
  }

  private var headers: [String] {
    service.headers.map { item in
      if case .plain(let value) = item.value {
        "HTTPRequest.Item(\(SwiftText.literal(item.name)), \(SwiftText.literal(value)))"
      } else {
        ""
      }
    }
  }

  // MARK: - The tests

  var tests: String {
    let title = walk.title.flatMap { title in record.title.map { (field: $0.name, text: title) } }
    let expectations = WalkTest.expectations(
      walk.count, title: title, asking: walk.isComplete ? [] : ["pages: \(walk.pages)"], isComplete: walk.isComplete)
    let told = (values.isEmpty ? "[:]" : "[\(pairs.joined(separator: ", "))]")
    return """
      \(Layout.imports(["AggregatorCore", name.module, "SourceTesting", "SourceTestingTraits", "Testing"]))

      @Suite struct \(name.module)Tests {
        /// What the settings were when the recording was made.
        private let settings: [String: String] = \(told)

        @Test("every law is kept under every hazard")
        func laws() async throws {
          let fixture = try Fixture.beside(\(SwiftText.literal(name.text)))
      \(modelLines.map { "    \($0)\n" }.joined())    let report = await Conformance(of: .\(name.member), fixture: fixture, settings: settings, model: model).report()
          #expect(report.isPassed, "\\(report)")
        }

        @Test("what was recorded is read whole", .fixture(\(SwiftText.literal(name.text)), mayLeave: true))
        func list() async throws {
      \(expectations)
        }

      \(WalkTest.walk(over: name.member, isAsked: false))
      }

      """
  }

  private var pairs: [String] {
    values.sorted { $0.key < $1.key }.map { "\(SwiftText.literal($0.key)): \(SwiftText.literal($0.value))" }
  }

  /// How the service pages, as the manifest says.
  private var modelLines: [String] {
    let list = model.list
    func path(_ path: FieldPath) -> String { "FieldPath([\(path.names.map(SwiftText.literal).joined(separator: ", "))])" }
    func parameter(_ parameter: Parameter) -> String {
      "Parameter(.\(parameter.place.rawValue), \(SwiftText.literal(parameter.name)))"
    }
    func place(_ model: TotalModel) -> String {
      switch model {
      case .body(let total): ".body(\(path(total)))"
      case .header(let name): ".header(\(SwiftText.literal(name)))"
      }
    }
    let paging =
      switch list.paging.value {
      case .whole: ".whole"
      case .offset(let place): ".offset(\(parameter(place)))"
      case .number(let place, let first): ".number(\(parameter(place)), first: \(first))"
      case .nextAddress(let next): ".nextAddress(\(path(next)))"
      case .link: ".link"
      case .token(let next, let place): ".token(\(path(next)), \(parameter(place)))"
      case .keyset(let key, let place): ".keyset(\(path(key)), \(parameter(place)))"
      }
    let ends = list.toldPaths.map(SwiftText.literal).joined(separator: ", ")
    var lines = [
      "var model = try ServiceModel(of: fixture, rows: \(path(list.items.value))\(ends.isEmpty ? "" : ", at: [\(ends)]"))"
    ]
    lines.append("model.list.paging = Guess(\(paging))")
    lines.append("model.list.size = \(list.size.map { "Guess(\(parameter($0.value)))" } ?? "nil")")
    lines.append("model.list.total = \(list.total.map { "Guess(\(place($0.value)))" } ?? "nil")")
    if let more = list.more?.value {
      lines.append("model.list.more = Guess(MoreModel(path: \(path(more.path)), isContrary: \(more.isContrary)))")
    }
    if let pages = list.pageCount { lines.append("model.list.pageCount = \(place(pages))") }
    if let key = list.key?.value { lines.append("model.list.key = Guess(\(path(key)))") }
    if let search = source.search, let (carrier, before, after) = source.list.overlaid(by: search.request).text(naming: "text")
    {
      let reading = before + after == 0 ? "" : " { String($0.dropFirst(\(before)).dropLast(\(after))) }"
      lines.append("model.setSearch(by: \(parameter(carrier)))\(reading)")
    }
    return lines
  }

  // MARK: - The README

  func readme(core: String) -> String {
    let keys = (users.filter { $0.defaultValue == nil } + manifest.keys.map(\.setting)).map(\.name)
    let set = keys.isEmpty ? "" : "\n$ export " + keys.map { "\($0)=…" }.joined(separator: " ")
    return """
      # \(name.text)

      \(SwiftText.clause(source.summary)), as a source of [aggregator](\(core)); it was in a manifest.

      ```console
      $ swift test\(set)
      $ swift run records \(name.text) list --limit 5
      ```

      | file | holds |
      |---|---|
      | `Sources/\(name.module)/\(name.record).swift` | the record: its fields, where each is read and what it is for |
      | `Sources/\(name.module)/\(name.service).swift` | the source: a request, and the page that answers it |
      | `Sources/\(name.module)/Source+\(name.module).swift` | its name, its settings, what stands around it |
      | `Sources/\(name.module)Command/Main.swift` | a command over it |
      | `Tests/\(name.module)Tests` | every law under every hazard, and the recording read back |

      """
  }
}
