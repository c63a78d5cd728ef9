/// A key that was pressed.
package struct Key: Sendable, Hashable {
  package enum Code: Sendable, Hashable {
    case text(Unicode.Scalar)
    case enter, tab, backspace, escape
    case up, down, left, right, home, end, pageUp, pageDown, delete, f1
  }

  package struct Modifiers: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let shift = Modifiers(rawValue: 1)
    package static let alt = Modifiers(rawValue: 2)
    package static let control = Modifiers(rawValue: 4)
  }

  package var code: Code
  package var modifiers: Modifiers

  package init(_ code: Code, _ modifiers: Modifiers = []) {
    self.code = code
    self.modifiers = modifiers
  }

  /// Returns the key of a letter: `"j"`.
  package static func text(_ scalar: Unicode.Scalar) -> Key { Key(.text(scalar)) }
  package static func control(_ scalar: Unicode.Scalar) -> Key { Key(.text(scalar), .control) }
}

/// Input from a terminal.
package enum TerminalInput: Sendable, Hashable {
  case key(Key)
  /// A text that was pasted.
  case paste(String)
  case mouse(MouseEvent)
  case notice(FullScreen.Notice)
  /// The terminal is gone.
  case ended
}

/// An action of the mouse, if the terminal passes it on.
package struct MouseEvent: Sendable, Hashable {
  package enum Kind: Sendable, Hashable { case press, wheelUp, wheelDown }

  package var kind: Kind
  /// The cell, counted from 0.
  package var column: Int
  package var row: Int

  package init(_ kind: Kind, column: Int, row: Int) { (self.kind, self.column, self.row) = (kind, column, row) }
}
