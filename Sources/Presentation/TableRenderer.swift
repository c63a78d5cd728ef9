import AggregatorCore
import Terminal

/// Columns under a header, as wide as the terminal allows: flexible ones give way, the others stay whole.
struct TableRenderer<Item>: Renderer {
  /// Nil when nothing limits the width.
  let width: Int?
  let style: Style
  let sink: any Sink
  private let chosen: Columns<Item>
  /// Those of them that a table shows.
  private let columns: [Columns<Item>.Column]
  private var widths: [Int]?
  private var isBegun = false

  private static var gap: Int { 2 }
  private static var leastWidth: Int { 6 }

  init(_ columns: Columns<Item>, width: Int?, style: Style, _ sink: any Sink) {
    chosen = columns
    self.columns = columns.areChosen ? columns.all : columns.all.filter { $0.width != .hidden }
    self.width = width
    self.style = style
    self.sink = sink
  }

  mutating func expect(_ items: [Item]) {
    // Later pages keep the columns of the first, so that the eye does too.
    if widths == nil, !items.isEmpty { widths = fit(rows(items)) }
  }

  mutating func print(_ items: [Item]) throws {
    guard !items.isEmpty else { return }
    expect(items)
    let widths = widths ?? []
    if !isBegun { try sink.write(line(columns.map { $0.leaf.shownName.uppercased() }, widths, style.dim)) }
    isBegun = true
    for row in rows(items) { try sink.write(line(row, widths, { $0 })) }
  }

  private func rows(_ items: [Item]) -> [[String]] { items.map { chosen.values(of: $0, in: columns).map(shownText) } }

  var hiddenColumns: [String] { zip(columns, widths ?? []).filter { $0.1 == 0 }.map(\.0.leaf.shownName) }

  private func line(_ cells: [String], _ widths: [Int], _ style: (String) -> String) -> String {
    let shown = zip(cells, widths).filter { $0.1 > 0 }
    let padded = shown.map { text, columns in
      DisplayWidth.pad(width == nil ? text : DisplayWidth.truncate(text, to: columns), to: columns)
    }
    var line = padded.joined(separator: String(repeating: " ", count: Self.gap))
    // Blanks at the end would only be copied along.
    while line.last == " " { line.removeLast() }
    return style(line) + "\n"
  }

  /// The width of every column; 0 for one that finds no room.
  private func fit(_ rows: [[String]]) -> [Int] {
    var widths = columns.indices.map { column in
      rows.reduce(DisplayWidth.of(columns[column].leaf.shownName)) { max($0, DisplayWidth.of($1[column])) }
    }
    guard let width else { return widths }
    let flexible = columns.indices.filter { columns[$0].width != .whole }
    while surplus(of: widths, over: width) > 0, let widest = flexible.max(by: { widths[$0] < widths[$1] }), widths[widest] > Self.leastWidth
    {
      widths[widest] -= 1
    }
    for column in flexible.reversed().dropLast() where surplus(of: widths, over: width) > 0 { widths[column] = 0 }
    return widths
  }

  private func surplus(of widths: [Int], over width: Int) -> Int {
    let shown = widths.filter { $0 > 0 }
    return shown.reduce(0, +) + Self.gap * max(0, shown.count - 1) - width
  }
}
