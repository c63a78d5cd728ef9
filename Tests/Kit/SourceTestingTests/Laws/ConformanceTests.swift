import AggregatorCore
import Ports
import SourceTesting
import Testing

@Suite struct ConformanceReportTests {
  @Test("A failure names source, law, hazard and the observation, and what to do comes last")
  func text() async throws {
    let saboteur = try #require(Saboteurs.all.first { $0.name == "ends where the total says" })
    let report = await Conformance(of: saboteur.descriptor, fixture: saboteur.fixture).report()
    let lines = report.description.split(separator: "\n")
    #expect(lines.first?.hasPrefix("offset: nothing lost, under total too low: ") == true)
    #expect(lines.first?.contains("records are missing") == true)
    #expect(lines.last?.hasSuffix("then run this again") == true)
    #expect(report[.totalTooLow, .nothingLost]?.isFailure == true)
  }

  @Test("A recording of something else gives no judgment of a source")
  func unfit() async throws {
    var service = RecordedService()
    try service.get("/weather", #"[{"day":1,"rain":true}]"#)
    let report = await Conformance(of: PortsFixtures.offset.descriptor, fixture: service.fixture).report()
    #expect(!report.isPassed)
    #expect(report.unfit != nil)
    #expect(report.rows.isEmpty)
  }
}

@Suite struct PortsFixtureTests {
  @Test("A healthy source passes every check, with any way of paging", arguments: PortsFixtures.all)
  func healthy(ports: PortsFixture) async {
    let report = await Conformance(of: ports.descriptor, fixture: ports.fixture).report()
    if !report.isPassed { print(report.table) }
    #expect(report.isPassed, "\(report)")
  }
}

@Suite struct SaboteurTests {
  @Test("Each saboteur fails exactly its own check, and each law and each hazard has one")
  func matrix() async {
    let matrix = await SaboteurMatrix()
    print(matrix)
    for complaint in matrix.complaints { Issue.record("\(complaint)") }
  }
}

@Suite("A failure says why") struct WhyTests {
  /// The report of a source that makes its pages with `page`, over this recording.
  private func report(
    search: Profile.Answerer = .walk, over fixture: Fixture,
    page: @escaping @Sendable (PortsSource, PageRequest) async throws -> Page<Port>
  ) async -> ConformanceReport {
    let profile = Profile("wrong", paging: .keyset(size: 4), search: search)
    let ports = PortsFixture(name: "wrong", profile: profile, page: page, fixture: fixture)
    return await Conformance(of: ports.descriptor, fixture: fixture).report()
  }

  @Test("the source's error over a row is shown if no row could be read")
  func lastPageUnread() async throws {
    let fixture = PortsFixtures.pages(
      #"{"ports":ROWS,"links":{"next":"https://ports.example/api/ports?after=p3&limit=4"}}"#, #"{"ports":ROWS,"links":{"next":null}}"#)
    let report = await report(over: fixture) { source, request in
      _ = try request.place(in: source)
      let body = try await source.client.json("ports", ["limit": "4"])
      return try Page(of: source, rows: body.array("ports"), next: source.client.next(body.object("links").string("next")))
    }
    #expect(
      report.unfit?.hasPrefix("wrong cannot read any of the 7 rows at ports of GET https://ports.example/api/ports in ports.har") == true)
    #expect(report.unfit?.contains("links.next: expected a string, found null") == true)
  }

  @Test("the error of a later page is shown beside the missing records")
  func pageThrew() async throws {
    let report = await report(over: PortsFixtures.keyset.fixture) { source, request in
      let page = try await PortsFixtures.keyset.page(source, request)
      if page.more == true, page.items.count < 4 { throw SourceError(.malformed, "a short page has more after it") }
      return page
    }
    guard case .failed(let seen) = report[.moreWithheld, .nothingLost] else { return _ = Issue.record("records are missing: \(report)") }
    let ending = "with the verdict partial (error: wrong: a short page has more after it)"
    #expect(seen == "2 of 10 records are missing (p2-2, p3-3), \(ending)")
  }

  @Test("bundled records that cannot be read are not taken for an empty copy")
  func bundleUnread() async throws {
    let ports = PortsFixtures.keyset
    let source = Source(
      ports.name, "Ports of the world", settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
      live: { try PortsSource(ports, in: $0, fetch: ports.page) },
      bundled: { throw SourceError(.malformed, "[3]: the member name is missing") })
    let report = await Conformance(of: source.descriptor, fixture: ports.fixture).report()
    #expect(report.unfit?.contains("the bundled records of keyset cannot be read: [3]: the member name is missing") == true)
  }

  @Test("a search that was not recorded is named")
  func searchUnrecorded() async throws {
    let report = await report(search: .native, over: PortsFixtures.keyset.fixture) { source, request in
      guard case .matching(let text) = request.query else { return try await PortsFixtures.keyset.page(source, request) }
      return try await Page(of: source, rows: source.client.json("find", ["q": .plain(text)]).array("ports"), next: .end)
    }
    guard case .failed(let seen) = report[.calm, .search] else { return _ = Issue.record("no search was recorded: \(report)") }
    #expect(seen.contains("GET /api/find was not recorded"), "\(seen)")
    #expect(seen.contains("record a search"), "\(seen)")
  }
}

@Suite("The checks that an author skips") struct SkipTests {
  private func report(_ skips: Skip...) async throws -> ConformanceReport {
    let saboteur = try #require(Saboteurs.all.first { $0.name == "ends where the total says" })
    return await Conformance(of: saboteur.descriptor, fixture: saboteur.fixture, skipping: skips).report()
  }

  @Test("a skipped failure is not a failure, and the report names what was skipped and why")
  func skipped() async throws {
    let report = try await report(.law(.nothingLost, because: "its totals are never too low"))
    #expect(report.isPassed)
    #expect(report.description.contains("offset: nothing lost, under total too low: skipped: its totals are never too low\n"))
    #expect(report.summary.contains("0 failed, 4 skipped"))
    guard case .skipped("its totals are never too low", let seen) = report[.totalTooLow, .nothingLost] else {
      return _ = Issue.record("this check should be skipped")
    }
    #expect(seen.contains("records are missing"))
  }

  @Test("a check that is not skipped fails as before")
  func narrow() async throws {
    let report = try await report(.law(.nothingLost, under: .totalTooLow, because: "its totals are never too low"))
    #expect(report.failures.map(\.hazard) == [.totalOfPage, .onePage, .duplicateIds])
    let other = try await self.report(.hazard(.totalTooLow, because: "its totals are never too low"))
    #expect(other.failures.map(\.hazard) == [.totalOfPage, .onePage, .duplicateIds])
  }

  @Test(
    "a skip that is not needed is told, and the report does not pass",
    arguments: [
      (Skip.law(.counts, because: "x"), "offset: counts is skipped, but passes; remove the skip"),
      (.hazard(.dateAhead, because: "x"), "offset: date ahead is skipped, but does not apply; remove the skip"),
      (
        .law(.search, under: .html, because: "x"),
        "offset: search finds, under HTML with 200, is skipped, but no check has that name; remove the skip"
      ),
      (.law(.nothingLost, because: ""), "offset: nothing lost is skipped without a reason; say why"),
    ])
  func needless(skip: Skip, complaint: String) async throws {
    let report = try await report(.law(.nothingLost, because: "its totals are never too low"), skip)
    #expect(!report.isPassed)
    #expect(report.complaints == [complaint])
    #expect(report.description.contains(complaint))
  }
}
