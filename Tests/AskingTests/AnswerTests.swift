import AggregatorCore
import Asking
import SourceTesting
import TestServices
import Testing

struct AnswerTests {
  private let services = TestServices()

  private func ask(_ change: (inout Ask) throws -> Void) rethrows -> Ask {
    var ask = Ask(of: "ports")
    try change(&ask)
    return ask
  }

  private func read(_ ask: Ask) async throws -> (ids: [String], summary: Summary, notices: [Notice], unmet: [String]) {
    try await read(ask, services.face().catalogue.open(ask, in: services.face().world))
  }

  private func read(
    _ ask: Ask, _ source: OpenedSource
  ) async throws -> (ids: [String], summary: Summary, notices: [Notice], unmet: [String]) {
    var answer = source.records(for: ask)
    var ids: [String] = []
    while let page = try await answer.nextRecords() { ids += page.map(\.id) }
    #expect(answer.hasEnded)
    return (ids, answer.summary, answer.notices, answer.unmet.map(\.description))
  }

  @Test("an order applies to all records")
  func order() async throws {
    let deepest = try ask {
      $0.limit = 2
      $0.order = try RecordOrder.all(in: "-depth", of: Port.schema.outline.leaves)
    }
    let answer = try await read(deepest)
    #expect(answer.ids == ["p9", "p8"])
    #expect(answer.summary.verdict == .bounded && answer.summary.given == 2)
    #expect(answer.notices == [.first(2, of: 10)])
  }

  @Test("an offset leaves out the first records, and an answer without them is not complete")
  func offset() async throws {
    let answer = try await read(ask { $0.offset = 8 })
    #expect(answer.ids == ["p8", "p9"])
    #expect(answer.summary.verdict == .bounded)
    #expect(try await read(ask { ($0.offset, $0.limit) = (.min, .min) }).ids == [])
    #expect(try await read(ask { $0.offset = 12 }).notices == [.offsetLeavesNone(offset: 12, count: 10)])
  }

  @Test("an answer continues at the place of another one, but not if that was in another list")
  func places() async throws {
    var ask = ask { ($0.limit, $0.terms.reach) = (4, .live) }
    let source = try services.face().catalogue.open(ask, in: services.face().world)
    var first = source.records(for: ask)
    while try await first.nextRecords() != nil {}
    let place = try #require(first.outcome.place?.text)
    let list = await source.listIdentity
    let own = try #require(first.outcome.rest(of: ask, in: list)?.first?.value)
    let other = try #require(first.outcome.rest(of: ask, in: "another list")?.first?.value)
    #expect(Set([place, own, other]).count == 3)
    for text in [place, own] {
      ask.start = try AnswerPlace(text, in: ask).start
      #expect(try await read(ask, source).ids == ["p4", "p5", "p6", "p7"])
    }
    let strange = try AnswerPlace(other, in: ask).start
    #expect(AnswerPlace(strange, in: ask).text == other)
    ask.start = strange
    let error = await #expect(throws: SourceError.self) { try await read(ask, source) }
    #expect(error?.kind == .foreignCursor)
  }

  @Test("an answer from a place on does not say that no record matches, since those before it did")
  func nothingAfter() async throws {
    var ask = try ask {
      ($0.limit, $0.terms.reach) = (4, .live)
      $0.conditions = [try RecordCondition("depth<4", on: Port.schema.outline.leaves, at: services.face().world.clock.now)]
    }
    let source = try services.face().catalogue.open(ask, in: services.face().world)
    var first = source.records(for: ask)
    while try await first.nextRecords() != nil {}
    ask.start = try #require(first.outcome.place).start
    let rest = try await read(ask, source)
    #expect(rest.ids == [] && rest.summary.verdict == .complete)
    #expect(rest.notices == [.changed("this is the end of a list whose beginning was given before")])
  }

  @Test("a requirement that is not met is told; notices are values")
  func requirements() async throws {
    let answer = try await read(ask { ($0.limit, $0.requirements) = (3, [.complete, .live]) })
    #expect(answer.unmet.map(\.description) == ["the answer is bounded, not complete"])
    #expect(answer.notices == [.first(3, of: 10)])
    #expect(answer.notices.flatMap(\.remedies) == [.give(["all", .init("limit", "N")], "to see more")])
  }

  @Test("an answer that an error stopped continues where it stopped")
  func goingOn() async throws {
    let face = try services.face()
    try await goOn(face.catalogue.open(ask { _ in }, in: face.world))
  }

  private func goOn(_ source: OpenedSource) async throws {
    var answer = source.records(for: ask { $0.limit = nil })
    var ids = try await answer.nextRecords()?.map(\.id) ?? []
    services.break("ports")
    #expect(try await answer.nextRecords() == nil)
    #expect(answer.summary.stop?.message == "the service failed")
    services.mend("ports")
    #expect(try await answer.goOn())
    while let page = try await answer.nextRecords() { ids += page.map(\.id) }
    #expect(ids == (0..<10).map { "p\($0)" })
    #expect(answer.summary.verdict == .complete)
    #expect(try await !answer.goOn())
  }

  @Test("records are counted as the service announces them, or one by one if a condition leaves some out")
  func counting() async throws {
    let face = try services.face()
    #expect(try await face.catalogue.open(ask { _ in }, in: face.world).count(ask { _ in }).count == 10)
    let shallow = try ask { $0.conditions = [try RecordCondition("depth!=3", on: Port.schema.outline.leaves, at: face.world.clock.now)] }
    #expect(try await face.catalogue.open(shallow, in: face.world).count(shallow).count == 9)
  }

  @Test("the type of every leaf is known before anything is asked")
  func leaves() {
    let kinds = Dictionary(uniqueKeysWithValues: Port.schema.outline.leaves.map { ($0.path.text, $0.kind) })
    #expect(kinds == ["id": .text, "name": .text, "depth": .integer])
    let field = Field<Port>("times") { [$0.name] }.holding(.time)
    #expect(field.outline.leaves.map(\.kind) == [.time] && field.outline.leaves.allSatisfy { $0.mayBeList && !$0.isText })
    #expect(Field<Port>("photo", .picture) { $0.name }.outline.leaves.map(\.kind) == [.address])
  }
}
