import Platform
import SourceTesting
import Testing

@Suite("-o with the name of a file") struct OutputFileTests {
  private let folder: String

  init() throws { folder = try Folder.fresh() }

  private func files(in folder: String) throws -> [String] {
    try Binary.shell("ls -A", in: folder).lines.filter { !["data", "state", "cache"].contains($0) }
  }

  @Test(
    "-o writes into the file in the format of its ending",
    arguments: [
      ("a.json", "json"), ("a.NDJSON", "ndjson"), ("a.jsonl", "ndjson"), ("a.csv", "csv"), ("a.tsv", "tsv"), ("a.yaml", "yaml"),
      ("a.yml", "yaml"), ("a.txt", "table"),
    ])
  func endings(name: String, format: String) async throws {
    func list(_ format: String) async throws -> Binary.Outcome {
      try await InProcess.run(["countries", "list", "--offline", "-o", format], in: folder)
    }
    let outcome = try await list(name)
    let printed = try await list(format)
    #expect(outcome.code == 0 && outcome.output == "")
    #expect(outcome.errors == printed.errors)
    #expect(try Folder.read("\(folder)/\(name)") == printed.output)
    #expect(try files(in: folder) == [name])
  }

  @Test("-o replaces an existing file, through a link, and keeps its permissions")
  func replaced() async throws {
    _ = try Binary.shell("mkdir sub && echo old >sub/real.csv && chmod 600 sub/real.csv && ln -s sub/real.csv a.csv", in: folder)
    let words = ["countries", "show", "FR", "--offline", "--fields", "code", "-oa.csv"]
    #expect(try await InProcess.run(words, in: folder).code == 0)
    #expect(try Binary.shell("cat sub/real.csv; stat -c %a sub/real.csv; ls -A . sub", in: folder).output.hasPrefix("code\nFR\n600\n"))
    #expect(try files(in: folder) == ["a.csv", "sub"])
  }

  @Test("an answer that --require refuses goes beside the file, also behind a link, and the message names where")
  func unmet() async throws {
    _ = try Binary.shell("mkdir sub && echo old >sub/real.csv && ln -s sub/real.csv a.csv", in: folder)
    let outcome = try await InProcess.run(["countries", "list", "--offline", "--require", "live", "-o", "a.csv"], in: folder)
    #expect(outcome.code == 3)
    #expect(try Folder.read("\(folder)/sub/real.csv") == "old\n")
    #expect(outcome.errors.contains("\(folder)/sub/real.csv.partial\n"), "\(outcome.errors)")
    #expect(try Folder.read("\(folder)/sub/real.csv.partial").contains("Afghanistan"))
  }

  @Test("records that next could not write in a file's format are given back", arguments: ["html", "sqlite", "parquet", "md"])
  func givenBack(format: String) throws {
    let next = #"timeout 60 "$A" countries next --offline"#
    let full = try Binary.shell(
      #"\#(next) -n 3 --format \#(format) >/dev/full; echo "ended with $?"; \#(next) -n 1 --format tsv"#, in: folder)
    #expect(full.output.hasPrefix("ended with 74\nAF\t"), "\(full)")
  }

  @Test("-o does not replace a store, whatever its name is")
  func store() async throws {
    _ = try Binary.shell("printf '[{\"code\":\"FR\",\"name\":\"France\"}]' >a.json", in: folder)
    _ = try await InProcess.run(["import", "countries", "a.json", "--store", "s.sqlite"], in: folder)
    let before = try Binary.shell("cat s.sqlite | wc -c", in: folder).output
    for words in [["countries", "list", "--offline", "-o", "s.sqlite"], ["export", "s.sqlite", "countries", "--store", "s.sqlite"]] {
      try await expect(InProcess.run(words, in: folder), 74, errors: .has("cannot write to s.sqlite: it is a store"))
    }
    #expect(try Binary.shell("cat s.sqlite | wc -c", in: folder).output == before)
  }

  @Test("-o leaves the file unchanged if no answer came")
  func failed() async throws {
    try Folder.write("old\n", to: "\(folder)/a.json")
    try await expect(
      InProcess.run(["countries", "list", "--live", "-o", "a.json"], environment: ["COUNTRIES_URL": "http://127.0.0.1:1/"], in: folder),
      69)
    #expect(try Folder.read("\(folder)/a.json") == "old\n")
    #expect(try files(in: folder) == ["a.json"])
  }

  @Test("-o writes an incomplete answer beside the file, and tells so")
  func partial() async throws {
    let vine = try FakeComicVine(FakeComicVine.Manner(fails: { $0.contains("offset=99") }))
    try Folder.write("old\n", to: "\(vine.folder)/a.csv")
    try await expect(
      vine.run("heroes", "list", "--all", "--live", "--fields", "id", "-o", "\(vine.folder)/a.csv"), 3,
      errors: .has("aggregator: \(vine.folder)/a.csv is left as it was; the incomplete answer is in \(vine.folder)/a.csv.partial\n"))
    #expect(try Folder.read("\(vine.folder)/a.csv") == "old\n")
    #expect(try Folder.read("\(vine.folder)/a.csv.partial").split(separator: "\n").count > 101)
    #expect(try files(in: vine.folder) == ["a.csv", "a.csv.partial"])
  }

  @Test("-o names just the incomplete answer if the file did not exist before")
  func partialAtFirst() async throws {
    let vine = try FakeComicVine(FakeComicVine.Manner(fails: { $0.contains("offset=99") }))
    try await expect(
      vine.run("heroes", "list", "--all", "--live", "--fields", "id", "-o", "\(vine.folder)/a.csv"), 3,
      errors: .has("aggregator: the incomplete answer is in \(vine.folder)/a.csv.partial\n"))
    #expect(try files(in: vine.folder) == ["a.csv.partial"])
  }

  @Test("-o exits 74 if the disk has no room for the whole answer, and keeps no part")
  func full() throws {
    let line = "trap '' XFSZ; ulimit -f \"$(expr 4096 / $(getconf PAGE_SIZE) \\* 8)\"; exec \"$A\" countries list --all --offline -o a.json"
    try Folder.write("old\n", to: "\(folder)/a.json")
    for old in [["a.json"], []] {
      if old.isEmpty { unlink("\(folder)/a.json") }
      let outcome = try Binary.shell(line, environment: ["XDG_DATA_HOME": "\(folder)/data"], in: folder)
      #expect(outcome.code == 74 && outcome.output == "")
      #expect(outcome.errors.hasSuffix("aggregator: cannot write to a.json: File too large\n"), "\(outcome.errors)")
      #expect(try files(in: folder) == old)
    }
  }

  @Test("-o leaves no file if Ctrl-C or another signal ends the command", arguments: [SIGINT, SIGTERM])
  func interrupted(signal: Int32) throws {
    let (asked, folder) = (Signal(), try Folder.fresh())
    let service = try Service { connection in
      while connection.request() != nil { asked.send() }
    }
    let process = try Binary.start("countries list --live -o a.json", environment: service.environment, in: folder)
    asked.wait()
    #expect(try files(in: folder).count == 1)
    process.send(signal)
    _ = process.wait()
    #expect(try files(in: folder) == [])
  }

  @Test("next with -o loses no record: its position moves only once the file is written")
  func next() async throws {
    let sub = try Folder.fresh()
    // The folder is removed while the service answers, and the file with it.
    let people = try FakeRandomUser(onRequest: { page in if page > 1 { _ = try? Binary.shell("rm -rf \(sub)") } })
    #expect(try await people.run("next --limit 3 --fields email -o a.csv").code == 0)
    #expect(try Folder.read("\(people.folder)/a.csv").split(separator: "\n").count == 4)
    #expect(try await people.run("next --limit 3 -o nowhere/a.csv").code == 74)
    try await expect(
      people.run("next", "--limit", "3", "-o", "\(sub)/a.csv"), 74, errors: .has("aggregator: cannot write to \(sub)/a.csv: "))
    #expect(people.pages == [1, 2])
    #expect(try await people.emails("next --limit 1") == ["p1-3@example.com"])
  }

  @Test("-o takes the results of commands that print no records, and refuses a folder")
  func others() async throws {
    let environment = ["XDG_DATA_HOME": "\(folder)/data"]
    let words = ["import", "users", "-", "-o", "sum.json"]
    #expect(try await InProcess.run(words, input: "email\na@x.y\nb\n", environment: environment, in: folder).code == 3)
    #expect(try Folder.read("\(folder)/sum.json").contains(#""new":1,"#))
    _ = try Binary.shell("mkdir f.csv", in: folder)
    let refused = try await InProcess.run(["sources", "-o", "f.csv"], environment: environment, in: folder)
    #expect(refused.code == 74)
    #expect(refused.errors == "aggregator: cannot write to f.csv: it is a folder\n")
  }

  @Test("-o writes into a pipe or a device, which stays what it is")
  func devices() async throws {
    let folder = try Folder.fresh()
    symlink("/dev/full", "\(folder)/full.csv")
    mkfifo("\(folder)/pipe.csv", 0o600)
    let outcome = try Binary.shell("$A countries list --offline -q -n 1 -o full.csv", in: folder)
    #expect(outcome.code == 74, "\(outcome)")
    var status = stat()
    #expect(stat("/dev/full", &status) == 0 && mode_t(status.st_mode) & S_IFMT == S_IFCHR)
    let read = try Binary.shell("cat pipe.csv & $A countries list --offline -q -n 1 --fields code -o pipe.csv; wait", in: folder)
    #expect(read.output == "code\nAF\n" && read.code == 0, "\(read)")
    #expect(stat("\(folder)/pipe.csv", &status) == 0 && mode_t(status.st_mode) & S_IFMT == S_IFIFO)
  }
}
