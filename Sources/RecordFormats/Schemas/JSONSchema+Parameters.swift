public import AggregatorCore
public import Asking

extension JSONSchema {
  /// The schema of one value of a parameter, as a verb of a source takes it. Every value that fits is read; one that does not is refused,
  /// as far as a pattern can tell.
  ///
  /// A pattern names the fields of the source, or those of its changes. A number is at most `most`, as ``Ask`` allows it for a limit. A time that has to be over is one
  /// that is over at `now`, and stays so. A cursor and the name of a partition come from an answer, so that a pattern cannot tell them.
  public static func value(
    of parameter: Ask.Parameter, for verb: Verb, of source: SourceDescriptor, atMost most: Int? = nil, at now: Moment
  ) -> JSONSchema {
    if let pattern = TextPattern.values(of: parameter, on: verb.fields(of: source).leaves, at: now) {
      return text(matching: pattern, like: parameter.examples)
    }
    return switch parameter.kind {
    case .flag: bool
    case .number(let least): integer(from: least, to: most ?? .max)
    case .field: text(among: verb.fields(of: source).leaves.map(\.path.text))
    case .text where parameter == .text: JSONSchema(["type": "string", "pattern": "\\S"])
    case .text where parameter != .search: JSONSchema(["type": "string", "minLength": 1])
    default: text
    }
  }

  /// The schema of what is given for a parameter: one value, or a list of them where several are taken.
  public static func values(
    of parameter: Ask.Parameter, for verb: Verb, of source: SourceDescriptor, atMost most: Int? = nil, at now: Moment
  ) -> JSONSchema {
    let one = value(of: parameter, for: verb, of: source, atMost: most, at: now)
    switch verb.subject {
    case .record where parameter == .id: return one
    case .twoRecords where parameter == .id: return list(of: one, from: 2, to: 2)
    default: return parameter.isRepeatable ? list(of: one, from: 1) : one
    }
  }
}

extension TextPattern {
  /// The pattern of the values of a parameter, for conditions and orders on these leaves; nil if it is not a pattern that tells them.
  static func values(of parameter: Ask.Parameter, on leaves: @autoclosure () -> [Leaf], at now: Moment) -> TextPattern? {
    switch parameter.kind {
    case .duration(let mayBeZero): duration(mayBeZero: mayBeZero)
    case .beginning: beginning
    case .moment: moment
    case .past: past(on: CalendarDay(now))
    case .condition: condition(on: leaves())
    case .order: order(of: leaves())
    case .requirements: requirements
    case .text where parameter == .cursor: character(["A"..."Z", "a"..."z", "0"..."9", "_"..."_", "-"..."-"]).onceOrMore
    case .flag, .number, .text, .field: nil
    }
  }
}

extension Ask.Parameter {
  /// Values that every source takes.
  fileprivate var examples: [String] {
    switch kind {
    case .duration: ["10m", "1d", "500ms"]
    case .beginning: ["1d", "yesterday", "2026-11-01", "last"]
    case .moment: ["1d", "yesterday", "2026-11-01"]
    case .past: ["1d", "yesterday"]
    case .requirements: ["complete", "live,age<1d"]
    case .flag, .number, .text, .condition, .field, .order: []
    }
  }
}
