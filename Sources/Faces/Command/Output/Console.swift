package import AggregatorCore
import Platform
import RecordFormats
import Synchronization
import Terminal

/// The streams that a command reads from and writes to: those of a process, or any others.
///
/// Results go to the output, gathered into large writes; everything else goes to the errors, at once.
package final class Console: Sink {
  /// The reader of the output is gone.
  struct Closed: Error {}

  /// The results cannot be written.
  package struct Unwritable: Error, CustomStringConvertible {
    static let standardOutput = "standard output"
    var target = Self.standardOutput
    let reason: String
    package var description: String { "cannot write to \(target): \(reason)" }
  }

  private let results: Mutex<PagedOutput>
  private let colors = Mutex(Style(isColored: false))
  private let status = Mutex("")
  /// The last messages about the store, so that each is printed once.
  private let saidOfStore = Mutex<[String]>([])
  /// The descriptor; -1 if the output is closed.
  private let output: Int32
  private let errors: Int32

  /// Standard input; nil if the command was started without one.
  let input: FileStream?
  package let isInputTerminal: Bool
  /// Bytes of the input that were read beyond the line that was asked for.
  private let unread = Mutex<[UInt8]>([])
  package var isOutputTerminal: Bool { isTerminal && !hasFile }
  private let isTerminal: Bool
  package let isErrorTerminal: Bool

  /// Makes a console over open descriptors; nil is a closed stream.
  init(input: Int32?, output: Int32?, errors: Int32) {
    self.input = input.map { FileStream(descriptor: $0) }
    (self.output, self.errors) = (output ?? -1, errors)
    isInputTerminal = input.map { isatty($0) == 1 } ?? false
    isTerminal = isatty(self.output) == 1
    isErrorTerminal = isatty(errors) == 1
    results = Mutex(PagedOutput(output: self.output))
  }

  static func ofProcess() -> Console {
    // The next file that is opened would get the number of a closed stream, and results would be written into it.
    let isClosed = (0...2).map { fcntl($0, F_GETFD) == -1 }
    for closed in isClosed where closed { _ = open("/dev/null", O_RDWR) }
    signal(SIGPIPE, SIG_IGN)
    // A file that must not grow further is a write error, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    return Console(input: isClosed[0] ? nil : 0, output: isClosed[1] ? nil : 1, errors: 2)
  }

  /// The size of the terminal that shows the results; nil without a terminal, or if it does not know its size.
  var outputSize: TerminalSize? { TerminalSize(ofTerminalAt: output) }

  /// Returns the width of the terminal in columns; without a terminal `COLUMNS`, else 80.
  package func width(_ environment: [String: String]) -> Int {
    if isOutputTerminal, let width = Self.width(ofTerminalAt: output) { return width }
    // Limited, since cards are filled up to the width.
    return environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, 10_000) : nil } ?? 80
  }

  /// The width of the terminal that shows messages; nil without one.
  var errorWidth: Int? { isErrorTerminal ? Self.width(ofTerminalAt: errors) : nil }

  /// A serial line may know only its number of columns.
  private static func width(ofTerminalAt descriptor: Int32) -> Int? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }
}

// MARK: - Results

extension Console {
  func write(_ bytes: [UInt8]) throws {
    try results.withLock { results in
      results.gathered += bytes
      if results.gathered.count >= 1 << 16 { try send(&results) }
    }
  }

  package func flush() throws { try results.withLock { try send(&$0) } }

  /// True when results go into a file, where a person sees them only after the last one.
  var hasFile: Bool { results.withLock { $0.file != nil } }

  private func send(_ results: inout PagedOutput) throws {
    let (descriptor, target) = (results.descriptor, results.file?.path ?? Unwritable.standardOutput)
    guard results.gathered.isEmpty || descriptor >= 0 else { throw Unwritable(reason: "it is closed") }
    guard !results.gathered.isEmpty else { return }
    if isTerminal && descriptor == output { show(status: "") }
    results.startPager()
    // Results that could not be sent are dropped: records given back to the store must not be printed later.
    defer { results.gathered.removeAll(keepingCapacity: true) }
    try Interruption.check()
    let reader = results.descriptor
    let code = results.gathered.withUnsafeBytes {
      Descriptor.write($0, to: reader) { Interruption.room(for: $0, at: reader) }
    }
    guard let code else { return }
    try Interruption.check()
    throw code == EPIPE ? Closed() : Unwritable(target: target, reason: SystemFiles.reason(code))
  }
}

// MARK: - A screen at a time, and files

extension Console {
  /// Sends further results to `pager`, unless they go into a file.
  func page(with pager: Pager) { results.withLock { if $0.file == nil { $0.pager = pager } } }

  /// Sends further results to `file`, which takes its place when they are whole.
  func write(into file: OutputFile) { results.withLock { $0.file = file } }

  func markPartial() { results.withLock { $0.file?.isPartial = true } }

  /// Writes all results, waits until the pager is closed, and prints the lines that waited for that.
  func finish() throws {
    defer {
      for note in results.withLock({ $0.end() }) { sendToErrors(note + "\n") }
    }
    let file = try results.withLock { results in
      let file = results.file
      do { try send(&results) } catch {
        file?.remove()
        results.file = nil
        throw error
      }
      results.file = nil
      try file?.install()
      return file
    }
    file?.tell()
  }

  /// Leaves the file that results go to as it was, if there is one, because the results are not whole.
  func leaveFile() {
    results.withLock { results in
      guard let file = results.file else { return }
      file.remove()
      _ = results.end()
    }
  }
}

// MARK: - Everything else

extension Console {
  /// The style of what is printed on standard error.
  var errorStyle: Style {
    get { colors.withLock { $0 } }
    set { colors.withLock { $0 = newValue } }
  }

  /// Prints one line for a person; while a pager runs, after it.
  package func note(_ text: String) { say(errorStyle.dim(wrapped(text))) }

  /// False for a message about the store that was printed already; each source meets the same error.
  func isNews(_ failure: Failure) -> Bool {
    guard failure.isOfStore else { return true }
    return saidOfStore.withLock { said in
      guard !said.contains(failure.text) else { return false }
      said = said.suffix(7) + [failure.text]
      return true
    }
  }

  /// Prints messages about the store again if they come again, for a command that answers several times.
  func forgetNews() { saidOfStore.withLock { $0 = [] } }

  /// Prints an error, whose text begins with the program's name.
  func tell(_ failure: Failure, of program: String) {
    guard isNews(failure) else { return }
    let name = "\(program):"
    let text = wrapped(failure.text)
    say(text.hasPrefix(name) ? errorStyle.error(name) + text.dropFirst(name.count) : text)
  }

  /// Returns a text in lines that fit the terminal, broken between words.
  private func wrapped(_ text: String) -> String {
    guard let width = errorWidth else { return text }
    return DisplayWidth.wrap(text, width: width).joined(separator: "\n")
  }

  private func say(_ line: String) {
    // A message that comes while results wait for a slow reader does not wait too.
    let waits = results.withLockIfAvailable { isErrorTerminal && $0.keeps(line) } ?? false
    guard !waits else { return }
    show(status: "")
    sendToErrors(line + "\n")
  }

  private func sendToErrors(_ text: String) { Array(text.utf8).withUnsafeBytes { _ = Descriptor.write($0, to: errors) } }

  /// Shows a line below everything else until it changes; an empty text removes it.
  package func show(status text: String) {
    // The pager has the screen.
    if Interruption.pager != 0 { return }
    status.withLock { shown in
      guard isErrorTerminal, text != shown else { return }
      // A line that fills the last column would wrap, and could not be erased.
      let line = Self.width(ofTerminalAt: errors).map { DisplayWidth.truncate(text, to: $0 - 1) } ?? text
      // Set before the line shows, since Ctrl-C may come right after.
      if !text.isEmpty { Interruption.hasStatusLine = true }
      sendToErrors("\r\(line)\u{1B}[K")
      shown = text
      if text.isEmpty { Interruption.hasStatusLine = false }
    }
  }
}

// MARK: - Input

extension Console {
  /// Reads the next line of the input, and waits for it. Returns nil at the end, and if the input cannot be read.
  func readLine() -> String? { lineBytes().map { String(decoding: $0, as: UTF8.self) } }

  /// Asks a person at a terminal. Returns true for yes; nil without a terminal.
  package func confirms(_ question: String) -> Bool? {
    answer(to: question).map { ["y", "yes"].contains($0.lowercased()) }
  }

  /// Returns what a person at a terminal types; nil without a terminal.
  package func answer(to question: String) -> String? {
    guard isInputTerminal, isErrorTerminal else { return nil }
    ask(question)
    return (readLine() ?? "").trimmingSpaces
  }

  /// Reads the whole input, or at a terminal the lines up to an empty one. Throws if the time of the command is up before that.
  package func readText(upTo most: Int) throws -> [UInt8] {
    var text: [UInt8] = []
    while text.count <= most, let line = try lineBytes(after: waitForInput), !(line.isEmpty && isInputTerminal) {
      text += line + [UInt8(ascii: "\n")]
    }
    return text
  }

  /// Reads a value from the input: on a terminal one hidden line, else everything without the last line break.
  package func readSecret(_ name: String) throws(SourceError) -> String {
    let value: [UInt8]
    if isInputTerminal {
      let prompt = "\(Printable.clean(name)) (hidden): "
      value = HiddenInput.during(prompt) {
        ask(prompt)
        return lineBytes() ?? []
      }
    } else {
      // Three lines are read, though a value has one, so that further lines are seen and refused.
      value = Array((0..<3).compactMap { _ in lineBytes() }.joined(separator: [UInt8(ascii: "\n")]))
    }
    return try Self.value(of: value)
  }

  /// Reads the next line of the input as a value; nil at the end.
  package func readValue() throws(SourceError) -> String? { try lineBytes().map(Self.value) }

  private static func value(of bytes: [UInt8]) throws(SourceError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw SourceError(.settings, "the value is not valid UTF-8", remedy: "type or pipe the text itself")
    }
    return text
  }

  private func ask(_ text: String) {
    show(status: "")
    sendToErrors(text)
  }

  /// Waits for bytes of the input, or for its end.
  private func waitForInput() throws {
    guard let input, Deadline.left != nil else { return }
    while (try? input.isReady(within: .milliseconds(50))) == false { try Deadline.check() }
  }

  private func lineBytes() -> [UInt8]? { lineBytes {} }

  /// Reads the next line without its line break. It stops at a limit of about 1 MiB. `wait` is called before each read.
  private func lineBytes(after wait: () throws -> Void) rethrows -> [UInt8]? {
    let newline = UInt8(ascii: "\n")
    var line = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !line.contains(newline), line.count < 1 << 20 {
      try wait()
      guard let count = try? chunk.withUnsafeMutableBytes({ try input?.read(into: $0) }), count > 0 else { break }
      line += chunk[..<count]
    }
    guard !line.isEmpty else { return nil }
    let end = line.firstIndex(of: newline) ?? line.count
    unread.withLock { $0 = Array(line.dropFirst(end + 1)) }
    line.removeSubrange(end...)
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }
}
