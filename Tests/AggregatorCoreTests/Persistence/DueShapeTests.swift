import Testing

@testable import AggregatorCore

/// The shape that rows are due to have, sync after sync.
@Suite("the shape that is due") struct DueShapeTests {
  private let now = Moment(secondsSinceEpoch: 1_000)

  private func counts(
    _ rows: Int, _ present: [String: Int] = [:], mistyped: [String: Int] = [:], unknown: [String: Int] = [:], broken: Int = 0,
    keyless: Int = 0
  ) -> ShapeCounts {
    func tally(_ counts: [String: Int]) -> ShapeCounts.Tally {
      var tally = ShapeCounts.Tally()
      for (name, count) in counts { tally.add(name, count) }
      return tally
    }
    var shape = ShapeCounts()
    (shape.read, shape.records, shape.sampled) = (rows, rows - broken, rows)
    (shape.broken, shape.keyless) = (broken, keyless)
    (shape.present, shape.mistyped, shape.unknown) = (tally(present), tally(mistyped), tally(unknown))
    return shape
  }

  private func sync(_ number: Int = 1, full isFull: Bool = true, ended: Bool = true) -> SyncState {
    var state = SyncState(began: now, full: isFull)
    state.number = number
    if ended { state.verdict = .complete }
    return state
  }

  private func sentences(_ due: DueShape) -> [String] { due.standing.map(\.sentence) }

  @Test("each kind begins where its part of the rows is reached, and not before")
  func limits() {
    var due = DueShape()
    due.judge(counts(100, ["a": 98, "b": 97]), of: sync(), at: now)
    due.judge(counts(100, ["a": 50], mistyped: ["b": 9], unknown: ["c": 9], broken: 9), of: sync(2), at: now)
    #expect(sentences(due) == [])
    due.judge(
      counts(100, ["a": 44], mistyped: ["b": 10], unknown: ["d": 10], broken: 11, keyless: 1), of: sync(3), at: now)
    #expect(
      sentences(due) == [
        "the key is missing from 1 % of the rows", "10 % of the rows cannot be read", "a is missing from 51 % of the rows",
        "b has values of another type in 10 % of the rows", "d is a new field, in 10 % of the rows",
      ])
    #expect(due.standing.map(\.number) == [1, 2, 3, 4, 5])
    // A field that some rows had before is not new.
    due.judge(counts(100, ["a": 98], unknown: ["c": 100]), of: sync(4), at: now)
    #expect(sentences(due) == [])
    #expect(due.drifts.compactMap(\.until).count == 5 && due.number == 10)
  }

  @Test("what was so all along has not drifted")
  func first() {
    var due = DueShape()
    let odd = counts(10, ["a": 1], mistyped: ["b": 10], unknown: ["c": 10], broken: 5, keyless: 2)
    for number in 1...2 { due.judge(odd, of: sync(number), at: now) }
    #expect(due.drifts.isEmpty)
  }

  @Test("a sync of what changed may begin a drift with twenty rows, and ends none")
  func changes() {
    var due = DueShape()
    due.judge(counts(100, ["a": 100]), of: sync(), at: now)
    due.judge(counts(19), of: sync(2, full: false), at: now)
    #expect(sentences(due) == [])
    due.judge(counts(20), of: sync(3, full: false), at: now)
    #expect(sentences(due) == ["a is missing from all rows"])
    due.judge(counts(100, ["a": 100]), of: sync(4, full: false), at: now)
    #expect(sentences(due) == ["a is missing from all rows"])
    due.judge(counts(100, ["a": 100]), of: sync(5), at: now)
    #expect(due.drifts.map(\.sentence) == ["a is back"])
  }

  @Test("what is accepted is due, and what comes later is judged by it")
  func accepting() {
    var due = DueShape()
    due.judge(counts(10, ["a": 10, "b": 10]), of: sync(), at: now)
    due.judge(counts(10, ["b": 10], broken: 5, keyless: 5), of: sync(2), at: now)
    due.accept()
    due.judge(counts(10, ["b": 10], broken: 5, keyless: 5), of: sync(3), at: now)
    #expect(due.drifts.isEmpty)
    due.judge(counts(10), of: sync(4), at: now)
    #expect(sentences(due) == ["b is missing from all rows"])
  }

  @Test("the text of a store comes back, with an unfinished sync, and only for the same description")
  func texts() {
    var due = DueShape(text: nil, readBy: "one")
    due.judge(counts(10, ["a": 10]), of: sync(), at: now)
    due.judge(counts(10, ["a": 1]), of: sync(2, ended: false), at: now)
    #expect(DueShape(text: due.text, readBy: "one") == due)
    var later = DueShape(text: due.text, readBy: "one")
    later.judge(counts(8, ["a": 8]), of: sync(2), at: now)
    #expect(sentences(later) == [])
    later.judge(counts(10, ["a": 1]), of: sync(3), at: now)
    #expect(sentences(DueShape(text: later.text, readBy: "one")) == ["a is missing from 90 % of the rows"])
    #expect(DueShape(text: later.text, readBy: "other") == DueShape(text: nil, readBy: "other"))
  }

  @Test("numbers of a store that nobody wrote are taken as they can be", arguments: [Int.min, -1, 0, .max])
  func numbers(_ number: Int) {
    let text = """
      {"reading":"one","present":["a"],"isJudged":true,"number":\(number),"sync":2,
       "drifts":[{"kind":"missing","field":"a","share":1e300,"since":"2024-01-01T00:00:00Z","number":\(number)},
                 {"kind":"new","share":-5,"since":"2024-01-01T00:00:00Z","number":3}],
       "unfinished":{"read":\(number),"broken":\(number),"keyless":\(number),"mistyped":{"a":\(number)},"sampled":\(number),
         "unknown":{"b":\(number)},"records":\(number),"present":{"a":\(number)}}}
      """
    var due = DueShape(text: text, readBy: "one")
    #expect(due.isJudged)
    #expect(due.drifts.map(\.sentence).count == 2)
    due.judge(counts(10, ["a": 10], unknown: ["b": 10]), of: sync(2), at: now)
    due.judge(counts(10, ["a": 10]), of: sync(3), at: now)
    _ = due.text
  }
}
