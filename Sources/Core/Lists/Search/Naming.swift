/// The way in which a person's text names a record.
package enum Naming: Sendable, Hashable {
  /// The text is the record's id or one of its titles, letter by letter, ignoring case and marks.
  case exact
  /// The text is one of its titles in any language, ignoring spaces and signs between words.
  case whole
  /// All words of the text are words of one of the record's names. The string describes that name for a person: `a word of its name`.
  case words(of: String)
}

/// Tells how one text names records. A text that is only part of a word names nothing.
package struct NameMatcher<Item: SourceItem>: Sendable {
  private let typed: String
  private let text: SearchText
  private let schema: Schema<Item>
  private let codes: [Field<Item>]
  private let translated: NameTable.Matches

  package init(_ text: String, in schema: Schema<Item>) {
    (typed, self.text, self.schema) = (Fold.fold(text.trimmingSpaces), SearchText(text), schema)
    codes = schema.codeFields
    translated = self.text.isOfJoints ? NameTable.Matches() : schema.translations?.find(self.text.core) ?? NameTable.Matches()
  }

  /// Returns how the text names `item`; nil if it does not.
  package func naming(of item: Item) -> Naming? {
    let titles = schema.titles(of: item)
    if schema.answers(item, to: typed) || isAll(of: item.id) || titles.contains(where: isAll) { return .exact }
    if text.isEmpty || text.isOfJoints { return nil }
    if titles.contains(where: isAlmost) || translated.whole.contains(item.id) { return .whole }
    if text.isWhole(text.whole, of: Array(item.id.utf8)) { return .words(of: "its id") }
    if let field = codes.first(where: { isWhole($0.value(item)) }) {
      return .words(of: "its \(field.outline.label?.lowercased() ?? field.name)")
    }
    if let index = titles.firstIndex(where: hasWords) {
      let words = text.isOneWord ? "a word" : "words"
      return .words(of: index == 0 ? "\(words) of its name" : "\(words) of its name \"\(titles[index])\"")
    }
    return translated.tails.contains(item.id) ? .words(of: "its name in another language") : nil
  }

  /// True when a number or a code equals the text apart from signs inside it: `5550521234` and `(555) 052-1234`.
  private func isWhole(_ code: Value) -> Bool {
    switch code {
    case .text, .int: SearchedText.bytes(of: code.plainText, as: .letters) == text.core
    case .null, .bool, .double, .decimal, .list, .object: false
    }
  }

  private func isAll(of name: String) -> Bool { Fold.fold(name) == typed }

  /// True when a title differs only by spaces, an article and signs between words: `spiderman` and `Spider-Man`, but not `C` and `C++`.
  private func isAlmost(_ title: String) -> Bool {
    text.quality(in: searched(title)) == .exact && Self.symbols(in: Fold.fold(title)) == Self.symbols(in: typed)
  }

  private func hasWords(_ title: String) -> Bool {
    let title = searched(title)
    return title.hasWholeWord(text.core) || text.words.allSatisfy(title.hasWholeWord)
  }

  private func searched(_ title: String) -> SearchedText {
    var value = text.emptyValues
    value.append(title)
    value.endValue()
    return value
  }

  /// The signs that distinguish names: those of mathematics and money, and some with which names end.
  private static func symbols(in text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.filter { scalar in
      switch scalar.properties.generalCategory {
      case .mathSymbol, .currencySymbol, .otherSymbol: true
      default: "#@*%/\\".unicodeScalars.contains(scalar)
      }
    }
  }
}

extension Schema {
  /// Returns how the text names the record; nil if it does not.
  package func naming(of item: Item, by text: String) -> Naming? { NameMatcher(text, in: self).naming(of: item) }
}
