import AggregatorCore

/// The changes that are wanted: those of some kinds, before a moment, and with fields that meet conditions.
struct ChangesChoice: Sendable {
  private let wishes: ChangesWishes
  private let conditions: [RecordCondition]
  private let choice: RecordChoice<Entry>

  /// A change as a record, whose fields conditions can look at.
  private struct Entry: SourceItem {
    let change: FoundChange
    var id: String { change.id }

    static let schema = Schema(
      FoundChange.fieldsOfSeveral.map { field in Field<Entry>(field.outline) { field.value($0.change) } }
    ) { _, _ in throw SourceError(.settings, "a change is not stored as a row") }
  }

  init(_ ask: Ask, _ wishes: ChangesWishes, at now: Moment) {
    (self.wishes, conditions) = (wishes, ask.conditions)
    choice = RecordChoice(ask, of: Entry.schema, at: now, called: "change")
  }

  /// Throws if a reader asks for the changes since last time and for a part of them by their time: what is left out now would never be told.
  static func check(_ ask: Ask, _ wishes: ChangesWishes) throws(SourceError) {
    guard case .last = wishes.since, wishes.until != nil || ask.conditions.contains(where: { $0.path == "at" }) else {
      return
    }
    throw SourceError(
      .settings, "last goes up to now, so that neither an end nor a condition on at can be given",
      remedy: "give a time instead, such as yesterday or 2026-11-01")
  }

  /// The name under which the store notes how far a reader has come. With a choice it is another one than without, and for each choice: a
  /// change that is left out here is still news elsewhere.
  func place(of reader: String) -> String {
    let choices = wishes.kinds.map(\.rawValue).sorted() + conditions.map { "\($0)" }.sorted()
    return ([reader] + choices).joined(separator: "\u{1F}")
  }

  /// True for a change of a wanted kind and time, whatever its fields.
  func isConsidered(_ change: FoundChange) -> Bool {
    (wishes.kinds.isEmpty || wishes.kinds.contains(change.kind)) && wishes.until.map { change.at < $0 } ?? true
  }

  /// Returns those of the considered changes that meet the conditions. Throws if a condition compares numbers and met a text.
  func wanted(of considered: [FoundChange]) throws -> [FoundChange] {
    guard let isWanted = choice.isWanted else { return considered }
    let wanted = considered.filter { isWanted(Entry(change: $0)) }
    if var mixture = choice.mixture {
      let isOfField = conditions.contains { $0.path == "field" }
      if !isOfField { mixture.remedy = .give([.init("where", "field=FIELD")], "to choose the field") }
      throw mixture
    }
    return wanted
  }

  /// A notice that explains why no change meets the conditions; nil without conditions. It is of use after some were considered.
  var shortage: Notice? { choice.shortage(besides: Misfits()) }

  /// The notices about values that conditions could not compare, or may have misread.
  var notices: [Notice] { choice.notices }

  /// True when some changes may be left out.
  var isChoice: Bool { !wishes.kinds.isEmpty || wishes.until != nil || !conditions.isEmpty }
}
