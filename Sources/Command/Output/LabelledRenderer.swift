import AggregatorCore

/// One record in full, a labelled line for each field, so that a screen reader reads it well.
struct LabelledRenderer<Item: Fielded>: Renderer {
  let columns: Columns<Item>
  let console: Console

  mutating func print(_ items: [Item]) throws {
    for item in items {
      for field in fields {
        let text = shownText(field.value(item))
        if !text.isEmpty { try console.write("\(label(field.name)): \(text)\n") }
      }
    }
  }

  private var fields: [Field<Item>] {
    let names = Set(columns.all.map(\.field.name))
    return Item.fields.filter { names.contains($0.name) }
  }

  /// `realName` as a person writes it: `Real name`.
  private func label(_ name: String) -> String {
    var label = ""
    for character in name {
      label += character.isUppercase ? " " + character.lowercased() : String(character)
    }
    return label.prefix(1).uppercased() + label.dropFirst()
  }
}
