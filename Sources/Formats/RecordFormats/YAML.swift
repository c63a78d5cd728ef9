import AggregatorCore

/// Values in YAML, written so that readers of YAML 1.1 and of YAML 1.2 get the same from them.
enum YAML {
  /// Returns a value as the whole document, or as an item of the list that is the document.
  static func document(_ value: Value, isAlone: Bool) -> String {
    (isAlone ? String(block(value, indent: 0).dropFirst()) : "-" + item(value, indent: 0)) + "\n"
  }

  /// Returns the text after a key: a value on the same line, or its contents on lines of their own.
  static func block(_ value: Value, indent: Int) -> String {
    let start = "\n" + String(repeating: " ", count: indent)
    return switch value {
    case .object(let members) where !members.isEmpty: members.map { start + member($0, indent: indent) }.joined()
    case .list(let values) where !values.isEmpty: values.map { start + "-" + item($0, indent: indent) }.joined()
    default: " " + scalar(value)
    }
  }

  /// Returns the text after a dash; an object begins on the same line.
  static func item(_ value: Value, indent: Int) -> String {
    guard case .object(let members) = value, !members.isEmpty else { return block(value, indent: indent + 2) }
    let start = "\n" + String(repeating: " ", count: indent + 2)
    return " " + members.map { member($0, indent: indent + 2) }.joined(separator: start)
  }

  private static func member(_ member: Member, indent: Int) -> String {
    "\(text(member.name)):\(block(member.value, indent: indent + 2))"
  }

  private static func scalar(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let bool): bool ? "true" : "false"
    case .int(let int): String(int)
    case .decimal(let decimal): number(decimal.description)
    case .double(let double): double.isFinite ? number(String(double)) : "null"
    case .text(let text): self.text(text)
    case .list: "[]"
    case .object: "{}"
    }
  }

  /// Returns a number as both versions read one. YAML 1.1 reads 1e+20, without a point, and 1.0e20, without a sign, as texts.
  private static func number(_ text: String) -> String {
    guard let mark = text.firstIndex(where: { $0 == "e" || $0 == "E" }) else { return text }
    let (mantissa, exponent) = (text[..<mark], text[text.index(after: mark)...])
    let sign = exponent.hasPrefix("-") || exponent.hasPrefix("+") ? "" : "+"
    return "\(mantissa)\(mantissa.contains(".") ? "" : ".0")\(text[mark])\(sign)\(exponent)"
  }

  /// Returns a text as it is if it cannot be taken for anything else, and otherwise in quotes.
  static func text(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

  /// The words that at least one of the two versions does not read as a text.
  private static let words: Set = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"]

  /// True when the text can do without quotes. It begins with a letter, because numbers and dates begin with a digit or a sign, and
  /// anything with a meaning in YAML begins with another sign.
  private static func isPlain(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first, isLetter(first), scalars.last != " ", !words.contains(text.lowercased()) else {
      return false
    }
    var isAfterColon = false
    for scalar in scalars {
      if isAfterColon, scalar == " " { return false }
      isAfterColon = scalar == ":"
      guard isLetter(scalar) || "0"..."9" ~= scalar || " _-./@+(),'&:?!%=".unicodeScalars.contains(scalar) else { return false }
    }
    return !isAfterColon
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter: true
    default: false
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\t": quoted += "\\t"
      default:
        if isShown(scalar) { quoted.unicodeScalars.append(scalar) } else { quoted += escape(scalar.value) }
      }
    }
    return quoted + "\""
  }

  /// True when a scalar is allowed in YAML, and has no effect on a terminal.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse, .surrogate: false
    default: true
    }
  }

  private static func escape(_ value: UInt32) -> String {
    let (letter, count) = value < 0x100 ? ("x", 2) : value < 0x10000 ? ("u", 4) : ("U", 8)
    return "\\\(letter)\(value.padded(to: count, radix: 16))"
  }
}
