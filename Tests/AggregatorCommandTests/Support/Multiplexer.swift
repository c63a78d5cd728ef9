/// A shell in tmux, as a person has it before them: keys go in, and what the screen shows is looked at.
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
    // A shell may take its prompt from nowhere else.
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

  /// The same, until a text shows.
  @discardableResult
  func press(_ keys: String..., see text: String) throws -> [String] {
    for key in keys { try press(key) }
    return try waitFor(text)
  }

  /// Sends bytes as a terminal does, all at once: an escape that nothing follows for a moment would be a key.
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

  /// Is resized to each of these in turn, as fast as tmux can.
  func resize(through sizes: [(columns: Int, rows: Int)]) throws {
    let commands = sizes.flatMap { ["resize-window", "-x", "\($0.columns)", "-y", "\($0.rows)", ";"] }
    try tmux(commands.dropLast())
  }

  /// Pastes a text as a terminal does where programs ask to be told of pastes.
  func paste(_ text: String) throws {
    try Folder.write(text, to: "\(folder)/paste")
    try tmux("load-buffer", "\(folder)/paste", ";", "paste-buffer", "-p")
  }

  /// Takes the terminal away from whatever runs there.
  func kill() throws { try tmux("kill-server") }

  /// The lines on the screen, blanks at their ends left out.
  var lines: [String] {
    get throws { try tmux("capture-pane", "-p").split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
  }

  /// Whether the alternate screen shows, whether the cursor does, whether the mouse is reported: `0 1 0` of a shell.
  var modes: String {
    get throws {
      try tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag}").split(separator: "\n").first.map(String.init)
        ?? ""
    }
  }

  /// What the program says that its window is.
  var title: String { get throws { try tmux("display-message", "-p", "#{pane_title}") } }

  /// Where the cursor is.
  var cursor: String {
    get throws { try tmux("display-message", "-p", "#{cursor_x},#{cursor_y}").split(separator: "\n").first.map(String.init) ?? "" }
  }

  /// Looks at the screen until it holds; how it looks then.
  @discardableResult
  func wait(_ what: String, until holds: (String) throws -> Bool) throws -> [String] {
    // Each look takes a process, so this is no busy loop; it ends with the time limit of the tests.
    var last = ""
    for _ in 0..<1_500 {
      let lines = try lines
      last = lines.joined(separator: "\n")
      if try holds(last) { return lines }
    }
    throw Spawned.Failed(reason: "it never showed \(what):\n\(last)")
  }

  /// Waits until the shell takes the next line: the screen of before is back sooner than the modes of its keys.
  func waitForPrompt() throws { try wait("a prompt") { $0.split(separator: "\n").last == "ready>" } }

  @discardableResult
  func waitFor(_ text: String) throws -> [String] { try wait(text) { $0.contains(text) } }
}
