/// A place in a list, in its source's own terms.
enum Place: Sendable, Hashable {
  case offset(Int)
  case number(Int)
  case token(String?)
  case key(String?)

  var number: Int {
    switch self {
    case .offset(let number), .number(let number): number
    case .token, .key: 0
    }
  }

  /// How many rows of the list come before it; nil where the place does not tell.
  var rowsBefore: Int? {
    switch self {
    case .offset(let offset): offset
    case .key(nil), .token(nil): 0
    case .number, .token, .key: nil
    }
  }

  var word: String {
    switch self {
    case .offset: "offset"
    case .number: "page"
    case .token: "token"
    case .key: "after"
    }
  }

  /// The place as text: readable, and the same in every process.
  var text: String {
    switch self {
    case .offset(let number), .number(let number): "\(word) \(number)"
    case .token(let text), .key(let text): "\(word) \(text ?? "")"
    }
  }

  /// Reads the two words of ``text``.
  init?(style: Substring, _ rest: Substring) {
    guard let number = style == "offset" || style == "page" ? Int(digits: rest) : 0 else { return nil }
    switch style {
    case "offset": self = .offset(number)
    case "page": self = .number(number)
    case "token": self = .token(rest.isEmpty ? nil : String(rest))
    case "after": self = .key(rest.isEmpty ? nil : String(rest))
    default: return nil
    }
  }
}

extension Int {
  /// The sum, or the nearest number there is: what comes from outside may be any number.
  package func adding(_ other: Int) -> Int {
    let (sum, isBeyond) = addingReportingOverflow(other)
    return isBeyond ? (other > 0 ? .max : .min) : sum
  }

  func times(_ other: Int) -> Int {
    let (product, isBeyond) = multipliedReportingOverflow(by: other)
    return isBeyond ? ((self > 0) == (other > 0) ? .max : .min) : product
  }
}
