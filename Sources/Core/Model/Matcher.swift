/// Finds a person's text in the fields that a description declares searchable; case and diacritics never matter.
public struct Matcher<Item: SourceItem>: Sendable {
  /// A field that is searched, and the ways from there to the values that are.
  private struct Place {
    let field: Field<Item>
    let ways: [ArraySlice<String>]
  }

  private let needle: Needle
  private let text: String
  private let places: [Place]

  public init(_ text: String, in schema: Schema<Item>) {
    needle = Needle(text)
    self.text = Fold.fold(text)
    places = schema.fields.compactMap { field in
      let ways = field.outline.leaves.filter { $0.isSearchable }.map { $0.path.names.dropFirst() }
      return ways.isEmpty ? nil : Place(field: field, ways: ways)
    }
  }

  public func matches(_ item: Item) -> Bool { places.contains { !found(in: $0, of: item).isEmpty } }

  /// How well a record matches, 0 best: its title begins with the text, has it somewhere, or another field has it. Nil when
  /// none does.
  public func rank(_ item: Item) -> Int? {
    var isFound = false
    var titles: [Value] = []
    for place in places where place.field.role == .title || !isFound {
      let found = found(in: place, of: item)
      isFound = isFound || !found.isEmpty
      if place.field.role == .title { titles += found }
    }
    guard isFound else { return nil }
    guard !titles.isEmpty else { return 2 }
    return titles.contains { Fold.fold($0.searchText).hasPrefix(text) } ? 0 : 1
  }

  /// The values in a field that have the text.
  private func found(in place: Place, of item: Item) -> [Value] {
    let whole = place.field.value(item)
    return place.ways.lazy.map { whole.value(at: $0) }.filter(matches)
  }

  private func matches(_ value: Value) -> Bool {
    switch value {
    case .text(let text): needle.matches(text)
    case .list(let values): values.contains(where: matches)
    case .null, .bool, .int, .double, .object: false
    }
  }
}

extension Matcher where Item: Record {
  public init(_ text: String) { self.init(text, in: Item.schema) }
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
