import AggregatorCore
import Asking

// The spellings of conditions, orders and requirements that are read of an ask.
extension TextPattern {
  /// A condition on one of these values, as ``RecordCondition`` reads it. A number, a time, and true or false are spelled as their fields
  /// have them. The name of a part stands for all values in it.
  static func condition(on leaves: [Leaf]) -> TextPattern? {
    let leaves = leaves.filter { !$0.path.text.unicodeScalars.contains(where: isSign) }
    let order: TextPattern = ["<", "<=", ">", ">="]
    var choices: [TextPattern?] = []
    for (kinds, value) in values {
      let some = leaves.filter { kinds.contains($0.kind) }
      let single = some.filter { !$0.mayBeList && $0.kind != .bool && $0.kind != .address }
      choices.append(names(of: some).map { $0 + ["=", "!="] + TextPattern.choice([value.whole, "null"]).optional })
      choices.append(names(of: some).map { $0 + " in " + TextPattern.choice([value.listed, "null"]).listed })
      if let ordered = value.ordered { choices.append(names(of: single).map { $0 + order + ordered }) }
    }
    let parts = parts(of: leaves)
    if !parts.isEmpty {
      choices.append(one(of: parts) + [["=", "!="] + anyText.optional, " in " + anyElement.listed])
    }
    let all = leaves.map(\.path.text) + parts
    if !all.isEmpty { choices.append(one(of: all) + ["~", "!~"] + plainText) }
    let some = choices.compactMap(\.self)
    return some.isEmpty ? nil : .choice(some)
  }

  /// The name of one of these values; nil without any.
  private static func names(of leaves: [Leaf]) -> TextPattern? { leaves.isEmpty ? nil : one(of: leaves.map(\.path.text)) }

  /// The names of the parts that have several of these values.
  private static func parts(of leaves: [Leaf]) -> [String] {
    let paths = leaves.flatMap { leaf in leaf.path.names.indices.dropFirst().map { Array(leaf.path.names.prefix($0)) } }
    return paths.inGroups { $0 }.map { FieldPath($0.key).text }
  }

  private static func isSign(_ scalar: Unicode.Scalar) -> Bool { "=!~<>".unicodeScalars.contains(scalar) }

  // MARK: - Values

  /// The spellings of values of some kinds: of one, of one among several, and of one that is greater or less; nil without an order.
  private typealias Spellings = (whole: TextPattern, listed: TextPattern, ordered: TextPattern?)

  private static let values: [(kinds: [Leaf.Kind], value: Spellings)] = [
    ([.integer, .number], (number, number, number)), ([.time], (moment, moment, moment)),
    ([.bool], (["true", "false"], ["true", "false"], nil)), ([.text, .any], (anyText, anyElement, number)),
    ([.address], (anyText, anyElement, nil)),
  ]

  private static let number: TextPattern =
    TextPattern("-").optional + digit.onceOrMore + ("." + digit.onceOrMore).optional

  /// Characters that are no letter of a word: control characters, blanks, the signs of conditions, and what separates words.
  private static let noLetters: [ClosedRange<Unicode.Scalar>] = [
    "\0"..." ", "\u{7F}"..."\u{A0}", "&"..."&", ","...",", ";"...";", "<"...">", "!"..."!", "~"..."~",
  ]
  private static func letter(but others: String = "") -> TextPattern {
    .otherCharacter(noLetters + others.unicodeScalars.map { $0...$0 })
  }
  private static let letters = letter().anyTimes

  /// A word that is not `in`, which after the name of a field would begin another condition.
  private static let otherWord: TextPattern =
    [
      letter(but: "iI") + letters,
      ["i", "I"] + TextPattern.choice([letter(but: "nN") + letters, ["n", "N"] + letter() + letters]).optional,
    ]

  private static func words(from first: TextPattern) -> TextPattern { first + letters + (" " + otherWord).anyTimes }

  private static let blank = TextPattern(" ").optional

  /// A text without signs, in which commas and the like separate words too.
  private static let plainText: TextPattern =
    words(from: letter()) + (blank + [",", ";", "&"] + blank + words(from: letter())).anyTimes

  /// Any text in double quotes; a quote in it is doubled.
  private static let quotedText: TextPattern =
    "\"" + TextPattern.choice([.otherCharacter(["\0"..."\u{1F}", "\""..."\"", "\u{7F}"..."\u{9F}"]), "\"\""]).anyTimes + "\""

  private static let anyText: TextPattern = [plainText, quotedText]

  /// One of several texts. A parenthesis before the first would be taken for one around all, and a quote for one around the text.
  private static let anyElement: TextPattern = [words(from: letter(but: "([\"")), quotedText]

  // MARK: - Orders and requirements

  /// Fields to sort by, with commas between, as ``RecordOrder`` reads them. A name that has a comma stands alone.
  static func order(of leaves: [Leaf]) -> TextPattern? {
    let names = leaves.map(\.path.text).filter { name in
      // A mark at either end would form one character with the comma.
      let around = Array(",\(name),")
      return around.first == "," && around.last == ","
    }
    let (alone, plain) = (names.filter { $0.contains(",") }, names.filter { !$0.contains(",") })
    let minus = TextPattern("-").optional
    let choices = [
      plain.isEmpty ? nil : (minus + one(of: plain)).listed, alone.isEmpty ? nil : minus + one(of: alone),
    ].compactMap(\.self)
    return choices.isEmpty ? nil : .choice(choices)
  }

  /// Requirements with commas between, as ``Requirement`` reads them.
  static let requirements: TextPattern =
    TextPattern.choice(["complete", "live", "found", "same-shape", ["age", "audited"] + "<" + duration(mayBeZero: false)])
    .listed
}
