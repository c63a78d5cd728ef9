import AggregatorCore
import AuthorsFace
import BrowseFace
import Countries
import Heroes
import MCPFace
import Platform
import Products
import ServeFace
import SourceTesting
import Synchronization
import Users

@testable import AggregatorCommand

/// The command as a function of this process: everything that ``Binary`` gives a process is handed in, including the time.
///
/// Tests that need a process of their own start the binary: signals, pipes, terminals, shells, two commands at once, limits of real time.
enum InProcess {
  /// The sources of the command.
  static let sources: [SourceDescriptor] = [.countries, .heroes, .products, .users]
  /// The commands, as the program has them.
  static let commands = CommandTable.all(with: [.browse, .serve, .mcp, .authors])

  /// Runs the command with `arguments`.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:], in folder: String = "/"
  ) async throws -> Binary.Outcome {
    try await run(arguments.words, input: input, environment: environment, in: folder)
  }

  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:], in folder: String = "/",
    over sources: [SourceDescriptor] = sources
  ) async throws -> Binary.Outcome {
    _ = isPrepared
    let streams = try (0..<3).map { _ in try Scratch() }
    try streams[0].write(input)
    let environment = try Binary.environment + environment
    await places.take()
    defer { places.give() }
    let program = Program(
      commands: commands, arguments: arguments, environment: environment, workingDirectory: folder,
      console: Console(input: streams[0].descriptor, output: streams[1].descriptor, errors: streams[2].descriptor),
      clock: TypedTime.of(environment))
    let code = await program.run(over: sources)
    return try Binary.Outcome(code: code.rawValue, output: streams[1].text(), errors: streams[2].text())
  }

  /// Runs a line that is typed in a shell, if it consists of the program's name and words, some perhaps in quotes. Nil for any other line.
  static func run(
    typed line: String, input: String = "", environment: [String: String] = [:], in folder: String
  ) async throws -> Binary.Outcome? {
    guard let words = words(of: line), words.first == "aggregator" else { return nil }
    return try await run(Array(words.dropFirst()), input: input, environment: environment, in: folder)
  }

  /// The words of a line as a shell would read them; nil if a shell would do more than that.
  private static func words(of line: String) -> [String]? {
    var words: [String] = []
    var (word, quote) = (String?.none, Character?.none)
    for character in line {
      switch character {
      case quote: quote = nil
      case "'", "\"":
        guard quote == nil else { return nil }
        (word, quote) = (word ?? "", character)
      case " " where quote == nil:
        if let word { words.append(word) }
        word = nil
      case _ where quote == nil && "|&;<>()$`\\*?[]#~{}!\n".contains(character): return nil
      case _ where quote == "\"" && "$`\\!".contains(character): return nil
      default: word = (word ?? "") + String(character)
      }
    }
    return quote == nil ? words + [word].compactMap { $0 } : nil
  }

  /// The number of commands that run at once; each has open files, a store and perhaps threads.
  private static let places = Places(4)

  private static let isPrepared: Void = {
    // No proxy of this machine may be used between the tests and their servers.
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
  }()
}

/// The time in which commands are typed. It stands still while a command
/// works, passes while it waits, and passes a little between commands.
///
/// A wait of seconds for a slow or silent service ends only when the service answers, however busy the machine is.
private final class TypedTime: Timekeeper {
  private static let homes = Mutex<[String: TypedTime]>([:])
  private let moment = Mutex(SystemTime().now)

  var now: Moment { moment.withLock { $0 } }

  /// The time of this environment. Each folder for data has a time of its own.
  static func of(_ environment: [String: String]) -> TypedTime {
    let home = "\(environment["XDG_DATA_HOME"] ?? ""):\(environment["HOME"] ?? "")"
    let time = homes.withLock { homes in
      let time = homes[home] ?? TypedTime()
      homes[home] = time
      return time
    }
    time.moment.withLock { $0 = $0 + .milliseconds(2) }
    return time
  }

  func sleep(until moment: Moment) async throws {
    let wait = moment - now
    try await ContinuousClock().sleep(for: wait < .seconds(2) ? wait : .seconds(86_400))
    self.moment.withLock { $0 = max($0, moment) }
  }
}

/// Places for a number of tasks; further tasks wait their turn.
private final class Places: Sendable {
  private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

  init(_ count: Int) { state = Mutex((count, [])) }

  func take() async {
    await withCheckedContinuation { waiter in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(waiter)
        return false
      }
      if isFree { waiter.resume() }
    }
  }

  func give() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}
