/// The description of a field without a record: its name, its purpose, and the kinds of its values.
public struct FieldOutline: Sendable, Hashable {
  /// The name in JSON, in csv and for a person.
  public let name: String
  /// The purpose of the field.
  public let role: FieldRole
  /// The behavior in a table.
  public let width: FieldWidth
  /// True when only the full record has the field.
  public let isDetail: Bool
  /// True when the value is computed while a record is shown; then it is not stored.
  public let isComputed: Bool
  /// The pattern that writes a part of a record as one line; nil if its values are listed one after the other.
  public let lineFormat: LineFormat?
  /// The name for people, if the field's own name does not say it: `Nationality`.
  public var label: String?
  /// True when only people see the field: JSON and csv leave it out unless it is requested.
  public var isTextOnly = false
  /// The meaning of the values, when they are codes: `EU Europe, …`.
  public var explanation: String?
  var isSearched: Bool
  /// True when a search finds only whole words here, or beginnings of at least four letters, and ranks them after other searched fields.
  public var isSearchedLast = false
  /// True when a search finds parts of three letters or digits here, as in an id: an e-mail address, a number, a phone number.
  var isSearchedByParts: Bool { namesParts && inner.allSatisfy { $0.path.names.isEmpty && $0.mayBeCode } }
  /// True when the name suggests that people know the values by a part.
  private let namesParts: Bool
  /// The values inside, by their paths from this field.
  private var inner: [Leaf]
  private let valueType: ValueType?
  /// The type that all values have in Swift. Nil if values of any type may come, as in a ``LooseRecord``, which keeps what does not fit.
  public var type: (any FieldValue.Type)? { valueType?.type }

  /// A field. By default it is not searched, not computed, and in every record.
  public init(
    _ name: String, _ role: FieldRole = .plain, width: FieldWidth = .flexible, searchable: Bool = false, detail: Bool = false,
    computed: Bool = false, leaves: [Leaf] = .plain, lineFormat: LineFormat? = nil, type: (any FieldValue.Type)? = nil
  ) {
    (self.name, self.role, self.width) = (name, role, width)
    valueType = type.map(ValueType.init)
    isDetail = detail
    isComputed = computed
    isSearched = searchable
    inner = role == .picture || role == .link ? leaves.map { $0.holding(.address) } : leaves
    self.lineFormat = lineFormat
    namesParts = !computed && role != .weight && CodeName.isCode(name)
  }

  mutating func hold(_ kind: Leaf.Kind) { inner = inner.map { $0.holding(kind) } }

  /// The values inside, by their paths from the record. A plain field is itself the only one.
  public var leaves: [Leaf] { inner.map { $0.inside(self, searched: isSearched) } }

  /// True when a search looks at this field.
  public var isSearchable: Bool { isSearched && inner.contains { $0.isSearchable } }

  /// True when a search looks here because the field is declared searchable, or because its name suggests values that are known by a part.
  package var isFound: Bool { isSearchable || isSearchedByParts }

  /// The paths from here to the texts and whole numbers that a search looks at. Numbers that may have a fraction are measurements.
  var searchedWays: [ArraySlice<String>] {
    isSearched || isSearchedByParts ? inner.filter { $0.isSearchable && $0.kind != .number }.map { $0.path.names[...] } : []
  }
  /// True when a search looks at values here that may be numbers.
  var mayHoldSearchedNumbers: Bool { !searchedWays.isEmpty && inner.contains { $0.isSearchable && $0.mayBeNumber } }

  var searched: FieldOutline { copy(of: self) { $0.isSearched = true } }
}

/// The type of a field's values. Types are equal if they are the same.
private struct ValueType: Sendable, Hashable {
  let type: any FieldValue.Type

  static func == (one: ValueType, other: ValueType) -> Bool { one.type == other.type }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// A value without named values inside: a text, a number, a list.
public struct Leaf: Sendable, Hashable {
  /// The kind of a leaf's value, or of each value if it is a list.
  public enum Kind: String, Sendable, Hashable {
    /// Values of one kind in every record.
    case text, integer, number, bool
    /// A day or a moment, as ISO 8601 writes them.
    case time
    /// The address of a page or a picture.
    case address
    /// A value whose kind is known only when it has come.
    case any
  }

  /// The path to the value, from the record or from the field.
  public private(set) var path: FieldPath
  /// The kind of the value.
  public private(set) var kind: Kind
  /// True when the value may be a list; tsv joins its values.
  public let mayBeList: Bool
  /// True when a search looks at the value.
  public private(set) var isSearchable = true
  /// True when a table leaves the value out unless it is requested.
  public private(set) var isHidden = false

  /// True when the value is always one text, even if it looks like a number: a postcode.
  public var isText: Bool { !mayBeList && (kind == .text || kind == .time || kind == .address) }

  /// True when csv has such a text as JSON, because it could be taken for a value of another kind. A field of texts has only texts. One of
  /// times or addresses may have a list or an object that does not fit.
  package func isJSON(_ text: String) -> Bool {
    if isText {
      guard kind != .text, let first = text.utf8.first, Self.marks.contains(first) else { return false }
    }
    return (try? JSON(Array(text.utf8))) != nil
  }

  /// The bytes with which a list, an object and a text begin in JSON.
  private static let marks = Array("[{\"".utf8)

  fileprivate var mayBeCode: Bool { kind == .text || kind == .integer }
  fileprivate var mayBeNumber: Bool { kind == .integer || kind == .number || kind == .any }

  /// A leaf at the end of `path`. With an empty path it is the field itself.
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

  /// The same leaf with another kind; unchanged if it is not a text.
  fileprivate func holding(_ kind: Kind) -> Leaf {
    copy(of: self) { if self.kind == .text { $0.kind = kind } }
  }
}

extension [Leaf] {
  // Shared constants, because hundreds of fields use them.

  /// One leaf of any kind: the plain value itself.
  public static let plain = [Leaf()]
  /// One leaf: a text.
  public static let text = [Leaf(FieldPath(), .text)]
  /// One leaf: a whole number.
  public static let integer = [Leaf(FieldPath(), .integer)]
  /// One leaf: a number.
  public static let number = [Leaf(FieldPath(), .number)]
  /// One leaf: true or false.
  public static let bool = [Leaf(FieldPath(), .bool)]
  /// One leaf of any kind that may be a list.
  public static let list = [Leaf(mayBeList: true)]

  /// The leaves of a list of such values. A list of parts is a list of any kind.
  var listed: [Leaf] { count == 1 && self[0].path.names.isEmpty ? [Leaf(FieldPath(), self[0].kind, mayBeList: true)] : .list }

  /// Returns the leaves that a person means by `name`: one leaf, or all leaves of a part. If no path is written like that, a dot inside a
  /// name may be written without a backslash.
  package func named(_ name: String) -> [Leaf] {
    let found = filter { $0.path.text == name || $0.path.text.hasPrefix(name + ".") }
    return found.isEmpty ? filter { $0.path.plainText == name } : found
  }

  /// The leaves by the names that a file may use: the written path, or the path without backslashes if that is unique and not the written
  /// path of another leaf.
  package var byName: [String: Leaf] {
    let plain = Dictionary(grouping: self) { $0.path.plainText }.compactMapValues { $0.count == 1 ? $0[0] : nil }
    return plain.merging(map { ($0.path.text, $0) }) { $1 }
  }
}

extension [FieldOutline] {
  /// The leaves of all fields, in order.
  public var leaves: [Leaf] { flatMap { $0.leaves } }

  /// True when a field holds pictures.
  public var hasPictures: Bool { contains { $0.role == .picture } }
}

/// The purpose of a field, with which a card or a page can be laid out without knowing the record.
public enum FieldRole: String, Sendable, Hashable {
  /// No purpose that a layout has to know.
  case plain
  /// The name of the record for a person.
  case title
  /// A text after the title, separated by a comma.
  case qualifier
  /// The line below the title.
  case subtitle
  /// A short code, pinned to the right edge.
  case badge
  /// The address of a picture.
  case picture
  /// The address of a page about the record.
  case link
  /// A number that says how well known the record is. Of equally good matches of a search, the one with the greatest number comes first.
  case weight
  /// The service's own identifier of the record, if that is not the id. Two records with one id have different references.
  case reference
}

/// The behavior of a field in a table. A record's id is in every table, uncut, whatever its field says.
public enum FieldWidth: String, Sendable, Hashable {
  /// Never cut; left out if the terminal has too little room for all of it.
  case whole
  /// Cut when the terminal is narrow, then left out.
  case flexible
  /// Shown only if the other fields leave room: a long text.
  case extra
  /// Shown only on request.
  case hidden
}
