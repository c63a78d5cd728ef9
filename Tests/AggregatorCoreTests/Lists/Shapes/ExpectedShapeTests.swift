import Testing

@testable import AggregatorCore

/// The shape that the rows should have, from sync to sync.
@Suite("the expected shape") struct ExpectedShapeTests {
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
    (shape.records, shape.sampled) = (rows - broken, rows)
    (shape.broken, shape.keyless) = (broken, keyless)
    (shape.present, shape.mistyped, shape.unknown) = (tally(present), tally(mistyped), tally(unknown))
    return shape
  }

  private func sync(_ number: Int = 1, full isFull: Bool = true, ended: Bool = true) -> ExpectedShape.Run {
    ExpectedShape.Run(number: number, isFull: isFull, hasEnded: ended)
  }

  private func sentences(_ due: ExpectedShape) -> [String] { due.standing.map(\.sentence) }

  @Test("each kind of drift begins at its share of the rows, and not before")
  func limits() {
    var due = ExpectedShape()
    due.judge(counts(100, ["a": 98, "b": 97]), of: sync(), at: now)
    due.judge(counts(100, ["a": 50], mistyped: ["b": 9], unknown: ["c": 9], broken: 9), of: sync(2), at: now)
    #expect(sentences(due) == [])
    due.judge(
      counts(100, ["a": 44], mistyped: ["b": 10], unknown: ["d": 10], broken: 11, keyless: 1), of: sync(3), at: now)
    #expect(
      sentences(due) == [
        "the key is missing from 1 % of the rows", "10 % of the rows cannot be read", "a is missing from 51 % of the rows",
        "b has values of another type in 11 % of the rows", "d is a new field",
      ])
    #expect(due.standing.map(\.number) == [1, 2, 3, 4, 5])
    // A field that some rows had before is not new.
    due.judge(counts(100, ["a": 98], unknown: ["c": 100]), of: sync(4), at: now)
    #expect(sentences(due) == [])
    #expect(due.drifts.compactMap(\.until).count == 5 && due.number == 10)
    // When a drift is back, its earlier end is not told any more.
    due.judge(counts(100, ["a": 1]), of: sync(5), at: now)
    #expect(due.drifts.filter { $0.field == "a" }.map(\.sentence) == ["a is missing from 99 % of the rows"])
  }

  @Test("a shape that was so from the first sync on is not a drift")
  func first() {
    var due = ExpectedShape()
    let odd = counts(10, ["a": 1], mistyped: ["b": 10], unknown: ["c": 10], broken: 5, keyless: 2)
    for number in 1...2 { due.judge(odd, of: sync(number), at: now) }
    #expect(due.drifts.isEmpty)
  }

  @Test("syncs of changes begin a drift once they have brought ten rows together, and end none")
  func changes() {
    var due = ExpectedShape()
    due.judge(counts(100, ["a": 100]), of: sync(), at: now)
    for number in 2...3 {
      due.judge(counts(4), of: sync(number, full: false), at: now)
      #expect(sentences(due) == [])
    }
    due = ExpectedShape(text: due.text, readBy: nil, fields: ["a"])
    due.judge(counts(2), of: sync(4, full: false), at: now)
    #expect(sentences(due) == ["a is missing from all rows"])
    due.judge(counts(100, ["a": 100]), of: sync(5, full: false), at: now)
    #expect(sentences(due) == ["a is missing from all rows"])
    due.judge(counts(100, ["a": 100]), of: sync(6), at: now)
    #expect(due.drifts.map(\.sentence) == ["a is back"])
  }

  @Test("an accepted shape is the expected one, and later syncs are judged by it")
  func accepting() {
    var due = ExpectedShape()
    due.judge(counts(10, ["a": 10, "b": 10]), of: sync(), at: now)
    due.judge(counts(10, ["b": 10], broken: 5, keyless: 5), of: sync(2), at: now)
    due.accept()
    due.judge(counts(10, ["b": 10], broken: 5, keyless: 5), of: sync(3), at: now)
    #expect(due.drifts.isEmpty)
    due.judge(counts(10), of: sync(4), at: now)
    #expect(sentences(due) == ["b is missing from all rows"])
  }

  @Test("the stored text of a shape is read back, with an unfinished sync, and only for the same description")
  func texts() {
    var due = ExpectedShape(text: nil, readBy: "one", fields: [])
    due.judge(counts(10, ["a": 10]), of: sync(), at: now)
    due.judge(counts(10, ["a": 1]), of: sync(2, ended: false), at: now)
    #expect(ExpectedShape(text: due.text, readBy: "one", fields: []) == due)
    var later = ExpectedShape(text: due.text, readBy: "one", fields: [])
    later.judge(counts(8, ["a": 8]), of: sync(2), at: now)
    #expect(sentences(later) == [])
    later.judge(counts(10, ["a": 1]), of: sync(3), at: now)
    #expect(sentences(ExpectedShape(text: later.text, readBy: "one", fields: [])) == ["a is missing from 90 % of the rows"])
    // Another description keeps the drifts of fields that still exist.
    #expect(sentences(ExpectedShape(text: later.text, readBy: "other", fields: ["a"])) == ["a is missing from 90 % of the rows"])
    #expect(sentences(ExpectedShape(text: later.text, readBy: "other", fields: ["b"])) == [])
  }

  @Test("impossible numbers of a shape in a store are read as far as possible", arguments: [Int.min, -1, 0, .max])
  func numbers(_ number: Int) {
    let text = """
      {"reading":"one","present":["a"],"isJudged":true,"isRedescribed":false,"number":\(number),"sync":2,
       "drifts":[{"kind":"missing","field":"a","share":1e300,"since":"2024-01-01T00:00:00Z","number":\(number)},
                 {"kind":"new","share":-5,"since":"2024-01-01T00:00:00Z","number":3}],
       "unfinished":{"broken":\(number),"keyless":\(number),"mistyped":{"a":\(number)},"sampled":\(number),
         "unknown":{"b":\(number)},"records":\(number),"present":{"a":\(number)}}}
      """
    var due = ExpectedShape(text: text, readBy: "one", fields: ["a"])
    #expect(due.isJudged)
    #expect(due.drifts.map(\.sentence).count == 2)
    due.judge(counts(10, ["a": 10], unknown: ["b": 10]), of: sync(2), at: now)
    due.judge(counts(10, ["a": 10]), of: sync(3), at: now)
    due.judge(counts(10, ["a": .max], mistyped: ["a": .max]), of: sync(4), at: now)
    #expect(!due.text.isEmpty)
  }
}
