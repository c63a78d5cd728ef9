import AggregatorCore

/// Kitty's graphics protocol, as much of it as puts a PNG where the cursor is.
package enum KittyGraphics {
  /// Whether the terminal speaks it. A multiplexer in between does not pass it on.
  package static func isSpoken(in environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    let isMultiplexed = ["TMUX", "STY", "ZELLIJ"].contains { !(environment[$0] ?? "").isEmpty }
    if isMultiplexed || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") { return false }
    return !(environment["KITTY_WINDOW_ID"] ?? "").isEmpty || terminal == "xterm-kitty" || terminal == "xterm-ghostty"
      || ["ghostty", "wezterm"].contains((environment["TERM_PROGRAM"] ?? "").lowercased())
  }

  /// What shows the PNG `bytes`, no larger than the terminal.
  package static func sequence(showing bytes: [UInt8], on size: TerminalSize) -> [UInt8] {
    let chunks = stride(from: 0, to: bytes.count, by: mostBytes).map { bytes[$0..<min($0 + mostBytes, bytes.count)] }
    var sequence: [UInt8] = []
    for (index, chunk) in chunks.enumerated() {
      // q=2 in every one: an answer would come as if it had been typed.
      let command = index == 0 ? "a=T,f=100,q=2\(bound(of: bytes, on: size))" : "q=2"
      sequence += "\u{1B}_G\(command),m=\(index == chunks.count - 1 ? 0 : 1);".utf8
      sequence += Base64.encode(chunk).utf8
      sequence += "\u{1B}\\".utf8
    }
    return sequence
  }

  /// 4096 characters once they are encoded: the most that one command may carry.
  private static let mostBytes = 3072

  /// How many columns or rows it shall take, if it is larger than the terminal; the terminal keeps its shape.
  private static func bound(of png: [UInt8], on size: TerminalSize) -> String {
    guard png.count >= 24, size.width > 0, size.height > 0 else { return "" }
    let width = png[16..<20].reduce(0) { $0 << 8 | Int($1) }
    let height = png[20..<24].reduce(0) { $0 << 8 | Int($1) }
    let share = (width: Double(width) / Double(size.width), height: Double(height) / Double(size.height))
    if max(share.width, share.height) <= 1 { return "" }
    return share.width > share.height ? ",c=\(size.columns)" : ",r=\(max(1, size.rows - 1))"
  }
}
