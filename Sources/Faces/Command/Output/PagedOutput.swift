import AggregatorCore
import Platform

/// The destination of results: the output, a pager, or a file.
struct PagedOutput: Sendable {
  /// The descriptor; -1 if the output is closed.
  private let output: Int32
  /// The pager to start at the first results.
  var pager: Pager?
  private var running: (process: pid_t, input: Int32)?
  var file: OutputFile?
  var gathered: [UInt8] = []
  private var notes: [String] = []

  init(output: Int32) { self.output = output }

  /// The descriptor that results are written to now.
  var descriptor: Int32 { running?.input ?? file?.descriptor ?? output }

  /// Starts the pager. If that fails, results are printed at once.
  mutating func startPager() {
    guard let program = pager else { return }
    pager = nil
    running = Child.reader(program.path, program.arguments, environment: program.environment)
    Interruption.pager = running?.process ?? 0
  }

  /// Stores a line for a person until the pager is closed. Returns false if no pager runs.
  mutating func keeps(_ line: String) -> Bool {
    guard running != nil else { return false }
    notes.append(line)
    return true
  }

  /// Waits until the pager is closed, and returns the lines that waited.
  mutating func end() -> [String] {
    if let (process, input) = running {
      Interruption.pager = -1
      close(input)
      ChildProcess.wait(for: process)
      Interruption.pager = 0
    }
    (pager, running, file, gathered) = (nil, nil, nil, [])
    defer { notes = [] }
    return notes
  }
}

/// A program that shows long results a screen at a time.
struct Pager: Sendable {
  let path: String
  let arguments: [String]
  let environment: [String: String]
}

extension Invocation {
  /// False for a job in the background, which a pager would stop.
  private static var isInForeground: Bool {
    let front = tcgetpgrp(STDOUT_FILENO)
    return front < 0 || front == getpgrp()
  }

  /// Sends further results through a pager, if a person reads them on a terminal: the pager that `AGGREGATOR_PAGER`
  /// or `PAGER` names, else `less` if it is installed. `less` ends at once if the results fit on the screen.
  func startPager() {
    let environment = program.environment
    let isKnown = !["", "dumb"].contains(environment["TERM"] ?? "")
    let isWanted = program.console.isOutputTerminal && isKnown && !has(.noPager) && Self.isInForeground
    // Pictures are saved after the records are printed, and their progress is worth seeing. Records
    // that `next` prints count as shown, and a pager does not say how far the person has read.
    guard isWanted, !has(.images), command.words.last != "next" else { return }
    var inherited = environment
    // The pager has no use for keys.
    for key in program.catalogue.settings where key.isSecret { inherited[key.name] = nil }
    // `less` ends at once if the results fit on the screen, leaves them there, and passes colours on.
    inherited["LESS"] = inherited["LESS"].map { "-F \($0)" } ?? "FRX"
    inherited["LV"] = inherited["LV"] ?? "-c"
    guard let command = environment["AGGREGATOR_PAGER"] ?? environment["PAGER"] else {
      guard let path = Child.find("less", in: environment) else { return }
      return program.console.page(with: Pager(path: path, arguments: ["-FRX"], environment: inherited))
    }
    guard !["", "cat"].contains(command.trimmingSpaces) else { return }
    let name = String(command.split(separator: " ").first ?? "")
    // Anything more than a program and its options is left to the shell to understand.
    let isPlain = !command.contains { "\"'\\$`|&;<>()=*?~#!{}[]".contains($0) }
    if isPlain, !(name.contains("/") ? ChildProcess.canRun(name) : Child.find(name, in: environment) != nil) {
      return say("pager \"\(name)\" not found; set PAGER, or use --no-pager")
    }
    // The value is a shell line, as it is for other programs.
    program.console.page(with: Pager(path: "/bin/sh", arguments: ["-c", command], environment: inherited))
  }
}
