/// "Did you mean": the titles that come nearest to a text which no record matches.
public struct NearestTitles: Sendable, Hashable {
  /// All as near as each other, in the order of the list, and few.
  public private(set) var titles: [String] = []
  private var distance = Int.max

  /// No titles yet.
  public init() {}

  /// The first few of these, which are all as near.
  package init(of titles: some Sequence<String>) { for title in titles { add(title, at: 0) } }

  /// Whether no title comes near.
  public var isEmpty: Bool { titles.isEmpty }

  /// `did you mean Spider-Man or Spider-Ham?`; nil where nothing comes near.
  public var question: String? {
    guard let last = titles.last else { return nil }
    let others = titles.dropLast().joined(separator: ", ")
    return "did you mean \(others.isEmpty ? "" : others + " or ")\(last)?"
  }

  /// More would be a list, not a question.
  private static let most = 3

  package mutating func add(_ title: String, at distance: Int) {
    guard distance <= self.distance, !title.isEmpty else { return }
    if distance < self.distance { (self.distance, titles) = (distance, []) }
    if titles.count < Self.most, !titles.contains(title) { titles.append(title) }
  }

  package mutating func add(_ others: NearestTitles) {
    for title in others.titles { add(title, at: others.distance) }
  }
}

/// Looks among records for the titles that are nearest to a text.
struct TitleGuesser<Item: SourceItem> {
  private typealias Letters = [Unicode.Scalar]

  private(set) var nearest = NearestTitles()
  /// False where nothing is guessed.
  let canGuess: Bool
  private let letters: [Unicode.Scalar]
  /// The words of the text, where there are several.
  private let words: [[Unicode.Scalar]]
  /// How many letters may be wrong: one, or one of every four. With one of three, batman would come near to Cayman.
  private let bound: Int
  private let titles: [Field<Item>]
  private let otherNames: [Field<Item>]
  /// How many bytes another name has at most: a longer text is none.
  static var longestName: Int { 60 }
  /// How far the text is from the name that a record has in another language, by ids.
  private var translated: [String: Int] = [:]

  init(_ text: String, in schema: Schema<Item>, among items: [Item] = []) {
    let text = SearchText(text)
    (letters, canGuess) = (text.letters, text.isGuessable)
    (titles, otherNames) = (schema.titleFields, schema.otherNameFields)
    words =
      text.isOneWord || text.isOfJoints ? [] : text.words.map { Array(String(decoding: $0, as: UTF8.self).unicodeScalars) }
    bound = max(1, letters.count / 4)
    guard canGuess else { return }
    schema.translations?.forEachName { name, ids in
      guard let edits = edits(to: name) else { return }
      for id in ids() { translated[id] = min(translated[id] ?? .max, 2 * edits + 1) }
    }
    for item in items { look(at: item) }
  }

  mutating func look(at item: Item) {
    guard canGuess else { return }
    let titles = titles.flatMap { $0.names(of: item) }
    guard let shown = titles.first else { return }
    if let distance = translated[item.id] { nearest.add(shown, at: distance) }
    for title in titles {
      if let distance = distance(to: title) { nearest.add(shown, at: distance) }
    }
    // A title as near comes first. One word of another name is near to too much.
    for name in otherNames.flatMap({ $0.shortTexts(of: item) }) {
      if let distance = distance(to: name, orOneWord: false) { nearest.add(name, at: distance + 1) }
    }
  }

  /// How far the text is from a title, or from some of its words, which is a little farther; nil where it is too far.
  private func distance(to title: String, orOneWord mayBeOneWord: Bool = true) -> Int? {
    guard hasLetters(title) else { return nil }
    let words = title.unicodeScalars.split { $0.properties.isWhitespace }.map { SearchText(String($0)).letters }
    let whole = Letters(words.joined())
    var near = [edits(to: whole).map { 2 * $0 }, editsOfWords(to: words).map { 2 * $0 + 1 }]
    if mayBeOneWord, words.count > 1 { near += words.map { edits(to: $0).map { 2 * $0 + 1 } } }
    return near.compactMap { $0 }.min()
  }

  /// False where a title lacks more of the letters than may be wrong, which most titles do. Only a title in ASCII is looked at.
  private func hasLetters(_ title: String) -> Bool {
    var seen: (low: UInt64, high: UInt64) = (0, 0)
    for byte in title.utf8 {
      switch byte {
      case 0..<64: seen.low |= 1 << UInt64(byte)
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): seen.high |= 1 << UInt64(byte - 32)
      case 64..<128: seen.high |= 1 << UInt64(byte - 64)
      default: return true
      }
    }
    var missing = 0
    for letter in letters {
      let bits = letter.value < 64 ? seen.low : seen.high
      if letter.value >= 128 || bits & (1 << UInt64(letter.value & 63)) == 0 { missing += 1 }
    }
    return missing <= bound
  }

  /// How many letters of the typed words are wrong where each is near a word of its own, in any order; nil where one is not.
  private func editsOfWords(to title: [Letters]) -> Int? {
    guard words.count > 1, words.count <= title.count else { return nil }
    var (left, sum) = (title, 0)
    // The longest first: a short one is near to more.
    for word in words.sorted(by: { $0.count > $1.count }) {
      let most = word.count < 4 ? 0 : max(1, word.count / 4)
      var best: (place: Int, edits: Int)?
      for place in left.indices where abs(left[place].count - word.count) <= most {
        let edits = left[place] == word ? 0 : Closest.distance(word, left[place])
        if edits <= most, edits < best?.edits ?? .max { best = (place, edits) }
      }
      guard let best else { return nil }
      left.remove(at: best.place)
      sum += best.edits
    }
    return sum <= bound ? sum : nil
  }

  private func edits(to word: Letters) -> Int? {
    guard abs(word.count - letters.count) <= bound else { return nil }
    let distance = Closest.distance(letters, word)
    return distance <= bound && distance < max(word.count, letters.count) ? distance : nil
  }
}

extension SearchText {
  /// True when titles that come near mean something: of two letters any other two are near.
  package var isGuessable: Bool { letters.count >= 3 }

  fileprivate var letters: [Unicode.Scalar] { isOfJoints ? [] : Array(String(decoding: core, as: UTF8.self).unicodeScalars) }
}

extension Schema {
  /// The fields of a record's titles, and of the other names that count as one.
  var titleFields: [Field<Item>] { (fields + searchOnly).filter { $0.role == .title } }

  /// The fields beside those by which a search finds a record: a real name, another name, an e-mail address.
  var otherNameFields: [Field<Item>] {
    fields.filter { $0.role != .title && $0.outline.isSearchable && !$0.outline.isSearchedLast }
  }

  /// What a record is called: its title, and the other names that count as one.
  package func titles(of item: Item) -> [String] { titleFields.flatMap { $0.names(of: item) } }
}

extension Field {
  /// The names that a record has in this field.
  func names(of item: Owner) -> [String] {
    let value = value(item)
    var (parts, names): ([String], [String]) = ([], [])
    for way in outline.searched.searchedWays {
      switch value.value(at: way) {
      case .text(let text): parts.append(text)
      case .list(let texts): names += texts.compactMap { if case .text(let text) = $0 { text } else { nil } }
      case .null, .bool, .int, .double, .decimal, .object: break
      }
    }
    return (parts.isEmpty ? [] : [parts.joined(separator: " ")]) + names
  }

  /// The texts that a record has in this field, as far as they are short enough for a name.
  func shortTexts(of item: Owner) -> [String] where Owner: SourceItem {
    let texts: [String] =
      switch value(item) {
      case .text(let text): [text]
      case .list(let values): values.compactMap { if case .text(let text) = $0 { text } else { nil } }
      case .null, .bool, .int, .double, .decimal, .object: []
      }
    return texts.filter { $0.utf8.count <= TitleGuesser<Owner>.longestName }
  }
}
