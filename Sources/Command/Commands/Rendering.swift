import AggregatorCore

extension Invocation {
  /// The format that was asked for, or that suits where the output goes.
  var format: Format { chosenFormat ?? (program.console.isOutputTerminal ? .table : .tsv) }

  var chosenFormat: Format? { value(.format).flatMap(Format.init) }

  /// The columns that were asked for, or all.
  func columns<Item: Fielded>(of type: Item.Type, detail: Bool = false) throws -> Columns<Item> {
    try value(.fields).map { try Columns(named: $0) } ?? Columns(detail: detail)
  }

  /// What prints an answer of `source`; `envelope` makes the JSON around its items, without it they stand alone.
  func renderer<Item: Fielded>(_ columns: Columns<Item>, envelope: Envelope?, format: Format? = nil) -> any Renderer<Item> {
    let console = program.console
    let style = program.style(self)
    switch format ?? self.format {
    case .table:
      return TableRenderer(columns, width: console.isOutputTerminal ? console.width(program.environment) : nil, style: style, console)
    case .cards: return CardsRenderer(width: console.width(program.environment), style: style, console)
    case .json:
      guard let envelope else { return ArrayRenderer(columns, console) }
      return EnvelopeRenderer(source: envelope.source, text: envelope.text, limit: envelope.limit, columns, console)
    case .ndjson: return NDJSONRenderer(columns, console)
    case .csv: return CSVRenderer(columns: columns, console: console)
    case .tsv: return TSVRenderer(columns: columns, hasHeader: has(.header), console: console)
    }
  }

  /// Lists the fields of a record, a line each, for a bare `--fields`.
  func listFields<Item: Fielded>(of type: Item.Type) throws -> ExitCode {
    for column in Columns<Item>(detail: true).all { try program.console.write(column.name + "\n") }
    return .success
  }
}

/// What the JSON of an answer says beside its items.
struct Envelope: Sendable, Hashable {
  let source: String
  let text: String?
  let limit: Int?
}
