import AggregatorCore
import Feed
import Presentation
package import Terminal

extension Browser {
  /// The current screen.
  package var screen: Screen {
    var screen = Screen(columns: size.columns, rows: size.rows, isColored: look.isColored, hasSkinTones: look.hasSkinTones)
    guard !isTooSmall else {
      screen.put("too small: 20x5 is needed", at: (0, 0))
      screen.cursor = (0, 0)
      return screen
    }
    drawTabs(on: &screen)
    drawField(on: &screen)
    if mode == .help {
      drawHelp(on: &screen)
    } else if mode == .sources {
      drawSources(on: &screen)
    } else {
      if mode != .record || layout.record != nil { drawList(on: &screen) }
      if layout.record != nil || mode == .record { drawRecord(on: &screen) }
    }
    drawFoot(on: &screen)
    return screen
  }

  /// The labels of the tabs, each with the column where it begins. Empty if they do not fit beside each other, even without their counts.
  var labels: [(index: Int, text: String, column: Int)] {
    let labels = labels { $0.source.name + $0.found }
    return labels.isEmpty ? self.labels { $0.source.name } : labels
  }

  private func labels(_ words: (BrowserTab) -> String) -> [(index: Int, text: String, column: Int)] {
    var column = 0
    let labels = tabs.indices.map { index in
      let name = (index < 9 ? "\(index + 1) " : "") + words(tabs[index])
      defer { column += DisplayWidth.of(name) + 2 }
      return (index: index, text: index == current ? "[\(name)]" : " \(name) ", column: column)
    }
    return column <= size.columns ? labels : []
  }

  private func drawTabs(on screen: inout Screen) {
    for label in labels { screen.put(label.text, at: (label.column, 0), style: label.index == current ? [.bold] : [.dim]) }
    guard labels.isEmpty else { return }
    let number = tabs.count > 1 ? " \(current + 1)/\(tabs.count)" : ""
    let width = screen.put("[\(tab.source.name)]", at: (0, 0), width: size.columns - DisplayWidth.of(number), style: [.bold])
    screen.put(number, at: (width, 0))
  }

  private func drawField(on screen: inout Screen) {
    if mode == .sources {
      let width = screen.put("source: \(Printable.clean(picker.typed))", at: (0, 1), width: size.columns - 1, style: [.bold])
      screen.cursor = (width, 1)
      return
    }
    if tab.picked != nil {
      screen.put("\(tab.source.pick?.title ?? ""): a shows all", at: (0, 1), style: [.bold])
      return
    }
    let typed = Printable.clean(tab.listing.typed)
    if typed.isEmpty, mode != .typing {
      screen.put(tab.source.searches.map { "/ searches \($0)" } ?? "", at: (0, 1), style: [.dim])
      return
    }
    // The end of a long text is the part that is being typed.
    let room = size.columns - 3
    var shown = typed
    while DisplayWidth.of(shown) > room { shown.removeFirst() }
    let width = screen.put("/" + shown, at: (0, 1), style: mode == .typing ? [.bold] : [])
    if mode == .typing { screen.cursor = (width, 1) }
  }

  private func drawList(on screen: inout Screen) {
    let area = layout.list
    guard !items.isEmpty else {
      if mode == .list { screen.cursor = (0, area.row) }
      for (index, line) in DisplayWidth.wrap(emptyWords, width: area.width - 2).prefix(area.height).enumerated() {
        screen.put(line, at: (area.column + 2, area.row + index), width: area.width - 2)
      }
      return
    }
    var row = area.row
    let (end, window) = (area.row + area.height, tab.window)
    if layout.isTable, let header = listing.table(of: 0..<0, width: area.width - 2).first {
      screen.put(header, at: (area.column + 2, area.row - 1), width: area.width - 2, style: [.dim])
    }
    for (index, lines) in zip(window.first..., window.records) {
      let hasMark = layout.isTable && reason(at: index, besides: lines.map(\.text)) != nil
      row = draw(lines, isSelected: index == tab.selected, row: row, end: end, on: &screen)
      if hasMark {
        screen.put(Self.matchMark, at: (area.column + 1, row - 1), style: index == tab.selected ? [.reversed] : [.dim])
      }
    }
    guard window.end == items.count else { return }
    for line in tailLines where row < end {
      screen.put(line, at: (area.column + 2, row), width: area.width - 2, style: [.dim])
      row += 1
    }
  }

  /// Draws a record from `row` on, and returns the row below it.
  private func draw(_ lines: [Card.Line], isSelected: Bool, row start: Int, end: Int, on screen: inout Screen) -> Int {
    let area = layout.list
    var row = start
    for line in lines where row < end {
      let style: CellStyle = layout.isTable ? [] : line.kind == .title ? [.bold] : [.dim]
      screen.put(line.text, at: (area.column + 2, row), width: area.width - 2, style: style)
      if !line.badge.isEmpty {
        let width = min(DisplayWidth.of(line.badge), area.width - 2)
        screen.put(line.badge, at: (area.column + area.width - width, row), width: width, style: [.cyan])
      }
      if isSelected { screen.restyle(from: area.column, to: area.column + area.width, row: row, adding: .reversed) }
      row += 1
    }
    if isSelected {
      screen.put(">", at: (area.column, start), style: [.reversed])
      if mode == .list { screen.cursor = (area.column, start) }
    }
    return row
  }

  private func drawRecord(on screen: inout Screen) {
    let area = layout.record ?? layout.list
    if let record = layout.record {
      if record.column > 0 {
        for row in layout.body.row..<layout.body.row + layout.body.height {
          screen.put("│", at: (record.column - 2, row), style: [.dim])
        }
      } else {
        screen.put(String(repeating: "─", count: area.width), at: (0, area.row - 1), style: [.dim])
      }
    }
    let lines = recordLines
    for row in 0..<area.height {
      let (line, point) = (recordTop + row - pictures.height, (area.column, area.row + row))
      if line >= 0, line < lines.count {
        screen.put(lines[line], at: point, width: area.width)
      } else if line < 0, case .characters(let picture)? = pictures.shown {
        screen.put(picture, row: recordTop + row, at: point)
      }
    }
    if mode == .record { screen.cursor = (area.column, area.row) }
  }

  private func drawHelp(on screen: inout Screen) {
    let area = layout.body
    for (index, line) in helpLines.dropFirst(helpTop).prefix(area.height).enumerated() {
      screen.put(line, at: (area.column, area.row + index), width: area.width)
    }
    screen.cursor = (area.column, area.row)
  }

  private func drawFoot(on screen: inout Screen) {
    let told = message.map { DisplayWidth.wrap(Printable.clean($0), width: size.columns) } ?? []
    // A long message covers the lines above it until the next key.
    if told.count > 1 {
      let lines = told.prefix(layout.statusHeight + 1)
      for (index, line) in lines.enumerated() { screen.put(line, at: (0, size.rows - lines.count + index), style: [.bold]) }
      return
    }
    let room = size.columns - (sign.isEmpty ? 0 : 2)
    var lines = DisplayWidth.wrap(status, width: room)
    if lines.count > layout.statusHeight {
      let rest = lines[(layout.statusHeight - 1)...].joined(separator: " ")
      lines = lines.prefix(layout.statusHeight - 1) + [DisplayWidth.truncate(rest, to: room)]
    }
    for (index, line) in lines.enumerated() { screen.put(line, at: (0, size.rows - 1 - lines.count + index)) }
    if !lines.isEmpty { screen.put(sign, at: (size.columns - 1, size.rows - 1 - lines.count)) }
    screen.put(
      DisplayWidth.truncate(footer, to: size.columns), at: (0, size.rows - 1), style: message == nil ? [.dim] : [.bold])
  }
}
