import AggregatorCore
import Asking
import Countries
import SourceTesting
import Store
import Testing

@testable import RecordFormats

/// Schemas of answers and reports, and the JSON that is printed of them.
@Suite struct AnswerSchemaTests {
  private let check = SchemaCheck()
  private let now = Bundled.world.clock.now

  private func expectFit<Row>(_ rows: [Row], _ fields: [Field<Row>], _ schema: JSONSchema? = nil) throws {
    #expect(!rows.isEmpty)
    for row in try PrintedJSON.of(rows, fields, at: now) {
      #expect(check.faults(in: row, by: schema ?? .row(of: fields)).isEmpty)
    }
  }

  @Test("an answer may have notices and its continuation, and must have all else")
  func answers() throws {
    let schema = JSONSchema.answer(items: .text, adding: [.notices, .next])
    var summary = Summary()
    (summary.origin, summary.total) = (.cache(age: .seconds(3)), 7)
    summary.verdict = .partial(.total(missing: 2))
    let envelope = Envelope(source: "ports", text: "a", limit: 2)
    var answer = Value.object(envelope.head(summary.origin) + [Member(name: "items", value: ["a"])] + envelope.tail(summary))
    #expect(check.faults(in: answer, by: schema).isEmpty)
    (answer["notices"], answer["next"]) = (["one"], .null)
    #expect(check.faults(in: answer, by: schema).isEmpty)
    #expect(!check.faults(in: answer, by: .answer(of: "piers", items: .text, adding: [.notices, .next])).isEmpty)
    for name in ["source", "query", "origin", "items", "total", "skipped", "duplicates", "misfits", "verdict"] {
      var lacking = answer
      lacking[name] = nil
      #expect(check.faults(in: lacking, by: schema) == ["$: \(name) is missing"])
    }
  }

  @Test("a search of all sources has the answer of each, with items as its own lists have them")
  func searches() async throws {
    let page = WrittenBytes()
    let sources = Bundled.sources.filter { $0.searches != nil }
    var renderer = SearchedSourcesRenderer(rows: nil, inLines: false, text: "an", limit: 3, at: now, into: page)
    try renderer.begin()
    var ask = Ask(.matching("an"), of: "")
    ask.terms.reach = .offline
    try await Catalogue(sources).search("an", ask, in: Bundled.world) { news in
      if case .found(let results) = news { try renderer.print(results) }
    }
    try renderer.end()
    let printed = try JSON(page.bytes).value
    #expect(printed["sources"]?.list?.count == sources.count)
    let answers = sources.map { JSONSchema.answer(of: $0.name, items: .record(of: $0.fields, in: .list)) }
    #expect(check.faults(in: printed, by: .search(ofSources: answers)).isEmpty)
    #expect(!check.faults(in: printed, by: .search(ofSources: Array(answers.dropFirst()))).isEmpty)
  }

  @Test("counts fit their schemas, also by a field with several values")
  func counts() async throws {
    let source = try SourceDescriptor.countries.open(in: Bundled.world)
    for path in [nil, "region", "currency.code"] as [FieldPath?] {
      var ask = Ask(of: "countries")
      (ask.limit, ask.terms.reach) = (5, .offline)
      let count = try await source.count(ask, CountWishes(by: path))
      try expectFit([count], count.fields, .count)
    }
  }

  @Test("reports, changes and what syncs tell fit the schemas of their fields")
  func reports() async throws {
    var world = Bundled.world
    world.store = StoreInMemory()
    let catalogue = try Catalogue(Bundled.sources)
    let reports = try await catalogue.reports(on: catalogue.sources, in: world)
    try expectFit(reports, SourceReport.fields)
    try expectFit(reports, SourceReport.fullFields)
    try expectFit(reports, SourceReport.statusFields { remedy, _ in "\(remedy)" })
    let differences = [FieldOutline("a"), FieldOutline("b")].differences(of: ["a": [1, "a"]], with: ["b": ["c": 7]])
    let changes = differences.map { FoundChange(.changed, at: now, id: "1", title: "A", difference: $0) }
    try expectFit(changes + [FoundChange(.new, at: now, id: "1", title: nil)], FoundChange.fields)
    try expectFit(changes, FoundChange.fieldsOfSeveral)
    try expectFit(differences, Difference.fields)
    let outcome = StoringOutcome(SourceError(.unavailable, "the service failed"), of: "ports", requests: 1)
    try expectFit([outcome, StoringOutcome(interruptedIn: "ports", requests: 0)], StoringOutcome.fields)
    try expectFit([outcome], StoringOutcome.importFields)
  }
}
