/// A field without a record to read it from: what it is called, what it is for, and which values lie in it.
public struct FieldOutline: Sendable, Hashable {
  /// What JSON, csv and a person call it.
  public let name: String
  /// What it is for.
  public let role: FieldRole
  /// How it behaves in a table.
  public let width: FieldWidth
  /// Whether only the full record has it.
  public let isDetail: Bool
  /// Whether it is worked out when a record is shown; then it is no fact that anybody keeps.
  public let isComputed: Bool
  /// How a part of a record reads as one line; nil where its values stand behind each other.
  public let phrase: Phrase?
  /// What people call it, where its name does not say that: `Nationality`.
  public var label: String?
  /// Whether only people see it: JSON and csv leave it out unless it is asked for.
  public var isTextOnly = false
  /// What its values mean, where they are codes: `EU Europe, …`.
  public var explanation: String?
  var isSearched: Bool
  /// Whether a search finds whole words alone here, or beginnings of some letters, and ranks them behind all else.
  public var isSearchedLast = false
  /// True when a search finds parts of three letters or digits here, as it does in an id: an e-mail address, a number, a phone number.
  var isSearchedByParts: Bool { namesParts && inner.allSatisfy { $0.path.names.isEmpty && $0.mayBeCode } }
  /// True when the name says that its values are known by their parts.
  private let namesParts: Bool
  /// The values inside, by their ways from here.
  private var inner: [Leaf]

  /// A field that is searched, computed or in the full record alone only where that is said.
  public init(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    computed: Bool = false, leaves: [Leaf] = .plain, phrase: Phrase? = nil
  ) {
    (self.name, self.role, self.width) = (name, role, width)
    isDetail = detail
    isComputed = computed
    isSearched = searchable
    inner = role == .picture || role == .link ? leaves.map { $0.holding(.address) } : leaves
    self.phrase = phrase
    namesParts = !computed && role != .weight && CodeName.isCode(name)
  }

  mutating func hold(_ kind: Leaf.Kind) { inner = inner.map { $0.holding(kind) } }

  /// The values inside, or itself where it is a plain one.
  public var leaves: [Leaf] { inner.map { $0.inside(self, searched: isSearched) } }

  /// Whether a search looks here.
  public var isSearchable: Bool { isSearched && inner.contains { $0.isSearchable } }

  /// True when a search looks here because the field is declared so, or because its name says that its values are known by their parts.
  package var isFound: Bool { isSearchable || isSearchedByParts }

  /// The ways from here to the texts that a search looks at.
  var searchedWays: [ArraySlice<String>] {
    isSearched || isSearchedByParts ? inner.filter { $0.isSearchable }.map { $0.path.names[...] } : []
  }
  /// True when a search looks at values here that may be numbers.
  var mayHoldSearchedNumbers: Bool { !searchedWays.isEmpty && inner.contains { $0.isSearchable && $0.mayBeNumber } }

  /// The same field, searched whatever it says itself.
  var searched: FieldOutline { changing(self) { $0.isSearched = true } }
}

/// A value that holds no others by names: a text, a number, a list.
public struct Leaf: Sendable, Hashable {
  /// What a leaf holds, or each value of it where it is a list.
  public enum Kind: String, Sendable, Hashable {
    /// Values of one kind, whichever record they are of.
    case text, integer, number, bool
    /// A day or a moment, as ISO 8601 writes them.
    case time
    /// The address of a page, a picture.
    case address
    /// Known only once it is there.
    case any
  }

  /// The way to it, from the record or from the field.
  public private(set) var path: FieldPath
  /// What it holds.
  public private(set) var kind: Kind
  /// Whether it may be a list, whose values tsv joins.
  public let mayBeList: Bool
  /// Whether a search looks at it.
  public private(set) var isSearchable = true
  /// Whether a table leaves it out unless it is asked for.
  public private(set) var isHidden = false

  /// Whether it is a text, whatever it looks like: a postcode.
  public var isText: Bool { !mayBeList && (kind == .text || kind == .time || kind == .address) }

  /// True when its values may be codes: texts or whole numbers.
  fileprivate var mayBeCode: Bool { kind == .text || kind == .integer }
  fileprivate var mayBeNumber: Bool { kind == .integer || kind == .number || kind == .any }

  /// A leaf at the end of that way; without a way it is the field itself.
  public init(_ path: FieldPath = FieldPath(), _ kind: Kind = .any, mayBeList: Bool = false) {
    (self.path, self.kind, self.mayBeList) = (path, kind, mayBeList)
  }

  fileprivate func inside(_ field: FieldOutline, searched isSearched: Bool) -> Leaf {
    var leaf = self
    leaf.path.names.insert(field.name, at: 0)
    leaf.isSearchable = isSearched && isSearchable
    leaf.isHidden = isHidden || field.width == .hidden
    return leaf
  }

  /// The same leaf of that kind, where it is a text.
  fileprivate func holding(_ kind: Kind) -> Leaf {
    changing(self) { if self.kind == .text { $0.kind = kind } }
  }
}

extension [Leaf] {
  // Made once, for hundreds of fields have them.

  /// What a plain value is: one leaf, itself.
  public static let plain = [Leaf()]
  /// A text, itself.
  public static let text = [Leaf(FieldPath(), .text)]
  /// A whole number, itself.
  public static let integer = [Leaf(FieldPath(), .integer)]
  /// A number, itself.
  public static let number = [Leaf(FieldPath(), .number)]
  /// Yes or no, itself.
  public static let bool = [Leaf(FieldPath(), .bool)]
  /// A list of anything, or what may be one.
  public static let list = [Leaf(mayBeList: true)]

  /// A list of such values; of parts it is one of anything.
  var listed: [Leaf] { count == 1 && self[0].path.names.isEmpty ? [Leaf(FieldPath(), self[0].kind, mayBeList: true)] : .list }

  /// What a person calls `name`: a leaf, or all in a part. Where nothing is written so, a dot in a name may stand as it is.
  package func named(_ name: String) -> [Leaf] {
    let found = filter { $0.path.text == name || $0.path.text.hasPrefix(name + ".") }
    return found.isEmpty ? filter { $0.path.plainText == name } : found
  }

  /// The leaves by what a file calls them: by the path as it is written, and where that is another's by nothing else.
  package var byName: [String: Leaf] {
    let plain = Dictionary(grouping: self) { $0.path.plainText }.compactMapValues { $0.count == 1 ? $0[0] : nil }
    return plain.merging(map { ($0.path.text, $0) }) { $1 }
  }
}

extension [FieldOutline] {
  /// The leaves of all fields.
  public var leaves: [Leaf] { flatMap { $0.leaves } }

  /// Whether such records have pictures.
  public var hasPictures: Bool { contains { $0.role == .picture } }
}

/// What a field is for, so that a card or a page can be laid out without knowing the record.
public enum FieldRole: String, Sendable, Hashable {
  /// Nothing that a layout has to know.
  case plain
  /// What a person calls the record.
  case title
  /// What stands behind the title, after a comma.
  case qualifier
  /// The line below the title.
  case subtitle
  /// A short code, pinned to the right edge.
  case badge
  /// The address of a picture.
  case picture
  /// The address of a page about the record.
  case link
  /// A number that says how well known the record is: of those that match a search alike, the one with the greatest comes first.
  case weight
  /// What the service calls the record, where that is not its id: of two records with one id, each has its own.
  case reference
}

/// How a field behaves in a table. A record's id is in every table, and whole, whatever its field says.
public enum FieldWidth: String, Sendable, Hashable {
  /// Never cut; left out where the terminal has no room for all of it.
  case whole
  /// Cut when the terminal is narrow, then left out.
  case flexible
  /// Only where the others leave room: a long text.
  case extra
  /// Not in the table unless asked for.
  case hidden
}
