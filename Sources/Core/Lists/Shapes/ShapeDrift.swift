/// One change in the shape of a list's rows.
public struct ShapeDrift: Part {
  /// The kind of change.
  public enum Kind: String, FieldValue {
    /// A field that nearly every record had is now in fewer than half of them.
    case absent = "missing"
    /// A tenth of the rows or more have a value of another type than the field declares.
    case mistyped
    /// Rows have no key.
    case keyless
    /// A tenth of the rows or more cannot be read.
    case broken
    /// Rows have a field that the description of the source lacks.
    case new
  }

  /// The kind of change.
  public internal(set) var kind = Kind.absent
  /// The field; nil if the change concerns whole rows.
  public internal(set) var field: String?
  /// The types of the values that came, as a manifest names types: those of a new field, and those that are not of the declared type.
  package internal(set) var types: [String] = []
  /// The share of the rows that are affected; 1 means all of them.
  public internal(set) var share = 0.0
  /// The moment when a sync first saw the change.
  public internal(set) var since = Moment(secondsSinceEpoch: 0)
  /// The moment when a sync saw the earlier shape again; nil until then.
  public internal(set) var until: Moment?
  /// The number of the drift's beginning, or of its end once it has ended. A source numbers the beginnings and ends of all in one sequence.
  package internal(set) var number = 0

  /// An empty drift, into which the fields are read.
  public init() {}

  /// A drift in `count` of `rows`; nil if that is a smaller share than `least`.
  init?(_ kind: Kind, _ field: String? = nil, in count: Int, of rows: Int, from least: Double) {
    guard count > 0, rows > 0, Double(count) >= Double(rows) * least else { return nil }
    (self.kind, self.field) = (kind, field)
    // Hundredths are enough. 0 and 1 are kept for none and for all rows.
    share = count >= rows ? 1 : min(0.99, max(0.01, (Double(count) / Double(rows) * 100).rounded() / 100))
  }

  public static let fields: [Field<ShapeDrift>] = [
    Field("kind", \.kind), Field("field", \.field), Field("share", \.share), Field("since", \.since), Field("until", \.until),
    Field("number", \.number), Field("types", \.types),
  ]

  func isAbout(_ other: ShapeDrift) -> Bool { kind == other.kind && field == other.field }

  /// The clause for a person: `status is missing from 88 % of the rows`.
  public var sentence: String {
    let rows = share >= 1 ? "all rows" : "\(Int((max(0.01, share) * 100).rounded())) % of the rows"
    let field = field.map { $0.count > 60 ? "\($0.prefix(59))…" : $0 } ?? ""
    if until != nil {
      return switch kind {
      case .absent: "\(field) is back"
      case .mistyped: "\(field) has values of its type again"
      case .keyless: "the rows have their key again"
      case .broken: "the rows can be read again"
      case .new: "the new field \(field) is gone again"
      }
    }
    return switch kind {
    case .absent: "\(field) is missing from \(rows)"
    case .mistyped: "\(field) has values of another type in \(rows)"
    case .keyless: "the key is missing from \(rows)"
    case .broken: "\(rows) cannot be read"
    case .new: "\(field) is a new field"
    }
  }
}
