import Testing

/// The command in a poor environment: no home, no folder, no locale, another place.
struct WorldTests {
  private static let expected = "FR\tFrance\n"

  private func show(_ prefix: String, in folder: String = "/", _ environment: [String: String] = [:]) throws -> Binary.Outcome {
    try Binary.shell("\(prefix) countries show fr --offline --quiet --format tsv --fields code,name", environment: environment, in: folder)
  }

  @Test("the command works without any environment variable")
  func bare() throws {
    #expect(try show("exec env -i \"$A\"").output == Self.expected)
  }

  @Test("the command works in a folder that was deleted")
  func deletedFolder() throws {
    try expect(show("rmdir \"$PWD\" && exec env -i \"$A\"", in: Folder.fresh()), output: .exactly(Self.expected), errors: "")
  }

  @Test(
    "the command works with a home that does not exist, and with one that is a file",
    arguments: ["/nonexistent", "/dev/null", "", "relative"])
  func oddHome(_ home: String) throws {
    #expect(try show("exec \"$A\"", ["HOME": home]).output == Self.expected)
  }

  @Test("text is UTF-8 in any locale", arguments: ["C", "POSIX", "tr_TR.UTF-8", "nonsense"])
  func locale(_ name: String) throws {
    let outcome = try Binary.shell(
      "\"$A\" countries search ISTANBUL reunion --offline; \"$A\" countries search reunion --offline --fields name",
      environment: ["LANG": name, "LC_ALL": name])
    #expect(outcome.output == "Réunion\n")
  }

  @Test("the binary needs no file beside it")
  func moved() throws {
    let folder = try Folder.fresh()
    try expect(show("cp \"$A\" \(folder)/elsewhere && cd / && exec env -i \(folder)/elsewhere"), output: .exactly(Self.expected))
    let list = try Binary.shell("exec env -i \(folder)/elsewhere countries list --all --offline --quiet --fields code")
    #expect(list.lines.count == 250)
  }

  @Test("an empty or odd terminal does no harm", arguments: ["dumb", "", "xterm-256color", "nonsense"])
  func terminals(_ term: String) throws {
    let terminal = try Terminal(
      "countries show fr --offline --quiet --format cards", columns: 20, environment: ["TERM": term, "NO_COLOR": "1"]
    ).ending()
    #expect(terminal.lines == ["France, EU        FR", "Paris"])
  }

  @Test("a terminal that does not know its width counts as eighty columns")
  func zeroColumns() throws {
    let terminal = try Terminal("countries show fr --offline --quiet --format cards", columns: 0, environment: ["NO_COLOR": "1"]).ending()
    #expect(terminal.lines.first?.count == 80)
  }
}
