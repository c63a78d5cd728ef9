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

  /// What came nearest; where no name did, the one id or code in which a single letter is another.
  var nearest: NearestTitles { names.isEmpty && codes.count == 1 ? NearestTitles(of: codes) : names }
  private var names = NearestTitles()
  /// The ids and codes from which the text is one edit away: of several, none is meant more than the others.
  private var codes: Set<String> = []
  /// False where nothing is guessed.
  let canGuess: Bool
  private let letters: [Unicode.Scalar]
  /// The words of the text, where there are several.
  private let words: [[Unicode.Scalar]]
  /// The same where joints part words as well.
  private let parts: [[Unicode.Scalar]]
  /// The text as ids and codes are compared with it; empty where it looks like none.
  private let code: [UInt8]
  /// How many letters may be wrong: one, or one of every four. With one of three, batman would come near to Cayman.
  private let bound: Int
  private let titles: [Field<Item>]
  private let otherNames: [Field<Item>]
  private let codeFields: [Field<Item>]
  /// How many bytes another name has at most: a longer text is none.
  static var longestName: Int { 60 }
  /// How far the text is from the name that a record has in another language, by ids.
  private var translated: [String: Int] = [:]

  init(_ text: String, in schema: Schema<Item>, among items: [Item] = []) {
    let isCode = text.contains { $0.isNumber || $0 == "@" } && !text.contains { $0.isWhitespace }
    parts = Self.words(in: [text])
    let text = SearchText(text)
    (letters, canGuess) = (text.letters, text.isGuessable)
    (titles, otherNames, codeFields) = (schema.titleFields, schema.otherNameFields, schema.codeFields)
    code = isCode && text.core.count >= Self.leastCode ? text.core : []
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
    if let distance = translated[item.id] { names.add(shown, at: distance) }
    for title in titles {
      if let distance = distance(to: title) { names.add(shown, at: distance) }
    }
    // A title as near comes first. One word of another name is near to too much.
    let others = otherNames.flatMap { $0.shortTexts(of: item) }
    for name in others {
      if let distance = distance(to: name, orOneWord: false) { names.add(name, at: distance + 1) }
    }
    if let (name, edits) = name(inWordsOf: titles + others) { names.add(name, at: 2 * edits + 3) }
    guard !code.isEmpty else { return }
    for text in [item.id] + codeFields.map({ $0.value(item).plainText }) {
      let letters = SearchedText.bytes(of: text, as: .letters)
      if letters.count >= Self.leastCode, Closest.isOneEdit(code, letters) { codes.insert(text) }
    }
  }

  /// How many letters a code has at least: of fewer, many are near to each other.
  private static var leastCode: Int { 5 }

  /// What a record's texts say of the typed words, where each of those is there, begun or nearly so: the one text that has them all, or else
  /// the words as they stand there.
  private func name(inWordsOf texts: [String]) -> (name: String, edits: Int)? {
    guard parts.count > 1, hasLetters(texts), let (edits, places) = near(parts, among: Self.words(in: texts)) else {
      return nil
    }
    let pieces = texts.enumerated().flatMap { index, text in SearchedText.pieces(of: text).map { (text: index, word: $0) } }
    // A sign that folds to letters is a word there, and here none.
    guard let last = places.max(), last < pieces.count else { return nil }
    let found = places.map { pieces[$0] }
    let isInOne = found.allSatisfy { $0.text == found[0].text }
    return (isInOne ? texts[found[0].text] : found.map(\.word).joined(separator: " "), edits)
  }

  private static func words(in texts: [String]) -> [Letters] {
    var values = SearchedText(.markedLetters)
    for text in texts {
      values.append(text)
      values.endValue()
    }
    return values.words.map { Letters(String(decoding: $0, as: UTF8.self).unicodeScalars) }
  }

  /// How far the text is from a title, or from some of its words, which is a little farther; nil where it is too far.
  private func distance(to title: String, orOneWord mayBeOneWord: Bool = true) -> Int? {
    guard hasLetters([title]) else { return nil }
    let words = title.unicodeScalars.split { $0.properties.isWhitespace }.map { SearchText(String($0)).letters }
    let whole = Letters(words.joined())
    var near = [edits(to: whole).map { 2 * $0 }, editsOfWords(to: words).map { 2 * $0 + 1 }]
    if mayBeOneWord, words.count > 1 { near += words.map { edits(to: $0).map { 2 * $0 + 1 } } }
    return near.compactMap { $0 }.min()
  }

  /// False where texts lack more of the letters than may be wrong, which most texts do. Only texts in ASCII are looked at.
  private func hasLetters(_ texts: [String]) -> Bool {
    var seen: (low: UInt64, high: UInt64) = (0, 0)
    for text in texts {
      for byte in text.utf8 {
        switch byte {
        case 0..<64: seen.low |= 1 << UInt64(byte)
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): seen.high |= 1 << UInt64(byte - 32)
        case 64..<128: seen.high |= 1 << UInt64(byte - 64)
        default: return true
        }
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
  private func editsOfWords(to title: [Letters]) -> Int? { near(words, among: title, orBegun: false)?.edits }

  /// The same, and which words those are.
  private func near(_ typed: [Letters], among words: [Letters], orBegun: Bool = true) -> (edits: Int, places: [Int])? {
    guard typed.count > 1, typed.count <= words.count else { return nil }
    var (places, sum) = (typed.map { _ in -1 }, 0)
    // The longest first: a short one is near to more.
    for index in typed.indices.sorted(by: { typed[$0].count > typed[$1].count }) {
      let word = typed[index]
      let most = word.count < 4 ? 0 : max(1, word.count / 4)
      var best: (place: Int, edits: Int)?
      for place in words.indices where !places.contains(place) {
        if words[place] == word {
          best = (place, 0)
          break
        }
        let isBegun = orBegun && word.count >= SearchedText.leastPart && words[place].starts(with: word)
        guard isBegun || most > 0 && abs(words[place].count - word.count) <= most else { continue }
        let edits = isBegun ? 0 : Closest.distance(word, words[place])
        if edits <= most, edits < best?.edits ?? .max { best = (place, edits) }
      }
      guard let best else { return nil }
      places[index] = best.place
      sum += best.edits
    }
    return sum <= bound ? (sum, places) : nil
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

  /// The fields whose names say that their values are known by their parts.
  var codeFields: [Field<Item>] { fields.filter { $0.outline.isSearchedByParts } }

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
