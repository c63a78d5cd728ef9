import AggregatorCore
import Terminal

/// `chafa`, which draws pictures with characters, where it is installed.
struct Chafa {
  private let path: String
  private let environment: [String: String]
  private let isColored: Bool
  private let clock: any Timekeeper

  /// Nil if none of the folders in `PATH` has it.
  init?(_ environment: [String: String], isColored: Bool, clock: any Timekeeper) {
    guard let path = Child.find("chafa", in: environment) else { return nil }
    self.path = path
    self.isColored = isColored
    self.clock = clock
    // What it needs to know about the terminal; it must not see keys.
    let known = ["PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "COLORTERM", "TERM_PROGRAM"]
    self.environment = environment.filter { known.contains($0.key) }
  }

  /// What shows the picture at `file`; nil if it could not be drawn.
  func draw(_ file: String, on size: TerminalSize, asPixels: Bool) -> [UInt8]? {
    // A row stays free for the line that follows.
    var arguments = ["--animate=off", "--size=\(size.columns)x\(max(1, size.rows - 2))", "--format=\(asPixels ? "kitty" : "symbols")"]
    if !isColored, !asPixels { arguments.append("--colors=none") }
    return Child.output(of: path, arguments + ["--", file], environment: environment, clock: clock)
  }
}
