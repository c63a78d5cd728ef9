import Platform
import SourceTesting
import Synchronization
import Testing

/// A command line, the circumstances in which it is typed, and its messages on standard error.
struct Scene: Sendable {
  /// Answers the request with this number, counted from 0.
  typealias Service = @Sendable (ServerConnection, ServerRequest, Int) -> Void

  let command: String
  /// The circumstances, for a reader: `the service answers HTTP 503`.
  let circumstance: String
  let files: [String: String]
  let environment: [String: String]
  /// The lines that were typed before.
  let before: [String]
  /// True when Ctrl-C is pressed after the service was asked.
  let isInterrupted: Bool
  /// True when the service closes the connection after each answer.
  let hangsUp: Bool
  let service: Service?

  init(
    _ command: String, _ circumstance: String = "", files: [String: String] = [:], environment: [String: String] = [:],
    before: [String] = [], interrupted isInterrupted: Bool = false, hangingUp hangsUp: Bool = false, service: Service? = nil
  ) {
    self.command = command
    self.circumstance = circumstance
    self.files = files
    self.environment = environment
    self.before = before
    self.isInterrupted = isInterrupted
    self.hangsUp = hangsUp
    self.service = service
  }
}

extension Scene {
  /// A scene as in the golden file: exit code, command and circumstance, then its output, indented by four columns.
  typealias Said = (head: String, lines: [String])

  func played(showing text: @Sendable (Binary.Outcome) -> String) async throws -> Said {
    let outcome = try await outcome()
    #expect(outcome.code != 64 || outcome.output.isEmpty)
    let head = "\(outcome.code)".padded(to: 4) + "$ \(command)" + (circumstance.isEmpty ? "" : "    # \(circumstance)")
    let text = text(outcome)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
    return (head, lines.map { $0.isEmpty ? "" : "    \($0)" })
  }

  private func outcome() async throws -> Binary.Outcome {
    let home = try Folder.fresh()
    let asked = Signal()
    let server = try served(asked)
    _ = try Binary.shell("mkdir bin && ln -s \"$A\" bin/aggregator", in: home)
    for (path, text) in files {
      _ = try Binary.shell("mkdir -p \"$(dirname \"$F\")\"", environment: ["F": path], in: home)
      try Folder.write(text, to: "\(home)/\(path)")
    }
    let variables = variables(home, server)
    for line in before { _ = try await run(line, variables, home, asked: nil) }
    let outcome = try await run(command, variables, home, asked: isInterrupted ? asked : nil)
    func agreed(_ text: String) -> String {
      Self.timeless(text.replacing(home, with: "/home/ada").replacing(":\(server.port)", with: ":8080"))
    }
    return Binary.Outcome(code: outcome.code, output: agreed(outcome.output), errors: agreed(outcome.errors))
  }

  private func served(_ asked: Signal) throws -> StandInServer {
    let turn = Mutex(0)
    return try StandInServer { [service, hangsUp] connection in
      while let request = connection.request() {
        asked.send()
        let number = turn.withLock { turn in
          defer { turn += 1 }
          return turn
        }
        service?(connection, request, number)
        if hangsUp { return }
      }
    }
  }

  /// The environment of the command. Without a service each address is one at which no server listens.
  private func variables(_ home: String, _ server: StandInServer) -> [String: String] {
    let address = service == nil ? "http://127.0.0.1:1/" : "http://127.0.0.1:\(server.port)/"
    let usual = [
      "HOME": home, "PATH": "\(home)/bin:/usr/bin:/bin", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "",
      "COUNTRIES_URL": "\(address)countries.json",
      "PRODUCTS_BASE_URL": address, "RANDOM_USER_BASE_URL": address, "COMIC_VINE_BASE_URL": address, "COMIC_VINE_API_KEY": "5ecret-key",
      "COMIC_VINE_BUDGET": "unlimited", "RANDOM_USER_BUDGET": "unlimited",
    ]
    return usual + environment
  }

  private func run(_ line: String, _ variables: [String: String], _ home: String, asked: Signal?) async throws -> Binary.Outcome {
    if asked == nil, let outcome = try await InProcess.run(typed: line, environment: variables, in: home) { return outcome }
    let (input, output, errors) = (try Scratch(), try Scratch(), try Scratch())
    let process = try Spawned(
      ["/bin/sh", "-c", asked == nil ? line : "exec \(line)"], environment: Binary.environment + variables, in: home,
      descriptors: [input.descriptor, output.descriptor, errors.descriptor])
    if let asked {
      asked.wait()
      process.send(SIGINT)
    }
    return try Binary.Outcome(code: process.wait(), output: output.text(), errors: errors.text())
  }

  /// Returns the text with the times of the clock, which differ each time, replaced by fixed ones.
  private static func timeless(_ text: String) -> String {
    text.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "2026-01-02T03:04:05Z")
      .replacing(/damaged-\d{4}-\d\d-\d\d/, with: "damaged-2026-01-02")
      .replacing(/(checked|cached|imported) (just now|\d+ s ago)/) { "\($0.output.1) 12 s ago" }
      .replacing(/in 59 min \d+ s/, with: "in 1 h")
      .replacing(/bytes in \d+ ms/, with: "bytes in 3 ms")
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
