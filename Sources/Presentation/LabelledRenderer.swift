package import AggregatorCore

/// One record in full, a labelled line for each field, so that a screen reader reads it well.
package struct LabelledRenderer<Item: Fielded>: Renderer {
  let columns: Columns<Item>
  let sink: any Sink

  package init(_ columns: Columns<Item>, _ sink: any Sink) {
    self.columns = columns
    self.sink = sink
  }

  package mutating func print(_ items: [Item]) throws {
    for item in items {
      for (name, value) in lines(of: item) {
        let text = shownText(value)
        if !text.isEmpty { try sink.write("\(label(name)): \(text)\n") }
      }
    }
  }

  /// Each field as a whole, or each value that was chosen.
  private func lines(of item: Item) -> [(name: String, value: Value)] {
    if columns.areChosen { return zip(columns.all, columns.values(of: item)).map { ($0.name, $1) } }
    let names = Set(columns.all.map(\.field.name))
    return Item.fields.filter { names.contains($0.name) }.map { ($0.name, $0.shown(of: item, at: columns.moment)) }
  }

  /// `realName` as a person writes it, `Real name`; and `name.first`, `Name first`.
  private func label(_ name: String) -> String {
    var label = ""
    for character in name {
      label += character.isUppercase ? " " + character.lowercased() : character == "." ? " " : String(character)
    }
    return label.prefix(1).uppercased() + label.dropFirst()
  }
}
