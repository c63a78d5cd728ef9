import SourceTesting
import Testing

/// `source edit` at a terminal, with an editor that is a line of shell.
@Suite("source edit", .timeLimit(.minutes(30))) struct SourceEditTests {
  private let home: String
  private let environment: [String: String]

  init() async throws {
    home = try Folder.fresh()
    environment = ["HOME": home, "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": "", "TMPDIR": home]
    try Folder.write(FakePokemonService.manifest(at: "https://pokemon.example/"), to: "\(home)/pokemon.json")
    try await expect(InProcess.run("add pokemon.json --quiet", environment: environment, in: home), 0)
  }

  private var file: String { "\(home)/.config/aggregator/sources/pokemon.json" }

  private func edit(_ editor: String, _ name: String = "pokemon") throws -> Terminal {
    try Terminal("source", "edit", name, columns: 200, environment: environment + ["VISUAL": "", "EDITOR": editor])
  }

  /// The folders of copies that were not removed.
  private var copies: [String] { get throws { try Binary.shell("ls -d aggregator-* 2>/dev/null", in: home).lines } }

  @Test("a sound text replaces the file, and its source is used as it is then")
  func changed() async throws {
    let terminal = try edit("sed -i 's/https:..pokemon.example/https:\\/\\/other.example/'").ending()
    #expect(terminal.shown.contains("changed \(file), which describes pokemon"), "\(terminal.shown)")
    #expect(try Folder.read(file).contains("https://other.example/"))
    #expect(try await InProcess.run("source show pokemon", environment: environment, in: home).output.contains("other.example"))
    #expect(try copies == [])
  }

  @Test("the same text changes nothing, and neither does an editor that fails")
  func unchanged() throws {
    let before = try Folder.read(file)
    #expect(try edit("true").ending().shown.contains("nothing was changed"))
    #expect(try edit("sh -c 'echo >>$0; exit 3'").ending(1).shown.contains("the editor failed"))
    #expect(try edit("no-such-editor-here").ending(1).shown.contains("the editor failed"))
    #expect(try Folder.read(file) == before && copies == [])
  }

  @Test("a mistake is told with its place; the text can be edited again, and without that the file stays as it was")
  func mistaken() throws {
    let before = try Folder.read(file)
    let abort = try edit("sed -i 's/\"paging\"/\"pagin\"/'")
    try abort.waitFor("edit it again? [Y/n] ")
    abort.type("n\n")
    #expect(abort.wait() == 78 && abort.shown.contains("is left as it was; the new text is in \(home)/aggregator-"), "\(abort.shown)")
    let line = try Folder.read(file).split(separator: "\"paging\"")[0].count { $0 == "\n" } + 1
    #expect(abort.shown.contains("pokemon.json:\(line): sources.pokemon.pagin: unknown member") && line > 1, "\(abort.shown)")
    #expect(abort.shown.contains("pagin") && abort.shown.contains("did you mean \"paging\"?"), "\(abort.shown)")
    #expect(try Folder.read(file) == before)
    // The second time the editor mends what it broke.
    let again = try edit("sh -c 'if grep -q brokn $0; then sed -i s/brokn// $0; else sed -i \"1s/^/brokn/\" $0; fi; printf \"\\\\n\" >>$0'")
    try again.waitFor("edit it again? [Y/n] ")
    #expect(again.shown.contains("is not valid JSON") || again.shown.contains("line 1"), "\(again.shown)")
    again.type("\n")
    #expect(again.wait() == 0, "\(again.shown)")
    #expect(try Folder.read(file) == before + "\n\n")
  }

  @Test("a new name must be free, and what an edited file wants to send is asked for", arguments: [("y", true), ("n", false)])
  func permission(answer: String, isAllowed: Bool) async throws {
    let taken = try edit("sed -i 's/\"pokemon\": {/\"countries\": {/'")
    try taken.waitFor("edit it again? [Y/n] ")
    taken.type("n\n")
    #expect(taken.wait() == 78 && taken.shown.contains("one of that name is built in"), "\(taken.shown)")
    try Folder.write(FakePokemonService.manifest(at: "https://pokemon.example/", more: FakePokemonService.token), to: "\(home)/new.json")
    let terminal = try edit("cp new.json".replacing("new.json", with: "\(home)/new.json"))
    try terminal.waitFor("Let it do that? [y/N] ")
    terminal.type("\(answer)\n")
    #expect(terminal.wait() == 0, "\(terminal.shown)")
    let shown = try await InProcess.run("source show pokemon", environment: environment, in: home).output
    #expect(shown.contains("Permission: \(isAllowed ? "given" : "not given")"), "\(shown)")
    // A change of something else keeps the permission.
    #expect(try edit("sh -c 'echo >>$0'").ending().shown.contains("changed \(file)"))
    guard isAllowed else { return }
    #expect(try await InProcess.run("source show pokemon", environment: environment, in: home).output.contains("Permission: given"))
  }

  @Test("without a terminal, without an editor, and for a built-in source it says what to do")
  func refused() async throws {
    try await expect(
      InProcess.run("source edit pokemon", environment: environment + ["EDITOR": "true"], in: home), 64,
      errors: .has("source edit needs a terminal; change \(file) in another way"))
    #expect(
      try edit("").ending(64).shown.contains("neither VISUAL nor EDITOR names an editor; type EDITOR=nano aggregator source edit pokemon"))
    try await expect(InProcess.run("source edit countries", environment: environment, in: home), 78, errors: .has("countries is built in"))
  }
}
