import AggregatorCore
import Testing

@Suite("A list that changes during a walk")
struct WalkDriftTests {
  /// A list of ten whose first page is of the list before the change, and every later one after it.
  private func changing(to later: [Int]) -> ModelSource {
    ModelSource { asked in
      let rows = asked.call == 0 ? Array(0..<10) : later
      return asked.page(rows.dropFirst(asked.place.number).prefix(asked.place.size), total: rows.count)
    }
  }

  @Test("a row inserted before the place of the walk is missed, and said to be missing")
  func inserted() async throws {
    let walk = try await Walked(changing(to: [99] + Array(0..<10)))
    #expect(walk.ids == ids(0..<10))
    #expect(walk.summary.duplicates == 1)
    #expect(walk.verdict == .partial(.drift(missing: 1)))
  }

  @Test("a row inserted after the place of the walk is met like any other")
  func appended() async throws {
    let walk = try await Walked(changing(to: Array(0..<10) + [99]))
    #expect(walk.ids == ids(Array(0..<10) + [99]))
    #expect(walk.verdict == .complete)
  }

  @Test("after a deletion as many rows as were last announced are all there are")
  func deleted() async throws {
    let walk = try await Walked(changing(to: Array(1..<10)))
    #expect(walk.ids == ids([0, 1, 2, 3, 4, 6, 7, 8, 9]))
    #expect(walk.summary.total == 9)
    #expect(walk.verdict == .complete)
  }

  @Test("two insertions while three rows are deleted still have to add up")
  func replaced() async throws {
    let walk = try await Walked(changing(to: [98, 99, 0, 1, 2, 3, 4, 5, 6]))
    #expect(walk.ids == ids(0..<7))
    #expect(walk.verdict == .partial(.drift(missing: 2)))
  }

  @Test("the total last announced is the one that counts", arguments: [(7, Verdict.complete), (8, .partial(.drift(missing: 1)))])
  func lastTotal(last: Int, verdict: Verdict) async throws {
    let source = ModelSource { asked in
      switch asked.call {
      case 0: asked.page(0..<5, total: 20)
      case 1: asked.page(5..<7, total: last)
      default: asked.page([], total: last)
      }
    }
    #expect(try await Walked(source).verdict == verdict)
  }
}
