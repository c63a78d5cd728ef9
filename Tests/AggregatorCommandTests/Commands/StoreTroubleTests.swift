import Testing

/// A store that cannot be used, as a person meets it.
struct StoreTroubleTests {
  private static let search = "heroes search spider --limit 1 --fields name"

  /// A service, and a store that holds something of it.
  private func used() throws -> (vine: Vine, store: String) {
    let vine = try Vine()
    #expect(try vine.run("heroes", "next", "--limit", "1").code == 0)
    return (vine, "\(vine.folder)/data/aggregator/store.db")
  }

  private func shell(_ line: String, _ vine: Vine, _ store: String) throws -> Binary.Outcome {
    try Binary.shell(line, environment: vine.environment.merging(["S": store]) { $1 }, in: vine.folder)
  }

  @Test("one that a newer version wrote is refused and left untouched")
  func newer() throws {
    let (vine, store) = try used()
    // The version is the number at byte 60.
    let before = try shell("printf '\\0\\0\\0\\143' | dd of=\"$S\" bs=1 seek=60 conv=notrunc 2>/dev/null; cksum \"$S\"", vine, store).output
    for words in [Self.search, "heroes next", "cache", "cache clear", "heroes reset"] {
      let outcome = try shell("exec \"$A\" \(words)", vine, store)
      #expect(outcome.code == 74, "\(words)")
      #expect(outcome.output == "")
      #expect(outcome.errors.contains("newer"), "\(outcome.errors)")
      #expect(outcome.errors.contains(store))
    }
    #expect(try shell("cksum \"$S\"", vine, store).output == before)
    // It is no reason to show no catalogue.
    let sources = try shell("exec \"$A\" sources --fields name,stored", vine, store)
    #expect(sources.code == 0)
    #expect(sources.lines.contains("heroes\t"))
  }

  @Test("a damaged one is set aside with a notice, and a new one begun")
  func damaged() throws {
    let (vine, store) = try used()
    let outcome = try shell("printf 'no database at all' >\"$S\"; exec \"$A\" \(Self.search)", vine, store)
    #expect(outcome.code == 0)
    #expect(outcome.output == "Spider 1\n")
    #expect(outcome.errors.contains("\(store) was damaged"))
    #expect(outcome.errors.contains("it was set aside as \(store).damaged-"))
    #expect(try shell("cat \"$S\".damaged-*", vine, store).output == "no database at all")
    #expect(try shell("exec \"$A\" \(Self.search) --offline", vine, store).output == "Spider 1\n")
  }

  @Test("one that may not be written is 74", .enabled(if: Tool.isAbleToBeNobody, "only the administrator can become nobody"))
  func readOnly() throws {
    let (vine, store) = try used()
    let nobody =
      "cp \"$A\" ./moved; chmod 755 .. data state data/aggregator; chmod 644 \"$S\"; chmod 777 state/aggregator; chmod 666 state/aggregator/*; "
      + "exec setpriv --reuid=65534 --regid=65534 --clear-groups ./moved "
    let outcome = try shell("chmod 755 .; " + nobody + Self.search, vine, store)
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains("the store \(store) cannot be "))
    #expect(outcome.errors.contains("--store PATH"))
    // It is no reason to show no catalogue, and another place will do.
    #expect(
      try shell(nobody + "sources --format ndjson --fields name,stored", vine, store).output.contains(#"{"name":"heroes","stored":null}"#))
    let elsewhere = try shell("chmod 777 .; " + nobody + Self.search + " --store other.db", vine, store)
    #expect(elsewhere.output == "Spider 1\n")
  }

  @Test("one that another process is writing to is waited for", .enabled(if: Tool.exists("python3")))
  func locked() throws {
    let (vine, store) = try used()
    // The lock is let go once the command has its answer and wants to keep it.
    let script = """
      import os, sqlite3, subprocess
      store = sqlite3.connect(os.environ["S"], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      command = subprocess.Popen([os.environ["A"]] + "\(Self.search) --explain".split(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
      for line in command.stderr:
        if "HTTP 200" in line: store.execute("ROLLBACK")
      print(command.stdout.read(), command.wait())
      """
    let outcome = try Binary.run(
      [Tool.path("python3") ?? "", "-c", script], input: "",
      environment: vine.environment.merging(["S": store, "A": Binary.path]) { $1 }, in: vine.folder)
    #expect(outcome.output == "Spider 1\n 0\n")
  }

  @Test("a full disk is 74 and loses nothing that was kept")
  func full() throws {
    let (vine, store) = try used()
    // No file may grow beyond 4 kB, and that is an error, not a signal.
    let limited = "trap '' XFSZ; ulimit -f \"$(expr 4096 / $(getconf PAGE_SIZE) \\* 8)\"; exec \"$A\" "
    let outcome = try shell(limited + Self.search, vine, store)
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains(store))
    #expect(try vine.run("heroes", "next", "--limit", "1", "--fields", "id").output == "2\n")
  }

  @Test("a disk that is really full says so", .enabled(if: Mount.isPossible, "only the administrator can mount a small disk"))
  func fullDisk() throws {
    let vine = try Vine()
    let line = "mkdir small && mount -t tmpfs -o size=40k none small && exec \"$A\" \(Self.search) --store small/store.db"
    let outcome = try Binary.run(
      ["/usr/bin/unshare", "-m", "/bin/sh", "-c", line], input: "", environment: vine.environment.merging(["A": Binary.path]) { $1 },
      in: vine.folder)
    #expect(outcome.code == 74)
    #expect(outcome.errors.contains("there is no room left for the store"))
  }

  /// Whether a test can mount a disk that nobody else sees.
  private enum Mount {
    static let isPossible =
      (try? Binary.shell("unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=8k none small'", in: Folder.fresh()).code) == 0
  }
}
