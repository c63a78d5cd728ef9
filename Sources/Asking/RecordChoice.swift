import AggregatorCore
import Synchronization

/// The conditions and the order of an ask, applied to records.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let orders: [RecordOrder]
  private let fields: [Field<Item>]
  private let schema: Schema<Item>
  private let moment: Moment
  private let seen: SeenValues

  init(_ ask: Ask, of schema: Schema<Item>, at moment: Moment) {
    (conditions, orders, fields, self.schema) = (ask.conditions, ask.order, schema.fields, schema)
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
    let other = "\(condition.path.text)!=\(text)"
    return SourceError(
      .incomparable, what,
      remedy: seen.wasMet(index) ? .give([.init("where", other)], "") : .advice("compare texts with =, != or ~"))
  }

  /// A notice for an order by values that are mostly numbers but sometimes texts; nil if they are not mixed.
  var mixedOrder: Notice? {
    for (index, order) in orders.enumerated() {
      guard let text = seen.text(amongNumbersOf: index) else { continue }
      return .note(
        "not every \(order.path.text) is a number, such as \"\(text)\"; numbers are sorted by size, \(order.isDescending ? "after" : "before") texts"
      )
    }
    return nil
  }

  /// A notice about values that do not fit their field, so that a condition could not compare them; nil if all were compared.
  var uncompared: Notice? {
    for (index, condition) in conditions.enumerated() {
      guard let (count, text) = seen.unfit(index) else { continue }
      let what = count == 1 ? "1 value" : "\(count) values"
      return .note("\(condition) could not compare \(what) of \(condition.path.text), such as \"\(text)\"")
    }
    return nil
  }

  /// A notice that explains why no record was chosen: a condition that no record met, and the values that records have instead. `misfits`
  /// are the values that do not fit.
  func shortage(besides misfits: Misfits) -> Notice? {
    guard !conditions.isEmpty else { return nil }
    let nothing = "no record meets \(conditions.map(\.description).joined(separator: " and "))"
    let unmet = conditions.indices.first { !seen.wasMet($0) }
    guard let index = unmet, let field = field(of: conditions[index]) else { return .noneMeets(nothing, areCodes: false) }
    let (condition, values) = (conditions[index], seen.values(of: index))
    let name = condition.path.text
    guard !values.isEmpty else {
      let unfit = misfits.fields[field.name]?.records ?? 0
      if unfit > 0 {
        return .noneMeets("\(nothing): \(unfit) value\(unfit == 1 ? "" : "s") of \(name) did not fit", areCodes: false)
      }
      let why = field.isDetail ? "lists have no \(name), a record in full has" : "none has a \(name)"
      return .noneMeets("\(nothing): \(why)", areCodes: false)
    }
    if values.count <= Self.mostListed {
      return .noneMeets("\(nothing); \(name) is one of \(values.joined(separator: ", "))", areCodes: field.explanation != nil)
    }
    if !condition.comparison.needsOrder, let nearest = Closest.closest(to: condition.sought, among: values) {
      return .noneMeets("\(nothing); did you mean \(name)\(condition.comparison.rawValue)\(nearest)?", areCodes: false)
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

  /// Returns the record's fields as an object; computed fields have the values that a person sees.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}

/// Notes on which conditions some record has met, and on the values that the other conditions met instead.
private final class SeenValues: Sendable {
  /// The outcome of one condition.
  private struct Tested {
    /// True when some record meets it.
    var isMet = false
    /// The values of records that do not meet it.
    var values: Set<String> = []
    /// The number of values that it cannot compare, and the first of them.
    var unfit: (count: Int, text: String)?
  }

  /// The number of numbers and of texts that an order has met, and the first of the texts.
  private typealias Mixture = (numbers: Int, texts: Int, example: String)

  private let tested: Mutex<[Tested]>
  private let strangeText = Mutex<(index: Int, text: String)?>(nil)
  private let mixtures: Mutex<[Mixture]>

  init(of conditions: [RecordCondition], _ orders: [RecordOrder]) {
    tested = Mutex(conditions.map { _ in Tested() })
    mixtures = Mutex(orders.map { _ in (0, 0, "") })
  }

  /// The first text that a comparison of numbers met, with the index of its condition.
  var strange: (index: Int, text: String)? { strangeText.withLock { $0 } }

  func noteStrange(_ text: String, for index: Int) { strangeText.withLock { $0 = $0 ?? (index, text) } }

  func note(_ value: MixedValue, at index: Int) {
    mixtures.withLock { mixtures in
      switch value {
      case .number: mixtures[index].numbers += 1
      case .text(let text):
        if mixtures[index].texts == 0 { mixtures[index].example = text }
        mixtures[index].texts += 1
      }
    }
  }

  /// Returns the first text that an order met, if at least half of its values were numbers; nil otherwise.
  func text(amongNumbersOf index: Int) -> String? {
    mixtures.withLock { mixtures in
      let mixture = mixtures[index]
      return mixture.texts > 0 && mixture.numbers >= mixture.texts ? mixture.example : nil
    }
  }

  func note(_ conditions: [RecordCondition], _ unmet: [Int], of value: Value) {
    tested.withLock { tested in
      for index in conditions.indices where !tested[index].isMet {
        if !unmet.contains(index) {
          tested[index] = Tested(isMet: true, unfit: tested[index].unfit)
        } else if tested[index].values.count < 1_000 {
          tested[index].values.formUnion(conditions[index].values(in: value))
        }
      }
    }
  }

  func noteUnfit(_ text: String, for index: Int) {
    tested.withLock { $0[index].unfit = (($0[index].unfit?.count ?? 0) + 1, $0[index].unfit?.text ?? text) }
  }

  /// Returns the number of values that a condition could not compare, and the first of them.
  func unfit(_ index: Int) -> (count: Int, text: String)? { tested.withLock { $0[index].unfit } }

  func wasMet(_ index: Int) -> Bool { tested.withLock { $0[index].isMet } }

  func values(of index: Int) -> [String] { tested.withLock { $0[index].values.sorted() } }
}
