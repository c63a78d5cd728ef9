public import AggregatorCore
public import Asking

extension JSONSchema {
  /// The schema of one value of a parameter, as a verb of a source takes it. A number is at most `most`, as ``Ask`` allows it for a limit.
  /// A time, a condition, an order and requirements have a description and examples that fit the source: not every text is one.
  public static func value(
    of parameter: Ask.Parameter, for verb: Verb, of source: SourceDescriptor, atMost most: Int? = nil
  ) -> JSONSchema {
    switch parameter.kind {
    case .flag: bool
    case .number(let least): integer(from: least, to: most ?? .max)
    case .field: text(among: verb.fields(of: source).leaves.map(\.path.text))
    case .text where parameter == .text: JSONSchema(["type": "string", "pattern": "\\S"])
    case .text where parameter != .search: JSONSchema(["type": "string", "minLength": 1])
    case .text: text
    case .duration: text(like: ["10m", "1d", "500ms"], "a length of time; a number without a unit is in seconds")
    case .beginning: text(like: ["1d", "yesterday", "2026-11-01", "last"], "a time, or last")
    case .moment: text(like: ["1d", "yesterday", "2026-11-01"], "a time")
    case .past: text(like: ["1d", "yesterday"], "a time that is over")
    case .requirements: text(like: ["complete", "live,age<1d"], "requirements, with commas")
    case .condition: text(like: conditions(on: verb.fields(of: source).leaves), "a condition on a field")
    case .order: text(like: orders(of: verb.fields(of: source).leaves), "fields to sort by, with commas")
    }
  }

  /// The schema of what is given for a parameter: one value, or a list of them where several are taken.
  public static func values(
    of parameter: Ask.Parameter, for verb: Verb, of source: SourceDescriptor, atMost most: Int? = nil
  ) -> JSONSchema {
    let one = value(of: parameter, for: verb, of: source, atMost: most)
    switch verb.subject {
    case .record where parameter == .id: return one
    case .twoRecords where parameter == .id: return list(of: one, from: 2, to: 2)
    default: return parameter.isRepeatable ? list(of: one, from: 1) : one
    }
  }

  /// A text such as these; not every text is one.
  private static func text(like examples: [String], _ description: String) -> JSONSchema {
    JSONSchema(["type": "string", "description": .text(description), "examples": .list(examples.map(Value.text))])
  }

  /// Conditions on a text, a number and a time among these leaves, if they have one with a simple name.
  private static func conditions(on leaves: [Leaf]) -> [String] {
    let comparisons: [(kinds: [Leaf.Kind], text: String)] = [
      ([.text, .any], "~a"), ([.integer, .number], ">=1"), ([.time], ">=yesterday"),
    ]
    return comparisons.compactMap { kinds, text in
      leaves.first { kinds.contains($0.kind) && !$0.mayBeList && $0.hasSimpleName }.map { $0.path.text + text }
    }
  }

  /// The first of these leaves with a simple name, up and down.
  private static func orders(of leaves: [Leaf]) -> [String] {
    leaves.first(where: \.hasSimpleName).map { [$0.path.text, "-\($0.path.text)"] } ?? []
  }
}

extension Leaf {
  /// True when the name has no sign that a condition or an order could be mistaken in.
  fileprivate var hasSimpleName: Bool { path.text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." } }
}
