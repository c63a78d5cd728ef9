import Platform

/// How large a terminal is.
package struct TerminalSize: Sendable, Hashable {
  package var columns: Int
  package var rows: Int
  /// In pixels; 0 where the terminal does not say.
  package var width = 0
  package var height = 0

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// Nil if there is no terminal there, or one that does not know its size.
  package init?(ofTerminalAt descriptor: Int32) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    (columns, rows, width, height) = (Int(size.ws_col), Int(size.ws_row), Int(size.ws_xpixel), Int(size.ws_ypixel))
  }
}
