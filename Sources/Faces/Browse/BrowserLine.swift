import AggregatorCore
import Asking
import Feed
import Terminal

// The line that a person types after `:`. It has the keys of readline, and Tab completes its words.
extension Browser {
  /// Begins a line with that text.
  mutating func beginLine(_ text: String = "") -> [BrowserAction] {
    let isRecord = mode == .record
    if isRecord { close() }
    line.takeText()
    _ = line.take(.paste(text))
    mode = .line
    return isRecord ? [.feed(tab: current, .hide)] : []
  }

  /// Handles a key or a paste while a line is typed.
  mutating func takeInLine(_ input: TerminalInput) -> [BrowserAction] {
    if case .key(let key) = input {
      switch key.code {
      case .escape: return endLine()
      case .backspace where line.text.isEmpty: return endLine()
      case .text where key.modifiers == .control:
        if let verb = BrowserVerb(key), [.interrupt, .suspend, .redraw].contains(verb) { return perform(verb) }
      default: break
      }
    }
    let action: LineEditor.Action?
    if case .paste(let text) = input {
      // A pasted line must not run by itself, so that line breaks are blanks.
      action = line.take(.paste(String(text.map { $0.isNewline ? " " : $0 }.prefix(Self.mostTyped))))
    } else {
      action = line.take(input)
    }
    switch action {
    case .enter:
      let text = line.takeText()
      line.remember(text)
      mode = .list
      return run(text)
    case .complete: complete()
    case .cancel, .end: return endLine()
    case .clear, .suspend, .ring, .list, nil: break
    }
    return []
  }

  private mutating func endLine() -> [BrowserAction] {
    line.takeText()
    mode = .list
    return []
  }

  private mutating func complete() {
    if case .list(let texts)? = line.complete(with: completion) { message = texts.joined(separator: "  ") }
  }

  /// The ways to complete the typed line: names of commands, and of the fields or sources that follow them.
  private var completion: LineCompletion {
    let before = line.textBeforeCursor
    let command = BrowserCommand.word(of: before)
    guard before.contains(" ") else {
      let names = BrowserCommand.all.map(\.name).filter { $0.hasPrefix(before) }
      return LineCompletion(replacing: before.count, with: names.map { .init($0) })
    }
    let typed = String(
      before[(before.lastIndex { $0 == " " || $0 == "," }.map { before.index(after: $0) } ?? before.startIndex)...])
    let names: [String] =
      switch command {
      case "where", "fields": tab.leaves.map(\.path.text)
      case "sort": tab.leaves.map { (typed.hasPrefix("-") ? "-" : "") + $0.path.text }
      case "source": tabs.map(\.source.name)
      default: []
      }
    let found = names.filter { $0.lowercased().hasPrefix(typed.lowercased()) }
    return LineCompletion(replacing: typed.count, with: found.map { .init($0, isWord: false) })
  }
}
