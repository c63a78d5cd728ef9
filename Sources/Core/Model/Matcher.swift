/// Finds the records that match a person's text, by the rule of ``SearchText``, and tells which match best.
public struct Matcher<Item: SourceItem>: Sendable {
  // Functions and not the fields that have them: to take a field out of an array costs a look for its type, for every record.
  private let values: [@Sendable (Item) -> Value]
  private let weight: (@Sendable (Item) -> Value)?
  let sight: MatchSight

  /// Finds that text in what a search looks at of such records.
  public init(_ text: String, in schema: Schema<Item>) {
    let searched = schema.fields.map { ($0, $0.outline) } + schema.searchOnly.map { ($0, $0.outline.searched) }
    let places = searched.filter { !$0.1.searchedWays.isEmpty }
    values = places.map { $0.0.value }
    let weight = schema.fields.first { $0.role == .weight }
    self.weight = weight?.value
    sight = MatchSight(
      SearchText(text), places.map { MatchSight.SearchedField($0.1) }, weight: weight?.name, names: schema.translations)
  }

  /// Whether every record matches.
  public var isEmpty: Bool { sight.text.isEmpty }

  /// Whether a search for the text gives the record.
  public func matches(_ item: Item) -> Bool { rank(item) != nil }

  /// How well a record matches, the least best; nil when it does not.
  public func rank(_ item: Item) -> MatchRank? {
    var sight = sight
    return rank(item, by: &sight)
  }

  private func rank(_ item: Item, by sight: inout MatchSight) -> MatchRank? {
    sight.begin(id: item.id)
    for index in values.indices { sight.see(values[index](item), at: index) }
    return sight.place.map { MatchRank($0, weight: weight?(item)) }
  }

  func ranked(_ items: [Item]) -> [Item] {
    guard !isEmpty else { return items }
    var sight = sight
    var found: [Int] = []
    var ranks: [MatchRank] = []
    for index in items.indices {
      guard let rank = rank(items[index], by: &sight) else { continue }
      found.append(index)
      ranks.append(rank)
    }
    return MatchRank.order(of: ranks).map { items[found[$0]] }
  }
}

extension Matcher where Item: Record {
  /// Finds that text in what a search looks at of such records.
  public init(_ text: String) { self.init(text, in: Item.schema) }
}

/// What a search sees of one record after the other, and how well that matches: the part of a ``Matcher`` that needs no type.
struct MatchSight: Sendable {
  /// A field that is searched, and the ways from there to the texts that are.
  struct SearchedField: Sendable {
    let name: String
    let ways: [ArraySlice<String>]
    fileprivate let kind: Kind
    /// True when its values are found by their parts, too.
    fileprivate let isCode: Bool

    fileprivate enum Kind: Int { case title, other, last, code }

    init(_ field: FieldOutline) {
      name = field.name
      ways = field.searchedWays
      isCode = field.isSearchedByParts
      kind =
        !field.isSearched ? .code : field.isSearchedLast ? .last : field.role == .title ? .title : .other
    }
  }

  let text: SearchText
  private let places: [SearchedField]
  private let weight: String?
  /// The values of a record by the kind of their field.
  private var seen: [SearchedText]
  private var titles: SearchedText { seen[0] }
  private var others: SearchedText { seen[1] }
  private var last: SearchedText { seen[2] }
  private var codes: SearchedText { seen[3] }
  /// Whose name in another language the text is, and its words.
  private let named: NameTable.Matches
  private let namedByWords: [NameTable.Matches]
  private var id = ""
  private var reader = JSON.Reader()

  init(_ text: SearchText, _ places: [SearchedField], weight: String?, names: NameTable?) {
    (self.text, self.places, self.weight) = (text, places, weight)
    seen = Array(repeating: text.emptyValues, count: 3) + [SearchedText(.letters)]
    named = names?.find(text.core) ?? NameTable.Matches()
    namedByWords = text.isOneWord ? [] : names.map { names in text.words.map { names.find($0) } } ?? []
  }

  /// Whether a record may match by a name that is in none of its fields.
  var knowsOtherNames: Bool { !named.isEmpty || namedByWords.contains { !$0.isEmpty } }

  /// How well a record matches whose own fields are those in `body`, as a store keeps them.
  mutating func rank(body: [UInt8], id: String) throws -> MatchRank? {
    let body = try reader.read(body)
    begin(id: id)
    see(body) { $0.kind == .title }
    // Nearly every hit has the text in its title, and then it matters no more where else.
    if placeInTitle == nil { see(body) { $0.kind != .title } }
    return place.map { MatchRank($0, weight: weight.flatMap { body[$0]?.value }) }
  }

  private mutating func see(_ body: JSON, where isSeen: (SearchedField) -> Bool) {
    for place in places where isSeen(place) {
      if let value = body[place.name] { see(value, in: place) }
    }
  }

  mutating func begin(id: String) {
    for index in seen.indices { seen[index].removeAll() }
    self.id = id
  }

  mutating func see(_ value: Value, at index: Int) { see(value, in: places[index]) }

  private mutating func see(_ value: some SearchedValue, in place: SearchedField) {
    seen[place.kind.rawValue].append(value, at: place.ways)
    if place.isCode, place.kind != .code { seen[SearchedField.Kind.code.rawValue].append(value, at: place.ways) }
  }

  /// Where the record has the text; nil where it does not.
  var place: MatchRank.Level? {
    if let placeInTitle { return placeInTitle }
    let place = placeOfWords
    guard let whole = placeOfWhole else { return place }
    return min(whole, place ?? whole)
  }

  /// Where the record's id, its title or its name in another language has the text.
  private var placeInTitle: MatchRank.Level? {
    if text.isEmpty { return .insideTitle }
    if text.isWhole(text.whole, of: id) { return .id }
    let title = text.place(in: titles)
    if title == .exact { return .title }
    return named.whole.contains(id) ? .otherName : title.map { MatchRank.Level(inTitle: $0) }
  }

  /// Where the record has it in one piece, beside its title.
  private var placeOfWhole: MatchRank.Level? {
    if text.place(in: others) != nil { return .otherField }
    if named.begun.contains(id) { return .partOfOtherName }
    if last.hasWord(text.core) { return .lastField }
    return isPartOfCode(text.core) ? .partOfCode : nil
  }

  /// True when the id, or a value that is known by its parts, has the word.
  private func isPartOfCode(_ word: [UInt8]) -> Bool {
    guard !text.isOfJoints, word.count >= SearchedText.leastPart else { return false }
    if codes.hasPart(word) { return true }
    guard id.utf8.count >= word.count else { return false }
    var letters = SearchedText(.letters)
    letters.append(id)
    letters.endValue()
    return letters.hasPart(word)
  }

  /// Where the record has all the words, though not in one piece; nil also where there is but one.
  private var placeOfWords: MatchRank.Level? {
    guard !text.isOneWord else { return nil }
    // A title that has them has them at the beginning of a word at best.
    var worst = MatchRank.Level.wordOfTitle
    for (index, word) in text.words.enumerated() {
      guard let place = place(of: word, index) else { return nil }
      worst = max(worst, place)
    }
    return worst
  }

  private func place(of word: [UInt8], _ index: Int) -> MatchRank.Level? {
    if let place = titles.place(of: word) { return MatchRank.Level(inTitle: place) }
    if others.place(of: word) != nil || text.isWhole(word, of: id) { return .otherField }
    if namedByWords.indices.contains(index), namedByWords[index].has(id) { return .partOfOtherName }
    if last.hasWord(word) { return .lastField }
    return isPartOfCode(word) ? .partOfCode : nil
  }
}

/// How well a record matches a text, the least best: by where it was found, then by the record's own weight, the greatest first.
public struct MatchRank: Sendable, Hashable, Comparable {
  /// Where it was found, the best first; another name is one in another language.
  enum Level: Int, Comparable {
    case id, title, otherName, beginningOfTitle, wordOfTitle, insideTitle, otherField, partOfOtherName, lastField, partOfCode

    init(inTitle place: MatchPlace) {
      switch place {
      case .exact: self = .title
      case .beginning: self = .beginningOfTitle
      case .wordBeginning: self = .wordOfTitle
      case .inside: self = .insideTitle
      }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The place alone, by which records of several sources are compared: a weight says nothing beyond its own source.
  package let place: Int
  private let weight: Double

  init(_ place: Level, weight: Value?) {
    self.place = place.rawValue
    self.weight = weight?.number ?? -.infinity
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.place == right.place ? left.weight > right.weight : left.place < right.place
  }

  /// True when the text is the id, a title, or the beginning of a title's word.
  package var isWordOfTitle: Bool { place <= Level.wordOfTitle.rawValue }

  /// How many matches are ranked: of more, the first so many of the list, and the others follow as the list has them.
  static var most: Int { 1_000 }

  /// The places of matches in a list, the best match first; of those that match alike, the first of the list.
  package static func order(of ranks: [MatchRank]) -> [Int] {
    let ranked = ranks.indices.prefix(most)
    return ranked.sorted { ranks[$0] < ranks[$1] || !(ranks[$1] < ranks[$0]) && $0 < $1 } + ranks.indices.dropFirst(most)
  }
}

extension Value {
  fileprivate var number: Double? {
    switch self {
    case .int(let number): Double(number)
    case .decimal(let number): number.double
    case .double(let number): number.isNaN ? nil : number
    case .null, .bool, .text, .list, .object: nil
    }
  }
}
