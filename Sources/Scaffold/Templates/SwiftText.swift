import AggregatorCore

/// Texts from outside as they may stand in Swift code: never more than what they are.
enum SwiftText {
  /// A string literal; nothing in it ends it or is computed.
  static func literal(_ text: String) -> String { "\"" + escaped(text) + "\"" }

  /// What stands between the quotes of a literal. What cannot be seen, or makes a line read otherwise than it is, is spelled out.
  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "\\", "\"": return "\\\(scalar)"
      case "\n": return "\\n"
      case "\r": return "\\r"
      case "\t": return "\\t"
      case " ": return " "
      default: break
      }
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .unassigned, .surrogate,
        .nonspacingMark, .enclosingMark:
        return "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default: return String(scalar)
      }
    }.joined()
  }

  /// A clause in a comment or a document: one line, without anything but text.
  static func clause(_ text: String) -> String {
    let plain = Printable.clean(text).split(whereSeparator: { $0.isWhitespace || $0 == "`" }).joined(separator: " ")
    return plain.count > 80 ? plain.prefix(79) + "…" : plain
  }
}

/// Lays code out as the formatter would.
struct Layout {
  private static let width = 140
  /// Text without its indent, a character each.
  private let text: [Character]
  private let indent: Int
  /// Brackets that nothing surrounds, each with the places that part what is in it.
  private var groups: [(open: Int, close: Int, commas: [Int])] = []
  /// Where a line may break: between two operands, before a member, and behind a name.
  private var (operators, members, colons): ([Int], [Int], [Int]) = ([], [], [])
  /// Where what is assigned begins.
  private var assigned: Int?

  /// Code in which a line that is too long has its parts on lines of their own.
  static func wrapped(_ code: String) -> String {
    code.split(separator: "\n", omittingEmptySubsequences: false).flatMap { lines(of: $0, indent: 0) }.joined(separator: "\n")
  }

  /// The lines that import these modules, in their order.
  static func imports(_ modules: [String]) -> String { modules.sorted().map { "import \($0)" }.joined(separator: "\n") }

  /// A document as a literal of `Value`.
  static func literal(_ value: Value) -> String {
    switch value {
    case .text(let text): text.count <= 100 ? SwiftText.literal(text) : ".text(\(parts(of: text)))"
    case .null: ".null"
    case .decimal: "DecimalNumber(\"\(String(decoding: value.bytes, as: UTF8.self))\").fieldValue"
    case .bool, .int, .double: String(decoding: value.bytes, as: UTF8.self)
    case .object([]): "[:]"
    case .list(let values): "[\(values.map(literal).joined(separator: ", "))]"
    case .object(let members):
      "[\(members.map { "\(SwiftText.literal($0.name)): \(literal($0.value))" }.joined(separator: ", "))]"
    }
  }

  /// A long text, put together from lines that end with a word.
  private static func parts(of text: String) -> String {
    var parts = [""]
    for word in text.split(separator: " ", omittingEmptySubsequences: false).map({ "\($0) " }) {
      if parts[parts.count - 1].count + word.count > 100, parts != [""] { parts.append("") }
      parts[parts.count - 1] += word
    }
    parts[parts.count - 1].removeLast()
    return parts.map(SwiftText.literal).joined(separator: " + ")
  }

  private static func lines(of line: some StringProtocol, indent: Int) -> [String] {
    let text = line.drop { $0 == " " }
    let indent = indent + line.count - text.count
    let whole = text.isEmpty ? "" : String(repeating: " ", count: indent) + text
    if whole.count <= width || text.hasPrefix("//") { return [whole] }
    return Layout(Array(text), indent).broken ?? [whole]
  }

  private init(_ text: [Character], _ indent: Int) {
    (self.text, self.indent) = (text, indent)
    var open: [(place: Int, commas: [Int])] = []
    var place = 0
    while place < text.count {
      switch text[place] {
      case "\"": place = Self.endOfText(text, from: place)
      case "(", "[", "{": open.append((place, []))
      case ")", "]", "}":
        if let last = open.popLast(), open.isEmpty { groups.append((last.place, place, last.commas)) }
      case ",": if open.count == 1 { open[0].commas.append(place) }
      case "?", "+":
        if open.isEmpty, place > 0, text[(place - 1)...].starts(with: text[place] == "+" ? " + " : " ?? ") {
          operators.append(place)
        }
      case "=" where open.isEmpty && assigned == nil && place > 0 && text[(place - 1)...].starts(with: " = "):
        assigned = place + 1
      case ":" where open.isEmpty && place > 0 && text[place...].starts(with: ": "): colons.append(place + 1)
      case "." where open.isEmpty && place > 0 && ")}]?".contains(text[place - 1]): members.append(place)
      default: break
      }
      place += 1
    }
  }

  /// The place of the quote that ends the text which begins at `place`; what is computed in it may hold texts of its own.
  private static func endOfText(_ text: [Character], from place: Int) -> Int {
    var (place, depth) = (place + 1, 0)
    while place < text.count {
      switch text[place] {
      case "\\" where depth == 0:
        place += 1
        if place < text.count, text[place] == "(" { depth = 1 }
      case "\"" where depth == 0: return place
      case "\"": place = endOfText(text, from: place)
      case "(" where depth > 0: depth += 1
      case ")" where depth > 0: depth -= 1
      default: break
      }
      place += 1
    }
    return text.count
  }

  /// The line in several, broken where its parts are as even as they can be; nil where it cannot be broken.
  private var broken: [String]? {
    if !operators.isEmpty { return split(at: operators, behind: assigned) }
    // What belongs to a value looks like a collection, and is none.
    let group = groups.filter { !isSubscript($0.open) }.max { $0.close - $0.open < $1.close - $1.open }
    guard let group, (group.close - group.open) * 3 > text.count || members.count < 2 else {
      if members.count > 1 { return split(at: [members[members.count / 2]]) }
      return colons.first.map { split(at: [$0]) }
    }
    let tail = text[group.close...]
    if text[group.open] == "{" { return inLines(group.open, [text[(group.open + 1)..<group.close]], tail, on: true) }
    let ends = group.commas + [group.close]
    let parts = zip([group.open] + group.commas, ends).map { text[($0 + 1)..<$1] }
    if text[group.open] == "(" { return inLines(group.open, parts, tail, on: false) }
    return inLines(group.open, parts.count == 1 ? parts : parts.map { $0 + [","] }, tail, on: true)
  }

  private func isSubscript(_ place: Int) -> Bool {
    text[place] == "[" && place > 0
      && (text[place - 1].isLetter || text[place - 1].isNumber || ")]}?".contains(text[place - 1]))
  }

  /// What stands before a bracket and it, each part, and `tail` on a line of its own or behind the last part.
  private func inLines(_ open: Int, _ parts: [ArraySlice<Character>], _ tail: ArraySlice<Character>, on isApart: Bool)
    -> [String]
  {
    let isList = text[open] == "("
    // What is called on a call in several lines stands behind its last line.
    let isApart = isApart || tail.dropFirst().first == "."
    var lines = Self.lines(of: String(text[...open]), indent: indent)
    let whole = parts.map { String($0).trimmingSpaces }.joined(separator: ", ") + tail
    if isList, indent + 2 + whole.count <= Self.width { return lines + [String(repeating: " ", count: indent + 2) + whole] }
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let part = String(part).trimmingSpaces + (isList ? isLast ? isApart ? "" : String(tail) : "," : "")
      lines += Self.lines(of: part, indent: indent + 2)
    }
    return isApart ? lines + Self.lines(of: String(tail), indent: indent) : lines
  }

  /// Broken at these places; what is assigned begins a line of its own.
  private func split(at places: [Int], behind start: Int? = nil) -> [String] {
    let places = [start].compactMap(\.self) + places
    let parts = zip([0] + places, places + [text.count]).map { String(text[$0..<$1]).trimmingSpaces }
    return parts.enumerated().flatMap { Self.lines(of: $1, indent: $0 == 0 ? indent : indent + 2) }
  }
}
