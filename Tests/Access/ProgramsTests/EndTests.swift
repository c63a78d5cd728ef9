import AggregatorCore
import Platform
import ScratchFolders
import Synchronization
import Testing

@testable import Programs
@testable import Services

/// The end of programs: whatever they do, an answer comes, nothing of them is left, and no private file stays.
struct EndTests {
  /// Each program holds the pipe `held`, and so does what it starts. The test waits until it is closed everywhere.
  private static let start = #"exec 9>held; echo "$@" > words; echo '{"item": {"id": "1"}}'; "#
  private static let end = #"echo '{"end": {"verdict": "complete"}}'; "#

  private func walk(_ program: String, limit: Int? = nil) async throws -> (home: ProgramHome, outcome: ProgramHome.Outcome) {
    let home = try ProgramHome(Self.start + program, #""config": {}"#)
    let pipe = try HeldPipe("held", in: home.folder)
    let outcome = try await home.walk(limit: limit)
    await pipe.isReleased()
    return (home, outcome)
  }

  /// Waits until the folder of the program's private file is gone. It is removed after the program has ended.
  private func isWithoutPrivateFolder(_ home: ProgramHome) async throws {
    let folder = try privateFolder(home)
    while access(folder, F_OK) == 0 { await Task.yield() }
  }

  /// The folder that the program's private file was in.
  private func privateFolder(_ home: ProgramHome) throws -> String {
    let words = try #require(home.lines("words").first).split(separator: " ").map(String.init)
    let option = try #require(words.firstIndex(of: "--config"))
    return Paths.folder(of: words[option + 1])
  }

  @Test(
    "nothing of a program is left, nor its private folder", .timeLimit(.minutes(30)),
    arguments: [
      (end, "complete"), ("kill -9 $$", "partial"), ("echo wrong; sleep 1000", "partial"), ("exit 1", "partial"),
      ("(sleep 1000) & exit 1", "partial"), (end + "sleep 1000 & exit 0", "complete"),
      (end + "(sleep 1000 & sleep 1000) & exit 0", "complete"), ("tr '\\0' a < /dev/zero", "partial"),
      (end + "echo '{\"item\": {\"id\": \"2\"}}'; sleep 1000", "partial"),
    ])
  func nothingLeft(program: String, kind: String) async throws {
    let (home, outcome) = try await walk(program)
    #expect(outcome.ids == ["1"] && outcome.verdict?.kind == kind, "\(outcome.reason)")
    try await isWithoutPrivateFolder(home)
  }

  @Test("rows that come after the end of the program, from what it started, are its rows", .timeLimit(.minutes(30)))
  func lateRows() async throws {
    let row = #"echo '{"type": "RECORD", "stream": "things", "record": {"id": "'$i'"}}'"#
    let home = try ProgramHome.tap(
      #"echo '{"type": "SCHEMA", "stream": "things", "schema": {}, "key_properties": ["id"]}'; i=1; \#(row); "#
        + "(sleep 0.3; for i in 2 3 4; do \(row); done) & exit 0", #", "trust": "exit""#)
    let outcome = try await home.walk()
    #expect(outcome.ids == ["1", "2", "3", "4"] && outcome.verdict == .complete, "\(outcome.reason)")
  }

  @Test("an output that something holds beyond its time has no end, unless the program has told it", arguments: [true, false])
  func heldOutput(isOver: Bool) async throws {
    let folder = try ScratchFolder()
    try folder.write("program", "echo row; (sleep 1000) & exit 0")
    let run = try ProgramRun(
      "/bin/sh", [folder["program"]], in: folder.path, with: PrivateFiles([]), hiding: Settings(declared: []),
      within: ProgramRun.Bounds(end: .milliseconds(200)))
    try await SystemThread.blocking {
      #expect(try run.line(isOver: false) == Array("row".utf8))
      #expect(try run.line(isOver: isOver) == nil)
      let failure = try run.failure()
      #expect(failure?.message == (isOver ? nil : "the program ended, and what it had started held its output: rows may be missing"))
    } onCancel: {
      run.stop()
    }
  }

  @Test("a program whose rows are no longer wanted is ended, with what it started", .timeLimit(.minutes(30)))
  func enough() async throws {
    let (home, outcome) = try await walk(
      "i=1; (sleep 1000) & while :; do i=$((i + 1)); echo '{\"item\": {\"id\": \"'$i'\"}}'; done", limit: 2)
    #expect(outcome.records.count == 2 && outcome.verdict == .bounded)
    try await isWithoutPrivateFolder(home)
  }

  @Test("a walk that is given up between two pages ends the program")
  func givenUp() async throws {
    let home = try ProgramHome(Self.start + "i=1; while :; do i=$((i + 1)); echo '{\"item\": {\"id\": \"'$i'\"}}'; done")
    let pipe = try HeldPipe("held", in: home.folder)
    do {
      var walk = try home.walking()
      #expect(try await walk.nextPage()?.count == 100)
    }
    await pipe.isReleased()
  }

  /// Cancels a walk once the program says that it has begun.
  private func cancel(_ program: String) async throws -> (home: ProgramHome, pipe: HeldPipe, error: (any Error)?) {
    let home = try ProgramHome("exec 9>held; echo \"$@\" > words; echo > begun; " + program, #""config": {}"#)
    let (pipe, begun) = (try HeldPipe("held", in: home.folder), try HeldPipe("begun", in: home.folder))
    let task = Task {
      var walk = try home.walking()
      _ = try await walk.nextPage()
    }
    await begun.isReleased()
    task.cancel()
    let result = await task.result
    if case .failure(let error) = result { return (home, pipe, error) }
    return (home, pipe, nil)
  }

  @Test("a silent program is ended when the asker gives up")
  func cancelled() async throws {
    let (home, pipe, error) = try await cancel("(sleep 1000) & sleep 1000")
    #expect(error != nil)
    await pipe.isReleased()
    // The private files go after the processes.
    #expect(access(try privateFolder(home), F_OK) != 0 || home.lines("words").count == 1)
  }

  @Test("a program that ignores SIGTERM does not delay the answer, and is killed with what it started")
  func stubborn() async throws {
    let (_, pipe, error) = try await cancel("trap '' TERM; (sleep 1000) & while :; do sleep 1000; done")
    // The answer is there while the program still runs: it has five seconds.
    #expect(error != nil)
    await pipe.isReleased()
  }

  @Test("errors without end, or in one line without end, take no memory and cover no verdict", arguments: ["", "| tr '\\n' ' '"])
  func errors(one: String) async throws {
    let (_, outcome) = try await walk("yes 'an error' | head -c 3999996 \(one) >&2; echo last >&2; " + Self.end + "exit 4")
    #expect(
      outcome.reason == "the program ended with exit code 4: " + (one.isEmpty ? "last" : String(repeating: "an error ", count: 33) + "an …")
    )
  }

  @Test("many programs at once each give their own rows")
  func many() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let home = try ProgramHome("for i in 1 2 3; do echo '{\"item\": {\"id\": \"\(number)-'$i'\"}}'; done; \(Self.end)")
          #expect(try await home.walk().ids == (1...3).map { "\(number)-\($0)" })
        }
      }
      try await group.waitForAll()
    }
  }
}
