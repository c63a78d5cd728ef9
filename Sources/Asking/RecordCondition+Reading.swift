public import AggregatorCore

extension RecordCondition {
  /// Reads a condition on a record with those leaves; `now` is the moment from which `yesterday` and the like are counted. Throws if the
  /// text is not a condition, or holds several.
  public init(_ text: String, on leaves: [Leaf], at now: Moment) throws(SourceError) {
    let typed = try TypedCondition(text, on: leaves)
    let (comparison, sought) = (typed.comparison, typed.sought)
    let path = try leaves.part(called: typed.name)
    let leaf = leaves.first { $0.path == path }
    // Other languages write `==` and `=>`, but a sought text may begin with such a sign too.
    let first = sought.unicodeScalars.first
    let isForeign = comparison == .equals && first.map { "=<>".unicodeScalars.contains($0) } ?? false
    if isForeign, first == "=" || leaf?.hasOrder == true { throw TypedCondition.unreadable(text) }
    // A person may mean two conditions by what a shell passes on as one text.
    guard !TypedCondition.isWithin(sought, on: leaves) else {
      throw SourceError(
        .settings, "\"\(text)\" holds several conditions",
        remedy: .give([.init("where", "FIELD=VALUE")], "once for each, or put the value in double quotes"))
    }
    let kind = leaf?.kind ?? .any
    let values = try TypedValue.all(in: sought, comparison, of: text, path).map { SoughtValue($0, comparison, kind, at: now) }
    self.init(path, comparison, sought, values, kind)
    if comparison.needsOrder { try checkOrder(of: leaves.leaf(called: typed.name), among: leaves) }
  }

  private func checkOrder(of leaf: Leaf, among leaves: [Leaf]) throws(SourceError) {
    let hasBound = soughtValues[0].bound != nil
    guard leaf.hasOrder || leaf.mayBeNumber && hasBound else {
      let others = leaves.filter(\.hasOrder).map(\.path.text).joined(separator: ", ")
      let remedy = others.isEmpty ? "no field has one" : "fields with an order: \(others)"
      throw SourceError(.settings, "\(path) has no order", remedy: .advice(remedy))
    }
    guard hasBound else {
      if kind == .time { throw Moment.unreadable(sought) }
      throw SourceError(
        .settings, "\"\(sought)\" is not a number", remedy: .advice("\(path) compares with one, such as 19.90"))
    }
  }
}

/// A condition in its three parts, before its field and its values are looked at.
private struct TypedCondition {
  let name: String
  let comparison: RecordCondition.Comparison
  let sought: String

  init(_ text: String, on leaves: [Leaf]) throws(SourceError) {
    func isField(_ name: String) -> Bool { !leaves.named(FieldPath.trimmed(name)).isEmpty }
    // Scalars, because a combining mark after a sign or a blank would form one character with it.
    let sign = text.unicodeScalars.firstIndex(where: Self.isSign)
    // A field may be called `in`, and a value in a list may begin with a sign.
    if let word = Self.word(in: text, before: sign, isField), !(sign.map { isField(String(text[..<$0])) } ?? false) {
      (name, comparison) = (String(text[..<word.lowerBound]), .isAmong)
      sought = String(text[word.upperBound...]).trimmingSpaces
      if let field = Self.nameBeforeNot(name), !isField(name), isField(field) {
        throw SourceError(
          .settings, "\"\(text)\" is not a condition", remedy: .advice("write \(field)!=VALUE, once for each value"))
      }
      return
    }
    guard let sign else { throw Self.unreadable(text) }
    let rest = text.unicodeScalars[sign...]
    let (two, one) = (String(rest.prefix(2)), String(rest.prefix(1)))
    guard let comparison = RecordCondition.Comparison(rawValue: two) ?? RecordCondition.Comparison(rawValue: one) else {
      throw Self.unreadable(text)
    }
    name = String(text[..<sign])
    self.comparison = comparison
    sought = String(rest.dropFirst(comparison.rawValue.unicodeScalars.count))
    if sought.isEmpty, comparison != .equals, comparison != .differs { throw Self.unreadable(text) }
  }

  fileprivate static func isSign(_ scalar: Unicode.Scalar) -> Bool { "=!~<>".unicodeScalars.contains(scalar) }

  /// Finds the word `in` between a name and a list: after the longest name of a field, or else the first one.
  fileprivate static func word(
    in text: String, before sign: String.Index?, _ isField: (String) -> Bool
  ) -> Range<String.Index>? {
    var (first, known) = (Range<String.Index>?.none, Range<String.Index>?.none)
    let scalars = text.unicodeScalars
    var start = scalars.startIndex
    while let space = scalars[start..<(sign ?? scalars.endIndex)].firstIndex(of: " ") {
      start = scalars.index(after: space)
      let word = scalars[start...].prefix { $0 != " " }
      guard String(word).lowercased() == "in", scalars[..<space].contains(where: { $0 != " " }) else { continue }
      first = first ?? start..<word.endIndex
      if isField(String(scalars[..<space])) { known = start..<word.endIndex }
    }
    return known ?? first
  }

  /// Returns the name before a `not` that other languages write before `in`; nil for any other name.
  private static func nameBeforeNot(_ name: String) -> String? {
    let name = name.trimmingSpaces
    return name.lowercased().hasSuffix(" not") ? String(name.dropLast(4)).trimmingSpaces : nil
  }

  /// True when the text has the name of a field and a sign, or `in` with blanks around it, outside of double quotes.
  static func isWithin(_ text: String, on leaves: [Leaf]) -> Bool {
    typealias Text = Substring.UnicodeScalarView
    func isField(_ name: Text) -> Bool { !name.isEmpty && !leaves.named(String(name)).isEmpty }
    func pieces(of text: Text, between separators: String) -> [Text] {
      var isQuoted = false
      return text.split { scalar in
        if scalar == "\"" { isQuoted.toggle() }
        return !isQuoted && separators.unicodeScalars.contains(scalar)
      }
    }
    return pieces(of: text[...].unicodeScalars, between: ",&;").contains { piece in
      let words = pieces(of: piece, between: " ")
      return words.indices.contains { index in
        let word = words[index].prefix { $0 != "\"" }
        if word.contains(where: isSign) { return isField(word.prefix { !isSign($0) }) }
        // In `code in FR,IN,DE` it is a value.
        return index + 2 < words.count && String(words[index + 1]).lowercased() == "in" && isField(word)
      }
    }
  }

  static func unreadable(_ text: String) -> SourceError {
    SourceError(
      .settings, "\"\(text)\" is not a condition",
      remedy: "write FIELD=VALUE, with =, !=, ~, !~, or in quotes <, <=, >, >= and 'FIELD in a,b'")
  }
}

/// A value as a person types it after a sign: by itself or in double quotes, inside which a quote is doubled, as in csv.
struct TypedValue: Sendable, Hashable {
  let text: String
  let isQuoted: Bool

  /// True for the word that means a missing value.
  var isNull: Bool { !isQuoted && text.trimmingSpaces.lowercased() == "null" }
  /// True when nothing was typed.
  var isNothing: Bool { !isQuoted && text.isEmpty }

  /// Returns a text as it has to be typed to be taken as it stands; `isListed` is true for one of several values.
  static func spelled(_ text: String, isListed: Bool = false) -> String {
    let typed = TypedValue(text: text, isQuoted: false)
    let needsQuotes = typed.isNull || typed.isNothing || text.hasPrefix("\"") || text != text.trimmingSpaces
    guard needsQuotes || isListed && text.contains(",") else { return text }
    return "\"\(text.replacingEach("\"", with: "\"\""))\""
  }

  /// Reads the text after a sign. Throws if it is a list that cannot be read.
  fileprivate static func all(
    in sought: String, _ comparison: RecordCondition.Comparison, of text: String, _ path: FieldPath
  ) throws(SourceError) -> [TypedValue] {
    guard comparison == .isAmong else {
      let quoted = comparison.isOfWholeValues && sought.trimmingSpaces.hasPrefix("\"") ? list(sought) ?? [] : []
      return quoted.count == 1 && quoted[0].isQuoted ? quoted : [TypedValue(text: sought, isQuoted: false)]
    }
    if sought.isEmpty {
      throw SourceError(.settings, "\"\(text.trimmingSpaces)\" names no values", remedy: .advice("write '\(path) in a,b'"))
    }
    try checkParentheses(around: sought, path)
    guard let values = list(sought) else {
      throw SourceError(
        .settings, "\"\(text)\" has a quote that does not enclose a value",
        remedy: .advice("write '\(path) in \"a, b\",c', and double a quote inside quotes"))
    }
    if values.contains(where: \.isNothing) {
      throw SourceError(
        .settings, "\"\(text)\" has an empty value", remedy: "write null for a missing value, or \"\" for an empty text")
    }
    return values
  }

  /// Throws for a list in parentheses, as other languages write it: its first and last value would be met by no record.
  private static func checkParentheses(around sought: String, _ path: FieldPath) throws(SourceError) {
    guard [("(", ")"), ("[", "]")].contains(where: { sought.hasPrefix($0) && sought.hasSuffix($1) }),
      let values = list(String(sought.dropFirst().dropLast())), values.count > 1, !values[0].text.contains(")")
    else { return }
    let meant = values.map { spelled($0.text, isListed: true) }.joined(separator: ",")
    throw SourceError(
      .settings, "a list of values has no parentheses", remedy: .advice("did you mean '\(path) in \(meant)'?"))
  }

  /// Reads values with commas between them, without the blanks around each. Nil if a quote does not enclose a whole value. Looks at scalars,
  /// because a combining mark after a comma would form one character with it.
  static func list(_ text: String) -> [TypedValue]? {
    enum Place { case before, plain, quoted, afterQuote, behind }
    var (values, value, place) = ([TypedValue](), String.UnicodeScalarView(), Place.before)
    func end() {
      let isQuoted = place == .afterQuote || place == .behind
      values.append(TypedValue(text: isQuoted ? String(value) : String(value).trimmingSpaces, isQuoted: isQuoted))
      (value, place) = (String.UnicodeScalarView(), .before)
    }
    for scalar in text.unicodeScalars {
      switch (place, scalar) {
      case (.quoted, "\""): place = .afterQuote
      case (.quoted, _): value.append(scalar)
      case (_, ","): end()
      case (.before, " "): break
      case (.before, "\""): place = .quoted
      case (.before, _), (.plain, _):
        place = .plain
        value.append(scalar)
      case (.afterQuote, "\""):
        place = .quoted
        value.append(scalar)
      case (.afterQuote, " "), (.behind, " "): place = .behind
      case (.afterQuote, _), (.behind, _): return nil
      }
    }
    if place == .quoted { return nil }
    end()
    return values
  }
}

extension Leaf {
  /// True when its values compare with `<`, because each is one number or one time. A leaf of unknown kind may
  /// hold numbers, so it counts too.
  fileprivate var hasOrder: Bool { !mayBeList && ![.text, .bool, .address].contains(kind) }
  /// True when its values are texts, which may be numbers.
  fileprivate var mayBeNumber: Bool { !mayBeList && kind == .text }
}

extension [Leaf] {
  /// Returns the path of the value that a person calls `name`, or of the part that contains several such values.
  func part(called name: String) throws(SourceError) -> FieldPath {
    let found = named(FieldPath.trimmed(name)).map { $0.path.names }
    guard found.count > 1, let first = found.first else { return try leaf(called: name).path }
    let shared = found.dropFirst().reduce(first.count) { count, names in
      Swift.min(count, zip(first, names).prefix { $0 == $1 }.count)
    }
    return FieldPath([String](first.prefix(shared)))
  }

  /// Returns the only value that a person calls `name`. Throws if none or several have this name.
  func leaf(called name: String) throws(SourceError) -> Leaf {
    let found = named(FieldPath.trimmed(name))
    if found.count == 1 { return found[0] }
    guard found.isEmpty else {
      let names = found.map { $0.path.text }.joined(separator: ", ")
      throw SourceError(.settings, "\"\(name)\" has several values", remedy: "choose one of \(names)")
    }
    let unknown = Unknown("field", name.trimmingSpaces, among: map { $0.path.text })
    throw SourceError(unknown, remedy: .give(["fields"], "to list them"))
  }
}

/// A condition that is being typed, up to the value that may follow.
package struct ConditionBeginning {
  /// The name of the field, as it was typed.
  package let name: String
  /// True after `in`, where further values may follow.
  package let isList: Bool
  private let head: String
  private let leaf: Leaf?
  /// The values that are typed already.
  private var typed: [String] = []

  /// Nil if nothing is typed after the name of a field.
  package init?(_ text: String, on leaves: [Leaf]) {
    func isField(_ name: String) -> Bool { !leaves.named(FieldPath.trimmed(name)).isEmpty }
    let sign = text.unicodeScalars.firstIndex(where: TypedCondition.isSign)
    let named = sign.map { isField(String(text[..<$0])) } ?? false
    if !named, let word = TypedCondition.word(in: text, before: sign, isField) {
      (name, isList) = (String(text[..<word.lowerBound]).trimmingSpaces, true)
      let list = text[word.upperBound...]
      let comma = list.lastIndex(of: ",")
      let start = comma.map { list.index(after: $0) } ?? list.firstIndex { $0 != " " } ?? text.endIndex
      head = comma == nil && !text[..<start].hasSuffix(" ") ? text + " " : String(text[..<start])
      typed = comma.flatMap { TypedValue.list(String(list[..<$0])) }?.map(\.text) ?? []
    } else if let sign {
      (name, isList) = (String(text[..<sign]), false)
      head = name + String(text.unicodeScalars[sign...].prefix(while: TypedCondition.isSign))
    } else {
      return nil
    }
    leaf = leaves.named(FieldPath.trimmed(name)).first
  }

  /// Returns the condition with each of the values, and with the words for days if its field has times.
  package func continuations(with values: [String]) -> [String] {
    let values = isList ? values.filter { !typed.contains($0) }.map { TypedValue.spelled($0, isListed: true) } : values
    return (values + (leaf?.kind == .time ? Moment.dayWords : [])).map { head + $0 }
  }
}
