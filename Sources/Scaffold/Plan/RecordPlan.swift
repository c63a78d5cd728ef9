import AggregatorCore
import SourceTesting

/// A record to be written: its type, its fields, and what makes it itself.
struct RecordPlan: Sendable {
  let type: PartPlan
  let identity: Identity
  /// What was recorded and is not read, each with the reason.
  let omissions: [String]

  enum Identity: Sendable {
    /// A property is the id already.
    case property
    /// The way to the value that is, through properties; whether it is a text.
    case path([String], isText: Bool, FieldPath)
    /// Several fields together, since none is different in every row.
    case composite([FieldPlan])
  }

  /// What a row's id will be; nil for what is no row.
  func id(of row: Value) -> String? {
    guard row.members != nil else { return nil }
    switch identity {
    case .property: return row["id"]?.word
    case .path(_, _, let path): return row[path]?.word
    case .composite(let fields): return fields.map { row[$0.name]?.word ?? "" }.joined(separator: "/")
    }
  }

  var title: FieldPlan? { type.fields.first { $0.role == .title } }
  var searchable: [FieldPlan] { type.fields.filter(\.isSearchable) }
}

/// Something with fields: the record itself, or a part of it.
struct PartPlan: Sendable {
  let name: String
  var fields: [FieldPlan]

  /// The parts that it is made of, in order.
  var parts: [PartPlan] { fields.compactMap(\.type.part) }
}

/// One field: what the service calls it, what we do, and how it is read.
struct FieldPlan: Sendable {
  indirect enum Kind: Sendable {
    case text
    case int
    case double
    case bool
    /// Now a text, now a number.
    case word
    case list(Kind, hasNulls: Bool)
    case part(PartPlan)

    var part: PartPlan? {
      switch self {
      case .part(let part): part
      case .list(let kind, _): kind.part
      default: nil
      }
    }

    /// As a type of Swift.
    var spelled: String {
      switch self {
      case .text, .word: "String"
      case .int: "Int"
      case .double: "Double"
      case .bool: "Bool"
      case .list(let kind, _): "[\(kind.spelled)]"
      case .part(let part): part.name
      }
    }

    var isList: Bool { if case .list = self { true } else { false } }
    var isText: Bool { if case .text = self { true } else { false } }
    var isWord: Bool { if case .word = self { true } else { false } }
  }

  /// What the service calls it.
  let name: String
  /// Its name in our own rows: the same, unless it cannot be typed.
  let label: String
  var property: String
  var type: Kind
  var isOptional: Bool
  var role = Role.plain
  var isHidden = false
  /// Whether it is never cut in a table.
  var isWhole = false
  var isSearchable = false

  enum Role: String, Sendable {
    case plain
    case title
    case picture
    case link
  }

  var spelledType: String { type.spelled + (isOptional ? "?" : "") }
}
