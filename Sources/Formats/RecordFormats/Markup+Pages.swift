package import AggregatorCore
package import Asking
package import CPages

// What the pages of a server and a page in a file share: the beginning of a document, and tables of records.

extension Markup {
  /// These pieces, one after the other.
  package init(_ pieces: some Sequence<Markup>) {
    self.init()
    for piece in pieces { self += piece }
  }

  /// A text that is compiled in.
  package init(_ text: PageText) { self.init(trusted: Array(UnsafeBufferPointer(start: text.bytes, count: text.count))) }

  /// The beginning of a document, within its head. `referrer` is what the servers of links are told of the page.
  package static func head(_ title: String, referrer: String) -> Markup {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="\(referrer)">
    <title>\(title)</title>
    """
  }

  /// A link to another server, which is not told where it was followed.
  package static func outside(_ address: String) -> Markup {
    "<a href=\"\(address)\" rel=\"noopener noreferrer\">\(address)</a>"
  }

  /// A table in a region that scrolls sideways.
  package static func table(of name: String, caption: Markup = "", _ heads: Markup, _ rows: Markup) -> Markup {
    """
    <div class="scroll" role="region" aria-label="Table of \(name)" tabindex="0"><table>\(caption)
    <thead><tr>\(heads)</tr></thead>
    <tbody data-rows>
    \(rows)</tbody>
    </table></div>

    """
  }
}

extension Columns.Column {
  /// The head of the column. `more` is an attribute.
  package func head(_ content: Markup, _ more: Markup = "") -> Markup {
    let isNumber = !leaf.mayBeList && [.integer, .number].contains(leaf.kind)
    return "<th scope=\"col\"\(more)\(" class=\"n\"", if: isNumber)>\(content)</th>"
  }

  /// A value as the text that it is shown as, and an address of the web as a link.
  package func text(of value: Value, as text: String) -> Markup {
    guard case .text = value, leaf.kind == .address, WebAddress(text) != nil else { return "\(text)" }
    return Markup.outside(text)
  }
}

extension Columns {
  /// The cells of a record's row. `content` makes the inside of one, and those of the `edited` fields are marked.
  package func cells(
    of record: ShownRecord, in columns: [Column], edited: [FieldPath]?, _ content: (Column, Value) -> Markup
  ) -> Markup {
    var cells = Markup()
    for (column, value) in zip(columns, values(of: record, in: columns)) {
      let mark: Markup = edited?.contains { column.leaf.path.overlaps($0) } ?? false ? " <em>edited</em>" : ""
      let style: Markup =
        value.isNumber ? " class=\"n\"" : !column.leaf.mayBeList && column.leaf.kind == .time ? " class=\"t\"" : ""
      let content = content(column, value)
      cells += column.isID ? "<th scope=\"row\"\(style)>\(content)\(mark)</th>" : "<td\(style)>\(content)\(mark)</td>"
    }
    return cells
  }
}

extension Value {
  /// True for a value that is written at the right of its column.
  var isNumber: Bool {
    switch self {
    case .int, .double, .decimal: true
    default: false
    }
  }
}
