import AggregatorCore
import Platform
import Testing

/// The command on a terminal of its own, run as a person runs it.
final class Terminal {
  let process: Spawned
  private var master: Int32
  private var slave: Int32
  /// The reading end of a pipe whose other end only the command has, so that it closes when the command ends.
  private let lifeline: Int32
  private(set) var shown = ""
  private var unread: [UInt8] = []
  private var hasEnded = false
  private var isReadOut = false

  /// Starts the command with `arguments` and `options` on a terminal of `columns`; its results go there too, or to `output`.
  convenience init(
    _ arguments: String..., columns: Int, rows: Int = 50, options: [String] = [], environment: [String: String] = [:], output: Int32? = nil
  ) throws {
    try self.init(
      running: [Binary.path] + arguments.words + options, columns: columns, rows: rows, environment: environment, output: output)
  }

  /// Starts a shell's `script` on a terminal, in which `$A` is the command.
  convenience init(script: String, columns: Int = 80, environment: [String: String] = [:]) throws {
    try self.init(
      running: ["/bin/sh", "-c", script], columns: columns, environment: environment + ["A": Binary.path], output: nil)
  }

  /// Starts `command`. With `isItsOwn` it leads a session on the terminal, and gets a signal when that hangs up.
  init(
    running command: [String], columns: Int, rows: Int = 50, environment: [String: String] = [:], output: Int32? = nil,
    isItsOwn: Bool = true
  ) throws {
    var (master, slave): (Int32, Int32) = (-1, -1)
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&master, &slave, &name, nil, &size) == 0, let ends = Pipe() else {
      throw Spawned.Failed(reason: "no terminal is to be had")
    }
    defer { close(ends.writing) }
    (self.master, self.slave, self.lifeline) = (master, slave, ends.reading)
    process = try Spawned(
      command,
      environment: try Binary.environment + ["TERM": "xterm", "PAGER": "cat"] + environment,
      in: "/",
      descriptors: [slave, output ?? slave, slave, ends.writing],
      terminal: isItsOwn ? String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) : nil)
  }

  deinit {
    hangUp()
    close(lifeline)
    // A process that the test did not wait for ends now. An unreaped process
    // keeps Swift Testing's tests of exits from hearing of their own.
    let process = process
    _ = SystemThread.start { _ = process.wait() }
  }

  /// Takes the terminal away from the command.
  func hangUp() {
    for descriptor in [slave, master] where descriptor >= 0 { close(descriptor) }
    (slave, master) = (-1, -1)
  }

  /// Waits until `text` has appeared `times` times. Throws if nothing comes for a minute.
  func waitFor(_ text: String, times: Int = 1) throws {
    // The last read may contain the text, even if nothing comes after it.
    var isOver = false
    while shown.split(separator: text, omittingEmptySubsequences: false).count <= times {
      if isOver { throw Spawned.Failed(reason: "it never showed \(text), but \(shown.debugDescription)") }
      isOver = !read(within: 60_000)
    }
  }

  /// Waits for the end, and returns the exit code. All output has then been read.
  func wait() -> Int32 {
    while read() {}
    return process.wait()
  }

  /// Waits for the end, and expects this exit code.
  func ending(_ code: Int32 = 0, at location: SourceLocation = #_sourceLocation) -> Terminal {
    #expect(wait() == code, sourceLocation: location)
    return self
  }

  func end(typing text: String) -> Int32 {
    type(text)
    return wait()
  }

  /// Waits for the end of a command that may not end. If nothing comes for a minute, kills it and returns nil.
  func end() -> Int32? {
    while read(within: 60_000) {}
    if isReadOut { return process.wait() }
    process.send(SIGKILL)
    _ = process.wait()
    return nil
  }

  /// Looks at the output `times` times without waiting.
  func look(times: Int) { for _ in 0..<times { _ = read(within: 0) } }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// Types a text, and waits until another one shows.
  func type(_ text: String, see shown: String) throws {
    type(text)
    try waitFor(shown)
  }

  func resize(to columns: Int, _ rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Stops the terminal's output, as if the terminal were not read.
  func stopTaking() { tcflow(slave, TCOOFF) }

  /// True when typed text is shown.
  var echoes: Bool {
    var settings = termios()
    tcgetattr(slave, &settings)
    return settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// The lines shown, without sequences that only move the cursor.
  var lines: [String] {
    shown.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init).dropLast(shown.hasSuffix("\r\n") ? 1 : 0).map { $0 }
  }

  /// The lines that stay: progress, which a busy machine shows, is erased again.
  var linesLeft: [String] { lines.map { $0.split(separator: "\u{1B}[K", omittingEmptySubsequences: false).last.map(String.init) ?? "" } }

  /// Reads the next output. False once the command has ended and all is read, or if nothing comes within `patience` milliseconds.
  private func read(within patience: Int32 = -1) -> Bool {
    if isReadOut { return false }
    if !hasEnded {
      var waits = [master, lifeline].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      var ready = poll(&waits, 2, patience)
      while ready < 0, errno == EINTR { ready = poll(&waits, 2, patience) }
      if ready == 0 { return false }
      if waits[0].revents & Int16(POLLIN) == 0 {
        hasEnded = true
        // The last output may still be on its way, but this mark comes after it.
        _ = write(slave, Self.end, Self.end.count)
      }
    }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = chunk.withUnsafeMutableBytes { Descriptor.read(master, into: $0) } ?? 0
    unread += chunk[..<count]
    isReadOut = count == 0
    if hasEnded, unread.suffix(Self.end.count) == Self.end[...] {
      unread.removeLast(Self.end.count)
      isReadOut = true
    }
    // A character may come in two pieces.
    if let text = String(validating: unread, as: UTF8.self) {
      shown += text
      unread = []
    }
    return !isReadOut
  }

  /// A character that no command shows.
  private static let end = Array("\u{E000}".utf8)
}
