/// Finds a person's text in the fields that a record declares searchable; case and diacritics never matter.
public struct Matcher<Item: Record>: Sendable {
  private let needle: Needle
  private let fields: [Field<Item>]

  public init(_ text: String) {
    needle = Needle(text)
    fields = Item.fields.filter(\.isSearchable)
  }

  public func matches(_ item: Item) -> Bool {
    fields.contains { matches($0.value(item)) }
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
