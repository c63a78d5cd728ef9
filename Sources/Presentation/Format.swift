import AggregatorCore
package import Terminal

/// How records are written.
package enum Format: String, CaseIterable, Sendable {
  case table, cards, json, ndjson, csv, tsv
}

/// What records are laid out for.
package struct Layout: Sendable {
  /// Whether a terminal shows what is written.
  package var isTerminal: Bool
  /// How wide a terminal is, or a page of cards where there is none.
  package var width: Int
  package var style: Style
  /// Whether tsv begins with the names of its columns.
  package var hasHeader: Bool

  package init(isTerminal: Bool, width: Int, style: Style, hasHeader: Bool = false) {
    self.isTerminal = isTerminal
    self.width = width
    self.style = style
    self.hasHeader = hasHeader
  }
}

extension Format {
  /// What writes records in this format; `envelope` is what JSON puts around them; without it they are in an array.
  package func renderer<Item>(
    _ columns: Columns<Item>, for layout: Layout, into sink: any Sink, around envelope: Envelope? = nil
  ) -> any Renderer<Item> {
    switch self {
    case .table: TableRenderer(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style, sink)
    case .cards: CardsRenderer(columns, width: layout.width, style: layout.style, sink)
    case .json: if let envelope { EnvelopeRenderer(envelope, columns, sink) } else { ArrayRenderer(columns, sink) }
    case .ndjson: NDJSONRenderer(columns, sink)
    case .csv: CSVRenderer(columns: columns, isCleaned: layout.isTerminal, sink: sink)
    case .tsv: TSVRenderer(columns: columns, hasHeader: layout.hasHeader, sink: sink)
    }
  }
}
