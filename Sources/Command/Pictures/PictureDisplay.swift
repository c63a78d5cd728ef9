import AggregatorCore
import Pictures
import Terminal

/// Shows pictures on the terminal: by kitty's protocol where supported, by `chafa` where installed.
struct PictureDisplay {
  private let console: Console
  private let size: TerminalSize
  private let isKitty: Bool
  private let chafa: Chafa?

  /// Nil where nothing can be shown.
  init?(_ question: SourceQuestion) {
    let program = question.program
    guard program.console.isOutputTerminal, program.environment["TERM"] != "dumb" else { return nil }
    console = program.console
    size = TerminalSize(ofTerminalAt: 1) ?? TerminalSize(columns: program.console.width(program.environment), rows: 24)
    isKitty = KittyGraphics.isSpoken(in: program.environment)
    chafa = Chafa(program.environment, isColored: program.style(question.invocation).isColored, clock: program.clock)
    guard isKitty || chafa != nil else { return nil }
  }

  /// Shows `picture`, which lies at `path`; false if that cannot be done.
  func show(_ picture: Picture, path: String?) throws -> Bool {
    if isKitty, picture.format == .png, let png = KittyPicture(png: picture.bytes) {
      try console.write(KittyGraphics.sequence(showing: png, on: size) + Array("\n".utf8))
      return true
    }
    // A row stays free for the line that follows.
    let extent = (size.columns, max(1, size.rows - 2))
    guard let path, let drawn = chafa?.draw(path, in: extent, asPixels: isKitty) else { return false }
    try console.write(drawn)
    return true
  }
}
