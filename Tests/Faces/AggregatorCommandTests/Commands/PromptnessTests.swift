import Platform
import SourceTesting
import Testing

/// `--timeout` limits every verb, whatever it waits for.
@Suite(.timeLimit(.minutes(30))) struct PromptnessTests {
  /// The ways in which a service never ends its answer.
  enum Manner: String, CaseIterable, CustomTestStringConvertible {
    case silent, stalled, dripping

    var testDescription: String { rawValue }

    func keepWaiting(_ connection: ServerConnection) {
      switch self {
      case .silent: break
      case .stalled: connection.answer(cutting: Array(#"[{"results":"#.utf8), after: 8)
      case .dripping: connection.answerForever()
      }
      connection.untilClosed()
    }
  }

  /// Every verb that asks a service, and its exit code when the time is over.
  private static let verbs: [(line: String, code: Int32)] = [
    ("countries list", 0), ("countries search fra", 0), ("countries show fr", 0), ("countries deal", 3), ("countries next", 0),
    ("countries sync", 69), ("countries list --live", 69), ("countries list --refresh", 0), ("heroes list", 0), ("heroes next", 0),
    ("heroes search spider", 0), ("heroes sync", 69), ("products list", 0), ("products next", 0), ("products image 1", 66),
    ("users list", 0), ("users search mia", 0), ("users next", 0), ("users next --live", 69), ("users search mia --more 2", 69),
    ("search mia", 0),
  ]

  @Test("no verb asks again, or continues to wait, once its time is over", arguments: Manner.allCases)
  func hung(manner: Manner) throws {
    for (line, code) in Self.verbs {
      let server = try StandInServer { connection in if connection.request() != nil { manner.keepWaiting(connection) } }
      let words = line.split(separator: " ").map(String.init)
      let outcome = try Binary.run(
        [Binary.path] + words + ["--timeout", "400ms"], input: "", environment: server.environment(in: Folder.fresh()), in: "/")
      #expect(outcome.code == code, "\(line): \(outcome.errors)")
      // A try with a time limit of its own would be followed by two more, and the error would say how often it tried.
      #expect(!outcome.errors.contains("tried"), "\(line): \(outcome.errors)")
      #expect(!outcome.errors.contains("15 s") && !outcome.errors.contains("30 s"), "\(line): \(outcome.errors)")
      let sources = words[0] == "search" ? 4 : 1
      #expect(server.requests.count <= sources, "\(line): \(server.requests.count) requests")
    }
  }

  @Test("a silent service is told while it is waited for, is given up after 8 s for a stand-in, and is not asked again for a while")
  func silence() throws {
    let server = try StandInServer { connection in if connection.request() != nil { Manner.silent.keepWaiting(connection) } }
    let environment = try server.environment(in: Folder.fresh())
    let first = try expect(Binary.run("countries show fr", environment: environment), 0, output: .has("France"))
    #expect(
      first.errors.split(separator: "\n").map(String.init) == [
        "aggregator: countries: waiting for 127.0.0.1:\(server.port)", "aggregator: countries: using bundled data: no answer within 8 s",
      ])
    let second = try Binary.run("countries list --limit 1", environment: environment)
    #expect(second.errors.contains("no answer within 8") && second.errors.contains("checked"), "\(second.errors)")
    #expect(server.requests.count == 1)
  }

  @Test(
    "a wait for standard input, or for somebody who reads from a pipe, ends with the time too",
    arguments: [
      ("add -", ""), ("sql", ""),
      ("countries list --offline -o out.csv", "; start the program that reads from the pipe out.csv, or write to a file\n"),
    ])
  func pipes(line: String, advice: String) throws {
    let script = "mkfifo in out.csv && exec 3<>in && { \"$A\" \(line) --timeout 400ms <&3; echo $?; }"
    let outcome = try Binary.shell(script, in: Folder.fresh())
    #expect(outcome.output == "69\n" && outcome.errors.contains("timed out after 400 ms\(advice)"), "\(outcome.errors)")
  }

  /// A script that runs commands while another process has locked the store. Each command has to end before a `heroes reset` without a
  /// deadline, which waits for the same lock. It prints the command, its exit code, whether it ended first, and its messages.
  private static let locked = """
    import os, sqlite3, subprocess, sys
    store = sqlite3.connect(os.environ["S"], isolation_level=None)
    store.execute("BEGIN IMMEDIATE")
    def start(line): return subprocess.Popen([os.environ["A"]] + line.split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in sys.stdin:
      patient = start("heroes reset")
      command = start(line)
      text = " ".join(command.communicate()).replace("\\n", " ")
      print(line.strip(), command.returncode, patient.poll() is None, text, sep="|")
      patient.kill()
      patient.wait()
    """

  @Test("a locked store delays no verb beyond its time limit, and does not delay caching at all", .enabled(if: Tool.exists("python3")))
  func locked() async throws {
    let (vine, service) = (try FakeComicVine(), try Service(Service.rows(Service.row("FR", "France"))))
    let people = try FakeRandomUser()
    #expect(try await vine.run("heroes next --limit 1").code == 0)
    let person = try await vine.run("users list --offline --quiet --limit 1 --fields email").output.dropLast()
    let late = ["heroes next", "heroes reset", "heroes sync", "users next", "users delete \(person)"].map { $0 + " --timeout 300ms" }
    let caching = [
      "countries list", "countries show fr", "countries search fra", "countries deal", "heroes list", "heroes search spider",
      "search france --timeout 2",
    ]
    let environment =
      vine.environment.merging(people.environment) { own, _ in own } + service.environment
      + ["S": "\(vine.folder)/data/aggregator/store.db"]
    let outcome = try Binary.python(Self.locked, input: (late + caching).map { $0 + "\n" }.joined(), environment: environment)
    #expect(outcome.code == 0, "\(outcome.errors)")
    #expect(outcome.lines.count == late.count + caching.count)
    for line in outcome.lines {
      let parts = line.split(separator: "|", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
      #expect(parts[2] == "True", "\(line)")
      #expect(parts[1] == (late.contains(parts[0]) ? "74" : "0"), "\(line)")
      #expect(parts[3].contains("is locked by another process"), "\(line)")
    }
  }

  @Test(
    "Ctrl-C ends a command that waits for a locked store at once",
    .enabled(if: Tool.exists("python3") && access("/proc/self/fd", R_OK) == 0, "it is seen in /proc what a process has opened"),
    arguments: ["import users -", "users next --limit 2"])
  func interrupted(line: String) async throws {
    let people = try FakeRandomUser()
    #expect(try await people.run("next --limit 1").code == 0)
    // It waits for the store once it has opened the file in which writers take turns.
    let script = """
      import os, signal, sqlite3, subprocess
      store = sqlite3.connect(os.environ["S"], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      patient = subprocess.Popen([os.environ["A"], "users", "reset"], stderr=subprocess.DEVNULL)
      command = subprocess.Popen([os.environ["A"]] + "\(line)".split(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
      command.stdin.write(b"email\\nx@example.com\\n")
      command.stdin.close()
      def files():
        folder = f"/proc/{command.pid}/fd"
        for name in os.listdir(folder):
          try: yield os.readlink(f"{folder}/{name}")
          except OSError: pass
      while not any("store.db-turn" in file for file in files()): pass
      command.send_signal(signal.SIGINT)
      print(command.wait(), patient.poll() is None)
      patient.kill()
      """
    let outcome = try Binary.python(script, environment: people.environment + ["S": "\(people.folder)/data/aggregator/store.db"])
    #expect(outcome.output == "130 True\n", "\(outcome.errors)")
  }
}

extension ServerConnection {
  /// Sends a body without an end, a byte at a time, until the client closes.
  fileprivate func answerForever() {
    send("HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
    while send(" ") {}
  }
}
