import AggregatorCore
import Recordings

extension SourcePackage {
  /// A small source over an invented service, as a start for code written by hand.
  package init(_ name: SourceName, core: String) {
    let sources = "Sources/\(name.module)"
    self.init(
      name, core: core,
      [
        File("\(sources)/\(name.record).swift", name.record(by: name.singular)),
        File("\(sources)/\(name.service).swift", name.page),
        File("\(sources)/Source+\(name.module).swift", name.declaration),
        File("Tests/\(name.module)Tests/\(name.module)Tests.swift", name.tests),
      ], testedOver: .invented(for: name.text),
      readme: name.readme(name.summary, core: core) + """

        | file | contents |
        |---|---|
        | `\(sources)/\(name.record).swift` | the record: its fields, with their names in a row and their roles |
        | `\(sources)/\(name.service).swift` | the source: it asks the service for a page, and reads the answer |
        | `\(sources)/Source+\(name.module).swift` | the declaration: the name, the settings and the request budget |
        | `\(sources)Command/Main.swift` | a command with this source |
        | `Tests/\(name.module)Tests` | the tests: every law under every hazard, and walks over the recording |

        The service is invented. Write the requests of a real one instead, and record its answers.

        """)
  }
}

extension SourceName {
  fileprivate var host: String { "api.\(text).example" }
  fileprivate var summary: String { "\(module) of \(host)" }

  fileprivate func record(by singular: String) -> String {
    """
    import AggregatorCore

    /// One \(singular) of \(host).
    public struct \(record): Record {
      public var number = 0
      public var name = ""
      public var note: String?
      public var createdAt: Moment?
      public var score: Double?
      public var tags: [String] = []
      public var url: String?

      public var id: String { String(number) }

      public static let fields: [Field<\(record)>] = [
        Field("id", \\.number, width: .whole),
        Field("name", \\.name, .title, searchable: true),
        Field("note", \\.note, searchable: true),
        Field("createdAt", \\.createdAt),
        Field("score", \\.score),
        Field("tags", \\.tags, searchable: true),
        Field("url", \\.url, .link, width: .extra),
      ]

      public init() {}
    }

    """
  }

  fileprivate var page: String {
    """
    import AggregatorCore

    /// \(summary).
    struct \(service): DataSource {
      let profile = Profile("\(text)", paging: .offset(size: 4, end: .total), search: .native)
      let client: Client

      func page(_ request: PageRequest) async throws -> Page<\(record)> {
        let place = try request.place(in: self)
        let body = try await client.json(
          "\(text)", ["offset": "\\(place.number)", "limit": "\\(place.size)", "q": request.query.text.map { .plain($0) }])
        return try Page(of: self, rows: body.array("items"), total: body.int("total"))
      }
    }

    """
  }

  fileprivate var declaration: String {
    """
    import AggregatorCore

    extension Source<\(record)> {
      /// \(summary).
      public static var \(member): Source {
        Source(
          "\(text)", "\(summary)", settings: [.\(member)URL, .\(member)Budget], searches: "name, note or tags",
          live: { world in
            let budget = try world.settings.budget(.\(member)Budget, published: Budget([Budget.Rate(5, per: .seconds(1))]))
            return \(service)(client: try world.client(.\(member)URL, budget: budget))
          })
      }
    }

    extension SourceDescriptor {
      /// The source for the list of a command.
      public static let \(member) = Source<\(record)>.\(member).descriptor
    }

    extension Setting {
      public static let \(member)URL = Setting(
        "\(setting)_URL", .address, "base address of the service", default: "https://\(host)/v1/")
      public static let \(member)Budget = Setting("\(setting)_BUDGET", .budget, "request budget for \(host)", default: "5/1s")
    }

    """
  }

  fileprivate var tests: String {
    """
    \(SwiftText.imports(["AggregatorCore", module, "SourceTesting", "SourceTestingTraits", "Testing"]))

    @Suite struct \(module)Tests {
      @Test("every law is kept under every hazard")
      func laws() async throws {
        let report = try await Conformance(of: .\(member), fixture: .beside("\(text)")).report()
        #expect(report.isPassed, "\\(report)")
      }

      @Test("the recorded list is read to its end", .fixture("\(text)", mayLeave: true))
      func list() async throws {
        var walk = Walk(try Source<\(qualified)>.\(member).source(replaying: Fixture.current))
        var records: [\(qualified)] = []
        while let items = try await walk.nextPage() { records += items }
        #expect(records.map(\\.name) == ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"])
        #expect(walk.summary.verdict == .complete)
      }

      @Test("the recorded search finds its records", .fixture("\(text)", mayLeave: true))
      func search() async throws {
        var walk = Walk(try Source<\(qualified)>.\(member).source(replaying: Fixture.current), .matching("dover"))
        #expect(try await walk.nextPage()?.map(\\.name) == ["Dover"])
      }
    }

    """
  }
}

extension Fixture {
  /// Returns two pages of a list and a search, from a service that does not exist, for a source that a person will write by hand.
  static func invented(for name: String) -> Fixture {
    let rows = ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"].enumerated().map { number, port in
      #"{"id":\#(number + 1),"name":"\#(port)","note":\#(number % 2 == 0 ? "null" : "\"Open all year\""),"#
        + #""createdAt":"2026-01-0\#(number + 1)T08:00:00Z","score":\#(4.5 - Double(number) / 4),"#
        + #""tags":\#(number == 0 ? "[]" : #"["north","quiet"]"#),"url":"https://\#(name).example/\#(number + 1)"}"#
    }
    let pages = [
      ("offset=0&limit=4", rows[0..<4], rows.count), ("offset=4&limit=4", rows[4...], rows.count),
      ("q=dover&offset=0&limit=4", rows[3...3], 1),
    ]
    let exchanges = pages.enumerated().compactMap { second, page -> Exchange? in
      let body = #"{"items":[\#(page.1.joined(separator: ","))],"total":\#(page.2)}"#
      let moment = Moment(secondsSinceEpoch: 1_767_225_600 + second)
      return WebAddress("https://api.\(name).example/v1/\(name)?\(page.0)").map {
        Exchange(TapedRequest("GET", $0), .json(Array(body.utf8)), startedAt: moment)
      }
    }
    return Fixture("\(name).har", exchanges: exchanges)
  }
}
