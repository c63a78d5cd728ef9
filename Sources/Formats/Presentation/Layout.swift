package import RecordFormats
package import Terminal

/// The properties of the output for which records are laid out.
package struct Layout: Sendable {
  /// True when the output is shown on a terminal.
  package var isTerminal: Bool
  /// The width of the terminal in columns; otherwise the width of a page of cards.
  package var width: Int
  package var style: Style
  /// True when tsv begins with the names of its columns.
  package var hasHeader: Bool
  /// True when csv begins with a byte-order mark.
  package var hasMark: Bool
  /// The maker of renderers for a format that the face brings, such as that of a file; nil for the formats that are known here.
  package var maker: RendererMaker?

  package init(
    isTerminal: Bool, width: Int, style: Style, hasHeader: Bool = false, hasMark: Bool = false,
    maker: RendererMaker? = nil
  ) {
    (self.isTerminal, self.width, self.style) = (isTerminal, width, style)
    (self.hasHeader, self.hasMark, self.maker) = (hasHeader, hasMark, maker)
  }
}

extension Format {
  /// Returns a renderer of records in this format. The others than those of data, tables and cards need a ``Layout/maker``.
  package func renderer(
    _ columns: Columns, for layout: Layout, into sink: any Sink, in enclosure: Enclosure = .array
  ) -> any Renderer {
    if let data = DataFormat(rawValue: rawValue) {
      let isJSON = [.json, .ndjson, .framed].contains(data)
      return data.renderer(
        columns, into: isJSON ? layout.json(into: sink, inLines: data == .json) : sink, in: enclosure,
        hasHeader: layout.hasHeader, hasMark: layout.hasMark, isCleaned: layout.isTerminal, lacking: columns.lacks)
    }
    if let maker = layout.maker { return maker.renderer(columns, enclosure, sink) }
    if self == .cards {
      return TextRenderer(into: sink, blocks: CardLines(columns: columns, width: max(1, layout.width), style: layout.style).of)
    }
    // Only changes have a report; other rows are written as a table.
    return TableRenderer(
      lines: TableLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style), sink: sink)
  }
}

extension TextRenderer {
  /// Writes one record after the other in full, with a label and a value for each field, so that a screen reader reads it well.
  package init(labelling columns: Columns, for layout: Layout, into sink: any Sink) {
    let lines = LabelledLines(columns, width: layout.isTerminal ? layout.width : nil, style: layout.style)
    self.init(into: sink, blocks: { lines.of($0) })
  }
}
