package import AggregatorCore

/// A text with names in braces that are replaced by values: `repos/{GITHUB_REPOSITORY}/issues`. Braces around anything else are plain text.
package struct Template: Sendable, Hashable {
  package enum Piece: Sendable, Hashable {
    case text(String)
    case name(String)
  }

  package let pieces: [Piece]

  package init(_ text: String) {
    var (pieces, plain, rest): ([Piece], String, _) = ([], "", text[...])
    while let open = rest.firstIndex(of: "{") {
      plain += rest[..<open]
      rest = rest[open...]
      let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_-.".contains($0)) }
      guard name.first?.isLetter == true, name.endIndex < rest.endIndex, rest[name.endIndex] == "}" else {
        plain.append(rest.removeFirst())
        continue
      }
      if !plain.isEmpty { pieces.append(.text(plain)) }
      pieces.append(.name(String(name)))
      (plain, rest) = ("", rest[name.endIndex...].dropFirst())
    }
    plain += rest
    if !plain.isEmpty || pieces.isEmpty { pieces.append(.text(plain)) }
    self.pieces = pieces
  }

  /// The names in braces.
  package var names: [String] { pieces.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  /// The name, if the whole text is one name in braces.
  package var onlyName: String? { pieces.count == 1 ? names.first : nil }

  /// The template as it is written.
  package var text: String { filled { "{\($0)}" } ?? "" }

  /// Returns the text with a value in place of each name; nil if a name has no value.
  package func filled(_ value: (String) throws -> String?) rethrows -> String? {
    var filled = ""
    for piece in pieces {
      switch piece {
      case .text(let text): filled += text
      case .name(let name):
        guard let value = try value(name) else { return nil }
        filled += value
      }
    }
    return filled
  }

  /// Returns the values of the settings in a path that fits this template; nil if it does not fit.
  /// Settings have names in capitals, places do not.
  package func settings(in path: Substring) -> [String: String]? { Self.settings(pieces[...], in: path) }

  private static func settings(_ pieces: ArraySlice<Piece>, in text: Substring) -> [String: String]? {
    switch pieces.first {
    case nil: return text.isEmpty ? [:] : nil
    case .text(let piece): return text.hasPrefix(piece) ? settings(pieces.dropFirst(), in: text.dropFirst(piece.count)) : nil
    case .name(let name):
      let isSetting = name.first?.isUppercase ?? false
      for end in text.indices.dropFirst() + [text.endIndex] where isSetting || !text[..<end].contains("/") {
        guard var values = settings(pieces.dropFirst(), in: text[end...]) else { continue }
        if isSetting { values[name] = PercentEncoding.decode(text[..<end]) }
        return values
      }
      return nil
    }
  }
}

extension Value {
  /// Returns the body with values in place of texts that are a single template. A text without a value is left out, because the first page
  /// has no token; `{token?}` becomes null instead.
  func filled(_ values: [String: Value]) -> Value? {
    switch self {
    case .text:
      guard let (name, mayBeNull) = templateName else { return self }
      return values[name].flatMap { $0.isNull ? nil : $0 } ?? (mayBeNull ? .null : nil)
    case .list(let elements): return .list(elements.compactMap { $0.filled(values) })
    case .object(let members):
      return .object(members.compactMap { member in member.value.filled(values).map { Member(name: member.name, value: $0) } })
    case .null, .bool, .int, .double, .decimal: return self
    }
  }

  /// The name, if the value is a single template, and whether it becomes null without a value.
  package var templateName: (name: String, mayBeNull: Bool)? {
    guard case .text(let text) = self else { return nil }
    let mayBeNull = text.hasSuffix("?}")
    return Template(mayBeNull ? text.dropLast(2) + "}" : text).onlyName.map { ($0, mayBeNull) }
  }

  /// Returns the names of the members that lead to the template with this name; nil if no member has it.
  func path(toTemplate name: String) -> [String]? {
    if templateName?.name == name { return [] }
    return members?.lazy.compactMap { member in member.value.path(toTemplate: name).map { [member.name] + $0 } }.first
  }

  /// The names of the templates in its texts.
  package var templateNames: [String] {
    switch self {
    case .text: templateName.map { [$0.name] } ?? []
    case .list(let elements): elements.flatMap(\.templateNames)
    case .object(let members): members.flatMap { $0.value.templateNames }
    case .null, .bool, .int, .double, .decimal: []
    }
  }
}
