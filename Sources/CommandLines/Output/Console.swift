package import AggregatorCore
package import Platform
import RecordFormats
import Synchronization
package import Terminal

/// What a command reads from and writes to: the standard streams of a process, or any others.
///
/// Results go to the output, gathered into large writes; everything else goes to the errors, at once.
package final class Console: Sink {
  /// Nobody reads the output any more.
  struct Closed: Error {}

  /// What was found cannot be printed.
  struct Unwritable: Error, CustomStringConvertible {
    static let standardOutput = "standard output"
    var place = Self.standardOutput
    let reason: String
    var description: String { "cannot write to \(place): \(reason)" }
  }

  private let results: Mutex<PagedOutput>
  private let colors = Mutex(Style(isColored: false))
  private let status = Mutex("")
  /// What was said of the store lately, which is said once.
  private let saidOfStore = Mutex<[String]>([])
  /// -1 where it is closed.
  private let output: Int32
  private let errors: Int32

  /// What is read as standard input; nil where the command was started without one.
  package let input: FileStream?
  package let isInputTerminal: Bool
  /// What was read of the input behind the lines that were asked for.
  private let unread = Mutex<[UInt8]>([])
  package var isOutputTerminal: Bool { isTerminal && !hasFile }
  private let isTerminal: Bool
  let isErrorTerminal: Bool

  /// A console over open files; nil is a stream that is closed.
  init(input: Int32?, output: Int32?, errors: Int32) {
    self.input = input.map { FileStream(descriptor: $0) }
    (self.output, self.errors) = (output ?? -1, errors)
    isInputTerminal = input.map { isatty($0) == 1 } ?? false
    isTerminal = isatty(self.output) == 1
    isErrorTerminal = isatty(errors) == 1
    results = Mutex(PagedOutput(output: self.output))
  }

  static func ofProcess() -> Console {
    // A closed stream's number would go to the next file that is opened, and results would be written into it.
    let isClosed = (0...2).map { fcntl($0, F_GETFD) == -1 }
    for closed in isClosed where closed { _ = open("/dev/null", O_RDWR) }
    signal(SIGPIPE, SIG_IGN)
    // A file that may grow no further is an error of writing, as a full disk is.
    signal(SIGXFSZ, SIG_IGN)
    return Console(input: isClosed[0] ? nil : 0, output: isClosed[1] ? nil : 1, errors: 2)
  }

  /// How large the terminal is that shows the results; nil if none does, or it does not know.
  package var outputSize: TerminalSize? { TerminalSize(ofTerminalAt: output) }

  /// How wide the terminal is; without one what `COLUMNS` says, else 80.
  package func width(_ environment: [String: String]) -> Int {
    if isOutputTerminal, let width = Self.width(ofTerminalAt: output) { return width }
    // Cards are filled up to it.
    return environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, 10_000) : nil } ?? 80
  }

  /// A serial line may know its columns alone.
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

  /// Whether results go into a file, where nobody sees them before all are there.
  package var hasFile: Bool { results.withLock { $0.file != nil } }

  private func send(_ results: inout PagedOutput) throws {
    let (descriptor, place) = (results.descriptor, results.file?.path ?? Unwritable.standardOutput)
    guard results.gathered.isEmpty || descriptor >= 0 else { throw Unwritable(reason: "it is closed") }
    guard !results.gathered.isEmpty else { return }
    if isTerminal && descriptor == output { show(status: "") }
    results.startPager()
    // What could not be sent is not sent later, when it was given back already.
    defer { results.gathered.removeAll(keepingCapacity: true) }
    try Interruption.check()
    let reader = results.descriptor
    let code = results.gathered.withUnsafeBytes {
      Descriptor.write($0, to: reader) { Interruption.room(for: $0, at: reader) }
    }
    guard let code else { return }
    try Interruption.check()
    throw code == EPIPE ? Closed() : Unwritable(place: place, reason: SystemFiles.reason(code))
  }
}

// MARK: - A screen at a time, and files

extension Console {
  /// From now on results go to `pager`.
  func page(with pager: Pager) { results.withLock { if $0.file == nil { $0.pager = pager } } }

  /// From now on results go into `file`, which is in its place when they are whole.
  func write(into file: OutputFile) { results.withLock { $0.file = file } }

  func markPartial() { results.withLock { $0.file?.isPartial = true } }

  /// Hands over everything, waits until the pager is closed, and says what had to wait for that.
  package func finish() throws {
    defer {
      for note in results.withLock({ $0.end() }) { sendToErrors(note + "\n") }
    }
    let file = try results.withLock { results in
      try send(&results)
      defer { results.file = nil }
      try results.file?.place()
      return results.file
    }
    file?.tell()
  }

  /// Leaves the file that results go to as it was, if they go to one: they will not be whole.
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
  /// How what is said on standard error is coloured.
  var errorStyle: Style {
    get { colors.withLock { $0 } }
    set { colors.withLock { $0 = newValue } }
  }

  /// One line for a person. What is shown a screen at a time is not disturbed: the line comes after it.
  package func note(_ text: String) { say(errorStyle.dim(wrapped(text))) }

  /// False where it was said of the store before: each source meets the same.
  package func isNews(_ failure: Failure) -> Bool {
    guard failure.isOfStore else { return true }
    return saidOfStore.withLock { said in
      guard !said.contains(failure.text) else { return false }
      said = said.suffix(7) + [failure.text]
      return true
    }
  }

  /// What went wrong; it begins with the program's name.
  package func tell(_ failure: Failure, of program: String) {
    guard isNews(failure) else { return }
    let name = "\(program):"
    let text = wrapped(failure.text)
    say(text.hasPrefix(name) ? errorStyle.error(name) + text.dropFirst(name.count) : text)
  }

  /// A text in lines that a terminal need not break inside a word.
  private func wrapped(_ text: String) -> String {
    guard isErrorTerminal, let width = Self.width(ofTerminalAt: errors) else { return text }
    return DisplayWidth.wrap(text, width: width).joined(separator: "\n")
  }

  private func say(_ line: String) {
    // Whoever says something while results wait for a slow reader does not wait too.
    let waits = results.withLockIfAvailable { isErrorTerminal && $0.keeps(line) } ?? false
    guard !waits else { return }
    show(status: "")
    sendToErrors(line + "\n")
  }

  private func sendToErrors(_ text: String) { Array(text.utf8).withUnsafeBytes { _ = Descriptor.write($0, to: errors) } }

  /// The one line that stands below everything until it changes; an empty one takes it away.
  package func show(status text: String) {
    // The pager has the screen.
    if Interruption.pager != 0 { return }
    status.withLock { shown in
      guard isErrorTerminal, text != shown else { return }
      // A line that fills the last column would wrap, and could not be erased.
      let line = Self.width(ofTerminalAt: errors).map { DisplayWidth.truncate(text, to: $0 - 1) } ?? text
      // Set before it shows, since Ctrl-C may come right after.
      if !text.isEmpty { Interruption.hasStatusLine = true }
      sendToErrors("\r\(line)\u{1B}[K")
      shown = text
      if text.isEmpty { Interruption.hasStatusLine = false }
    }
  }
}

// MARK: - Input

extension Console {
  /// The next line of the input; nil at the end, and where it cannot be read. It waits for the line.
  package func readLine() -> String? { lineBytes().map { String(decoding: $0, as: UTF8.self) } }

  /// Whether a person at a terminal says yes; nil where nobody can be asked.
  package func confirms(_ question: String) -> Bool? {
    answer(to: question).map { ["y", "yes"].contains($0.lowercased()) }
  }

  /// What a person at a terminal types; nil where nobody can be asked.
  package func answer(to question: String) -> String? {
    guard isInputTerminal, isErrorTerminal else { return nil }
    ask(question)
    return (readLine() ?? "").trimmingSpaces
  }

  /// Everything that comes through the input; at a terminal a few lines, up to an empty one.
  package func readText(upTo most: Int) -> [UInt8] {
    var text: [UInt8] = []
    while text.count <= most, let line = lineBytes(), !(line.isEmpty && isInputTerminal) { text += line + [UInt8(ascii: "\n")] }
    return text
  }

  /// Reads a value from the input: on a terminal one typed line, hidden; else everything, without the last line break.
  package func readSecret(_ name: String) throws(SourceError) -> String {
    let value: [UInt8]
    if isInputTerminal {
      let prompt = "\(Printable.clean(name)) (hidden): "
      value = HiddenInput.during(prompt) {
        ask(prompt)
        return lineBytes() ?? []
      }
    } else {
      // Two lines more than any value has, so that further ones are seen and refused.
      value = Array((0..<3).compactMap { _ in lineBytes() }.joined(separator: [UInt8(ascii: "\n")]))
    }
    return try Self.value(of: value)
  }

  /// The next line of the input as a value; nil at the end.
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

  /// The next line, without its line break, of which at most so much is read.
  private func lineBytes() -> [UInt8]? {
    let newline = UInt8(ascii: "\n")
    var line = unread.withLock { unread in
      defer { unread = [] }
      return unread
    }
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !line.contains(newline), line.count < 1 << 20 {
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
