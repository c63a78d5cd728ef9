/// The titles that are nearest to a text without matches, for "did you mean".
public struct NearestTitles: Sendable, Hashable {
  /// A few titles, all equally near, in the order of the list.
  public private(set) var titles: [String] = []
  private var distance = Int.max

  /// No titles yet.
  public init() {}

  /// The first few of these titles, which are all equally near.
  package init(of titles: some Sequence<String>) { for title in titles { add(title, at: 0) } }

  /// True when no title is near.
  public var isEmpty: Bool { titles.isEmpty }

  /// `did you mean Spider-Man or Spider-Ham?`; nil if no title is near.
  public var question: String? {
    guard let last = titles.last else { return nil }
    let others = titles.dropLast().joined(separator: ", ")
    return "did you mean \(others.isEmpty ? "" : others + " or ")\(last)?"
  }

  /// The most titles; more would be a list, not a question.
  private static let most = 3

  package mutating func add(_ title: String, at distance: Int) {
    guard distance <= self.distance, !title.isEmpty else { return }
    if distance < self.distance { (self.distance, titles) = (distance, []) }
    if titles.count < Self.most, !titles.contains(title) { titles.append(title) }
  }

  /// Removes the titles that are this text once they are folded.
  package mutating func remove(_ folded: String) { titles.removeAll { Fold.fold($0) == folded } }

  package mutating func add(_ others: NearestTitles) {
    for title in others.titles { add(title, at: others.distance) }
  }
}

/// Looks among records for the titles that are nearest to a text.
package struct TitleGuesser<Item: SourceItem> {
  private typealias Letters = [Unicode.Scalar]

  /// The nearest names. If no name is near, the id or code that is one edit away, provided it is the only one.
  package var nearest: NearestTitles { names.isEmpty && codes.count == 1 ? NearestTitles(of: codes) : names }
  private var names = NearestTitles()
  /// The ids and codes that are one edit away from the text. With several, none is more likely than the others.
  private var codes: Set<String> = []
  /// False when the text is too short to guess from.
  package let canGuess: Bool
  private let letters: [Unicode.Scalar]
  /// The words of the text, if it has several.
  private let words: [[Unicode.Scalar]]
  /// The words of the text when signs separate words too.
  private let parts: [[Unicode.Scalar]]
  /// The text in the form in which ids and codes are compared; empty if it does not look like one.
  private let code: [UInt8]
  /// The number of letters that may be wrong: one, or a quarter of them. With a third, batman would be near to Cayman.
  private let bound: Int
  private let titles: [Field<Item>]
  private let otherNames: [Field<Item>]
  private let codeFields: [Field<Item>]
  /// The largest number of bytes in another name; a longer text is not a name.
  static var longestName: Int { 60 }
  /// The distance from the text to a record's name in another language, by the record's id.
  private var translated: [String: Int] = [:]

  package init(_ text: String, in schema: Schema<Item>, among items: [Item] = []) {
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

  package mutating func look(at item: Item) {
    guard canGuess else { return }
    let titles = titles.flatMap { $0.names(of: item) }
    guard let shown = titles.first else { return }
    if let distance = translated[item.id] { names.add(shown, at: distance) }
    for title in titles {
      if let distance = distance(to: title) { names.add(shown, at: distance) }
    }
    // Other names count one step more, so that an equally near title comes first. A single word of one would be near to too many texts.
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

  /// The smallest number of letters in a code. Shorter codes are near to too many others.
  private static var leastCode: Int { 5 }

  /// Finds a word of a record for each typed word: the same word, a word that begins with it, or a word with few other letters. Returns the
  /// text that has all of them, otherwise the words as the texts write them, with the number of wrong letters. Nil if a word is missing.
  private func name(inWordsOf texts: [String]) -> (name: String, edits: Int)? {
    guard parts.count > 1, hasLetters(texts), let (edits, indices) = near(parts, among: Self.words(in: texts)) else {
      return nil
    }
    let pieces = texts.enumerated().flatMap { index, text in SearchedText.pieces(of: text).map { (text: index, word: $0) } }
    // A sign that folds to letters is a word among the folded ones, but not among these pieces.
    guard let last = indices.max(), last < pieces.count else { return nil }
    let found = indices.map { pieces[$0] }
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

  /// The distance from the text to a title, or to some of its words, which counts a little more; nil if it is too far.
  private func distance(to title: String, orOneWord mayBeOneWord: Bool = true) -> Int? {
    guard hasLetters([title]) else { return nil }
    let words = title.unicodeScalars.split { $0.properties.isWhitespace }.map { SearchText(String($0)).letters }
    let whole = Letters(words.joined())
    let inWords = self.near(self.words, among: words, orBegun: false)
    var near = [edits(to: whole).map { 2 * $0 }, inWords.map { 2 * $0.edits + 1 }]
    if mayBeOneWord, words.count > 1 { near += words.map { edits(to: $0).map { 2 * $0 + 1 } } }
    return near.compactMap { $0 }.min()
  }

  /// False when the texts lack more letters than may be wrong, as most texts do. True for any text beyond ASCII, which is not looked at.
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

  /// Finds a word of its own for each typed one. Returns the number of wrong letters and the words' indices; nil if a typed word has none.
  private func near(_ typed: [Letters], among words: [Letters], orBegun: Bool = true) -> (edits: Int, indices: [Int])? {
    guard typed.count > 1, typed.count <= words.count else { return nil }
    var (chosen, sum) = (typed.map { _ in -1 }, 0)
    // The longest word first, because a short one is near to more words.
    for index in typed.indices.sorted(by: { typed[$0].count > typed[$1].count }) {
      let word = typed[index]
      let most = word.count < 4 ? 0 : max(1, word.count / 4)
      var best: (index: Int, edits: Int)?
      for candidate in words.indices where !chosen.contains(candidate) {
        if words[candidate] == word {
          best = (candidate, 0)
          break
        }
        let isBegun = orBegun && word.count >= SearchedText.leastPart && words[candidate].starts(with: word)
        guard isBegun || most > 0 && abs(words[candidate].count - word.count) <= most else { continue }
        let edits = isBegun ? 0 : Closest.distance(word, words[candidate])
        if edits <= most, edits < best?.edits ?? .max { best = (candidate, edits) }
      }
      guard let best else { return nil }
      chosen[index] = best.index
      sum += best.edits
    }
    return sum <= bound ? (sum, chosen) : nil
  }

  private func edits(to word: Letters) -> Int? {
    guard abs(word.count - letters.count) <= bound else { return nil }
    let distance = Closest.distance(letters, word)
    return distance <= bound && distance < max(word.count, letters.count) ? distance : nil
  }
}

extension SearchText {
  /// True when the text is long enough for near titles to mean something: any two texts of two letters are near to each other.
  package var isGuessable: Bool { letters.count >= 3 }

  fileprivate var letters: [Unicode.Scalar] { isOfJoints ? [] : Array(String(decoding: core, as: UTF8.self).unicodeScalars) }
}

extension Schema {
  /// The fields of a record's titles, and of the other names that count as titles.
  var titleFields: [Field<Item>] { (fields + searchOnly).filter { $0.role == .title } }

  /// The other fields by which a search finds a record: a real name, another name, an e-mail address.
  var otherNameFields: [Field<Item>] {
    fields.filter { $0.role != .title && $0.outline.isSearchable && !$0.outline.isSearchedLast }
  }

  /// The fields whose names suggest that people know the values by a part.
  var codeFields: [Field<Item>] { fields.filter { $0.outline.isSearchedByParts } }

  /// Returns a record's title, and the other names that count as titles.
  package func titles(of item: Item) -> [String] { titleFields.flatMap { $0.names(of: item) } }
}

extension Field {
  func names(of item: Owner) -> [String] {
    let value = value(item)
    var (parts, names): ([String], [String]) = ([], [])
    for way in outline.searched.searchedWays {
      switch value.value(at: way) {
      case .text(let text): parts.append(text)
      case .list(let texts): names += texts.compactMap { $0.text }
      case .null, .bool, .int, .double, .decimal, .object: break
      }
    }
    return (parts.isEmpty ? [] : [parts.joined(separator: " ")]) + names
  }

  /// Returns the texts that a record has in this field, if they are short enough for names.
  func shortTexts(of item: Owner) -> [String] where Owner: SourceItem {
    let texts: [String] =
      switch value(item) {
      case .text(let text): [text]
      case .list(let values): values.compactMap { $0.text }
      case .null, .bool, .int, .double, .decimal, .object: []
      }
    return texts.filter { $0.utf8.count <= TitleGuesser<Owner>.longestName }
  }
}
