import AggregatorCore
import Testing

/// A store that cannot be used, as a person sees it.
struct StoreTroubleTests {
  private static let search = "heroes search spider --limit 1 --fields name"

  /// A service, and a store that has some of its records.
  private func used() async throws -> (vine: FakeComicVine, store: String) {
    let vine = try FakeComicVine()
    #expect(try await vine.run("heroes next --limit 1").code == 0)
    return (vine, "\(vine.folder)/data/aggregator/store.db")
  }

  private func shell(_ line: String, _ vine: FakeComicVine, _ store: String) throws -> Binary.Outcome {
    try Binary.shell(line, environment: vine.environment + ["S": store], in: vine.folder)
  }

  @Test("a store of another version is refused and left unchanged")
  func newer() async throws {
    let (vine, store) = try await used()
    // The version is the number at byte 60.
    let before = try shell("printf '\\0\\0\\0\\143' | dd of=\"$S\" bs=1 seek=60 conv=notrunc 2>/dev/null; cksum \"$S\"", vine, store).output
    for words in ["heroes next", "cache", "cache clear", "heroes reset"] {
      try await expect(vine.run(words), 74, output: "", errors: .has("version 99", store))
    }
    try await expect(
      vine.run(Self.search), 0, output: "Spider 1\n",
      errors: .has("aggregator: the store \(store) has version 99, and this program uses version 9"))
    try await expect(
      vine.run("heroes list --offline --limit 1"), 0,
      errors: .has("aggregator: the store \(store) has version 99", "using bundled data"))
    #expect(try shell("cksum \"$S\"", vine, store).output == before)
    // The list of sources is still shown.
    let sources = try await expect(vine.run("sources --fields name,stored"), 0)
    #expect(sources.lines.contains("heroes\t"))
  }

  @Test("a damaged store is set aside with a notice, and a new one begins")
  func damaged() async throws {
    let (vine, store) = try await used()
    try Folder.write("no database at all", to: store)
    try await expect(
      vine.run(Self.search), 0, output: "Spider 1\n",
      errors: .has("\(store) was damaged", "it was renamed to \(store).damaged-"))
    #expect(try shell("cat \"$S\".damaged-*", vine, store).output == "no database at all")
    #expect(try await vine.run("\(Self.search) --offline").output == "Spider 1\n")
  }

  @Test(
    "a read-only store is read, and prevents no answer; verbs that have to write exit 74",
    .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func readOnly() async throws {
    let (vine, store) = try await used()
    #expect(try await vine.run("heroes search bat --limit 1 --fields name").output == "Bat 2\n")
    let nobody =
      "cp \"$A\" ./moved; chmod 755 .. data state data/aggregator; chmod 644 data/aggregator/*; chmod 777 state/aggregator; chmod 666 state/aggregator/*; "
      + "exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved "
    try expect(
      shell("chmod 755 .; " + nobody + Self.search, vine, store), 0, output: "Spider 1\n",
      errors: .has("aggregator: cannot write to the store \(store)"))
    let kept = try shell(nobody + "heroes search bat --offline --limit 1 --fields name", vine, store)
    #expect(kept.output == "Bat 2\n")
    #expect(kept.errors.contains("cached "))
    try Folder.write(#"{"id":7,"name":"x"}"#, to: "\(vine.folder)/rows.ndjson")
    for words in ["heroes next --limit 1", "heroes next --limit 1 --offline", "heroes sync", "heroes reset", "import heroes rows.ndjson"] {
      try expect(shell(nobody + words, vine, store), 74, output: "")
    }
    #expect(
      try shell(nobody + "sources --format ndjson --fields name,stored", vine, store).output.contains(#"{"name":"heroes","stored":100}"#))
    // Another place can be used.
    try expect(shell("chmod 777 .; " + nobody + Self.search + " --store other.db", vine, store), output: "Spider 1\n")
  }

  @Test(
    "a store that may not be read says so", .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func unreadable() async throws {
    let (vine, store) = try await used()
    let outcome = try shell(
      "cp \"$A\" ./moved; chmod 755 .. . data data/aggregator; chmod 600 data/aggregator/*; "
        + "exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved cache", vine, store)
    expect(
      outcome, 74, output: "",
      errors: .has("aggregator: the store \(store) may not be read; make the file readable, or add --store PLACE to use another store"))
  }

  @Test("a store that another process is writing to is waited for", .enabled(if: Tool.exists("python3")))
  func locked() async throws {
    let (vine, store) = try await used()
    // The lock is released once the command has its answer and wants to cache it.
    let script = """
      import os, sqlite3, subprocess
      store = sqlite3.connect(os.environ["S"], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      command = subprocess.Popen([os.environ["A"]] + "\(Self.search) --explain".split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
      for line in command.stderr:
        if "HTTP 200" in line: store.execute("ROLLBACK")
      print(command.stdout.read(), command.wait())
      """
    try expect(Binary.python(script, environment: vine.environment + ["S": store]), output: "Spider 1\n 0\n")
  }

  @Test("a full disk prevents no answer and loses no stored record")
  func full() async throws {
    let (vine, store) = try await used()
    // No file may grow beyond 4 kB.
    let limited = "ulimit -f \"$(expr 4096 / $(getconf PAGE_SIZE) \\* 8)\"; exec \"$A\" "
    try expect(shell(limited + Self.search, vine, store), 0, output: "Spider 1\n", errors: .has(store))
    try expect(shell(limited + "heroes next --limit 200", vine, store), 74, output: "")
    #expect(try await vine.run("heroes next --limit 1 --fields id").output == "2\n")
    try expect(shell(limited + "heroes sync", vine, store), 74)
  }

  @Test(
    "a disk without room for the tables prevents no answer, and is told",
    .enabled(if: Mount.isPossible, "only the administrator can mount a small disk"), arguments: [4, 8, 32, 40, 80])
  func fullDisk(size: Int) throws {
    let (vine, people) = (try FakeComicVine(), try FakeRandomUser())
    for (line, expected) in [
      (Self.search, "Spider 1\n"), ("users list --limit 1 --fields email", "p1-0@example.com\n"),
      ("users search p1-3 --fields email", "p1-3@example.com\n"),
      ("users show p1-2@example.com --format tsv --fields email", "p1-2@example.com\n"),
    ] {
      try expect(
        Binary.run(
          [
            "/usr/bin/unshare", "-m", "/bin/sh", "-c",
            // The first command leaves a file, even if it is empty.
            "mkdir -p small && mount -t tmpfs -o size=\(size)k none small && \"$A\" \(line) --store small/store.db >out 2>err && "
              + "exec \"$A\" \(line) --store small/store.db",
          ], input: "",
          environment: vine.environment.merging(people.environment) { own, _ in own } + ["A": Binary.path], in: vine.folder), 0,
        output: .exactly(expected), errors: .has("no space left for the store"))
    }
  }

  @Test(
    "a full disk is told in the same words by a notice, an error and doctor",
    .enabled(if: Mount.isPossible, "only the administrator can mount a small disk"))
  func oneVoice() throws {
    let vine = try FakeComicVine()
    let script = """
      mkdir small && mount -t tmpfs -o size=8k none small
      for line in 'heroes list --limit 1 --quiet' 'heroes list --limit 1 --fields id' 'heroes next' doctor; do
        "$A" $line --store small/store.db >out 2>err
        grep -ho 'no space left.*' out err
      done
      """
    let outcome = try Binary.run(
      ["/usr/bin/unshare", "-m", "/bin/sh", "-c", script], input: "", environment: vine.environment + ["A": Binary.path],
      in: vine.folder)
    let sentences = outcome.lines.map { $0.replacingEach("\t", with: "; ") }
    #expect(
      Set(sentences) == [
        "no space left for the store \(vine.folder)/small/store.db; nothing was lost; free some space on its disk, "
          + "or change --store to use another store"
      ])
    #expect(sentences.count == 3, "\(outcome)")
  }

  @Test("a limit for files is an error like a full disk, and never a signal", arguments: ["list", "next", "delete \"$E\"", "import"])
  func fileLimit(verb: String) async throws {
    let people = try FakeRandomUser()
    try Folder.write("email\n" + (0..<5_000).map { "x\($0)@example.com\n" }.joined(), to: "\(people.folder)/rows.csv")
    let person = String(try await people.run("list --offline --quiet --limit 1 --fields email").output.dropLast())
    let line = verb == "import" ? "import users rows.csv" : "users \(verb)"
    let outcome = try Binary.shell(
      "ulimit -f 8; exec \"$A\" \(line)", environment: people.environment + ["E": person], in: people.folder)
    #expect(outcome.code == (verb == "list" ? 0 : 74), "\(outcome.errors)")
    if verb == "list" { #expect(outcome.lines.count == 5, "\(outcome.output)") }
  }

  @Test("people are shown without a store, but next shows no record")
  func people() async throws {
    let people = try FakeRandomUser()
    let list = try await expect(people.run("list --limit 2 --fields email --store /proc/none/store.db"), 0)
    #expect(list.lines == ["p1-0@example.com", "p1-1@example.com"])
    #expect(list.errors.hasPrefix("aggregator: cannot create the folder of the store /proc/none/store.db"))
    #expect(try await people.run("search p1-3 --fields email --store /proc/none/store.db").lines == ["p1-3@example.com"])
    #expect(people.pages == [1, 1])
    let more = try await people.run("search p1-3 --more 2 --fields email --store /proc/none/store.db")
    #expect(more.lines == ["p1-3@example.com"])
    #expect(more.errors.hasPrefix("aggregator: cannot create the folder of the store /proc/none/store.db"))
    let asked = people.pages.count
    try await expect(people.run("next --store /proc/none/store.db"), 74, output: "")
    #expect(people.pages.count == asked)
  }

  @Test(
    "an edited place that is invalid exits 74, and reset repairs it", .enabled(if: Tool.exists("python3")),
    arguments: [
      "json_set(body, '$.shown', 'far')", "json_set(body, '$.shown', -1)", "json_set(body, '$.shown', 9223372036854775807)",
      "json_set(body, '$.shown', 1.5)", "json_set(body, '$.revision', 'x')", "json_set(body, '$.rowsBefore', -9223372036854775808)",
      "json_remove(body, '$.reading')", "json_set(body, '$.passed', 'x')", "json_set(body, '$.cursor', 'offset by')",
      "json_set(body, '$.cursor', '')", "json_set(body, '$.verdict', 'whole')", "'[]'", "''", "x'00'",
    ])
  func edited(change: String) async throws {
    let (vine, store) = try await used()
    let script = "import os, sqlite3; s = sqlite3.connect(os.environ['S']); s.execute(os.environ['Q']); s.commit()"
    _ = try Binary.python(script, environment: ["S": store, "Q": "UPDATE source_state SET body = \(change) WHERE name = 'next'"])
    try await expect(
      vine.run("heroes next --limit 2"), 74, output: "", errors: .has("type 'aggregator heroes reset' to start again"))
    #expect(try await vine.run("heroes reset").code == 0)
    #expect(try await vine.run("heroes next --limit 120 --fields id").lines.compactMap { Int($0) } == Array(1...120))
  }

  /// The permission to mount a disk that other processes do not see.
  private enum Mount {
    static let isPossible =
      (try? Binary.shell("unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=8k none small'", in: Folder.fresh()).code) == 0
  }
}
