import AggregatorCore

/// One record in full, a labelled line for each field, so that a screen reader reads it well.
package struct LabelledRenderer<Item>: Renderer {
  let columns: Columns<Item>
  let sink: any Sink

  package init(_ columns: Columns<Item>, _ sink: any Sink) {
    self.columns = columns
    self.sink = sink
  }

  package mutating func print(_ items: [Item]) throws {
    for item in items {
      for (path, value) in lines(of: item) {
        let text = shownText(value)
        if !text.isEmpty { try sink.write("\(label(path)): \(text)\n") }
      }
    }
  }

  /// Each field as a whole, or each value that was chosen.
  private func lines(of item: Item) -> [(path: FieldPath, value: Value)] {
    if columns.areChosen { return zip(columns.all, columns.values(of: item)).map { ($0.leaf.path, $1) } }
    return columns.shown.map { (FieldPath([$0.name]), $0.shown(of: item, at: columns.moment)) }
  }

  /// `realName` as a person writes it, `Real name`; and `name.first`, `Name first`.
  private func label(_ path: FieldPath) -> String {
    var label = ""
    for character in Printable.clean(path.names.joined(separator: " ")) {
      label += character.isUppercase ? " " + character.lowercased() : String(character)
    }
    return label.prefix(1).uppercased() + label.dropFirst()
  }
}
