import AggregatorCore
import Synchronization

/// Which records of an answer are wanted, and in which order.
struct RecordChoice<Item: SourceItem>: Sendable {
  private let conditions: [RecordCondition]
  private let orders: [RecordOrder]
  private let fields: [Field<Item>]
  private let schema: Schema<Item>
  private let moment: Moment
  private let seen = SeenValues()

  init(_ ask: Ask, of schema: Schema<Item>, at moment: Moment) {
    (conditions, orders, fields, self.schema) = (ask.conditions, ask.order, schema.fields, schema)
    self.moment = moment
  }

  var isSorted: Bool { !orders.isEmpty }

  /// Whether a record is wanted; nil where all are.
  var isWanted: (@Sendable (Item) -> Bool)? {
    guard !conditions.isEmpty else { return nil }
    return { item in
      let value = value(of: item)
      let unmet = conditions.indices.filter { !conditions[$0].isMet(by: value) }
      seen.note(conditions, unmet, of: value)
      // What another condition leaves out need not be a number.
      if let index = unmet.first, unmet.allSatisfy({ conditions[$0].strangeText(in: value) != nil }),
        let text = conditions[index].strangeText(in: value)
      {
        seen.noteStrange(text, for: index)
      }
      return unmet.isEmpty
    }
  }

  /// What is wrong where a condition compares numbers and a record has a text instead: the first that was met.
  var mixture: SourceError? {
    guard let (index, text) = seen.strange else { return nil }
    let condition = conditions[index]
    let what = "\(condition) compares numbers, and \"\(text)\" is not one"
    let other = "\(condition.path.text)!=\(text)"
    return SourceError(
      .incomparable, what,
      remedy: seen.wasMet(index) ? .give([.init("where", other)], "") : .advice("compare texts with =, != or ~"))
  }

  /// What a person should know where the values of an order are numbers for the most part, and texts as well.
  var mixedOrder: Notice? {
    for (index, order) in orders.enumerated() {
      guard let text = seen.text(amongNumbersOf: index) else { continue }
      return .note(
        "not every \(order.path.text) is a number, such as \"\(text)\"; numbers are sorted by size, \(order.isDescending ? "behind" : "before") texts"
      )
    }
    return nil
  }

  /// Where no record was wanted, why: the condition that none met, and what there is instead.
  var shortage: Notice? {
    guard !conditions.isEmpty else { return nil }
    let nothing = "no record meets \(conditions.map(\.description).joined(separator: " and "))"
    let unmet = conditions.indices.first { !seen.wasMet($0) }
    guard let index = unmet, let field = field(of: conditions[index]) else { return .noneMeets(nothing, areCodes: false) }
    let (condition, values) = (conditions[index], seen.values(of: index))
    let name = condition.path.text
    guard !values.isEmpty else {
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

  /// More would be a list, not a hint.
  private static var mostListed: Int { 8 }

  private func field(of condition: RecordCondition) -> FieldOutline? {
    fields.first { $0.name == condition.path.names.first }?.outline
  }

  /// Where a record stands in the order.
  func key(of item: Item) -> [UInt8] { key(of: value(of: item)) }

  private func key(of value: Value) -> [UInt8] {
    for (index, order) in orders.enumerated() { if let mixed = order.mixed(of: value) { seen.note(mixed, at: index) } }
    return changing([]) { for order in orders { order.append(value, to: &$0) } }
  }

  /// The order for whoever has all records at hand, of which `most` are wanted; nil where it would not know which ones are.
  func sorting(most: Int?) -> Sorting? {
    guard isSorted, conditions.isEmpty || most == nil else { return nil }
    let names = Set(orders.compactMap(\.path.names.first))
    // What is stored of a record has all that is not computed, and need not be read as a whole.
    guard fields.allSatisfy({ !$0.outline.isComputed || !names.contains($0.name) }) else {
      return Sorting(most: most) { try key(of: schema.read($0)) }
    }
    return Sorting(most: most) { row in
      key(of: .object(names.map { Member(name: $0, value: row[$0]?.value ?? .null) }))
    }
  }

  /// What is computed counts as it is shown.
  private func value(of item: Item) -> Value {
    .object(fields.map { Member(name: $0.name, value: $0.shown(of: item, at: moment)) })
  }
}

/// Which conditions some record met, and which values the others saw.
private final class SeenValues: Sendable {
  private let state = Mutex((met: Set<Int>(), values: [Int: Set<String>]()))
  private let strangeText = Mutex<(index: Int, text: String)?>(nil)
  /// How many numbers and texts each order has met, and one of the texts.
  private let mixtures = Mutex<[Int: (numbers: Int, texts: Int, example: String)]>([:])

  /// The first condition that met a text where it compares numbers.
  var strange: (index: Int, text: String)? { strangeText.withLock { $0 } }

  func noteStrange(_ text: String, for index: Int) { strangeText.withLock { $0 = $0 ?? (index, text) } }

  func note(_ value: MixedValue, at index: Int) {
    mixtures.withLock { mixtures in
      switch value {
      case .number: mixtures[index, default: (0, 0, "")].numbers += 1
      case .text(let text):
        if mixtures[index] == nil || mixtures[index]?.texts == 0 { mixtures[index, default: (0, 0, "")].example = text }
        mixtures[index, default: (0, 0, "")].texts += 1
      }
    }
  }

  /// One of the texts that an order met, where most values were numbers.
  func text(amongNumbersOf index: Int) -> String? {
    mixtures.withLock { mixtures in
      mixtures[index].flatMap { $0.texts > 0 && $0.numbers >= $0.texts ? $0.example : nil }
    }
  }

  func note(_ conditions: [RecordCondition], _ unmet: [Int], of value: Value) {
    state.withLock { state in
      for index in conditions.indices where !state.met.contains(index) {
        if !unmet.contains(index) {
          state.met.insert(index)
          state.values[index] = nil
        } else if state.values[index, default: []].count < 1_000 {
          state.values[index, default: []].formUnion(conditions[index].values(in: value))
        }
      }
    }
  }

  func wasMet(_ index: Int) -> Bool { state.withLock { $0.met.contains(index) } }

  func values(of index: Int) -> [String] { state.withLock { ($0.values[index] ?? []).sorted() } }
}
