package import AggregatorCore
package import Asking
package import RecordFormats
package import Terminal

/// Columns under a header, laid out by the first records that come. Later records keep the layout, so that a
/// reader's eye does not have to move.
struct TableRenderer: Renderer {
  var lines: TableLines
  let sink: any Sink
  var isBegun = false

  mutating func expect(_ records: [ShownRecord]) { lines.fit(records) }

  mutating func print(_ records: [ShownRecord]) throws {
    guard !records.isEmpty else { return }
    lines.fit(records)
    if !isBegun { try sink.write(lines.header + "\n") }
    isBegun = true
    for record in records { try sink.write(lines.of(record) + "\n") }
  }

  var shortage: String? { lines.shortage }
}

/// The lines of a table. The first records that it is fitted to decide the layout of its columns.
package struct TableLines {
  /// The width in columns; nil if it is not limited.
  private let width: Int?
  private let style: Style
  private let columns: Columns
  /// True when later values never move a column, as on a screen that shows the whole record beside the table.
  private let isFixed: Bool
  /// The columns whose values are shown whole, as far as the table has room.
  private let whole: Set<FieldPath>
  /// The index of the column that follows the id, in a table that a person scrolls sideways; nil if the layout chooses the columns.
  private let first: Int?
  private var layout: (widths: [Int], shortage: String?)?
  /// The looks of all columns; empty until the table is fitted, and if values are shown as they are.
  private var looks: [ColumnLook] = []
  /// The columns that are shown, from the left to the right.
  package private(set) var spans: [Span] = []

  package init(
    _ columns: Columns, width: Int?, style: Style, isFixed: Bool = false, whole: Set<FieldPath> = [], from first: Int? = nil
  ) {
    (self.columns, self.width, self.style, self.isFixed) = (columns, width, style, isFixed)
    (self.whole, self.first) = (whole, first)
  }

  /// A column of a table as it is shown.
  package struct Span: Sendable, Hashable {
    /// The index among all columns that a table may show.
    package let index: Int
    package let path: FieldPath
    /// The columns of the terminal that it takes.
    package let start: Int
    package let width: Int
    /// The width of its heading.
    package let heading: Int
    package let isBadge: Bool
  }

  /// The paths of all columns that the table may show, in their order.
  package var paths: [FieldPath] { columns.inText.map(\.leaf.path) }

  private func spans(of widths: [Int]) -> [Span] {
    var (spans, start) = ([Span](), 0)
    for (index, width) in widths.enumerated() where width > 0 {
      let column = columns.inText[index]
      spans.append(
        Span(
          index: index, path: column.leaf.path, start: start, width: width,
          heading: DisplayWidth.of(columns.heading(of: column)),
          isBadge: column.field.role == .badge))
      start += width + TableLayout.gap
    }
    return spans
  }

  package mutating func fit(_ records: [ShownRecord]) {
    guard layout == nil, !records.isEmpty else { return }
    // A file has values as they are. A table beside a record marks its headings where they begin.
    let values = records.map(columns.textValues)
    if width != nil, !isFixed {
      looks = columns.inText.enumerated().map { index, column in ColumnLook(column, of: values.map { $0[index] }) }
    }
    let rows = values.map(cells)
    let layout = fit(rows)
    self.layout = layout
    spans = spans(of: layout.widths)
    let filled = layout.widths.indices.filter { column in
      layout.widths[column] > 0 && rows.contains { !$0[column].isEmpty }
    }
    let titles = filled.filter { columns.inText[$0].field.role == .title }
    let cut = rows.count { row in titles.contains { DisplayWidth.of(row[$0]) > layout.widths[$0] } }
    isWorthwhile = filled.count > 2 && cut * 4 <= rows.count
  }

  /// True when the table says more than an id and a title, and cuts few titles.
  package private(set) var isWorthwhile = false

  package var header: String {
    line(columns.inText.map(columns.heading), layout?.widths ?? []) { text, _ in style.dim(text) }
  }

  package func of(_ record: ShownRecord) -> String {
    let address = style.hasLinks ? columns.address(of: record) : nil
    let cells = cells(of: record)
    return line(cells, room(for: cells, in: layout?.widths ?? [])) { text, column in
      style.link(style.isolated(text), to: columns.inText[column].linked(cells[column], address))
    }
  }

  var shortage: String? { layout?.shortage }

  private func cells(of record: ShownRecord) -> [String] { cells(columns.textValues(of: record)) }

  private func cells(_ values: [Value]) -> [String] { values.enumerated().map { look($0).text(of: $1) } }

  private func look(_ column: Int) -> ColumnLook { looks.isEmpty ? .plain : looks[column] }

  /// Makes one line. `decorate` gets the shown text of a column, and must not add anything that takes room.
  private func line(_ cells: [String], _ widths: [Int], _ decorate: (String, Int) -> String) -> String {
    var line = ""
    var blanks = 0
    for (column, cell) in cells.enumerated() where widths[column] > 0 {
      let text = width == nil ? cell : DisplayWidth.truncate(cell, to: widths[column])
      // A later row may have more room than its column is wide.
      let lead = look(column).isNumeric ? max(0, min(widths[column], layout?.widths[column] ?? 0) - DisplayWidth.of(text)) : 0
      // Blanks at the end of a line would only be copied with it.
      if !text.isEmpty {
        blanks += lead
        line += String(repeating: " ", count: blanks) + decorate(text, column)
        blanks = 0
      }
      blanks += max(0, widths[column] - DisplayWidth.of(text) - (text.isEmpty ? 0 : lead)) + TableLayout.gap
    }
    return line
  }

  private func fit(_ rows: [[String]]) -> (widths: [Int], shortage: String?) {
    let facts = columns.inText.enumerated().map { index, column in
      let cells = rows.map { $0[index] }
      return TableLayout.Column(
        header: DisplayWidth.of(columns.heading(of: column)), cells: cells.map(DisplayWidth.of),
        behaviour: whole.contains(column.leaf.path) ? .whole : column.width,
        isID: column.isID,
        isTitle: column.field.role == .title,
        isAddress: [.link, .picture].contains(column.field.role) || column.leaf.kind == .address,
        isConstant: cells.count > 1 && cells.allSatisfy { $0 == cells[0] })
    }
    guard let width else { return (facts.map { max($0.header, $0.cells.max() ?? 0) }, columns.lacks) }
    let layout =
      first.map { TableLayout(facts, in: width, from: $0) } ?? TableLayout(facts, in: width, areChosen: columns.areChosen)
    func names(_ indices: [Int]) -> String { someNames(indices.map { columns.inText[$0].leaf.shownName }) }
    let remedy = columns.areChosen ? "name fewer --fields" : "try --fields"
    let hidden = layout.missed.isEmpty ? nil : "hidden: \(names(layout.missed)) (narrow terminal)"
    let lacks = [hidden, columns.leftOut].compactMap { $0 }
    let shortages = [
      lacks.isEmpty ? nil : (lacks + [remedy]).joined(separator: "; "),
      layout.cutIDs.isEmpty ? nil : "\(names(layout.cutIDs)) does not fit and is cut; try --format tsv",
    ].compactMap { $0 }
    return (layout.widths, shortages.isEmpty ? nil : shortages.joined(separator: "; "))
  }

  /// Returns the widths for a row that came later. Longer values than those before take the room that is left, except in a fixed table, and
  /// the last column has what they leave. An id takes room from the other columns too.
  private func room(for cells: [String], in widths: [Int]) -> [Int] {
    guard let width else { return widths }
    var widths = widths
    let shown = widths.indices.filter { widths[$0] > 0 }
    var left = max(0, width - shown.reduce(TableLayout.gap * (shown.count - 1)) { $0 + widths[$1] })
    for column in shown where left > 0 {
      let wanted = isFixed ? 0 : min(left, max(0, DisplayWidth.of(cells[column]) - widths[column]))
      let more = column == shown.last ? left : wanted
      widths[column] += more
      left -= more
    }
    var room = widths
    for (column, cell) in cells.enumerated() where columns.inText[column].isID && room[column] > 0 {
      room[column] = max(room[column], min(width, DisplayWidth.of(cell)))
    }
    guard room != widths else { return widths }
    func surplus() -> Int {
      let shown = room.filter { $0 > 0 }
      return shown.reduce(0, +) + TableLayout.gap * (shown.count - 1) - width
    }
    for column in room.indices.reversed() where !columns.inText[column].isID && room[column] > 0 && surplus() > 0 {
      room[column] = max(0, room[column] - surplus())
    }
    return room
  }
}

extension Columns {
  /// A text about the hidden fields that tables and tsv leave out; nil if none are, or if a person is not told.
  var leftOut: String? {
    guard tellsHidden, !areChosen else { return nil }
    let names = all.filter { $0.width == .hidden && !$0.field.isTextOnly }.map(\.leaf.shownName)
    return names.isEmpty ? nil : "left out: \(someNames(names))"
  }

  /// The same with a hint at what to type.
  package var lacks: String? { leftOut.map { "\($0); try --fields" } }

  /// Returns the heading of a column in a table.
  func heading(of column: Column) -> String {
    Printable.clean(headings[column.leaf.path.text] ?? column.leaf.path.label.uppercased())
  }

  /// Returns the address of the page about a record; nil if it has none.
  func address(of record: ShownRecord) -> String? {
    fields.firstIndex { $0.role == .link }.flatMap {
      if case .text(let address) = record.value($0, at: moment) { address } else { nil }
    }
  }
}

/// Joins names with commas. Of many names it has only the first ones, and how many more follow.
func someNames(_ names: [String]) -> String {
  var room = 40
  let first = names.prefix { name in
    room -= DisplayWidth.of(name) + 2
    return room >= 0
  }
  guard first.count < names.count else { return names.joined(separator: ", ") }
  let named = first.isEmpty ? names.prefix(1) : first
  let rest = names.count - named.count
  return named.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

extension Columns.Column {
  /// Returns the address to which a cell links: its own, even if the cell is cut, or from the title to the
  /// record's page. Nil for other cells.
  func linked(_ cell: String, _ address: String?) -> String? {
    switch field.role {
    case .link, .picture: cell
    case .title: address
    default: nil
    }
  }
}
