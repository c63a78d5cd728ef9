package import AggregatorCore
package import Bodies
package import Programs

/// One list of records in a manifest.
package struct ManifestSource: Sendable, Hashable {
  /// The name that a person types.
  package var name: String
  /// One line about it.
  package var summary: String
  /// The source whose records each have such a list; nil for a list of its own.
  package var parent: String?
  /// The program that prints the records. Such a source has no request, no paging and nothing that belongs to them.
  package var program: SourceProgram?
  /// The list of its records.
  package var list: Listing
  /// The format of the answers.
  package var body = BodyKind.json
  /// The field that is the key of a record, and the fields that make it up if it has several.
  package var key: String
  package var keyParts: [String] = []
  /// The fields that tell a record apart: those that make up the key, or the key itself.
  package var keyFields: [String] { keyParts.isEmpty ? [key] : keyParts }
  /// The members of a row that are its key; empty if the key comes from another place.
  var keyMembers: [String] {
    let members = keyFields.compactMap { name in
      fields.first { $0.name == name && $0.text == nil && $0.path.steps.count == 1 }?.path.names.first
    }
    return members.count == keyFields.count ? members : []
  }
  /// True when the key is only a guess, so that several records may have the same one.
  package var isKeyGuessed = false
  /// True when two records of one answer may have the same key: it was guessed, or the lists below several parents have it and it does not
  /// name the parent.
  package var mayShareKeys: Bool {
    guard let parent else { return isKeyGuessed }
    let namesParent = fields.contains { field in
      keyFields.contains(field.name) && field.text?.names.contains { $0.hasPrefix(parent + ".") } ?? false
    }
    return isKeyGuessed || !namesParent
  }
  /// True when an answer without rows is an error.
  package var isNeverEmpty = false
  /// True when the list belongs to the holder of the key, false when it does not; nil if the file does not say.
  package var declaresPersonal: Bool?
  /// The fields, in the order of their display.
  package var fields: [ManifestField]
  /// The service's own search. Without it the walk searches.
  package var search: Listing?
  /// The request for one full record. Without it the walk finds the record.
  package var detail: Detail?
  package var changes: Changes?
  /// The rules for errors of this source, checked before those of the service.
  package var errors: [ErrorRule] = []
  /// A file of rows beside the manifest, in the source's own fields.
  package var bundled: String?
  /// A recording beside the manifest.
  package var recording: String?

  package init(name: String, summary: String, list: Listing, key: [String], fields: [ManifestField]) {
    (self.name, self.summary, self.list) = (name, summary, list)
    (self.key, keyParts) = key.count == 1 ? (key[0], []) : (ManifestField.jointKey.name, key)
    self.fields = (key.count == 1 ? [] : [.jointKey]) + fields
  }

  /// The location of the rows in an answer.
  package struct RowLocation: Sendable, Hashable {
    /// The path of the list of rows, or of the object that has each row under its key.
    package var path: ValuePath
    /// True when an answer without the list has no rows.
    package var mayBeMissing: Bool
    /// The member of each row whose members are read like the row's own.
    package var unwrap: ValuePath?
    /// The field for the key of a row, if the rows are members of an object.
    package var keyed: String?

    package init(path: ValuePath, mayBeMissing: Bool, unwrap: ValuePath?, keyed: String?) {
      (self.path, self.mayBeMissing, self.unwrap, self.keyed) = (path, mayBeMissing, unwrap, keyed)
    }

    /// Returns the path of a value in a row, in one form: inside the unwrapped member if the path names that.
    fileprivate func rowPath(of path: ValuePath) -> ValuePath { unwrap.flatMap(path.after) ?? path }
  }

  /// A list that comes page by page: the request for a page, the paging, and the location of the rows. The request of a search has only what
  /// differs from that of the list.
  package struct Listing: Sendable, Hashable {
    package var request: ManifestRequest
    package var paging: ManifestPaging
    package var rows: RowLocation
    /// The members of an answer whose statements about it are not heard (``Caveat``).
    package var ignored: Set<ValuePath> = []

    package init(request: ManifestRequest, paging: ManifestPaging, rows: RowLocation) {
      (self.request, self.paging, self.rows) = (request, paging, rows)
    }

    /// The list of a program, which has its own paging. Each row is a message, or a row of its output.
    package static func ofProgram(unwrap: ValuePath? = nil) -> Listing {
      let rows = RowLocation(path: ValuePath(), mayBeMissing: false, unwrap: unwrap, keyed: nil)
      return Listing(request: ManifestRequest(), paging: ManifestPaging(.whole, end: .empty), rows: rows)
    }
  }

  /// A request for one record, and the path of the record in the answer.
  package struct Detail: Sendable, Hashable {
    package var request: ManifestRequest
    package var row: ValuePath
  }

  /// The way to ask for changes.
  package struct Changes: Sendable, Hashable {
    /// The field with the time of a record's last change.
    package var field: String
    /// The request for the changes since a time, the earliest change first.
    package var request: ManifestRequest
    /// The length of time before the last change at which a request for changes begins.
    package var overlap: Duration
  }

  /// The fields that a search looks at, as words for a person: the declared ones, or else those that are found by their names. Nil if there
  /// are none. The schema decides what a search finds.
  package var searches: String? {
    let declared = fields.filter { $0.isSearchable && $0.type.isText }
    let found = declared.isEmpty ? fields.filter { $0.looseField().outline.isFound } : declared
    let names = found.map { $0.name.spaced }
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) or \(last)"
  }

  /// The paging of its list, in the terms of AggregatorCore.
  package var pages: Paging { program == nil ? pages(of: list) : SourceProgram.paging }

  /// Returns the same for another list, whose request is whole.
  package func pages(of listing: Listing) -> Paging {
    listing.paging.paging(asking: listing.request, sharingKeys: isKeyGuessed || mayTie(in: listing.paging))
  }

  /// True when several rows may share the value after which the next page begins. Only the key itself differs in every row.
  private func mayTie(in paging: ManifestPaging) -> Bool {
    guard paging.way.kind == .last else { return false }
    guard list.rows.keyed != key, let field = fields.first(where: { $0.name == key }), field.text == nil,
      let next = paging.way.next, !next.isMany
    else { return true }
    return list.rows.rowPath(of: next) != list.rows.rowPath(of: field.path)
  }

  /// True when its list has no end. A list in one answer has an end, even if nothing says that the answer is everything.
  package var isEndless: Bool { list.paging.end == .never && list.paging.way.kind != .whole }
}

/// One field of a record, and its path in a row.
package struct ManifestField: Sendable, Hashable {
  /// The type in which a value is read; `unix` is seconds since 1970.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case text, integer, number, decimal, boolean, time, unix, date, address, texts, html, json

    package var isText: Bool { self == .text || self == .texts || self == .html || self == .address }
  }

  package var name: String
  /// The path of the value in a row.
  package var path: ValuePath
  /// The template that makes the value, if the row does not have it.
  package var text: Template?
  package var type: Kind
  /// Texts that are read as null.
  package var nulls: Set<String> = []
  /// True when a row without the field cannot be read.
  package var isRequired = false
  package var role = FieldRole.plain
  package var width = FieldWidth.flexible
  package var isSearchable = false
  /// True when only the full record has the field.
  package var isDetail = false
  /// The name of the field for people.
  package var label: String?
  /// The meaning of its values.
  package var about: String?

  package init(_ name: String, at path: ValuePath, as type: Kind) { (self.name, self.path, self.type) = (name, path, type) }

  /// The field for a key of several fields.
  package static var jointKey: ManifestField {
    var field = ManifestField("key", at: "", as: .text)
    (field.isRequired, field.width) = (true, .hidden)
    return field
  }
}

extension String {
  /// `created at` for `createdAt`.
  fileprivate var spaced: String {
    reduce(into: "") { $0 += $1.isUppercase && !$0.isEmpty ? " \($1.lowercased())" : $1.lowercased() }
  }
}
