/// Finds a person's text in the fields that a record declares searchable; case and diacritics never matter.
public struct Matcher<Item: Record>: Sendable {
  private let needle: Needle
  private let text: String
  private let fields: [Field<Item>]

  public init(_ text: String) {
    needle = Needle(text)
    self.text = Fold.fold(text)
    fields = Item.fields.filter(\.isSearchable)
  }

  public func matches(_ item: Item) -> Bool {
    fields.contains { matches($0.value(item)) }
  }

  /// How well a record matches, 0 best: its title begins with the text, has it somewhere, or another field has it. Nil when
  /// none does.
  public func rank(_ item: Item) -> Int? {
    guard matches(item) else { return nil }
    guard let title = fields.first(where: { $0.role == .title })?.value(item), matches(title), case .text(let name) = title else {
      return 2
    }
    return Fold.fold(name).hasPrefix(text) ? 0 : 1
  }

  private func matches(_ value: Value) -> Bool {
    switch value {
    case .text(let text): needle.matches(text)
    case .list(let values): values.contains(where: matches)
    case .object(let members): members.contains { matches($0.value) }
    case .null, .bool, .int, .double: false
    }
  }
}
