import AggregatorCore
import Pictures
import Platform
import Synchronization
import Terminal

/// Draws pictures for the terminal: by kitty's protocol if the terminal supports it, else by `chafa` if it is installed.
package struct PictureDrawer: Sendable {
  package let isKitty: Bool
  private let isColored: Bool
  private let clock: any Timekeeper
  /// The path of `chafa`, and what it needs to know about the terminal; it must not see keys.
  package let chafa: (path: String, environment: [String: String])?

  package init?(_ program: Program, isColored: Bool) {
    let environment = program.environment
    isKitty = KittyGraphics.isSpoken(in: environment)
    (self.isColored, clock) = (isColored, program.clock)
    let known = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "TERM_PROGRAM"]
    chafa = Child.find("chafa", in: environment).map { ($0, environment.filter { known.contains($0.key) }) }
    guard isKitty || chafa != nil else { return nil }
  }

  /// Returns bytes that show the picture at the cursor, no larger than the terminal; nil
  /// if it cannot be shown. `path` is its file, for `chafa`.
  func sequence(showing picture: Picture, at path: String?, on size: TerminalSize) async -> [UInt8]? {
    if isKitty, picture.format == .png, let png = KittyPicture(png: picture.bytes) {
      return KittyGraphics.sequence(showing: png, on: size) + Array("\n".utf8)
    }
    // A row stays free for the line that follows.
    return await output(of: path, in: (size.columns, max(1, size.rows - 2)), asPixels: isKitty)
  }

  /// Returns what `chafa` writes for the picture at `path`; nil if it could not draw it. `colors` replaces the number of
  /// colours that the terminal reports. It runs on a thread of its own, since a task must not wait for another program.
  package func output(of path: String?, in extent: (columns: Int, rows: Int), asPixels: Bool, colors: Int? = nil) async
    -> [UInt8]?
  {
    guard let chafa, let path else { return nil }
    let palette = isColored ? colors.map { "\($0)" } : "none"
    let arguments =
      ["--animate=off", "--size=\(extent.columns)x\(extent.rows)", "--format=\(asPixels ? "kitty" : "symbols")"]
      + (asPixels ? [] : palette.map { ["--colors=\($0)"] } ?? []) + ["--", path]
    let isWanted = Atomic(true)
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let draw: @Sendable () -> Void = { [clock] in
          let output = Child.output(of: chafa.path, arguments, environment: chafa.environment, clock: clock) {
            isWanted.load(ordering: .relaxed)
          }
          continuation.resume(returning: output)
        }
        if !SystemThread.start(draw) { continuation.resume(returning: nil) }
      }
    } onCancel: {
      isWanted.store(false, ordering: .relaxed)
    }
  }
}
