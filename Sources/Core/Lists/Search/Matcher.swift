/// Finds the records that match a person's text, by the rules of ``SearchText``, and ranks them.
public struct Matcher<Item: SourceItem>: Sendable {
  /// Shows a record's searched fields.
  // One function instead of a list, because taking an element out of a list looks its type up for every record.
  private let show: @Sendable (Item, inout MatchSight) -> Void
  private let weight: (@Sendable (Item) -> Value)?
  let sight: MatchSight

  /// A matcher for the searched fields of such records.
  public init(_ text: String, in schema: Schema<Item>) {
    var outlines: [FieldOutline] = []
    var show: @Sendable (Item, inout MatchSight) -> Void = { _, _ in }
    // Lists of pairs would be looked up by their types at every start.
    func add(_ fields: [Field<Item>], isSearchOnly: Bool) {
      for field in fields {
        let outline = isSearchOnly ? field.outline.searched : field.outline
        guard !outline.searchedWays.isEmpty else { continue }
        let (earlier, value, index) = (show, field.value, outlines.count)
        show = { item, sight in
          earlier(item, &sight)
          sight.see(value(item), at: index)
        }
        outlines.append(outline)
      }
    }
    add(schema.fields, isSearchOnly: false)
    add(schema.searchOnly, isSearchOnly: true)
    self.show = show
    let weight = schema.outline.firstIndex { $0.role == .weight }.map { schema.fields[$0] }
    self.weight = weight?.value
    sight = MatchSight(
      SearchText(text), outlines.map { MatchSight.SearchedField($0) }, weight: weight?.name, names: schema.translations)
  }

  /// True when the text is empty, so that every record matches.
  public var isEmpty: Bool { sight.text.isEmpty }

  /// True when a search for the text finds the record.
  public func matches(_ item: Item) -> Bool { rank(item) != nil }

  /// Returns the rank of a record, of which the smallest is the best; nil if the record does not match.
  public func rank(_ item: Item) -> MatchRank? {
    var sight = sight
    return rank(item, by: &sight)
  }

  private func rank(_ item: Item, by sight: inout MatchSight) -> MatchRank? {
    var id = item.id
    id.withUTF8 { sight.begin(id: $0) }
    show(item, &sight)
    return sight.level.map { MatchRank($0, weight: weight?(item)) }
  }

  func ranked(_ items: [Item]) -> [Item] { ranked(items) { rank($0, by: &$1) } }

  /// Returns the matching ones of rows as a store keeps them, best first.
  func ranked(_ rows: [JSON], idAt path: FieldPath) throws -> [JSON] {
    try ranked(rows) { row, sight in
      let id = try row.value(at: path)
      if let id, id.kind == .number { return try id.raw.withUnsafeBufferPointer { try sight.rank(row, id: $0) } }
      guard let rank = try id?.withText({ try sight.rank(row, id: $0) }) else { throw row.missing(path.text) }
      return rank
    }
  }

  private func ranked<Row>(_ rows: [Row], by rank: (Row, inout MatchSight) throws -> MatchRank?) rethrows -> [Row] {
    guard !isEmpty else { return rows }
    var sight = sight
    var found: [Int] = []
    var ranks: [MatchRank] = []
    for index in rows.indices {
      guard let rank = try rank(rows[index], &sight) else { continue }
      found.append(index)
      ranks.append(rank)
    }
    return MatchRank.order(of: ranks).map { rows[found[$0]] }
  }

  /// Returns what a search reads otherwise in the row than in the record: the id's path, the weight's name, or `text`; nil if nothing.
  func difference(between item: Item, and row: JSON, idAt path: FieldPath) throws -> String? {
    let id = try row.value(at: path).flatMap { $0.kind == .number ? String(decoding: $0.raw, as: UTF8.self) : $0.value.text }
    if id != item.id { return path.text }
    if let weight = sight.weight, row[weight]?.value.number != self.weight?(item).number { return weight }
    var (ofItem, ofRow) = (sight, sight)
    show(item, &ofItem)
    ofRow.seeAll(of: row)
    return ofItem.seenTexts == ofRow.seenTexts ? nil : "text"
  }
}

extension Matcher where Item: Record {
  /// A matcher for the searched fields of such records.
  public init(_ text: String) { self.init(text, in: Item.schema) }
}

/// Collects what a search sees of one record after the other, and ranks it. The part of a ``Matcher`` that needs no type.
struct MatchSight: Sendable {
  /// A searched field, and the paths from there to the searched texts.
  struct SearchedField: Sendable {
    let name: String
    let ways: [ArraySlice<String>]
    /// True when the value itself is the text, as for nearly all fields.
    fileprivate let isPlain: Bool
    fileprivate let kind: Kind
    /// True when the values are also found by their parts.
    fileprivate let isCode: Bool

    fileprivate enum Kind: Int { case title, other, last, code }

    init(_ field: FieldOutline) {
      name = field.name
      ways = field.searchedWays
      isPlain = ways.count == 1 && ways[0].isEmpty
      isCode = field.isSearchedByParts
      kind =
        !field.isSearched ? .code : field.isSearchedLast ? .last : field.role == .title ? .title : .other
    }
  }

  let text: SearchText
  private let fields: [SearchedField]
  /// The indices of the fields that are titles, and those of all others.
  private let (titleFields, otherFields): ([Int], [Int])
  fileprivate let weight: String?
  /// The values of the record, by the kind of their field.
  private var seen: [SearchedText]
  private var titles: SearchedText { seen[0] }
  private var others: SearchedText { seen[1] }
  private var last: SearchedText { seen[2] }
  private var codes: SearchedText { seen[3] }
  /// The records that have the text, or one of its words, as a name in another language.
  private let named: NameTable.Matches
  private let namedByWords: [NameTable.Matches]
  /// The id of the record in UTF-8. A string would be made and counted for each record.
  private var id: [UInt8] = []
  private var reader = JSON.Reader()

  init(_ text: SearchText, _ fields: [SearchedField], weight: String?, names: NameTable?) {
    (self.text, self.fields, self.weight) = (text, fields, weight)
    titleFields = fields.indices.filter { fields[$0].kind == .title }
    otherFields = fields.indices.filter { fields[$0].kind != .title }
    seen = Array(repeating: text.emptyValues, count: 3) + [SearchedText(.letters)]
    named = names?.find(text.core) ?? NameTable.Matches()
    namedByWords = text.isOneWord ? [] : names.map { names in text.words.map { names.find($0) } } ?? []
  }

  /// True when a record may match by a name that is in none of its fields.
  var knowsOtherNames: Bool { !named.isEmpty || namedByWords.contains { !$0.isEmpty } }

  /// Returns the rank of a record whose fields are in `body`, as a store keeps them; nil if it does not match.
  mutating func rank(body: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>) throws -> MatchRank? {
    try rank(reader.read(body, from: TextLocation()), id: id)
  }

  mutating func rank(_ body: JSON, id: UnsafeBufferPointer<UInt8>) throws -> MatchRank? {
    guard body.kind == .object else { throw body.error("expected an object") }
    begin(id: id)
    see(body, titleFields)
    // Nearly every hit has the text in its title; then the other fields cannot make the rank better.
    var found = levelInTitle
    if found == nil {
      see(body, otherFields)
      found = levelOutsideTitle
    }
    return found.map { MatchRank($0, weight: weight.flatMap { body[$0]?.value }) }
  }

  fileprivate mutating func seeAll(of body: JSON) { see(body, Array(fields.indices)) }

  /// The texts that were seen of the record, by the kind of their field.
  fileprivate var seenTexts: [[UInt8]] { seen.map { Array($0.bytes) } }

  private mutating func see(_ body: JSON, _ indices: [Int]) {
    for index in indices {
      if let value = body[fields[index].name] { see(value, at: index) }
    }
  }

  mutating func begin(id: UnsafeBufferPointer<UInt8>) {
    for index in seen.indices { seen[index].removeAll() }
    self.id.removeAll(keepingCapacity: true)
    self.id.append(contentsOf: id)
  }

  mutating func see(_ value: some SearchedValue, at index: Int) {
    let kind = fields[index].kind
    append(value, at: index, to: kind)
    if fields[index].isCode, kind != .code { append(value, at: index, to: .code) }
  }

  // A copy of the field would be counted for each value.
  private mutating func append(_ value: some SearchedValue, at index: Int, to kind: SearchedField.Kind) {
    if fields[index].isPlain {
      value.append(to: &seen[kind.rawValue])
      seen[kind.rawValue].endValue()
    } else {
      seen[kind.rawValue].append(value, at: fields[index].ways)
    }
  }

  /// The best level at which the record has the text; nil if it does not.
  var level: MatchRank.Level? { levelInTitle ?? levelOutsideTitle }

  private var levelOutsideTitle: MatchRank.Level? {
    let level = levelOfWords
    guard let whole = levelOfWhole else { return level }
    return min(whole, level ?? whole)
  }

  /// The level of a match in the record's id, its title or its name in another language; nil if the text is in none of them.
  private var levelInTitle: MatchRank.Level? {
    if text.isEmpty { return .insideTitle }
    if text.isWhole(text.whole, of: id) { return .id }
    let title = text.quality(in: titles)
    if title == .exact { return .title }
    return isAmong(named.whole) ? .otherName : title.map { MatchRank.Level(inTitle: $0) }
  }

  private func isAmong(_ ids: [String]) -> Bool { !ids.isEmpty && ids.contains(String(decoding: id, as: UTF8.self)) }

  /// The level outside the title at which the record has the text in one piece.
  private var levelOfWhole: MatchRank.Level? {
    if text.quality(in: others) != nil { return .otherField }
    if isAmong(named.begun) { return .partOfOtherName }
    if last.hasWord(text.core) { return .lastField }
    return isPartOfCode(text.core) ? .partOfCode : nil
  }

  /// True when the id, or a value that is known by its parts, contains the word.
  private func isPartOfCode(_ word: [UInt8]) -> Bool {
    guard !text.isOfJoints, word.count >= SearchedText.leastPart else { return false }
    if codes.hasPart(word) { return true }
    guard id.count >= word.count else { return false }
    var letters = SearchedText(.letters)
    id.withUnsafeBufferPointer { letters.append(utf8: $0) }
    letters.endValue()
    return letters.hasPart(word)
  }

  /// The level of a record that has all the words, though not in one piece. Nil if a word is missing, or if the text is a single word.
  private var levelOfWords: MatchRank.Level? {
    guard !text.isOneWord else { return nil }
    // Separate words rank at best like a word at the beginning of a title's word.
    var worst = MatchRank.Level.wordOfTitle
    for (index, word) in text.words.enumerated() {
      guard let level = level(of: word, index) else { return nil }
      worst = max(worst, level)
    }
    return worst
  }

  private func level(of word: [UInt8], _ index: Int) -> MatchRank.Level? {
    if let quality = titles.quality(of: word) { return MatchRank.Level(inTitle: quality) }
    if others.quality(of: word) != nil || text.isWhole(word, of: id) { return .otherField }
    if namedByWords.indices.contains(index), isAmong(namedByWords[index].whole) || isAmong(namedByWords[index].begun) {
      return .partOfOtherName
    }
    if last.hasWord(word) { return .lastField }
    return isPartOfCode(word) ? .partOfCode : nil
  }
}

/// The rank of a record that matches a text; smaller is better. Compares the level of the match first, then the record's own weight, the
/// greatest first.
public struct MatchRank: Sendable, Hashable, Comparable {
  /// The level of a match, best first. `otherName` is a name in another language.
  enum Level: Int, Comparable {
    case id, title, otherName, beginningOfTitle, wordOfTitle, insideTitle, otherField, partOfOtherName, lastField, partOfCode

    init(inTitle quality: MatchQuality) {
      switch quality {
      case .exact: self = .title
      case .beginning: self = .beginningOfTitle
      case .wordBeginning: self = .wordOfTitle
      case .inside: self = .insideTitle
      }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// The level alone. Records of several sources are compared by it, because a weight means nothing outside its own source.
  package let level: Int
  private let weight: Double

  init(_ level: Level, weight: Value?) {
    self.level = level.rawValue
    self.weight = weight?.number ?? -.infinity
  }

  public static func < (left: Self, right: Self) -> Bool {
    left.level == right.level ? left.weight > right.weight : left.level < right.level
  }

  /// True when the text is the id, a title, or the beginning of a title's word.
  package var isWordOfTitle: Bool { level <= Level.wordOfTitle.rawValue }

  /// The number of matches that are ranked. They are the first in the list; the others follow in the order of the list.
  static var most: Int { 1_000 }

  /// Returns the indices of matches, best first; equal ranks keep the order of the list.
  package static func order(of ranks: [MatchRank]) -> [Int] {
    var levels: [[Int]] = []
    for index in ranks.indices.prefix(most) {
      while levels.count <= ranks[index].level { levels.append([]) }
      levels[ranks[index].level].append(index)
    }
    var order: [Int] = []
    order.reserveCapacity(ranks.count)
    for var level in levels {
      // Most lists have no weights, and are in order already.
      if let first = level.first, level.contains(where: { ranks[$0].weight != ranks[first].weight }) {
        level.sort { ranks[$0].weight == ranks[$1].weight ? $0 < $1 : ranks[$0].weight > ranks[$1].weight }
      }
      order.append(contentsOf: level)
    }
    order.append(contentsOf: ranks.indices.dropFirst(most))
    return order
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
