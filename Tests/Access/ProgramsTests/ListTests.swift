import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Services

/// The list, the search and the single records of programs that print lines of their own.
struct ListTests {
  /// A program with all parts of the protocol and 250 rows; it notes how it is called.
  static let whole = """
    #!python3
    import json, sys
    words = sys.argv[1:]
    with open("calls", "a") as file: file.write(json.dumps(words) + "\\n")
    rows = [{"id": "p%03d" % n, "name": "Thing %d" % n} for n in range(250)]
    if words[0] == "search": rows = [row for row in rows if words[1] in row["name"]]
    if words[0] == "show": rows = [row for row in rows if row["id"] == words[1]]
    start = int(words[words.index("--after") + 1]) if "--after" in words else 0
    for number, row in enumerate(rows[start:], start + 1):
      print(json.dumps({"item": row}))
      if number % 40 == 0: print(json.dumps({"cursor": str(number)}))
    print(json.dumps({"end": {"verdict": "complete"}}))
    """
  static let all = #""supports": ["search", "show", "after"]"#

  @Test("250 rows come in pages of 100, from one run")
  func pages() async throws {
    let home = try ProgramHome(Self.whole, Self.all)
    let outcome = try await home.walk()
    #expect(outcome.ids == (0..<250).map { "p\($0 < 10 ? "00" : $0 < 100 ? "0" : "")\($0)" })
    #expect(outcome.pages == [100, 100, 50] && outcome.verdict == .complete)
    #expect(home.lines("calls") == [#"["list"]"#])
  }

  @Test("a limit ends the program early, and the walk is bounded", arguments: [1, 99, 100, 101, 249])
  func limits(limit: Int) async throws {
    let outcome = try await ProgramHome(Self.whole, Self.all).walk(limit: limit)
    #expect(outcome.records.count == limit && outcome.verdict == .bounded)
  }

  @Test("a search and a lookup are the program's own if it supports them")
  func native() async throws {
    let home = try ProgramHome(Self.whole, Self.all)
    #expect(
      try await home.walk(.matching("Thing 24")).ids == [
        "p024", "p240", "p241", "p242", "p243", "p244", "p245", "p246", "p247", "p248", "p249",
      ])
    #expect(try await home.walk(.record("p007")).ids == ["p007"])
    #expect(home.lines("calls") == [#"["search", "Thing 24"]"#, #"["show", "p007"]"#])
  }

  @Test(
    "a text reaches the program as one argument, whatever is in it",
    arguments: ["-", "--help", "--after", "a b", "\"'`$(touch gone)\\", "a\nb", "\u{7}\u{1B}[31m", "é日本", ""])
  func texts(text: String) async throws {
    let home = try ProgramHome(Self.whole, Self.all)
    _ = try await home.walk(.record(text))
    let call = try #require(home.lines("calls").first)
    #expect(try JSON(Array(call.utf8)).value == ["show", .text(text)])
  }

  @Test("a text with U+0000 cannot be an argument, and is an error")
  func zero() async throws {
    let home = try ProgramHome(Self.whole, Self.all)
    #expect(try await home.walk(.record("a\u{0}b")).error?.kind == .badRequest)
    #expect(home.lines("calls").isEmpty)
  }

  @Test("ids with quotes, line breaks and control characters stay as they are, also where a page ends")
  func oddIDs() async throws {
    let program = """
      #!python3
      import json
      for number in range(201): print(json.dumps({"item": {"id": "\\"\\u0000\\u0001+\\n'-%d" % number}}))
      print(json.dumps({"end": {"verdict": "complete"}}))
      """
    let outcome = try await ProgramHome(program).walk()
    #expect(outcome.ids == (0..<201).map { "\"\u{0}\u{1}+\n'-\($0)" } && outcome.verdict == .complete)
    #expect(outcome.pages == [100, 100, 1])
  }

  @Test("broken rows at the end of a page do not end the list")
  func brokenPage() async throws {
    let program = """
      #!python3
      import json
      for number in range(450): print(json.dumps({"item": {"id": str(number)} if number < 50 or number >= 400 else {"name": "broken"}}))
      print(json.dumps({"end": {"verdict": "complete"}}))
      """
    let outcome = try await ProgramHome(program).walk()
    #expect(outcome.records.count == 100 && outcome.summary?.skipped == 350 && outcome.verdict == .complete, "\(outcome.reason)")
  }

  @Test("a limit counts the records that are new and sound, and one run gives them")
  func limitOverFaults() async throws {
    let program = """
      echo >> runs; row() { echo '{"item": {"id": "'$1'"}}'; }
      row 1; row 1; echo '{"item": {"no": 1}}'; row 2; row 1; row 3; row 4; echo '{"end": {"verdict": "complete"}}'
      """
    for limit in 1...4 {
      let home = try ProgramHome(program)
      let outcome = try await home.walk(limit: limit)
      #expect(
        outcome.ids == ["1", "2", "3", "4"].prefix(limit).map(\.self) && outcome.verdict?.kind != "partial", "\(limit) \(outcome.reason)")
      #expect(try home.folder.bytes("runs").count == 1)
    }
  }

  @Test("pages of nothing but rows that came before do not end the list")
  func repeats() async throws {
    let program = """
      #!python3
      import json
      for number in [*range(150), *range(150), *range(160)]: print(json.dumps({"item": {"id": str(number)}}))
      print(json.dumps({"end": {"verdict": "complete"}}))
      """
    let outcome = try await ProgramHome(program).walk()
    #expect(outcome.ids == (0..<160).map(String.init) && outcome.verdict == .complete, "\(outcome.reason)")
  }

  // MARK: - Another process continues

  @Test("another process continues after the program's last cursor, and skips the rows that came since")
  func later() async throws {
    let home = try ProgramHome(Self.whole, Self.all)
    var (ids, cursor, runs) = ([String](), Cursor?.none, 0)
    repeat {
      let outcome = try await home.walk(limit: 90, from: cursor)
      ids += outcome.ids
      cursor = outcome.cursor
      runs += 1
    } while cursor != nil && runs < 9
    #expect(ids.count == 250 && Set(ids).count == 250)
    #expect(home.lines("calls") == [#"["list"]"#, #"["list", "--after", "80"]"#, #"["list", "--after", "160"]"#])
  }

  @Test("without cursors the program prints its list again, and the rows before the place are skipped")
  func laterWithoutCursors() async throws {
    let home = try ProgramHome(
      "i=0; while [ $i -lt 150 ]; do echo '{\"item\": {\"id\": \"'$i'\"}}'; i=$((i+1)); done; echo '{\"end\": {\"verdict\": \"complete\"}}'"
    )
    let first = try await home.walk(limit: 100)
    let second = try await home.walk(from: first.cursor)
    #expect(second.ids == (100..<150).map(String.init))
    // It may be another list by now.
    #expect(second.verdict == .unverifiable)
  }

  @Test("if the row after which to go on has vanished, that is an error that says how to begin anew")
  func vanished() async throws {
    let program = """
      if [ -f again ]; then n=90; else n=150; touch again; fi
      i=0; while [ $i -lt $n ]; do echo '{"item": {"id": "'$i'"}}'; i=$((i+1)); done; echo '{"end": {"verdict": "complete"}}'
      """
    let home = try ProgramHome(program)
    let first = try await home.walk(limit: 100)
    let error = try await home.walk(from: first.cursor).error
    #expect(error?.message == "the list continues after the row 99, and that row did not come again")
    #expect(error?.remedy == .ask("reset", "to begin anew"))
  }
}
