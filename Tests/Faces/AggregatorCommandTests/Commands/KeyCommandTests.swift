import Testing

/// Keys that a command of the key file prints.
struct KeyCommandTests {
  private let vine: FakeComicVine
  private var file: String { "\(vine.folder)/.config/aggregator/aggregator.xcconfig" }
  private static let name = "COMIC_VINE_API_KEY"

  init() throws { vine = try FakeComicVine() }

  private func run(_ line: String, in folder: String? = nil, _ environment: [String: String] = [:]) async throws -> Binary.Outcome {
    try #require(
      await InProcess.run(
        typed: "aggregator \(line)",
        environment: vine.environment + [Self.name: "", "XDG_CONFIG_HOME": "\(vine.folder)/.config"] + environment,
        in: folder ?? vine.folder))
  }

  /// Writes a program that notes each start, prints `output` and ends with `code`, and returns its path.
  private func program(printing output: String, code: Int = 0) throws -> String {
    let path = "\(vine.folder)/print-key"
    try Folder.write("#!/bin/sh\necho started >> \(vine.folder)/starts\nprintf '%b' '\(output)'\nexit \(code)\n", to: path)
    _ = try Binary.shell("chmod 700 \"$F\"", environment: ["F": path])
    return path
  }

  private var starts: Int { (try? Folder.read("\(vine.folder)/starts").split(separator: "\n").count) ?? 0 }

  private func write(_ command: String, to place: String? = nil) throws {
    let place = place ?? file
    _ = try Binary.shell("mkdir -p \"$(dirname \"$F\")\"", environment: ["F": place])
    try Folder.write("\(Self.name)_COMMAND = \(command)\n", to: place)
    _ = try Binary.shell("chmod 600 \"$F\"", environment: ["F": place])
  }

  @Test("a saved command is run once for each run that asks the service, and its key is sent")
  func saved() async throws {
    let path = try program(printing: "\(FakeComicVine.key)\\n")
    try await expect(
      run("config set \(Self.name) --command '\(path) shop'"), 0, errors: "aggregator: saved the command for \(Self.name) in \(file)\n")
    #expect(starts == 1)
    #expect(try Folder.read(file) == "\(Self.name)_COMMAND = \(path) shop\n")
    // These commands need no key.
    for line in ["config", "sources", "status", "heroes list --offline", "heroes list --plan"] { try await expect(run(line), 0) }
    #expect(starts == 1)
    let listed = try await expect(run("heroes list --all --live --explain"), 0)
    #expect(listed.lines.count == FakeComicVine.count)
    #expect(starts == 2)
    #expect(!(listed.output + listed.errors).contains(FakeComicVine.key))
    try await expect(run("sync heroes --format json"), 0)
    #expect(starts == 3)
    #expect(try await run("config --fields key,origin").output.contains("\(Self.name)\tcommand at \(file):1\n"))
    // A nearer value needs no command.
    try await expect(run("heroes list --live", [Self.name: FakeComicVine.key]), 0)
    #expect(starts == 3)
    try await expect(run("config unset \(Self.name)"), 0, errors: "aggregator: removed \(Self.name) from \(file)\n")
    #expect(try Folder.read(file) == "")
  }

  @Test(
    "a command that gives no key is an error without a word of its output, and nothing is saved",
    arguments: [
      ("", 0, "the program printed nothing"), ("5ecret\\n", 3, "the program ended with exit code 3"),
      ("\\n5ecret\\n", 0, "the first line that it printed is not a key"),
      ("5ec\\001ret", 0, "contains a line break or a control character"),
      ("5ecret\\0377", 0, "the first line that it printed is not a key"),
    ])
  func failing(output: String, code: Int, reason: String) async throws {
    let path = try program(printing: output, code: code)
    let outcome = try await expect(run("config set \(Self.name) --command \(path)"), 77)
    #expect(outcome.errors.contains(reason))
    #expect(!outcome.errors.contains("ret"))
    #expect(throws: (any Error).self) { try Folder.read(file) }
    // A list falls back, and says why.
    try write(path)
    let list = try await expect(run("heroes list"), 0)
    #expect(list.errors.contains("\(Self.name)_COMMAND (\(file):1) gave no key") && list.errors.contains("bundled"))
    try await expect(run("heroes list --live"), 77)
  }

  @Test("a command may not take longer than half of the time, nor print without end")
  func bounds() async throws {
    try write("sleep 1000")
    let slow = try await expect(run("heroes list --timeout 1"), 0)
    #expect(slow.errors.contains("the program had not ended after 500 ms"))
    try write("yes")
    #expect(try await expect(run("heroes list --live"), 77).errors.contains("the program printed more than 64 kB"))
  }

  @Test("further lines are not used, and that is said")
  func lines() async throws {
    let path = try program(printing: "\(FakeComicVine.key)\\r\\nuser: me\\nurl: x\\n")
    #expect(try await run("config set \(Self.name) --command \(path)").errors.contains("2 further lines are not used"))
    try await expect(run("heroes list --live"), 0)
  }

  @Test("a file of the working directory, and one that others can write, runs no command")
  func strangers() async throws {
    let path = try program(printing: FakeComicVine.key)
    for place in ["Configuration/Debug.xcconfig", "keys.xcconfig"] {
      try write(path, to: "\(vine.folder)/\(place)")
      let option = place.hasPrefix("keys") ? " --config \(place)" : ""
      let outcome = try await expect(run("heroes list --live\(option)"), 77)
      #expect(outcome.errors.contains("is not run: a file of the working directory runs no command"))
      #expect(try await run("config set \(Self.name) --command \(path)\(option)").code == 77)
      _ = try Binary.shell("rm -r \"$F\"", environment: ["F": "\(vine.folder)/\(place)"])
    }
    try write(path)
    _ = try Binary.shell("chmod 620 \"$F\"", environment: ["F": file])
    #expect(try await expect(run("heroes list --live"), 77).errors.contains("is not run: other users can write \(file)"))
    #expect(starts == 0)
    // A file of the person that is named from another folder may have commands.
    _ = try Binary.shell("chmod 600 \"$F\" && mkdir \"$D\"", environment: ["F": file, "D": "\(vine.folder)/work"])
    try await expect(run("heroes list --live --config \(file)", in: "\(vine.folder)/work"), 0)
    #expect(starts == 1)
  }

  @Test("a setting that is not a key, and a program by a relative path, take no command")
  func refused() async throws {
    try await expect(run("config set COUNTRIES_URL --command date"), 64)
    #expect(try await expect(run("config set \(Self.name) --command ./print-key"), 77).errors.contains("absolute path"))
    #expect(try await expect(run("config set \(Self.name) --command 'no-such-program x'"), 77).errors.contains("is not installed"))
    let broken = try await vine.run(
      ["config", "set", Self.name, "--command", "echo 'x"], environment: [Self.name: "", "XDG_CONFIG_HOME": "\(vine.folder)/.config"])
    #expect(broken.code == 77 && broken.errors.contains("ends inside quotes"))
  }

  @Test("a value and a command at once are warned of, and saving one removes the other")
  func both() async throws {
    let path = try program(printing: FakeComicVine.key)
    try write("\(path)\n\(Self.name) = \(FakeComicVine.key)")
    let outcome = try await expect(run("heroes list --live"), 0)
    #expect(outcome.errors.contains("\(Self.name) has a value too (\(file):2), and the command is not run"))
    try await expect(run("config set \(Self.name) --command \(path)"), 0)
    #expect(try Folder.read(file) == "\(Self.name)_COMMAND = \(path)\n")
    #expect(starts == 1)
  }
}
