package import AggregatorCore
package import Inference
package import Manifests

/// One list of a service as a manifest will describe it.
package struct SourceDraft: Sendable {
  /// What a person types.
  package var name: String
  /// One line about it.
  package var summary: String
  /// What is asked for the first page, its place and its size included.
  package var request: NamedRequest
  /// Where the rows are, and how pages follow each other.
  package var rows: FieldPath
  /// Whether an answer without them has none.
  package var rowsMayBeMissing = false
  /// Whether they stand in an object, each under its key.
  package var isKeyed = false
  /// The member of each row whose members stand beside the row's own.
  package var unwrap: FieldPath?

  /// How one page leads to the next.
  package var paging: PagingModel
  /// How many rows are asked for; nil where nothing says so.
  package var pageSize: Int?
  /// What asks for so many.
  package var size: Parameter?
  /// What says how many rows there are; only what can be trusted: a walk ends by it.
  package var total: TotalModel?
  /// What says how many pages there are.
  package var pageCount: TotalModel?
  /// What says whether there is more.
  package var more: MoreModel?
  /// Why there may be more rows than can be followed: no walk is complete then.
  package var doubt: String?
  /// Whether the first page is asked for without its place and its size.
  package var startsPlain = false

  /// The names of the fields that make a row itself.
  package var key: [String]
  /// In the order in which they are shown.
  package var fields: [FieldDraft]
  /// Whether a recording lies beside the manifest.
  package var isRecorded = true
  /// What carries a person's text, and where that is asked if elsewhere.
  package var search: (parameter: Parameter, address: WebAddress?)?
}

/// One field as a manifest will describe it.
package struct FieldDraft: Sendable, Hashable {
  package var name: String
  /// Where a row has it.
  package var path: ValuePath
  package var type: ManifestField.Kind
  package var role = FieldRole.plain
  package var width = FieldWidth.flexible
  package var isSearchable = false
  package var about: String?
}
