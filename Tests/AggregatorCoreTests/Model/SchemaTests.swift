import Testing

@testable import AggregatorCore

@Suite("The description of a source's records")
struct SchemaTests {
  /// A source that tells of its rows only their names.
  struct Named: DataSource {
    let profile = Profile("named", paging: .whole)
    let schema = Schema<Row>(
      [Field("name", .title, searchable: true) { $0.name }], answers: { $0.name == $1 }, read: { try Row($0, as: $1) })

    func page(_ request: PageRequest) async throws -> Page<Row> { Page(of: self, [Row("1", "one"), Row("2", "two")]) }
  }

  /// A wrapper that says nothing of them.
  struct Silent: Wrapper {
    typealias Item = Row

    let upstream: any DataSource<Row>
  }

  @Test("is the type's own where nothing else is said")
  func ofType() { #expect(ModelSource.list(1).schema.outline == Row.fields.map(\.outline)) }

  @Test("goes along through everything that stands around a source")
  func handedOn() throws {
    let source = Named()
    let around: [any DataSource<Row>] = [
      Silent(upstream: source), source.coalesced(), source.replayed(), source.retrying(), source.readAhead(),
      source.cached(in: StoreInMemory()), source.fallback(to: ModelSource.list(1)),
      LastAnswers(of: source, in: StoreInMemory(), scope: ""), source.mapped(to: source.schema) { $0 },
      BundledRecords("named", of: source.schema) { [] },
    ]
    for wrapped in around { #expect(wrapped.schema.outline == source.schema.outline, "\(wrapped)") }
    #expect(source.mapped { $0 }.schema.outline == Row.fields.map(\.outline))
  }

  @Test("says which record a name means, and is asked for it by a walk")
  func names() async throws {
    #expect(try await Walked(Named(), .record("two")).ids == ["2"])
    #expect(try await Walked(Named(), .record("2")).ids.isEmpty)
    #expect(try await Walked(Named(), .matching("ONE")).ids == ["1"])
  }
}
