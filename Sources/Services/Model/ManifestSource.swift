package import AggregatorCore

/// One list of records that a manifest describes.
package struct ManifestSource: Sendable, Hashable {
  /// What a person types.
  package var name: String
  /// One line about it.
  package var summary: String
  /// The source whose records each have such a list; nil of a list by itself.
  package var parent: String?
  /// The request for a page.
  package var list: ManifestRequest
  package var rows: RowPlace
  package var paging: ManifestPaging
  /// The field that makes a record itself, and the fields whose values make that up, where there are several.
  package var key: String
  package var keyParts: [String] = []
  /// Whether an answer without rows is wrong.
  package var isNeverEmpty = false
  /// Whether the list is that of the key's holder, where the file says so.
  package var declaresPersonal: Bool?
  /// In the order in which they are shown.
  package var fields: [ManifestField]
  /// The service's own search; without it the walk searches.
  package var search: Search?
  /// One record in full; without it the walk finds it.
  package var detail: Detail?
  package var changes: Changes?
  /// Looked at before those of the service.
  package var errors: [ErrorRule] = []
  /// A file of rows beside the manifest, in the source's own fields.
  package var bundled: String?
  /// A recording beside the manifest.
  package var recording: String?

  package init(
    name: String, summary: String, list: ManifestRequest, rows: RowPlace, paging: ManifestPaging, key: [String],
    fields: [ManifestField]
  ) {
    (self.name, self.summary, self.list, self.rows, self.paging) = (name, summary, list, rows, paging)
    (self.key, keyParts) = key.count == 1 ? (key[0], []) : (ManifestField.jointKey.name, key)
    self.fields = (key.count == 1 ? [] : [.jointKey]) + fields
  }

  /// Where rows stand in an answer.
  package struct RowPlace: Sendable, Hashable {
    /// The list of them, or the object in which each stands under its key.
    package var path: ValuePath
    /// Whether an answer without them has none.
    package var mayBeMissing: Bool
    /// The member of each row whose members stand beside the row's own.
    package var unwrap: ValuePath?
    /// The field that the key of a row is, where the rows stand in an object.
    package var keyed: String?

    package init(path: ValuePath, mayBeMissing: Bool, unwrap: ValuePath?, keyed: String?) {
      (self.path, self.mayBeMissing, self.unwrap, self.keyed) = (path, mayBeMissing, unwrap, keyed)
    }

    /// The way to a value of a row, the same however it is written: within what is unwrapped, where that is named.
    fileprivate func place(of path: ValuePath) -> ValuePath { unwrap.flatMap(path.behind) ?? path }
  }

  /// A search by the service: the request for a page of matches, how its pages follow each other, and where its rows are.
  package struct Search: Sendable, Hashable {
    package var request: ManifestRequest
    package var paging: ManifestPaging
    package var rows: RowPlace

    package init(request: ManifestRequest, paging: ManifestPaging, rows: RowPlace) {
      (self.request, self.paging, self.rows) = (request, paging, rows)
    }
  }

  /// A request for one record, and where the answer has that.
  package struct Detail: Sendable, Hashable {
    package var request: ManifestRequest
    package var row: ValuePath
  }

  /// How to ask for what changed.
  package struct Changes: Sendable, Hashable {
    /// The field that says when a record changed.
    package var field: String
    /// The request for what changed since a moment, the earliest change first.
    package var request: ManifestRequest
    /// How far before the last change is asked.
    package var overlap: Duration
  }

  /// What a search looks at, for a person: the declared fields; where none is declared, those that are found by their names. Nil where it looks
  /// nowhere. What a search finds is the schema's to say.
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

  package var name: String
  /// Where a row has it.
  package var path: ValuePath
  /// What it is put together from, where the row does not have it.
  package var text: Template?
  package var type: Kind
  /// Texts that stand for nothing.
  package var nulls: Set<String> = []
  /// Whether a row without it cannot be read.
  package var isRequired = false
  package var role = FieldRole.plain
  package var width = FieldWidth.flexible
  package var isSearchable = false
  /// Whether the full record alone has it.
  package var isDetail = false
  /// What people call it.
  package var label: String?
  /// What its values mean.
  package var about: String?

  package init(_ name: String, at path: ValuePath, as type: Kind) { (self.name, self.path, self.type) = (name, path, type) }

  /// The field that a key of several fields is.
  static var jointKey: ManifestField {
    var field = ManifestField("key", at: "", as: .text)
    (field.isRequired, field.width) = (true, .hidden)
    return field
  }
}

extension String {
  /// `createdAt` as `created at`.
  fileprivate var spaced: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? " \($1.lowercased())" : $1.lowercased() }
  }
}
