import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import Testing

/// Sources that are programs, typed by a person: where the command's own process, its signals and its descriptors matter.
@Suite("Sources that are programs") struct ProgramCommandTests {
  private let home: String
  private let environment: [String: String]

  init() throws {
    home = try Folder.fresh()
    environment = [
      "HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "TMPDIR": "\(home)/private",
      "XDG_RUNTIME_DIR": "", "THINGS_KEY": "k3y-of-things",
    ]
    for folder in ["private", ".config", ".config/aggregator", own] {
      mkdir(folder.hasPrefix("/") ? folder : "\(home)/\(folder)", 0o700)
    }
  }

  private var own: String { "\(home)/.config/aggregator/sources" }

  /// Writes a program, which the shell reads, and its manifest, and allows it.
  private func add(_ program: String, _ members: String = "", isAllowed: Bool = true) throws {
    try Folder.write(program, to: "\(own)/program")
    try Folder.write(
      #"{"aggregator": 1, "keys": [{"setting": "THINGS_KEY"}], "sources": {"things": {"summary": "Things", "command": ["sh", "program"], "#
        + #""config": {"token": {"setting": "THINGS_KEY"}}, \#(members)"key": "id", "fields": [{"name": "id"}]}}}"#,
      to: "\(own)/things.json")
    if isAllowed { expect(try run("source allow things"), 0) }
  }

  @discardableResult
  private func run(_ line: String) throws -> Binary.Outcome { try Binary.run(line, environment: environment, in: home) }

  /// The private folders that are left.
  private var left: [String] { (try? SystemFiles().list("\(home)/private")) ?? [] }

  private static let end = #"echo '{"end": {"verdict": "complete"}}'; "#

  @Test("the words and the exit code of each end")
  func codes() throws {
    let row = #"echo '{"item": {"id": "1"}}'; "#
    for (program, code, words) in [
      (row + Self.end, 0, ""), (row + "exit 1", 3, "things: incomplete: the program ended with exit code 1"),
      (row, 3, "incomplete: the program ended without its last line"), ("exit 1", 69, "ended with exit code 1"),
      ("echo hello", 65, "not JSON: hello"),
      (Self.end, 0, "things: no records"), (row + "kill -9 $$", 3, "incomplete: the program was ended by signal 9"),
      (#"echo '{"error": {"kind": "refused-key", "message": "no"}}'"#, 77, "the program says: no"),
      (#"echo '{"error": {"kind": "unavailable", "message": "no"}}'"#, 69, "the program says: no"),
      (#"echo '{"error": {"kind": "throttled", "message": "no"}}'"#, 75, "the program says: no"),
    ] {
      try add(program)
      let outcome = try run("things list --all --live")
      #expect(outcome.code == Int32(code), "\(program) \(outcome.errors)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
      #expect(outcome.output == (program.hasPrefix(row) ? "1\n" : "") && left.isEmpty)
    }
  }

  @Test("nothing is started by what only tells about sources")
  func tellers() throws {
    try add("echo > started; \(Self.end)")
    for line in [
      "sources", "sources --format json", "help", "help things", "status", "status things", "config", "completions bash", "things --help",
      "source show things", "source check things", "things list --offline", "things list --plan", "things search a --plan",
      "things sync --plan", "__man", "things list --fields",
    ] {
      try run(line)
      #expect(access("\(own)/started", F_OK) != 0, "\(line)")
      unlink("\(own)/started")
    }
    expect(try run("things list"), 0)
    #expect(access("\(own)/started", F_OK) == 0)
  }

  @Test("another program of that name earlier on the PATH asks again")
  func path() throws {
    try add(Self.end)
    let other = "\(home)/bin"
    mkdir(other, 0o700)
    try Folder.write("#!/bin/sh\necho > \(own)/stolen\n", to: "\(other)/sh")
    chmod("\(other)/sh", 0o700)
    let outcome = try Binary.run("things list --live", environment: environment + ["PATH": "\(other):/usr/bin:/bin"], in: home)
    expect(outcome, 78, errors: .has("\(other)/sh has changed since it was allowed; nothing was started", "source allow things"))
    #expect(access("\(own)/stolen", F_OK) != 0)
  }

  @Test("next continues over processes, and shows each record once")
  func next() throws {
    let rows = "i=0; while [ $i -lt 250 ]; do echo '{\"item\": {\"id\": \"'$i'\"}}'; i=$((i + 1)); done; "
    try add(rows + Self.end)
    var ids: [String] = []
    for _ in 0..<5 { ids += try run("things next --limit 70").lines }
    #expect(ids == (0..<250).map(String.init))
  }

  private func pipe(_ name: String) throws -> HeldPipe {
    try #require(mkfifo("\(own)/\(name)", 0o600) == 0)
    return try HeldPipe(at: "\(own)/\(name)")
  }

  @Test(
    "a signal to the command ends the program with what it started, and removes its private files", arguments: [SIGINT, SIGTERM, SIGHUP])
  func signals(signal: CInt) async throws {
    try add("exec 9>held; (sleep 1000) & echo > begun; sleep 1000")
    let (held, begun) = (try pipe("held"), try pipe("begun"))
    let process = try Binary.start("things list --live", environment: environment, in: home)
    await begun.isReleased()
    #expect(left.count == 1)
    process.send(signal)
    await held.isReleased()
    let code = process.wait()
    #expect(code == (signal == SIGINT ? 130 : -signal) && left.isEmpty, "\(code)")
  }

  @Test("the private files of a command that was killed go with the next run")
  func killed() async throws {
    try add("if [ -f again ]; then \(Self.end) exit 0; fi; touch again; echo $$ > group; exec 9>held; echo > begun; sleep 1000")
    let (held, begun) = (try pipe("held"), try pipe("begun"))
    let process = try Binary.start("things list --live", environment: environment, in: home)
    await begun.isReleased()
    process.send(SIGKILL)
    _ = process.wait()
    #expect(left.count == 1)
    expect(try run("things list --live"), 0)
    #expect(left.isEmpty)
    // The killed command can no longer end what it had started.
    let group = try #require(pid_t(Folder.read("\(own)/group").trimmingSpaces))
    kill(-group, SIGKILL)
    await held.isReleased()
  }

  @Test(
    "--timeout is kept with a program that is silent, and one that ignores SIGTERM does not delay the answer",
    arguments: ["", "trap '' TERM; "])
  func timeout(beginning: String) async throws {
    try add("\(beginning)exec 9>held; echo '{\"item\": {\"id\": \"1\"}}'; (sleep 1000) & sleep 1000")
    let held = try pipe("held")
    expect(try run("things list --live --timeout 0.2"), errors: .has("timed out"))
    #expect(left.isEmpty)
    await held.isReleased()
  }

  @Test("a program that prints without end stops at a limit and at a closed pipe")
  func endless() async throws {
    try add("exec 9>held; i=0; while :; do i=$((i + 1)); echo '{\"item\": {\"id\": \"'$i'\"}}'; done")
    let held = try pipe("held")
    #expect(try run("things list --limit 3").lines == ["1", "2", "3"])
    await held.isReleased()
    unlink("\(own)/held")
    let again = try pipe("held")
    #expect(try Binary.shell("$A things list --all | head -1", environment: environment, in: home).lines == ["1"])
    await again.isReleased()
    #expect(left.isEmpty)
  }

  @Test("the key is in no line of --explain and in no stored file, even if the program prints it")
  func key() throws {
    try add(
      #"""
      key=$(sed 's/.*"token": *"\([^"]*\)".*/\1/' "$3"); echo "key $key" >&2
      echo '{"item": {"id": "1", "name": "'$key'"}}'; echo '{"error": {"kind": "refused-key", "message": "bad '$key'"}}'; exit 1
      """#)
    for line in ["things list --all --explain --live", "things sync --verbose --explain", "things list --all --format json"] {
      let outcome = try run(line)
      #expect(!(outcome.output + outcome.errors).contains("k3y-of") && (outcome.output + outcome.errors).contains("•••"), "\(line)")
    }
    expect(try Binary.shell("grep -rl k3y-of \(home) | grep -v program", environment: environment), output: "")
  }

  @Test("few descriptors, no HOME and a folder that cannot be written are told, or done without")
  func poverty() throws {
    try add(Self.end)
    // With fewer than 24 the runtime itself may end the process.
    for limit in [24, 32] {
      let outcome = try Binary.shell("ulimit -n \(limit); $A things list --live", environment: environment, in: home)
      #expect([0, 69, 74, 78].contains(outcome.code), "\(limit) \(outcome.code) \(outcome.errors)")
    }
    let homeless = try Binary.run(
      ["/usr/bin/env", "-u", "HOME", Binary.path, "--sources", own, "things", "list"], input: "", environment: environment, in: home)
    expect(homeless, 78, errors: .has("nothing can be allowed"))
    expect(try Binary.run("things list --live", environment: environment + ["TMPDIR": "/no/such/folder"], in: home), 0)
    #expect(left.isEmpty)
  }
}
