import AggregatorCore

/// The conditions and the order of an ask, applied to records.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let orders: [RecordOrder]
  /// The fields that the conditions and orders name.
  private let fields: [Field<Item>]
  private let schema: Schema<Item>
  private let moment: Moment
  private let seen: SeenValues
  /// The word for one of the records.
  private let word: String

  init(_ ask: Ask, of schema: Schema<Item>, at moment: Moment, called word: String = "record") {
    self.word = word
    (conditions, orders, self.schema) = (ask.conditions, ask.order, schema)
    let names = Set((ask.conditions.map(\.path) + ask.order.map(\.path)).compactMap(\.names.first))
    // Most asks name no field, and a filter would look up the type of the fields at every start.
    fields = names.isEmpty ? [] : schema.fields.filter { names.contains($0.name) }
    self.moment = moment
    seen = SeenValues(of: ask.conditions, ask.order)
  }

  var isSorted: Bool { !orders.isEmpty }

  /// Tells whether a record meets all conditions; nil if the ask has no conditions.
  var isWanted: (@Sendable (Item) -> Bool)? {
    guard !conditions.isEmpty else { return nil }
    return { item in
      let value = value(of: item)
      let unmet = conditions.indices.filter { !conditions[$0].isMet(by: value) }
      seen.note(conditions, unmet, of: value)
      for index in unmet { if let text = conditions[index].unfitText(in: value) { seen.noteUnfit(text, for: index) } }
      for index in conditions.indices where conditions[index].meetsNullText(in: value) { seen.noteNullText(for: index) }
      // A record that another condition leaves out may have any text here.
      if let index = unmet.first, unmet.allSatisfy({ conditions[$0].strangeText(in: value) != nil }),
        let text = conditions[index].strangeText(in: value)
      {
        seen.noteStrange(text, for: index)
      }
      return unmet.isEmpty
    }
  }

  /// The error for a condition that compares numbers but met a text. It names the first such text; nil if all were numbers.
  var mixture: SourceError? {
    guard let (index, text) = seen.strange else { return nil }
    let condition = conditions[index]
    let what = "\(condition) compares numbers, and \"\(text)\" is not one"
    let other = RecordCondition.text(condition.path, .differs, TypedValue.spelled(text))
    return SourceError(
      .incomparable, what,
      remedy: seen.wasMet(index) ? .give([.init("where", other)], "") : .advice("compare texts with =, != or ~"))
  }

  /// The notices about values that could not be compared, or that were compared in another way than one may expect.
  var notices: [Notice] {
    let left = mixture.map { Notice.note("incomplete: \($0.message); records with such texts were left out") }
    return [left, nullTexts, mixedOrder, uncompared].compactMap(\.self)
  }

  /// A notice for an order by values that are mostly numbers but sometimes texts; nil if they are not mixed.
  private var mixedOrder: Notice? {
    for (index, order) in orders.enumerated() {
      guard let text = seen.text(amongNumbersOf: index) else { continue }
      return .note(
        "not every \(order.path.text) is a number, such as \"\(text)\"; numbers are sorted by size, \(order.isDescending ? "after" : "before") texts"
      )
    }
    return nil
  }

  /// A notice about values that do not fit their field, so that a condition could not compare them; nil if all were compared.
  private var uncompared: Notice? {
    for (index, condition) in conditions.enumerated() {
      guard let (count, text) = seen.unfit(index) else { continue }
      let what = count == 1 ? "1 value" : "\(count) values"
      return .note("\(condition) could not compare \(what) of \(condition.path.text), such as \"\(text)\"")
    }
    return nil
  }

  /// The fields of conditions of which no record that came has a value.
  var valueless: [FieldOutline] { conditions.indices.filter(seen.lacksValues).compactMap { field(of: conditions[$0]) } }

  /// A notice about records that have the text "null" where a condition means a missing value; nil if none has.
  private var nullTexts: Notice? {
    for (index, condition) in conditions.enumerated() {
      let (count, name) = (seen.nullTexts(index), condition.path.text)
      guard count > 0 else { continue }
      let what = "\(name) is the text \"null\" in \(count) \(word)\(count == 1 ? "" : "s")"
      return .note("\(what), and \(condition) means a missing value; write \(name)=\"null\" for the text")
    }
    return nil
  }

  /// A notice that explains why no record was chosen: a condition that no record met, and the values that records have instead. `misfits`
  /// are the values that do not fit.
  func shortage(besides misfits: Misfits) -> Notice? {
    guard !conditions.isEmpty else { return nil }
    let nothing = "no \(word) meets \(conditions.map(\.description).joined(separator: " and "))"
    let unmet = conditions.indices.first { !seen.wasMet($0) }
    guard let index = unmet, let field = field(of: conditions[index]) else { return .noneMeets(nothing, areCodes: false) }
    let (condition, values) = (conditions[index], seen.values(of: index))
    let name = condition.path.text
    guard !values.isEmpty else {
      let unfit = misfits.fields[field.name]?.records ?? 0
      if unfit > 0 {
        return .noneMeets("\(nothing): \(unfit) value\(unfit == 1 ? "" : "s") of \(name) did not fit", areCodes: false)
      }
      return .noneMeets("\(nothing): \(field.isDetail ? field.absence : "none has a \(name)")", areCodes: false)
    }
    if let meant = condition.listMeant(among: values) {
      return .noneMeets("\(nothing); did you mean \(meant)?", areCodes: false)
    }
    if values.count <= Self.mostListed {
      return .noneMeets("\(nothing); \(name) is one of \(values.joined(separator: ", "))", areCodes: field.explanation != nil)
    }
    if let nearest = condition.nearest(among: values) {
      return .noneMeets("\(nothing); did you mean \(nearest)?", areCodes: false)
    }
    return .noneMeets(
      "\(nothing); \(name) is one of \(values.count), such as \(values.prefix(3).joined(separator: ", "))", areCodes: false)
  }

  /// The greatest number of values in a hint; more would be a list.
  private static var mostListed: Int { 8 }

  private func field(of condition: RecordCondition) -> FieldOutline? {
    fields.first { $0.name == condition.path.names.first }?.outline
  }

  /// Returns the sort key of a record.
  func key(of item: Item) -> [UInt8] { key(of: value(of: item)) }

  private func key(of value: Value) -> [UInt8] {
    for (index, order) in orders.enumerated() { if let mixed = order.mixed(of: value) { seen.note(mixed, at: index) } }
    return copy(of: []) { for order in orders { order.append(value, to: &$0) } }
  }

  /// Returns the order for a reader that has all records at hand and wants the first `most`. Nil without an order, or if conditions have
  /// to be checked before the first ones are known.
  func sorting(most: Int?) -> Sorting? {
    guard isSorted, conditions.isEmpty || most == nil else { return nil }
    let names = Set(orders.compactMap(\.path.names.first))
    // The stored row has every field that is not computed, so the record itself need not be read.
    guard fields.allSatisfy({ !$0.outline.isComputed || !names.contains($0.name) }) else {
      return Sorting(most: most) { try key(of: schema.read($0)) }
    }
    return Sorting(most: most) { row in
      key(of: .object(names.map { Member(name: $0, value: row[$0]?.value ?? .null) }))
    }
  }

  /// Returns the named fields as an object; computed ones have the values that a person sees.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}

extension FieldOutline {
  /// Returns the clause about the first of these fields of which nothing is known in an answer, so that no value does not mean that a record
  /// has none: only a record in full has it, or its description came after the stored records. Nil for other fields.
  static func absence(among fields: [FieldOutline], unknown: Set<String>) -> String? {
    fields.first(where: \.isDetail)?.absence
      ?? fields.first { unknown.contains($0.name) }.map { comingLater([$0.name]) }
  }

  /// Says that a list does not have this field, but a record in full does.
  var absence: String { Self.absence(of: [name]) }

  /// Says the same of several fields.
  static func absence(of names: [String]) -> String { "lists have no \(names.joined(separator: ", ")), a record in full has" }
}
