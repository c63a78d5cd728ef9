import AggregatorCore
import Platform
import Programs
import ScratchFolders
import SourceTesting
import Store
import Testing

@testable import Services

/// Syncs of programs: what is stored, and the state that a tap gets back.
struct SyncTests {
  /// A tap whose rows and state are in files of its folder. It notes the state that it gets.
  private static let tap = """
    #!python3
    import json, os, sys
    words = sys.argv[1:]
    state = json.load(open(words[words.index("--state") + 1])) if "--state" in words else None
    with open("states", "a") as file: file.write(json.dumps(state) + "\\n")
    print(json.dumps({"type": "STATE", "value": {}}))
    print(json.dumps({"type": "SCHEMA", "stream": "things", "schema": {}, "key_properties": ["id"]}))
    for line in open("messages"): print(line.strip())
    sys.exit(int(open("code").read()) if os.path.exists("code") else 0)
    """

  private static func record(_ ids: Range<Int>) -> String {
    ids.map { #"{"type": "RECORD", "stream": "things", "record": {"id": "\#($0)"}}"# + "\n" }.joined()
  }
  private static func state(_ value: String) -> String { "{\"type\": \"STATE\", \"value\": \(value)}\n" }

  private func tap(_ messages: String, _ more: String = "") throws -> ProgramHome {
    let home = try ProgramHome.tap(Self.tap, more)
    try home.folder.write("messages", messages)
    return home
  }

  @Test("a record that a tap sends twice is stored as it was the second time", arguments: [false, true])
  func twice(isInFile: Bool) async throws {
    func row(_ id: Int, _ name: String) -> String {
      #"{"type": "RECORD", "stream": "things", "record": {"id": "\#(id)", "name": "\#(name)"}}"# + "\n"
    }
    let home = try tap(row(1, "a") + row(2, "b") + row(1, "c") + Self.state(#"{"at": 1}"#))
    let folder = try ScratchFolder()
    let store: any RecordStore = isInFile ? SQLiteStore(at: folder["store.db"]) : StoreInMemory()
    let first = try await home.sync(into: store)
    #expect(first.verdict == .unverifiable && first.state.counts.repeated == 0)
    try home.folder.write("messages", row(2, "d") + row(2, "e") + Self.state(#"{"at": 2}"#))
    let second = try await home.sync(into: store)
    #expect(second.verdict == .unverifiable)
    #expect(try await home.stored(in: store).sorted() == ["1", "2"])
    #expect(try await home.names(in: store) == ["1": "c", "2": "e"])
  }

  @Test("the next sync gives a tap the state that followed the stored rows, and keeps it until another comes", arguments: [false, true])
  func state(isInFile: Bool) async throws {
    let home = try tap(Self.record(0..<3) + Self.state(#"{"bookmarks": {"things": {"at": 3, "text": "a\"b"}}}"#))
    let folder = try ScratchFolder()
    func run(_ store: some RecordStore) async throws {
      let first = try await home.sync(into: store)
      #expect(first.verdict == .unverifiable && first.state.counts.landed.new == 3)
      try home.folder.write("messages", Self.record(3..<4))
      let second = try await home.sync(into: store)
      // After a state only what changed comes.
      #expect(second.verdict == .unverifiable && second.state.counts.landed.new == 1 && second.state.counts.gone == 0)
      try home.folder.write("messages", Self.state(#"{"bookmarks": 9}"#))
      for _ in 0..<2 { try await home.sync(into: store) }
      #expect(try await home.stored(in: store).sorted() == ["0", "1", "2", "3"])
    }
    if isInFile { try await run(SQLiteStore(at: folder["store.db"])) } else { try await run(StoreInMemory()) }
    let states = try home.lines("states").map { try JSON(Array($0.utf8)).value }
    let kept: Value = ["bookmarks": ["things": ["at": 3, "text": "a\"b"]]]
    #expect(states == [.null, kept, kept, ["bookmarks": 9]])
  }

  @Test("a full sync gives no state, and a state that remembers nothing is not handed back")
  func full() async throws {
    let (home, store) = (try tap(Self.record(0..<1) + Self.state(#"{"a": 1}"#)), StoreInMemory())
    try await home.sync(into: store)
    try await home.sync(into: store, full: true)
    try home.folder.write("messages", Self.record(0..<1) + Self.state(#"{"bookmarks": {"things": {"at": null}}}"#))
    try await home.sync(into: store, full: true)
    try await home.sync(into: store)
    #expect(home.lines("states") == ["null", "null", "null", "null"])
  }

  @Test("a trusted tap is complete after a sync of everything, but not after a state")
  func trust() async throws {
    let (home, store) = (try tap(Self.record(0..<2) + Self.state(#"{"a": 1}"#), #", "trust": "exit""#), StoreInMemory())
    #expect(try await home.sync(into: store).verdict == .complete)
    try home.folder.write("messages", Self.record(2..<3))
    let second = try await home.sync(into: store)
    #expect(second.state.verdict != nil && !second.state.isFull && second.state.counts.gone == 0)
    #expect(try await home.stored(in: store).count == 3)
  }

  @Test("a tap that fails half-way keeps its rows; the next sync begins anew, and no earlier state is lost")
  func failed() async throws {
    let (home, store) = (try tap(Self.record(0..<250)), StoreInMemory())
    try home.folder.write("code", "1")
    let first = try await home.sync(into: store)
    #expect(first.verdict.kind == "partial" && first.error?.kind == .programFailed)
    #expect(try await home.stored(in: store).count == 250)
    try home.folder.write("code", "0")
    try home.folder.write("messages", Self.record(0..<260) + Self.state(#"{"a": 1}"#))
    let second = try await home.sync(into: store)
    #expect(second.verdict == .unverifiable && second.state.counts.received == 260)
    try await home.sync(into: store)
    #expect(home.lines("states") == ["null", "null", #"{"a": 1}"#])
  }

  @Test("rows after the last state are asked for again when the tap failed")
  func failedAfterState() async throws {
    let home = try tap(Self.record(0..<150) + Self.state(#"{"at": 150}"#) + Self.record(150..<180))
    let store = StoreInMemory()
    try home.folder.write("code", "1")
    try await home.sync(into: store)
    try home.folder.write("code", "0")
    try home.folder.write("messages", Self.record(150..<200))
    try await home.sync(into: store)
    #expect(try await home.stored(in: store).count == 200)
  }

  @Test("an interrupted sync of a program with cursors continues after the last one")
  func cursors() async throws {
    let program = """
      #!python3
      import json, os, sys
      words = sys.argv[1:]
      with open("calls", "a") as file: file.write(" ".join(words) + "\\n")
      start = int(words[2]) if len(words) > 2 else 0
      for number in range(start, 250):
        if number == 210 and start == 0: os.kill(os.getpid(), 9)
        print(json.dumps({"item": {"id": str(number)}}), flush=True)
        if number % 50 == 49: print(json.dumps({"cursor": str(number + 1)}), flush=True)
      print(json.dumps({"end": {"verdict": "complete"}}))
      """
    let (home, store) = (try ProgramHome(program, #""supports": ["after"]"#), StoreInMemory())
    let first = try await home.sync(into: store)
    #expect(first.state.verdict == nil && first.error?.kind == .programFailed)
    let second = try await home.sync(into: store)
    #expect(try await home.stored(in: store).count == 250)
    #expect(home.lines("calls") == ["list", "list --after 200"])
    // Another run may print another list, so the two parts prove nothing together.
    #expect(second.verdict == .unverifiable && second.state.counts.gone == 0)
  }

  @Test("an interrupted sync of a program without cursors begins anew, and is complete")
  func withoutCursors() async throws {
    let program = """
      echo "$@" >> calls
      if [ -f again ]; then n=250; else n=120; touch again; fi
      i=0; while [ $i -lt $n ]; do echo '{"item": {"id": "'$i'"}}'; i=$((i+1)); done
      [ $n = 250 ] || exit 7
      echo '{"end": {"verdict": "complete"}}'
      """
    let (home, store) = (try ProgramHome(program), StoreInMemory())
    let first = try await home.sync(into: store)
    #expect(first.error?.kind == .programFailed && first.state.verdict == nil)
    let second = try await home.sync(into: store)
    #expect(second.verdict == .complete && second.state.counts.received == 250)
    #expect(home.lines("calls") == ["list", "list"])
  }

  @Test("a row that a complete program no longer prints is gone; one of a partial list stays")
  func gone() async throws {
    let program = #"while read id; do echo '{"item": {"id": "'$id'"}}'; done < ids; cat end"#
    let (home, store) = (try ProgramHome(program), StoreInMemory())
    try home.folder.write("end", #"{"end": {"verdict": "complete"}}"#)
    try home.folder.write("ids", "1\n2\n3\n")
    try await home.sync(into: store)
    try home.folder.write("ids", "1\n2\n")
    try home.folder.write("end", #"{"end": {"verdict": "bounded"}}"#)
    #expect(try await home.sync(into: store).state.counts.gone == 0)
    try home.folder.write("end", #"{"end": {"verdict": "complete"}}"#)
    #expect(try await home.sync(into: store).state.counts.gone == 1)
  }
}
