import AggregatorCore

/// `chafa`, which draws pictures with characters, where it is installed.
struct Chafa: Sendable {
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

  /// What shows the picture at `file`, no larger than that; nil if it could not be drawn. `colors` is how many the terminal has, if not as
  /// many as it says.
  func draw(
    _ file: String, in extent: (columns: Int, rows: Int), asPixels: Bool, colors: Int? = nil, as wish: Child.Wish = Child.Wish()
  ) -> [UInt8]? {
    var arguments = ["--animate=off", "--size=\(extent.columns)x\(extent.rows)", "--format=\(asPixels ? "kitty" : "symbols")"]
    if !asPixels, !isColored { arguments.append("--colors=none") } else if !asPixels, let colors { arguments.append("--colors=\(colors)") }
    return Child.output(of: path, arguments + ["--", file], environment: environment, clock: clock, as: wish)
  }
}
