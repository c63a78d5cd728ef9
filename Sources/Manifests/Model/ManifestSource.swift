public import AggregatorCore

/// One list of records that a manifest describes.
public struct ManifestSource: Sendable {
  /// What a person types.
  public let name: String
  /// One line about it.
  public let summary: String
  /// The source whose records each have such a list; nil of a list by itself.
  public let parent: String?
  /// The request for a page.
  public let list: ManifestRequest
  /// Where its rows are, and how pages follow each other.
  public let rows: RowPlace
  /// How one page leads to the next.
  public let paging: ManifestPaging
  /// The field that makes a record itself.
  public let key: String
  /// The fields whose values make that up, where there are several.
  public let keyParts: [String]
  /// Whether an answer without rows is wrong.
  public let isNeverEmpty: Bool
  /// In the order in which they are shown.
  public let fields: [ManifestField]
  /// The service's own search; without it the walk searches.
  public let search: Search?
  /// One record in full; without it the walk finds it.
  public let detail: Detail?
  /// What changed since when.
  public let changes: Changes?
  /// Looked at before those of the service.
  public let errors: [ErrorRule]
  /// A file of rows beside the manifest, in the source's own fields.
  public let bundled: String?
  /// A recording beside the manifest.
  public let recording: String?

  /// Where rows stand in an answer.
  public struct RowPlace: Sendable, Hashable {
    /// The list of them, or the object in which each stands under its key.
    public let path: ValuePath
    /// Whether an answer without them has none.
    public let mayBeMissing: Bool
    /// The member of each row whose members stand beside the row's own.
    public let unwrap: ValuePath?
    /// The field that the key of a row is, where the rows stand in an object.
    public let keyed: String?
  }

  /// A search by the service.
  public struct Search: Sendable {
    /// The request for a page of matches.
    public let request: ManifestRequest
    /// How its pages follow each other.
    public let paging: ManifestPaging
    /// Where its rows are.
    public let rows: RowPlace
  }

  /// A request for one record.
  public struct Detail: Sendable {
    /// Names the record.
    public let request: ManifestRequest
    /// Where the record is in the answer.
    public let row: ValuePath
  }

  /// How to ask for what changed.
  public struct Changes: Sendable {
    /// The field that says when a record changed.
    public let field: String
    /// The request for what changed since a moment, the earliest change first.
    public let request: ManifestRequest
    /// How far before the last change is asked.
    public let overlap: Duration
  }

  /// What a search looks at; nil where it looks nowhere.
  public var searches: String? {
    let names = fields.filter { $0.isSearchable && $0.type.isText }.map { $0.name.spaced }
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// Whether its list has no end; what comes whole has one, even where nothing says that it is all.
  public var isEndless: Bool { paging.end == .never && paging.way != .whole }

  /// Whether its records have pictures.
  public var hasPictures: Bool { fields.contains { $0.role == .picture } }
}

/// How pages follow each other, and what ends them.
public struct ManifestPaging: Sendable, Hashable {
  /// What leads from page to page.
  public enum Way: String, Sendable, Hashable, CaseIterable {
    /// All rows at once; the rows before it; its number; a token, or the address of the next page; the last row that came.
    case whole, offset, page, token, link, last
  }

  /// When a walk is complete.
  public enum End: String, Sendable, Hashable, CaseIterable {
    /// At the announced total; without a next page; once there is no more; at a page without rows; at the last of the counted pages; not at all.
    case total, next, more, empty, pages, never
  }

  /// Where a number of the answer stands.
  public enum Place: Sendable, Hashable {
    /// In the body, at that path.
    case body(ValuePath)
    /// In the header of that name.
    case header(String)
  }

  /// Where an answer says whether there is more.
  public struct More: Sendable, Hashable {
    /// Where it says so.
    public let path: ValuePath
    /// Whether it says the contrary: that this was the last page.
    public let isContrary: Bool
  }

  /// What leads from page to page.
  public let way: Way
  /// How many rows are asked for.
  public let size: Int
  /// The number of the first page.
  public let first: Int
  /// Where the token, the address or the last row's key stands; nil of a Link header.
  public let next: ValuePath?
  /// What says whether there is more.
  public let more: More?
  /// How many records there are.
  public let total: Place?
  /// How many pages there are.
  public let pages: Place?
  /// When a walk is complete.
  public let end: End
  /// Whether a page by offset may begin a row early.
  public let looksBack: Bool
  /// Whether the list stays what it is while it is walked.
  public let isUnchanging: Bool
  /// Whether the first page is asked for without its place and its size.
  public let startsPlain: Bool

  /// The same in Core's terms.
  package var paging: Paging {
    let end: Paging.End =
      switch self.end {
      case .total: .total
      case .next: .lastToken
      case .more, .pages: .more
      case .empty: .emptyPage
      case .never: .never
      }
    let paging: Paging =
      switch way {
      case .whole: .whole
      case .offset: .offset(size: size, end: end, lookingBack: looksBack)
      case .page: .numbered(from: first, size: size, end: end)
      case .token, .link: .tokens(size: size)
      case .last: .keyset(size: size, end: end)
      }
    return isUnchanging ? paging.unchanging() : paging
  }
}

/// One field of a record, and where a row has it.
public struct ManifestField: Sendable, Hashable {
  /// What a value is read as.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Texts, numbers, and yes or no; moments, of which `unix` are seconds, and days; an address; several texts; HTML made text; as it is.
    case text, integer, number, decimal, boolean, time, unix, date, address, texts, html, json

    package var isText: Bool { self == .text || self == .texts || self == .html || self == .address }
  }

  /// What it is called.
  public let name: String
  /// Where a row has it.
  public let path: ValuePath
  /// What it is put together from, where the row does not have it.
  public let text: Template?
  /// What it is read as.
  public let type: Kind
  /// Texts that stand for nothing.
  public let nulls: Set<String>
  /// Whether a row without it cannot be read.
  public let isRequired: Bool
  /// What it is for.
  public let role: FieldRole
  /// How it behaves in a table.
  public let width: FieldWidth
  /// Whether a search looks at it.
  public let isSearchable: Bool
  /// Whether the full record alone has it.
  public let isDetail: Bool
  /// What people call it.
  public let label: String?
  /// What its values mean.
  public let about: String?
}

extension String {
  /// `createdAt` as `created at`.
  fileprivate var spaced: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? " \($1.lowercased())" : $1.lowercased() }
  }
}
