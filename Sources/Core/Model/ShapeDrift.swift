/// One way in which the rows of a list stopped looking as they did.
public struct ShapeDrift: Part {
  /// What became of the rows.
  public enum Kind: String, FieldValue {
    /// A field that nearly every record had is in fewer than half of them.
    case absent = "missing"
    /// In a tenth of the rows or more a value is not of the type that its field declares.
    case mistyped
    /// Rows have no key.
    case keyless
    /// A tenth of the rows or more cannot be read.
    case broken
    /// Rows have a field that the description of the source lacks.
    case new
  }

  /// What became of the rows.
  public internal(set) var kind = Kind.absent
  /// The field; nil where it is about whole rows.
  public internal(set) var field: String?
  /// The part of the rows that look so now: 1 is all of them.
  public internal(set) var share = 0.0
  /// When a sync saw it first.
  public internal(set) var since = Moment(secondsSinceEpoch: 0)
  /// When a sync saw that the rows look again as they did; nil while they do not.
  public internal(set) var until: Moment?
  /// Counts what begins and what ends in one source: the number of the beginning, and of the end where it has ended.
  package internal(set) var number = 0

  /// An empty one, into which the fields are read.
  public init() {}

  /// A finding in `count` of `rows`; nil where that is a smaller part than `least`.
  init?(_ kind: Kind, _ field: String? = nil, in count: Int, of rows: Int, from least: Double) {
    guard count > 0, rows > 0, Double(count) >= Double(rows) * least else { return nil }
    (self.kind, self.field) = (kind, field)
    // Hundredths tell enough; the first and the last one are for none and for all.
    share = count >= rows ? 1 : min(0.99, max(0.01, (Double(count) / Double(rows) * 100).rounded() / 100))
  }

  public static let fields: [Field<ShapeDrift>] = [
    Field("kind", \.kind), Field("field", \.field), Field("share", \.share), Field("since", \.since), Field("until", \.until),
    Field("number", \.number),
  ]

  /// True when both are about the same, whenever they were seen.
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
