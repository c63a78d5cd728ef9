import Platform
import SourceTesting
import Testing

/// Standard streams that are closed, full or not read.
struct StreamTests {
  @Test(
    "a closed standard output is an error, and no other file gets the results",
    arguments: ["countries list --offline", "help", "--version", "config", "countries list --fields"])
  func closedOutput(_ line: String) throws {
    try expect(
      Binary.shell("exec \"$A\" \(line) --quiet >&-"), 74, errors: "aggregator: cannot write to standard output: it is closed\n")
  }

  @Test("a full device is an error")
  func full() throws {
    let outcome = try Binary.shell("exec \"$A\" countries list --offline --quiet --all >/dev/full")
    #expect(outcome.code == 74)
    #expect(outcome.errors == "aggregator: cannot write to standard output: no space left\n")
  }

  @Test("a reader that stops after the beginning ends the command quietly", arguments: ["tsv", "csv", "json", "ndjson", "table", "cards"])
  func head(_ format: String) throws {
    // A pipe whose only reader has gone before the first byte is written.
    let outcome = try Binary.shell(
      "mkfifo p && exec 6<>p 5>p 6<&- && exec \"$A\" countries list --all --offline --quiet --format \(format) >&5", in: Folder.fresh())
    #expect(outcome.code == 0)
    #expect(outcome.errors == "")
  }

  @Test(
    "without a thread a service is not asked, and the error tells so",
    .enabled(if: Tool.isAbleToBeNobody && Tool.exists("prlimit"), "only the administrator can become another user"),
    .timeLimit(.minutes(10)))
  func noThreads() throws {
    // The file is opened first: another user may not enter a folder of the administrator.
    let asOther =
      #"exec 9<"$A" && exec setpriv --reuid=65534 --regid=65534 --clear-groups prlimit --nproc=2 /proc/self/fd/9"#
      + " countries list --limit 1 --quiet"
    try expect(Binary.shell("\(asOther) --live --timeout 3"), 69, errors: .has("cannot start another thread"))
    #expect(try Binary.shell("\(asOther) --offline").code == 0)
  }

  @Test("a closed standard error loses only the notices")
  func closedErrors() throws {
    try expect(Binary.shell("exec \"$A\" countries list --offline --limit 2 --fields code 2>&-"), 0, output: "AF\nAX\n")
    #expect(try Binary.shell("exec \"$A\" countries nonsense 2>&-").code == 64)
  }

  #if os(Linux)
    @Test("an offline search starts no thread", .timeLimit(.minutes(30)), arguments: ["countries", "heroes", "products", "users"])
    func threads(source: String) throws {
      // The pipe is full, so the command waits in a call of `write` (number 1) when it has its answer. The loop ends also where it never comes there.
      let line = """
        mkfifo full && exec 3<>full && head -c 65536 /dev/zero >&3
        $A \(source) search a --offline --quiet --format json >&3 & tries=0
        until read -r call others </proc/$!/syscall && [ "$call" = 1 ] || [ $tries = 100000 ]; do tries=$((tries + 1)); done 2>/dev/null
        ls /proc/$!/task | wc -l
        kill -s KILL $!
        """
      #expect(try Binary.shell(line, in: Folder.fresh()).output == "1\n")
    }

    @Test("no other file gets the number of a closed stream", .timeLimit(.minutes(30)), arguments: [0, 1, 2])
    func strayDescriptors(closed: Int) throws {
      let asked = Signal()
      let service = try Service { connection in
        _ = connection.request()
        asked.send()
        connection.untilClosed()
      }
      let line = "exec \"$A\" countries list \(closed == 0 ? "<" : "\(closed)>")&-"
      let null = try Scratch()
      let process = try Spawned(
        ["/bin/sh", "-c", line],
        environment: try Binary.environment + service.environment + ["A": Binary.path],
        in: "/", descriptors: [null.descriptor, null.descriptor, null.descriptor])
      asked.wait()
      var target = [CChar](repeating: 0, count: 256)
      _ = readlink("/proc/\(process.id)/fd/\(closed)", &target, 255)
      #expect(String(decoding: target.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) == "/dev/null")
      process.send(SIGKILL)
      _ = process.wait()
    }
  #endif

  @Test("a closed standard input matters only to commands that read it")
  func closedInput() throws {
    #expect(try Binary.shell("exec \"$A\" countries list --offline --limit 1 --fields code <&-").output == "AF\n")
    let outcome = try Binary.shell("exec \"$A\" config set COUNTRIES_URL --config keys.xcconfig <&-", in: Folder.fresh())
    #expect(outcome.code == 64)
    #expect(outcome.errors.hasPrefix("aggregator: config set COUNTRIES_URL: no value on standard input\n"))
  }

  @Test("a command with all three closed ends with an exit code")
  func allClosed() throws {
    #expect(try Binary.shell("exec \"$A\" countries list --offline <&- >&- 2>&-").code == 74)
  }

  @Test("a slow reader gets everything")
  func lagging() async throws {
    let whole = try await InProcess.run("countries list --all --offline --format json --quiet").output
    // The reader begins only after the writer has filled the pipe and waits.
    let outcome = try Binary.shell(
      "mkfifo p && { \"$A\" countries list --all --offline --format json --quiet >p & { read -r first; printf '%s\\n' \"$first\"; cat; } <p; wait $!; }",
      in: Folder.fresh())
    #expect(outcome.output == whole)
    #expect(outcome.code == 0)
  }
}
