/// A set of texts, built from parts. It is written as a regular expression that JavaScript, Python and Rust read alike.
///
///     let year = TextPattern.digit.times(4)
///     let time: TextPattern = ["today", year, year + "-" + .digit.times(2)]
///     time.expression       // ^(?:today|[0-9]{4}|[0-9]{4}-[0-9]{2})$
package indirect enum TextPattern: Sendable, Hashable {
  /// This text.
  case exactly(String)
  /// One character between any of these.
  case character([ClosedRange<Unicode.Scalar>])
  /// One character that is between none of these.
  case otherCharacter([ClosedRange<Unicode.Scalar>])
  /// These patterns one after the other.
  case sequence([TextPattern])
  /// Any of these patterns.
  case choice([TextPattern])
  /// A pattern several times: at least `from`, and at most `to` unless that is nil.
  case repeated(TextPattern, from: Int, to: Int?)

  package static let digit = character(["0"..."9"])
}

// MARK: - Building

extension TextPattern: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  package init(stringLiteral text: String) { self = .exactly(text) }
  /// Any of these patterns.
  package init(arrayLiteral choices: TextPattern...) { self = .choice(choices) }

  package static func + (one: TextPattern, other: TextPattern) -> TextPattern {
    if case .sequence(let parts) = one { .sequence(parts + [other]) } else { .sequence([one, other]) }
  }

  /// The pattern, or nothing.
  package var optional: TextPattern { .repeated(self, from: 0, to: 1) }
  /// The pattern any number of times.
  package var anyTimes: TextPattern { .repeated(self, from: 0, to: nil) }
  /// The pattern at least once.
  package var onceOrMore: TextPattern { .repeated(self, from: 1, to: nil) }

  package func times(_ count: Int) -> TextPattern { .repeated(self, from: count, to: count) }
  package func times(_ counts: ClosedRange<Int>) -> TextPattern {
    .repeated(self, from: counts.lowerBound, to: counts.upperBound)
  }

  /// One of these texts.
  package static func one(of texts: [String]) -> TextPattern { .choice(texts.map { .exactly($0) }) }

  /// The pattern one or several times, with commas between.
  package var listed: TextPattern { self + ("," + self).anyTimes }

  /// A number with as many digits as `greatest` has, from that of zeros to `greatest`.
  package static func number(upTo greatest: String) -> TextPattern {
    let digits = Array(greatest.unicodeScalars)
    var smaller: [TextPattern] = [.exactly(greatest)]
    for (index, digit) in digits.enumerated() where digit > "0" {
      guard let last = Unicode.Scalar(digit.value - 1) else { continue }
      let head = String(String.UnicodeScalarView(digits[..<index]))
      smaller.append(.exactly(head) + .character(["0"...last]) + .digit.times(digits.count - index - 1))
    }
    return .choice(smaller)
  }
}

// MARK: - Writing

extension TextPattern {
  /// The regular expression of a text that matches as a whole.
  package var expression: String { "^\(unanchored)$" }

  private var unanchored: String {
    switch self {
    case .exactly(let text): Self.escaped(text)
    case .character(let ranges): "[\(Self.written(ranges))]"
    case .otherCharacter(let ranges): "[^\(Self.written(ranges))]"
    case .sequence(let parts): parts.map(\.unanchored).joined()
    case .choice(let parts): "(?:\(parts.map(\.unanchored).joined(separator: "|")))"
    case .repeated(_, from: 0, to: 0): ""
    case .repeated(let part, from: 1, to: 1): part.unanchored
    case .repeated(let part, let least, let most): part.unit + Self.quantifier(least, most)
    }
  }

  /// The expression as one unit, to which a quantifier can be added.
  private var unit: String {
    switch self {
    case .character, .otherCharacter, .choice: unanchored
    case .exactly(let text) where text.unicodeScalars.count == 1: unanchored
    case .exactly, .sequence, .repeated: "(?:\(unanchored))"
    }
  }

  private static func quantifier(_ least: Int, _ most: Int?) -> String {
    switch (least, most) {
    case (0, 1): "?"
    case (0, nil): "*"
    case (1, nil): "+"
    case (_, least): "{\(least)}"
    default: "{\(least),\(most.map(String.init) ?? "")}"
    }
  }

  /// JavaScript refuses a backslash before a character that needs none.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { "^$\\.*+?()[]{}|/".unicodeScalars.contains($0) ? "\\\($0)" : visible($0) }.joined()
  }

  /// The character itself; its number if it cannot be seen, or is a mark that would form one character with the one before it.
  private static func visible(_ scalar: Unicode.Scalar) -> String {
    let isInvisible: Bool =
      switch scalar.properties.generalCategory {
      case .control, .format, .nonspacingMark, .spacingMark, .enclosingMark, .lineSeparator, .paragraphSeparator: true
      case .spaceSeparator: scalar != " "
      default: false
      }
    guard isInvisible, scalar.value <= 0xFFFF else { return "\(scalar)" }
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }

  private static func written(_ ranges: [ClosedRange<Unicode.Scalar>]) -> String {
    ranges.map { range in
      let (first, last) = (written(range.lowerBound), written(range.upperBound))
      return first == last ? first : "\(first)-\(last)"
    }.joined()
  }

  private static func written(_ scalar: Unicode.Scalar) -> String {
    if scalar == " " { return "\\u0020" }
    return "\\[]^-".unicodeScalars.contains(scalar) ? "\\\(scalar)" : visible(scalar)
  }
}
