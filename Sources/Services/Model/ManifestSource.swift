package import AggregatorCore

/// One list of records that a manifest describes.
package struct ManifestSource: Sendable {
  /// What a person types.
  package let name: String
  /// One line about it.
  package let summary: String
  /// The source whose records each have such a list; nil of a list by itself.
  package let parent: String?
  /// The request for a page.
  package let list: ManifestRequest
  package let rows: RowPlace
  package let paging: ManifestPaging
  /// The field that makes a record itself, and the fields whose values make that up, where there are several.
  package let key: String
  package let keyParts: [String]
  /// Whether an answer without rows is wrong.
  package let isNeverEmpty: Bool
  /// Whether the list is that of the key's holder, where the file says so.
  let declaresPersonal: Bool?
  /// In the order in which they are shown.
  package let fields: [ManifestField]
  /// The service's own search; without it the walk searches.
  package let search: Search?
  /// One record in full; without it the walk finds it.
  package let detail: Detail?
  package let changes: Changes?
  /// Looked at before those of the service.
  package let errors: [ErrorRule]
  /// A file of rows beside the manifest, in the source's own fields.
  package let bundled: String?
  /// A recording beside the manifest.
  package let recording: String?

  /// Where rows stand in an answer.
  package struct RowPlace: Sendable, Hashable {
    /// The list of them, or the object in which each stands under its key.
    package let path: ValuePath
    /// Whether an answer without them has none.
    package let mayBeMissing: Bool
    /// The member of each row whose members stand beside the row's own.
    package let unwrap: ValuePath?
    /// The field that the key of a row is, where the rows stand in an object.
    package let keyed: String?

    /// The way to a value of a row, the same however it is written: within what is unwrapped, where that is named.
    fileprivate func place(of path: ValuePath) -> ValuePath { unwrap.flatMap(path.behind) ?? path }
  }

  /// A search by the service: the request for a page of matches, how its pages follow each other, and where its rows are.
  package struct Search: Sendable {
    package let request: ManifestRequest
    package let paging: ManifestPaging
    package let rows: RowPlace
  }

  /// A request for one record, and where the answer has that.
  package struct Detail: Sendable {
    package let request: ManifestRequest
    package let row: ValuePath
  }

  /// How to ask for what changed.
  package struct Changes: Sendable {
    /// The field that says when a record changed.
    package let field: String
    /// The request for what changed since a moment, the earliest change first.
    package let request: ManifestRequest
    /// How far before the last change is asked.
    package let overlap: Duration
  }

  /// What a search looks at; nil where it looks nowhere.
  package var searches: String? {
    let declared = fields.filter { $0.isSearchable && $0.type.isText }
    let found = declared.isEmpty ? fields.filter { $0.looseField().outline.isFound } : declared
    let names = found.map { $0.name.spaced }
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// How the pages of its list follow each other, in Core's terms.
  package var pages: Paging { pages(of: paging, asking: list) }

  /// The same of pages that are asked for with `request`.
  package func pages(of paging: ManifestPaging, asking request: ManifestRequest) -> Paging {
    paging.paging(asking: request, sharingKeys: mayTie(in: paging))
  }

  /// Whether several rows may share the value behind which such pages go on; only the value that is the key by itself is no other row's.
  private func mayTie(in paging: ManifestPaging) -> Bool {
    guard paging.way.kind == .last else { return false }
    guard rows.keyed != key, let field = fields.first(where: { $0.name == key }), field.text == nil,
      let next = paging.way.next, !next.isMany
    else { return true }
    return rows.place(of: next) != rows.place(of: field.path)
  }

  /// Whether its list has no end; what comes whole has one, even where nothing says that it is all.
  package var isEndless: Bool { paging.end == .never && paging.way.kind != .whole }
}

/// One field of a record, and where a row has it.
package struct ManifestField: Sendable, Hashable {
  /// What a value is read as; `unix` are seconds since 1970.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case text, integer, number, decimal, boolean, time, unix, date, address, texts, html, json

    package var isText: Bool { self == .text || self == .texts || self == .html || self == .address }
  }

  package let name: String
  /// Where a row has it.
  package let path: ValuePath
  /// What it is put together from, where the row does not have it.
  package let text: Template?
  package let type: Kind
  /// Texts that stand for nothing.
  package let nulls: Set<String>
  /// Whether a row without it cannot be read.
  package let isRequired: Bool
  package let role: FieldRole
  package let width: FieldWidth
  package var isSearchable: Bool
  /// Whether the full record alone has it.
  package let isDetail: Bool
  /// What people call it.
  package let label: String?
  /// What its values mean.
  package let about: String?
}

extension String {
  /// `createdAt` as `created at`.
  fileprivate var spaced: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? " \($1.lowercased())" : $1.lowercased() }
  }
}
