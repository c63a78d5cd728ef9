import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import Testing

@testable import Services

/// A scratch folder with a program, and the source `things` that it prints. The manifest starts an interpreter with the program's file,
/// since a file that was just written may be busy.
struct ProgramHome {
  let folder: ScratchFolder
  let manifest: Manifest
  let clock = TestClock.leaping
  var values: [String: String] = [:]

  /// The usual members of a source, and the key in its configuration.
  static let fields =
    #""summary": "Things", "key": "id", "fields": [{"name": "id"}, {"name": "name", "role": "title", "searchable": true}]"#
  static let key = #""config": {"token": {"setting": "THINGS_KEY"}}"#

  /// A program in the language of the shell. The text may begin with `#!` and the name of another interpreter.
  init(_ program: String, _ members: String = "", singer: String? = nil, keys: Bool = false) throws {
    folder = try ScratchFolder()
    let isPython = program.hasPrefix("#!python3")
    try folder.write("program", program, mode: 0o700)
    let command = #""command": ["\#(isPython ? "python3" : "sh")", "program"]"#
    let told = singer.map { #""singer": {\#(command), "stream": "things"\#($0)}"# } ?? command
    let text = """
      {"aggregator": 1, \(keys ? #""keys": [{"setting": "THINGS_KEY"}], "# : "")
       "sources": {"things": {\(told), \(Self.fields)\(members.isEmpty ? "" : ", \(members)")}}}
      """
    manifest = try Manifest(Array(text.utf8), file: folder["things.json"])
  }

  /// The messages of a tap about its stream.
  static func tap(_ program: String, _ more: String = "", keys: Bool = false, members: String = "") throws -> ProgramHome {
    try ProgramHome(program, members, singer: more, keys: keys)
  }

  func world(keepingIn store: (any RecordStore)? = nil) -> World {
    let settings = Settings(declared: manifest.settings, environment: values)
    let transport = StubTransport { _, _ in throw SourceError(.unreachable, "a program asks no service") }
    var world =
      store.map { World(settings: settings, transport: transport, keepingIn: $0) } ?? World(settings: settings, transport: transport)
    (world.clock, world.terms.reach, world.patience) = (clock, .live, .none)
    return world
  }

  /// The result of a walk. The verdict is that of the walk; the error is that of its first page.
  struct Outcome {
    var records: [LooseRecord] = []
    var pages: [Int] = []
    var verdict: Verdict?
    var error: SourceError?
    var summary: Summary?
    var cursor: Cursor?

    var ids: [String] { records.map(\.id) }
    /// The reason why something is missing, or the error.
    var reason: String {
      if case .partial(.failed(let error)) = verdict { return error.message }
      return error?.message ?? verdict?.reason(after: nil) ?? ""
    }
  }

  /// A walk over the source, as a process makes it that knows nothing of an earlier one but its `cursor`.
  func walking(_ query: Query = .everything, limit: Int? = nil, from cursor: Cursor? = nil) throws -> Walk<LooseRecord> {
    Walk(
      try manifest.source("things").source(in: world()), query, bounds: Bounds(limit: limit),
      from: try cursor.map { try #require(Cursor(text: $0.text)) }, clock: clock)
  }

  func walk(_ query: Query = .everything, limit: Int? = nil, from cursor: Cursor? = nil) async throws -> Outcome {
    var outcome = Outcome()
    var walk = try walking(query, limit: limit, from: cursor)
    do {
      while let page = try await walk.nextPage() {
        outcome.records += page
        outcome.pages.append(page.count)
      }
    } catch let error as SourceError {
      outcome.error = error
    }
    (outcome.summary, outcome.verdict, outcome.cursor) = (walk.summary, walk.summary.verdict, walk.cursor)
    return outcome
  }

  /// A sync as one process does it: it knows only what the store has of the one before.
  @discardableResult
  func sync(into store: some RecordStore, full: Bool = false) async throws -> SyncOutcome {
    let session = try manifest.source("things").open(in: world(keepingIn: store))
    return try await Syncing(session.live, into: try session.stored, clock: clock).run(.init(full: full))
  }

  func stored(in store: some RecordStore) async throws -> [String] {
    var walk = Walk(try manifest.source("things").open(in: world(keepingIn: store)).stored.records())
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    return ids
  }

  /// The stored names by their IDs.
  func names(in store: some RecordStore) async throws -> [String: String] {
    var walk = Walk(try manifest.source("things").open(in: world(keepingIn: store)).stored.records())
    var names: [String: String] = [:]
    while let page = try await walk.nextPage() { for record in page { names[record.id] = record.value["name"]?.text } }
    return names
  }

  /// The lines of a file that the program wrote.
  func lines(_ name: String) -> [String] {
    ((try? folder.text(name)) ?? "").split(separator: "\n").map(String.init)
  }
}
