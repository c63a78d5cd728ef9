/// A shell in tmux, as a person uses it: the test sends keys and looks at the screen.
final class Multiplexer {
  private let socket: String
  let folder: String

  static let isInstalled = Tool.exists("tmux")

  /// A shell in which `$A` is the command.
  init(columns: Int = 80, rows: Int = 24, environment: [String: String] = [:]) throws {
    folder = try Folder.fresh()
    socket = "\(folder)/tmux"
    let variables = environment + ["A": Binary.path, "HOME": folder, "TERM": "screen"]
    let tmux = Tool.path("tmux") ?? "tmux"
    let outcome = try Binary.run(
      [tmux, "-u", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "exec /bin/sh -i"],
      input: "", environment: variables, in: folder)
    guard outcome.code == 0 else { throw Spawned.Failed(reason: outcome.errors) }
    // Some shells take their prompt from nowhere else.
    try type("PS1='ready> '; clear")
    try wait("a prompt") { $0.hasPrefix("ready>") }
  }

  deinit { _ = try? tmux("kill-server") }

  @discardableResult
  private func tmux(_ words: String...) throws -> String { try tmux(words) }

  @discardableResult
  private func tmux(_ words: [String]) throws -> String {
    let outcome = try Binary.run([Tool.path("tmux") ?? "tmux", "-u", "-S", socket] + words, input: "", environment: [:], in: folder)
    guard outcome.code == 0 else { throw Spawned.Failed(reason: "\(words): \(outcome.errors)") }
    return outcome.output
  }

  /// Presses keys by tmux's names for them: `Enter`, `C-z`, `j`.
  func press(_ keys: String...) throws { for key in keys { try tmux("send-keys", key) } }

  /// Presses keys, and waits until a text shows.
  @discardableResult
  func press(_ keys: String..., see text: String) throws -> [String] {
    for key in keys { try press(key) }
    return try waitFor(text)
  }

  /// Sends bytes as a terminal does, all at once, because an escape that is followed by nothing for a moment would be a key.
  func send(_ bytes: some Sequence<UInt8>) throws { try tmux(["send-keys", "-H"] + bytes.map { String($0, radix: 16) }) }

  /// Types a line and Enter.
  func type(_ line: String) throws {
    try tmux("send-keys", "-l", line)
    try tmux("send-keys", "Enter")
  }

  @discardableResult
  func type(_ line: String, see text: String) throws -> [String] {
    try type(line)
    return try waitFor(text)
  }

  @discardableResult
  func resize(to columns: Int, _ rows: Int, see text: String) throws -> [String] {
    try resize(to: columns, rows)
    return try waitFor(text)
  }

  func resize(to columns: Int, _ rows: Int) throws { try tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)") }

  /// Resizes the terminal to each of these sizes in turn, as fast as tmux can.
  func resize(through sizes: [(columns: Int, rows: Int)]) throws {
    let commands = sizes.flatMap { ["resize-window", "-x", "\($0.columns)", "-y", "\($0.rows)", ";"] }
    try tmux(commands.dropLast())
  }

  /// Pastes a text, as a terminal does for programs that ask to be told of pastes.
  func paste(_ text: String) throws {
    try Folder.write(text, to: "\(folder)/paste")
    try tmux("load-buffer", "\(folder)/paste", ";", "paste-buffer", "-p")
  }

  /// Takes the terminal away from the program in it.
  func kill() throws { try tmux("kill-server") }

  /// The lines on the screen, without the blanks at their ends.
  var lines: [String] {
    get throws { try tmux("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Three digits, 1 or 0: the alternate screen shows, the cursor shows, the mouse is reported. A shell has `0 1 0`.
  var modes: String {
    get throws {
      try tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").split(separator: "\n").first.map(String.init)
        ?? ""
    }
  }

  /// The title that the program gives its window.
  var title: String { get throws { try tmux("display-message", "-p", "#{pane_title}") } }

  /// The position of the cursor: column, line.
  var cursor: String {
    get throws { try tmux("display-message", "-p", "#{cursor_x},#{cursor_y}").split(separator: "\n").first.map(String.init) ?? "" }
  }

  /// Looks at the screen until the condition holds, and returns its lines.
  @discardableResult
  func wait(_ what: String, until holds: (String) throws -> Bool) throws -> [String] {
    // Each look takes a process, so the loop is not busy; it ends with the time limit of the tests.
    var last = ""
    for _ in 0..<1_500 {
      let lines = try lines
      last = lines.joined(separator: "\n")
      if try holds(last) { return lines }
    }
    throw Spawned.Failed(reason: "it never showed \(what):\n\(last)")
  }

  /// Waits until the shell takes the next line, because the earlier screen is back sooner than the modes of its keys.
  func waitForPrompt() throws { try wait("a prompt") { $0.split(separator: "\n").last == "ready>" } }

  @discardableResult
  func waitFor(_ text: String) throws -> [String] { try wait(text) { $0.contains(text) } }
}
