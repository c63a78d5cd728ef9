import AggregatorCore
import Platform
import Terminal

/// Results on their way to the screen: they go out at once, or wait until it is known whether they need a pager, or go to that.
struct Paging: Sendable {
  /// What was handed over at once.
  struct Part: Sendable {
    var bytes: [UInt8]
    /// Whether it ends where somebody wanted it to be out.
    let isWhole: Bool
  }

  private enum State: Sendable {
    case direct
    case waiting(Pager, on: TerminalSize)
    case running(process: pid_t, input: Int32)
    case writing(OutputFile)
  }

  /// Where results go at once; -1 where that is closed.
  private let output: Int32
  private var state = State.direct
  private var rows = 0
  /// What is to go out.
  var parts: [Part] = []
  /// How many whole parts have gone out.
  private(set) var arrivals = 0
  /// How many are in a file that is not in its place yet.
  private var written = 0
  private var notes: [String] = []

  init(output: Int32) { self.output = output }

  mutating func begin(_ pager: Pager, on size: TerminalSize) {
    if case .direct = state { state = .waiting(pager, on: size) }
  }

  /// From now on what goes out goes into a file.
  mutating func begin(_ file: OutputFile) { state = .writing(file) }

  /// The file that it goes to.
  var file: OutputFile? { if case .writing(let file) = state { file } else { nil } }

  /// Marks what is in the file as incomplete.
  mutating func markPartial() {
    guard var file else { return }
    file.isPartial = true
    state = .writing(file)
  }

  /// Puts the file in its place, and gives it: only then its parts have arrived.
  mutating func placeFile() throws -> OutputFile? {
    guard let file else { return nil }
    state = .direct
    try file.place()
    arrivals += written
    return file
  }

  /// Where what is to go out goes.
  var descriptor: Int32 {
    switch state {
    case .running(_, let input): input
    case .writing(let file): file.descriptor
    case .direct, .waiting: output
    }
  }

  /// A whole part has gone out.
  mutating func noteArrival() { if file == nil { arrivals += 1 } else { written += 1 } }

  var hasBytes: Bool { parts.contains { !$0.bytes.isEmpty } }

  mutating func add(_ bytes: [UInt8], endsPart: Bool) {
    parts.append(Part(bytes: bytes, isWhole: endsPart))
    guard case .waiting(_, let size) = state else { return }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      // A long line takes several rows.
      let width = DisplayWidth.of(Printable.clean(String(line)))
      rows += max(1, (width + size.columns - 1) / size.columns)
    }
  }

  var isWaiting: Bool { if case .waiting = state { true } else { false } }

  /// Whether what came still fits on the screen, with a row for the shell's prompt.
  var isHolding: Bool { if case .waiting(_, let size) = state { rows < size.rows } else { false } }

  /// Starts the pager that was waited for; where it cannot be started everything is printed at once.
  mutating func startPager() {
    guard case .waiting(let pager, _) = state else { return }
    state = .direct
    guard let (process, input) = Child.reader(pager.path, pager.arguments, environment: pager.environment) else { return }
    state = .running(process: process, input: input)
    Interruption.pager = process
  }

  /// What waits needs no pager.
  mutating func stopWaiting() { if case .waiting = state { state = .direct } }

  /// Whether a line for a person waits until the results are out; then it is kept.
  mutating func keeps(_ line: String) -> Bool {
    switch state {
    case .direct, .writing: return false
    case .waiting: guard hasBytes else { return false }
    case .running: break
    }
    notes.append(line)
    return true
  }

  /// Waits until the pager is closed, and gives the lines that waited.
  mutating func end() -> [String] {
    if case .running(let process, let input) = state {
      Interruption.pager = -1
      close(input)
      Child.wait(for: process)
      Interruption.pager = 0
    }
    state = .direct
    parts = []
    defer { notes = [] }
    return notes
  }
}
