import AggregatorCore

/// What a value is compared by: a number by its size, a time by when it is, another text by what it folds to.
/// Numbers stand before times, and those before texts.
enum ComparedValue: Hashable, Comparable {
  case number(Numeral)
  case time(Moment)
  case text(String)

  /// Nil of nothing, and of a part; a list is compared by its first value.
  init?(_ value: Value, _ kind: Leaf.Kind) {
    switch value {
    case .int, .double, .decimal: self.init(value.plainText, .number)
    case .bool(let bool): self.init(bool ? "1" : "0", .number)
    case .text(let text): self = ComparedValue(text, kind) ?? .text(Fold.fold(text))
    case .list(let values):
      guard let first = values.first else { return nil }
      self.init(first, kind)
    case .null, .object: return nil
    }
  }

  /// What is written where such a leaf holds numbers or times; nil of other leaves, and of what cannot be read.
  init?(_ text: String, _ kind: Leaf.Kind) {
    switch kind {
    case .integer, .number:
      guard let numeral = Numeral(text) else { return nil }
      self = .number(numeral)
    case .time:
      guard let moment = Moment(beginningOf: text.trimmingSpaces) else { return nil }
      self = .time(moment)
    case .text, .bool, .address, .any: return nil
    }
  }
}

extension Moment {
  /// A moment as ISO 8601 writes it; of `2020`, `2020-03` and `2020-03-01` the first one, UTC.
  fileprivate init?(beginningOf text: String) {
    guard [4, 7, 10].contains(text.utf8.count) else {
      self.init(iso: text)
      return
    }
    guard let day = CalendarDay(iso: text + "0000-01-01".dropFirst(text.utf8.count)) else { return nil }
    self.init(day)
  }
}
