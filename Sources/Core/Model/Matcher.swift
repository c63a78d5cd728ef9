/// Finds a person's text in the fields that a record declares searchable; case and diacritics never matter.
public struct Matcher<Item: Record>: Sendable {
  private let needle: Needle
  private let text: String
  private let places: [(field: Field<Item>, leaf: String)]

  public init(_ text: String) {
    needle = Needle(text)
    self.text = Fold.fold(text)
    places = Item.fields.flatMap { field in field.searchableLeaves.map { (field, $0) } }
  }

  public func matches(_ item: Item) -> Bool {
    places.contains { matches($0.field.value(of: item, at: $0.leaf)) }
  }

  /// How well a record matches, 0 best: its title begins with the text, has it somewhere, or another field has it. Nil when
  /// none does.
  public func rank(_ item: Item) -> Int? {
    guard matches(item) else { return nil }
    let titles = places.filter { $0.field.role == .title }.map { $0.field.value(of: item, at: $0.leaf) }.filter(matches)
    guard !titles.isEmpty else { return 2 }
    return titles.contains { Fold.fold($0.searchText).hasPrefix(text) } ? 0 : 1
  }

  private func matches(_ value: Value) -> Bool {
    switch value {
    case .text(let text): needle.matches(text)
    case .list(let values): values.contains(where: matches)
    case .null, .bool, .int, .double, .object: false
    }
  }
}

extension Value {
  /// What a search sees of a value.
  var searchText: String {
    switch self {
    case .text(let text): text
    case .list(let values): values.map(\.searchText).joined(separator: "\n")
    case .null, .bool, .int, .double, .object: ""
    }
  }
}
