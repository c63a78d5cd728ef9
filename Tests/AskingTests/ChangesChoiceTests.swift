import AggregatorCore
import Testing

@testable import Asking

/// The choice of changes by kind and time, and the place of a reader.
@Suite("The choice of changes") struct ChangesChoiceTests {
  private let now = Moment(secondsSinceEpoch: 1_000)

  private func choice(where conditions: [RecordCondition] = [], _ change: (inout ChangesWishes) -> Void = { _ in }) -> ChangesChoice {
    ChangesChoice(copy(of: Ask(of: "ports")) { $0.conditions = conditions }, copy(of: ChangesWishes()) { change(&$0) }, at: now)
  }

  @Test("the end is not part of the time", arguments: [(998, true), (999, false), (1_000, false)])
  func end(second: Int, isConsidered: Bool) {
    let choice = choice { $0.until = Moment(secondsSinceEpoch: 999) }
    #expect(choice.isConsidered(FoundChange(.new, at: Moment(secondsSinceEpoch: second), id: "a", title: nil)) == isConsidered)
  }

  @Test("a reader who asks since last time cannot name an end, because later changes would never be told")
  func readers() throws {
    let ask = Ask(of: "ports")
    var wishes = ChangesWishes()
    (wishes.since, wishes.until) = (.last(reader: "mail"), now)
    #expect(throws: SourceError.self) { try ChangesChoice.check(ask, wishes) }
    wishes.since = .moment(now)
    try ChangesChoice.check(ask, wishes)
    (wishes.since, wishes.until) = (.last(reader: "mail"), nil)
    try ChangesChoice.check(ask, wishes)
  }

  @Test("a reader's place differs for each choice, and not by the order of its conditions")
  func places() throws {
    let leaves = FoundChange.fieldsOfSeveral.map { $0.outline }.leaves
    let conditions = try ["field=a", "id in 1,2"].map { try RecordCondition($0, on: leaves, at: now) }
    let choices = [
      choice(), choice { $0.kinds = [.gone] }, choice { $0.kinds = [.gone, .new] }, choice(where: [conditions[0]]),
      choice(where: conditions),
    ]
    #expect(Set(choices.map { $0.place(of: "mail") }).count == choices.count)
    #expect(choices[0].place(of: "mail") == "mail")
    #expect(choice(where: conditions.reversed()).place(of: "mail") == choices[4].place(of: "mail"))
  }
}
