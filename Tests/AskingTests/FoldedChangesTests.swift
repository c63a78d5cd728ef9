import AggregatorCore
import Asking
import Testing

/// Changes for a person, of which those that are alike in many records are told once.
struct FoldedChangesTests {
  private func changes(
    _ count: Int, of source: String = "repos", at second: Int = 9, _ kind: FoundChange.Kind = .changed,
    from before: (Int) -> Value, to after: (Int) -> Value
  ) -> [FoundChange] {
    (0..<count).flatMap { number in
      func row(_ stars: Value) -> Value { .object([Member(name: "stars", value: stars)]) }
      return [FieldOutline("stars")].differences(of: row(before(number)), with: row(after(number))).map {
        FoundChange(kind, of: source, at: Moment(secondsSinceEpoch: second), id: "\(number)", title: nil, difference: $0)
      }
    }
  }

  @Test("ten records with the same new value are one fold, nine are not", arguments: [9, 10])
  func threshold(count: Int) {
    let folded = FoldedChanges(changes(count, from: { .int($0) }, to: { _ in .null }))
    #expect(folded.changes.count == (count == 9 ? 9 : 0) && folded.folds.count == (count == 9 ? 0 : 1))
    if let fold = folded.folds.first { #expect(fold.before == nil && fold.after == .null && fold.records == 10) }
  }

  @Test("a fold has the value before too if that is the same in all, and a value that comes back is folded by what was not there")
  func values() {
    let same = FoldedChanges(changes(10, from: { _ in "open" }, to: { _ in "paid" })).folds
    #expect(same.map(\.before) == ["open"] && same.map(\.after) == ["paid"])
    let back = FoldedChanges(changes(12, from: { _ in .null }, to: { .int($0) })).folds
    #expect(back.map(\.before) == [.null] && back.map(\.after) == [nil])
  }

  @Test("only records count: many changes of one record, of several sources, and ended edits are told one by one")
  func records() {
    let often = (0..<30).flatMap { changes(1, at: $0, from: { _ in 1 }, to: { _ in 2 }) }
    #expect(FoldedChanges(often).changes == often)
    let sources = ["a", "b"].flatMap { changes(9, of: $0, from: { _ in 1 }, to: { _ in 2 }) }
    #expect(FoldedChanges(sources).changes == sources)
    let edits = changes(20, .editEnded, from: { _ in 1 }, to: { _ in 2 })
    #expect(FoldedChanges(edits).changes == edits)
    let rest = changes(3, from: { _ in 1 }, to: { .int($0 + 5) })
    #expect(FoldedChanges(changes(11, from: { _ in 1 }, to: { _ in 2 }) + rest).changes == rest)
  }
}
