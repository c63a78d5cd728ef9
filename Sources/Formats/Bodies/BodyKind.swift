/// The format of an answer's body.
package enum BodyKind: String, Sendable, Hashable, CaseIterable {
  /// A document, or a row of JSON on each line.
  case json, ndjson
  /// A table whose first row names the columns, with commas or semicolons between the values, or with tabs.
  case csv, tsv
  /// Elements, as RSS and Atom have them too.
  case xml

  /// The name for a person.
  package var name: String {
    switch self {
    case .json, .xml: rawValue.uppercased()
    case .ndjson, .csv, .tsv: rawValue
    }
  }

  /// True when the rows are the lines of the body, so that their place needs no path.
  package var isOfLines: Bool { self == .ndjson || isTable }
  /// True when the values are texts below a header.
  package var isTable: Bool { self == .csv || self == .tsv }
}
