import AggregatorCore
package import Recordings
package import Services

extension SourcePackage {
  /// The source of that name of a manifest as a package of its own: the same requests, rows and pages in Swift, with tests over `fixture`.
  ///
  /// - Parameter remarks: Markdown that goes into its README.
  /// - Throws: a `SourceError` that names each member of the manifest for which no Swift is written, or a recorded request that the source
  ///   would never send beside the one that it sends.
  package init(
    _ name: SourceName, ejecting manifest: Manifest, over fixture: Fixture, core: String, remarks: String = ""
  ) async throws {
    guard let source = manifest.sources.first(where: { $0.name == name.text }) else {
      throw SourceError(.settings, "\(manifest.file): no source is called \"\(name.text)\"")
    }
    let plan = try await EjectPlan(name, manifest, source, fixture)
    let sources = "Sources/\(name.module)"
    let tests = "Tests/\(name.module)Tests"
    var texts = [
      ("Package.swift", name.package(core: core, knowing: plan.record.needsHTML ? ["HTML"] : [])),
      ("README.md", plan.readme(core: core) + remarks),
      (".gitignore", "/.build/\n.swiftpm/\n"), ("\(sources)/\(name.record).swift", plan.record.code),
      ("\(sources)/\(name.service).swift", plan.service.code), ("\(sources)/Source+\(name.module).swift", plan.descriptor),
      ("\(sources)Command/Main.swift", name.command), ("\(tests)/\(name.module)Tests.swift", plan.tests),
      ("\(tests)/Fixtures/\(name.text).har", String(decoding: fixture.har, as: UTF8.self)),
    ]
    if let file = source.bundled {
      texts.append(("\(sources)/\(name.record)+Bundled.swift", name.bundled(rows: try manifest.contents(of: file))))
    }
    self.init(name, texts)
  }
}

/// What a walk over a recording gives, of a list or of what was searched for.
private struct RecordedWalk {
  let text: String?
  private(set) var count = 0
  private(set) var first: Value?
  private(set) var pages = 0
  private(set) var isComplete = false

  /// Walks as the manifest says; throws where that asks for something else than for `recorded`.
  init(
    over fixture: Fixture, of source: Source<LooseRecord>, _ values: [String: String], finding text: String? = nil,
    asking recorded: [RecordedPage]
  ) async throws {
    self.text = text
    let replay = Replay(fixture)
    do {
      try await read(source.source(replaying: replay, values))
      // A recording may end before the list does; what it has is asked for first.
      let unused = Set(replay.report.unused.map(\.exchange))
      if let error = replay.report.unmatched.first, recorded.contains(where: { unused.contains($0.exchange) }) { throw error }
    } catch let error as SourceError where error.kind == Replay.unmatched {
      throw SourceError(
        .settings, "the source would send something else than was recorded: \(error.message)",
        remedy: "record the list from its beginning, page by page")
    }
  }

  private mutating func read(_ source: some DataSource<LooseRecord>) async throws {
    var walk = Walk(source, text.map { .matching($0) } ?? .everything)
    while let items = try await walk.nextPage() {
      if first == nil { first = items.first.map { source.schema.value(of: $0) } }
      (count, pages) = (count + items.count, pages + 1)
      if walk.summary.verdict != nil { break }
    }
    isComplete = walk.summary.verdict == .complete
  }
}

extension ListModel {
  /// What a person typed for a page of this list; nil where nobody did.
  fileprivate func text(in page: RecordedPage) -> String? {
    let text = search.flatMap { $0.confidence > .weak ? page.call[$0.value] : nil }.map(searchText)
    return text?.isEmpty == true ? nil : text
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
  /// What walks over the recording give: over the list, and over what was searched for.
  private let walk: RecordedWalk
  private var search: RecordedWalk?

  init(_ name: SourceName, _ manifest: Manifest, _ source: ManifestSource, _ fixture: Fixture) async throws {
    (self.name, self.manifest, self.source, self.fixture) = (name, manifest, source, fixture)
    model = try ServiceModel(of: fixture, as: source)
    let documents = model.list.rows.compactMap { try? JSON($0.bytes) }
    let rows = model.list.isKeyed ? documents.compactMap { $0["value"] } : documents
    record = EjectedRecord(name, source, rows: rows, site: manifest.address.defaultValue ?? "")
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
    let problems = record.problems + service.problems
    guard problems.isEmpty else {
      throw SourceError(
        .settings,
        "\(manifest.file): no Swift can be written for what \(source.name) says: \(problems.joined(separator: "; "))",
        remedy: "leave it out of the manifest, and write it in Swift")
    }
    let opened = try manifest.source(source.name)
    walk = try await RecordedWalk(
      over: fixture, of: opened, self.values, asking: list.pages.filter { list.text(in: $0) == nil })
    let searches = source.search == nil ? [] : [list] + model.searches.filter { $0.endpoint != list.endpoint }
    let found = searches.flatMap { list in list.pages.map { (text: list.text(in: $0), page: $0) } }
    guard let text = found.lazy.compactMap(\.text).first else { return }
    let pages = found.filter { $0.text == text }.map(\.page)
    search = try await RecordedWalk(over: fixture, of: opened, self.values, finding: text, asking: pages)
  }

  // MARK: - The descriptor

  var descriptor: String {
    let searches = source.searches.map { "searches: \(SwiftText.literal($0)),\n    " } ?? ""
    let lists = [("keys", keys), ("headers", headers)].filter { !$0.1.isEmpty }.map { "\($0): [\($1.joined(separator: ", "))]" }
    let client = [".\(name.member(of: manifest.address.name))"] + lists + ["budget: budget"]
    let bundled =
      source.bundled == nil
      ? "" : ",\n    bundled: { try \(name.record).bundled.map { try \(name.record)(JSON(Array($0.utf8)), as: .own) } }"
    return """
      import AggregatorCore

      extension SourceDescriptor {
        /// \(SwiftText.clause(source.summary)).
        public static let \(name.member) = Source(
          \(SwiftText.literal(name.text)), \(SwiftText.literal(source.summary)),
          settings: [\(settings.map { ".\(name.member(of: $0.name))" }.joined(separator: ", "))],
          \(searches)\(source.isEndless ? "paging: \(service.paging),\n    " : "")live: { world in
            let budget = try world.settings.budget(.\(name.member(of: manifest.budgetSetting.name)), published: \(budget))
            let client = try world.client(\(client.joined(separator: ", ")))
            return \(name.service)(\((["client: client"] + service.arguments).joined(separator: ", ")))
          }\(bundled)
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
    let (member, made) = (name.member(of: setting.name), "Setting(\(arguments.joined(separator: ", ")))")
    let changes = (setting.isOptional ? ["isOptional"] : []) + (setting.rotates ? ["rotates"] : [])
    if changes.isEmpty { return "  public static let \(member) = \(made)\n" }
    return "  public static let \(member): Setting = {\n    var setting = \(made)\n"
      + changes.map { "    setting.\($0) = true\n" }.joined() + "    return setting\n  }()\n"
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
      let setting = ".\(name.member(of: key.setting.name))"
      return switch key.carrier {
      case .header(let name, let scheme):
        ".header(\(SwiftText.literal(name)), \(setting)\(scheme.map { ", scheme: \(SwiftText.literal($0))" } ?? ""))"
      case .query(let name): ".query(\(SwiftText.literal(name)), \(setting))"
      case .basic(let header, let user):
        ".basic(\(setting), user: .\(name.member(of: user)), header: \(SwiftText.literal(header)))"
      }
    }
  }

  /// The headers that every request carries alike.
  private var headers: [String] {
    manifest.headers.filter(\.value.names.isEmpty).map {
      "HTTPRequest.Item(\(SwiftText.literal($0.name)), \(SwiftText.literal($0.value.text)))"
    }
  }

  // MARK: - The tests

  var tests: String {
    let told = values.sorted { $0.key < $1.key }.map { "\(SwiftText.literal($0.key)): \(SwiftText.literal($0.value))" }
    let settings = """

        /// What the settings were when the recording was made.
        private let settings = [\(told.joined(separator: ", "))]

      """
    let model = isGuessed ? [] : modelLines
    let arguments =
      ["of: .\(name.member)", "fixture: fixture"] + (told.isEmpty ? [] : ["settings: settings"])
      + (model.isEmpty ? [] : ["model: model"])
    return """
      \(SwiftText.imports(["AggregatorCore", name.module, "SourceTesting", "SourceTestingTraits", "Testing"]))

      @Suite struct \(name.module)Tests {\(told.isEmpty ? "" : settings)
        @Test("every law is kept under every hazard")
        func laws() async throws {
          let fixture = try Fixture.beside(\(SwiftText.literal(name.text)))
      \(model.map { "    \($0)\n" }.joined())    let report = await Conformance(\(arguments.joined(separator: ", "))).report()
          #expect(report.isPassed, "\\(report)")
        }

      \(test(walk.isComplete ? "what was recorded is read whole" : "the recorded pages are read", "list", walk))\(search.map { test("what was searched for is found", "search", $0) } ?? "")
        /// A walk over the running test's recording: the records, as their fields describe them, and how it ended.
        private func walk(
          _ query: Query = .everything, pages: Int? = nil
        ) async throws -> (records: [Value], verdict: Verdict?) {
          func walk(_ source: some DataSource) async throws -> (records: [Value], verdict: Verdict?) {
            var walk = Walk(source, query, bounds: Bounds(pages: pages))
            var records: [Value] = []
            while let items = try await walk.nextPage() { records += items.map { source.schema.value(of: $0) } }
            return (records, walk.summary.verdict)
          }
          return try await walk(SourceDescriptor.\(name.member).source(replaying: Fixture.current\(told.isEmpty ? "" : ", settings")))
        }
      }

      """
  }

  /// A test of a walk: how many records come, what the first is called, and whether that is all.
  private func test(_ sentence: String, _ function: String, _ walk: RecordedWalk) -> String {
    let arguments = [
      walk.text.map { ".matching(\(SwiftText.literal($0)))" }, walk.isComplete ? nil : "pages: \(walk.pages)",
    ].compactMap(\.self).joined(separator: ", ")
    let title = (source.fields.first { $0.role == .title } ?? source.fields.first)?.name ?? source.key
    let first = walk.first.map { first in
      "    #expect(records.first?[\(SwiftText.literal(title))] == \(SwiftText.literal(first[title] ?? .null)))\n"
    }
    return """
        @Test(\(SwiftText.literal(sentence)), .fixture(\(SwiftText.literal(name.text)), mayLeave: true))
        func \(function)() async throws {
          let (records, \(walk.isComplete ? "verdict" : "_")) = try await walk(\(arguments))
          #expect(records.count == \(walk.count))
      \(first ?? "")\(walk.isComplete ? "    #expect(verdict == .complete)\n" : "")  }


      """
  }

  /// Whether the kit makes the same of the recording by itself.
  private var isGuessed: Bool {
    guard let guessed = try? ServiceModel(of: fixture) else { return false }
    let (own, list) = (model.list, guessed.list)
    return own.endpoint == list.endpoint && own.items.value == list.items.value && own.isKeyed == list.isKeyed
      && own.paging.value == list.paging.value && own.size?.value == list.size?.value && own.total?.value == list.total?.value
      && own.more?.value == list.more?.value && own.key?.value == list.key?.value && own.pageCount == nil && !model.isOpen
      && own.search?.value == list.search?.value && own.pages.count == list.pages.count
  }

  /// How the service pages, as the manifest says.
  private var modelLines: [String] {
    let list = model.list
    func path(_ path: FieldPath) -> String { "FieldPath([\(path.names.map(SwiftText.literal).joined(separator: ", "))])" }
    func parameter(_ parameter: Parameter) -> String {
      "Parameter(.\(parameter.place.rawValue), \(SwiftText.literal(parameter.name)))"
    }
    func place(_ model: NumberPlace<FieldPath>) -> String {
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
      lines.append("model.list.more = Guess(MorePlace(path: \(path(more.path)), isContrary: \(more.isContrary)))")
    }
    if model.isOpen { lines.append("model.isOpen = true") }
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

      \(SwiftText.clause(source.summary)), as a source of [aggregator](\(core)).

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

      `swift format -i -r Sources Tests` breaks the lines that are long.

      """
  }
}
