import Platform

/// Edits lines at the terminal at standard input and output, below what it shows already.
package struct LineTerminal {
  /// The reason why ``edit(_:performing:)`` returns.
  package enum Ending: Sendable, Hashable {
    /// The text is entered; the cursor is below it.
    case entered
    /// The text should be completed. The line is still edited, and the terminal in its modes.
    case completing
    /// Ctrl-C; the cursor is below the text.
    case cancelled
    /// Ctrl-D without a text.
    case ended
    /// The terminal is gone, or standard input and output are not both a terminal.
    case lost
  }

  /// The most bytes of a paste.
  private static let mostPasted = 1 << 16

  private var parser = KeyParser(mostPasted: Self.mostPasted)
  /// Input that came behind the end of the last line.
  private var waiting: [TerminalInput] = []
  private var shown: LineDrawing?
  /// The size of the terminal when something was drawn last.
  private var size: TerminalSize
  private var mustDraw = false
  private var isTaken = false
  /// True when the program was suspended here, and the notice that it was resumed is still to come.
  private var isResuming = false
  private let usualSize: TerminalSize
  private let willGiveBack: @Sendable () -> Void

  /// `size` is used if the terminal does not know its own. `willGiveBack` is called at the end of each line, before keys are signals again.
  package init(on size: TerminalSize, willGiveBack: @escaping @Sendable () -> Void = {}) {
    (self.size, usualSize, self.willGiveBack) = (size, size, willGiveBack)
  }

  /// Edits a text until it is entered or given up, or until it should be completed; then begins with the `action` that comes of that.
  package mutating func edit(_ editor: inout LineEditor, performing action: LineEditor.Action? = nil) -> Ending {
    if !isTaken {
      guard LineInput.take() else { return .lost }
      (isTaken, shown) = (true, nil)
    }
    if let ending = action.flatMap({ perform($0, &editor) }) { return ending }
    while true {
      while !waiting.isEmpty {
        if let ending = take(waiting.removeFirst(), &editor) { return ending }
      }
      guard draw(editor) else { return lose() }
      waiting = FullScreen.next(&parser)
    }
  }

  private mutating func take(_ input: TerminalInput, _ editor: inout LineEditor) -> Ending? {
    switch input {
    case .ended: return lose()
    case .notice(.resized): break
    case .notice(.resumed):
      LineInput.resume()
      // After a suspension by Ctrl-Z the line was drawn anew already.
      if !isResuming { shown = nil }
      isResuming = false
    case .notice(.suspended): return perform(.suspend, &editor)
    default: return editor.take(input).flatMap { perform($0, &editor) }
    }
    return nil
  }

  private mutating func perform(_ action: LineEditor.Action, _ editor: inout LineEditor) -> Ending? {
    switch action {
    case .enter: return end(.entered, editor, "")
    case .cancel: return end(.cancelled, editor, "^C")
    case .end: return end(.ended, editor, "")
    case .complete:
      // What was typed ahead is completed as it shows.
      return draw(editor) ? .completing : lose()
    case .clear: send("\u{1B}[H\u{1B}[2J")
    case .ring: return send("\u{7}") ? nil : lose()
    case .list(let texts):
      showWhole(editor)
      send("\r\n" + LineEditor.table(of: texts, columns: size.columns).map { $0 + "\r\n" }.joined())
    case .suspend:
      showWhole(editor)
      send("\r\n")
      isResuming = LineInput.suspend()
    }
    shown = nil
    return nil
  }

  private mutating func end(_ ending: Ending, _ editor: LineEditor, _ mark: String) -> Ending {
    showWhole(editor)
    send(mark + "\r\n")
    willGiveBack()
    LineInput.finish()
    isTaken = false
    return ending
  }

  private mutating func lose() -> Ending {
    LineInput.finish()
    isTaken = false
    return .lost
  }

  /// Looks at the size of the terminal, which may change at any moment, before the signal is heard.
  private mutating func measure() {
    let new = TerminalSize(ofTerminalAt: 1) ?? usualSize
    guard new != size else { return }
    if new.columns != size.columns { shown = shown?.reflowed(to: new.columns) }
    // A terminal may have moved rows out of sight.
    (size, mustDraw) = (new, true)
  }

  private mutating func draw(_ editor: LineEditor) -> Bool {
    measure()
    let drawing = editor.drawing(columns: size.columns, rows: size.rows)
    guard drawing != shown || mustDraw else { return true }
    defer { (shown, mustDraw) = (drawing, false) }
    return send(drawing.bytes(replacing: shown))
  }

  /// Draws all rows, and leaves the cursor at the end of the last one.
  private mutating func showWhole(_ editor: LineEditor) {
    measure()
    var whole = editor
    whole.endSearch()
    whole.cursor = whole.characters.count
    send(whole.drawing(columns: size.columns).bytes(replacing: shown))
    shown = nil
  }

  @discardableResult
  private func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  private func send(_ bytes: [UInt8]) -> Bool { FullScreen.show(bytes) }
}
