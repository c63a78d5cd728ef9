import AggregatorCore
import Platform

/// Results on their way out: they go to the output, or to a pager, or into a file.
struct PagedOutput: Sendable {
  /// -1 where it is closed.
  private let output: Int32
  /// What shows results once there are any.
  var pager: Pager?
  private var running: (process: pid_t, input: Int32)?
  var file: OutputFile?
  var gathered: [UInt8] = []
  private var notes: [String] = []

  init(output: Int32) { self.output = output }

  /// Where what is to go out goes.
  var descriptor: Int32 { running?.input ?? file?.descriptor ?? output }

  /// Starts the pager; where it cannot be started everything is printed at once.
  mutating func startPager() {
    guard let program = pager else { return }
    pager = nil
    running = Child.reader(program.path, program.arguments, environment: program.environment)
    Interruption.pager = running?.process ?? 0
  }

  /// Whether a line for a person waits until the pager is closed; then it is kept.
  mutating func keeps(_ line: String) -> Bool {
    guard running != nil else { return false }
    notes.append(line)
    return true
  }

  /// Waits until the pager is closed, and gives the lines that waited.
  mutating func end() -> [String] {
    if let (process, input) = running {
      Interruption.pager = -1
      close(input)
      Child.wait(for: process)
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
  /// False of a job in the background, which a pager would stop.
  private static var isInForeground: Bool {
    let front = tcgetpgrp(STDOUT_FILENO)
    return front < 0 || front == getpgrp()
  }

  /// From now on results go through a pager, where a person reads them: the one that `AGGREGATOR_PAGER` or `PAGER` names, else `less` where it is
  /// installed, which only prints what fits on the screen.
  func startPager() {
    let environment = program.environment
    let isKnown = !["", "dumb"].contains(environment["TERM"] ?? "")
    let isWanted = program.console.isOutputTerminal && isKnown && !has(.noPager) && Self.isInForeground
    // Pictures are saved after the records are printed, and their progress is worth seeing.
    // What `next` prints counts as shown, and nobody knows how far somebody has read in a pager.
    guard isWanted, !has(.images), command.words.last != "next" else { return }
    var inherited = environment
    // It has no use for keys.
    for key in program.catalogue.settings where key.isSecret { inherited[key.name] = nil }
    // What does not fill the screen is only printed, and stays there; colours are colours.
    inherited["LESS"] = inherited["LESS"].map { "-F \($0)" } ?? "FRX"
    inherited["LV"] = inherited["LV"] ?? "-c"
    guard let command = environment["AGGREGATOR_PAGER"] ?? environment["PAGER"] else {
      guard let path = Child.find("less", in: environment) else { return }
      return program.console.page(with: Pager(path: path, arguments: ["-FRX"], environment: inherited))
    }
    guard !["", "cat"].contains(command.trimmingSpaces) else { return }
    let name = String(command.split(separator: " ").first ?? "")
    // What is more than a program and its options, the shell understands.
    let isPlain = !command.contains { "\"'\\$`|&;<>()=*?~#!{}[]".contains($0) }
    if isPlain, !(name.contains("/") ? Child.canRun(name) : Child.find(name, in: environment) != nil) {
      return say("pager \"\(name)\" not found; set PAGER, or use --no-pager")
    }
    // As everywhere, the value is a line of shell.
    program.console.page(with: Pager(path: "/bin/sh", arguments: ["-c", command], environment: inherited))
  }
}
