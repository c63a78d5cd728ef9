import AggregatorCore
import Asking
import Feed
import Presentation
import RecordFormats
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
    } else if mode == .sources || mode == .columns {
      drawPicker(on: &screen)
    } else {
      if mode != .record || layout.record != nil { drawList(on: &screen) }
      if layout.record != nil || mode == .record { drawRecord(on: &screen) }
    }
    drawFoot(on: &screen)
    return screen
  }

  /// The labels of the tabs, each with the column where it begins. Empty if they do not fit beside each other, even without their counts.
  var labels: [(index: Int, text: String, column: Int)] {
    let (all, sources) = (Array(tabs.indices), tabs.indices.filter { $0 < sourceCount || $0 == current })
    for indices in [all, sources] {
      let labels = labels(indices) { $0.source.name + $0.found }
      if !labels.isEmpty { return labels }
    }
    return labels(sources) { $0.source.name }
  }

  /// The key that shows a tab; empty without one.
  private func key(of index: Int) -> String {
    switch tabs[index].source.name {
    case "status" where index >= sourceCount: "! "
    case "changes" where index >= sourceCount: "C "
    case "found" where index >= sourceCount: "A "
    default: index < 9 ? "\(index + 1) " : index == 9 ? "0 " : ""
    }
  }

  private func labels(_ indices: [Int], _ words: (BrowserTab) -> String) -> [(index: Int, text: String, column: Int)] {
    var column = 0
    let labels = indices.map { index in
      let name = key(of: index) + words(tabs[index])
      defer { column += DisplayWidth.of(name) + 2 }
      return (index: index, text: index == current ? "[\(name)]" : " \(name) ", column: column)
    }
    return column <= size.columns ? labels : []
  }

  private func drawTabs(on screen: inout Screen) {
    for label in labels { screen.put(label.text, at: (label.column, 0), style: label.index == current ? [.bold] : [.dim]) }
    guard labels.isEmpty else { return }
    let number = tabs.count > 1 && current < sourceCount ? " \(current + 1)/\(sourceCount)" : ""
    let width = screen.put("[\(tab.source.name)]", at: (0, 0), width: size.columns - DisplayWidth.of(number), style: [.bold])
    screen.put(number, at: (width, 0))
  }

  private func drawField(on screen: inout Screen) {
    if mode == .line { return drawLine(on: &screen) }
    if mode == .sources || mode == .columns {
      let word = mode == .columns ? "column" : "source"
      let width = screen.put("\(word): \(Printable.clean(picker.typed))", at: (0, 1), width: size.columns - 1, style: [.bold])
      screen.cursor = (width, 1)
      return
    }
    if tab.pick.listing != nil {
      screen.put("\(tab.source.pick?.title ?? ""): a shows all", at: (0, 1), style: [.bold])
      return
    }
    let typed = Printable.clean(tab.listing.typed)
    let choice = choiceWords
    if typed.isEmpty, mode != .typing {
      let hint = tab.source.searches.map { "/ searches \($0)" } ?? ""
      screen.put(choice.isEmpty ? hint : choice + " · a shows all", at: (0, 1), style: choice.isEmpty ? [.dim] : [.bold])
      return
    }
    // The end of a long text is the part that is being typed.
    let room = size.columns - 3
    var shown = typed
    while DisplayWidth.of(shown) > room { shown.removeFirst() }
    let width = screen.put("/" + shown, at: (0, 1), style: mode == .typing ? [.bold] : [])
    if mode == .typing { screen.cursor = (width, 1) }
    if !choice.isEmpty { screen.put(" · " + choice, at: (width, 1), style: [.bold]) }
  }

  /// Draws the line with a command, with the part around the cursor if it is longer than the screen.
  private func drawLine(on screen: inout Screen) {
    var before = ":" + line.textBeforeCursor
    while DisplayWidth.of(before) > size.columns - 2 { before.removeFirst() }
    let width = screen.put(before, at: (0, 1), style: [.bold])
    screen.put(line.textAfterCursor, at: (width, 1), style: [.bold])
    screen.cursor = (width, 1)
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
    // Looked up once, because they are the same in every row.
    let spans = spans
    if layout.isTable { drawHeader(spans, on: &screen) }
    let badges = spans.filter(\.isBadge).map { span in
      let start = area.column + 2 + span.start
      return start..<max(start, min(start + span.width, area.column + area.width))
    }
    for (index, lines) in zip(window.first..., window.records) {
      let isMarked = tab.marked[items[index].id] != nil
      let hasMark = layout.isTable && !isMarked && reason(at: index, besides: lines.map(\.text)) != nil
      let start = row
      let isSelected = index == tab.selected && isOfList
      row = draw(lines, badges: badges, isSelected: isSelected, row: row, end: end, on: &screen)
      let style = isSelected && mode != .record ? CellStyle.reversed : isMarked ? .cyan : .dim
      if hasMark { screen.put(Self.matchMark, at: (area.column + 1, row - 1), style: style) }
      if isMarked { screen.put("+", at: (area.column + 1, start), style: style) }
    }
    guard window.end == items.count else { return }
    for line in tailLines where row < end {
      screen.put(line, at: (area.column + 2, row), width: area.width - 2, style: [.dim])
      row += 1
    }
  }

  /// Draws the header of the table, with the current column and the sorted ones.
  private func drawHeader(_ spans: [TableLines.Span], on screen: inout Screen) {
    let (area, current) = (layout.list, span(in: spans)?.path)
    guard let header = items.first?.look.header(from: items, in: shape) else { return }
    let row = area.row - 1
    screen.put(header, at: (area.column + 2, row), width: area.width - 2, style: [.dim])
    for span in spans {
      let (start, width) = (area.column + 2 + span.start, min(span.heading, span.width))
      guard start + width <= area.column + area.width else { break }
      if span.path == current { screen.restyle(from: start, to: start + width, row: row, adding: .reversed) }
      if let order = listing.chosen.order.first(where: { $0.path == span.path }), start + width < area.column + area.width {
        screen.put(order.isDescending ? "↓" : "↑", at: (start + width, row), style: [.bold, .cyan])
      }
    }
  }

  /// Draws a record from `row` on, and returns the row below it.
  private func draw(
    _ lines: [Card.Line], badges: [Range<Int>], isSelected: Bool, row start: Int, end: Int, on screen: inout Screen
  ) -> Int {
    let (area, isTable) = (layout.list, layout.isTable)
    var row = start
    for line in lines where row < end {
      let style: CellStyle = isTable ? [] : line.kind == .title ? [.bold] : [.dim]
      screen.put(line.text, at: (area.column + 2, row), width: area.width - 2, style: style)
      if !line.badge.isEmpty {
        let width = min(DisplayWidth.of(line.badge), area.width - 2)
        screen.put(line.badge, at: (area.column + area.width - width, row), width: width, style: [.cyan])
      }
      for badge in badges { screen.restyle(from: badge.lowerBound, to: badge.upperBound, row: row, adding: .cyan) }
      if isSelected, mode != .record {
        screen.restyle(from: area.column, to: area.column + area.width, row: row, adding: .reversed)
      }
      row += 1
    }
    if isSelected {
      // While a person reads the record, the keys are about that, and the list shows only which one it is.
      screen.put(">", at: (area.column, start), style: mode == .record ? [.bold] : [.reversed])
      if mode == .list { screen.cursor = (area.column, start) }
    }
    return row
  }

  private func drawRecord(on screen: inout Screen) {
    let area = layout.record ?? layout.list
    // The line is thick while the keys are about the record.
    let style: CellStyle = mode == .record ? [.bold, .cyan] : [.dim]
    if let record = layout.record {
      if record.column > 0 {
        for row in layout.body.row..<layout.body.row + layout.body.height {
          screen.put(mode == .record ? "┃" : "│", at: (record.column - 2, row), style: style)
        }
      } else {
        screen.put(String(repeating: mode == .record ? "━" : "─", count: area.width), at: (0, area.row - 1), style: style)
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
    let style: CellStyle = isTroubled ? [.yellow] : []
    for (index, line) in lines.enumerated() { screen.put(line, at: (0, size.rows - 1 - lines.count + index), style: style) }
    if !lines.isEmpty { screen.put(sign, at: (size.columns - 1, size.rows - 1 - lines.count)) }
    screen.put(
      DisplayWidth.truncate(footer, to: size.columns), at: (0, size.rows - 1), style: message == nil ? [.dim] : [.bold])
  }
}
