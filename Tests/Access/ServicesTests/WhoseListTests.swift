import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// The holders of stored rows: the description they were read by, and the key they were asked with.
@Suite struct WhoseListTests {
  /// A service with a list for each key, and a stored list that outlives its sessions.
  final class ListPerKey: Sendable {
    let store: any RecordStore
    let clock = TestClock.leaping
    let isDown = Mutex(false)
    /// The number of answers before the service fails; nil if it does not fail.
    let answersLeft = Mutex(Int?.none)
    /// The rows of each account, in place of the usual ones.
    let rows = Mutex<[String: [Int]]>([:])

    init(_ store: any RecordStore = StoreInMemory()) { self.store = store }

    func session(
      _ key: String?, _ edit: Edit = Edit(), reach: World.Reach = .anywhere, sameAccount: Bool = false
    ) throws -> any SourceSession<LooseRecord> {
      let manifest = try edit.manifest()
      let flags = key.map { ["SHOP_KEY": $0] } ?? [:]
      var world = World(
        settings: Settings(declared: manifest.settings, flags: flags), transport: transport, keepingIn: store)
      (world.clock, world.terms.reach, world.patience, world.terms.isSameAccount) = (clock, reach, .none, sameAccount)
      return try manifest.source("things").open(in: world)
    }

    private var transport: StubTransport {
      StubTransport { [self] request, _ in
        let isOver = answersLeft.withLock { left in
          defer { left = left.map { $0 - 1 } }
          return left == 0
        }
        if isOver || isDown.withLock({ $0 }) { throw SourceError(.unreachable, "down") }
        let asked = Request(request)
        let key = asked.headers["x-key"] ?? ""
        if key == "mistyped" { return HTTPResponse(status: 401) }
        // Each account has rows of its own: B's begin at 1000.
        let rows: [Int] = self.rows.withLock { $0[key] } ?? (0..<30).map { key == "B" ? $0 + 1_000 : $0 }
        let some = rows.dropFirst(asked.int("skip")).prefix(asked.int("take", or: 10)).map { number -> Value in
          [
            "id": .int(number), "code": .text("c\(number)"), "name": .text("Thing \(number)"), "old": .text("old \(number)"),
            "deep": ["name": .text("Deep \(number)"), "size": .int(number * 2)], "size": .text("\(number)"),
          ]
        }
        return .json(["rows": .list(some), "others": .list(some), "total": .int(rows.count), "count": .int(rows.count)])
      }
    }

    func sync(_ key: String?, _ edit: Edit = Edit(), sameAccount: Bool = false) async throws -> SyncOutcome {
      let session = try session(key, edit, sameAccount: sameAccount)
      try await session.stored.checkOwner()
      return try await Syncing(session.live, into: session.stored, clock: clock).run(.init(full: true))
    }

    func next(_ key: String?, _ count: Int, _ edit: Edit = Edit(), sameAccount: Bool = false) async throws -> [LooseRecord] {
      let session = try session(key, edit, sameAccount: sameAccount)
      try await session.stored.checkOwner()
      return try await NextReader(session.live, keeping: session.stored, clock: clock).next(count).items
    }

    func walk(
      _ key: String?, _ edit: Edit = Edit(), _ reach: World.Reach = .offline, sameAccount: Bool = false
    ) async throws -> (items: [LooseRecord], verdict: Verdict?) {
      var walk = Walk(try session(key, edit, reach: reach, sameAccount: sameAccount).answering, clock: clock)
      var items: [LooseRecord] = []
      while let page = try await walk.nextPage() { items += page }
      return (items, walk.summary.verdict)
    }
  }

  /// A manifest with a person's changes in it.
  struct Edit: Hashable {
    var rows = "rows"
    var key = "id"
    var namePath = "name"
    var sizeType = "integer"
    var total = "total"
    var query = ""
    var unwrap = ""
    // The members that do not affect the rows:
    var summary = "Things"
    var role = "title"
    var size = 10
    var isSearchable = true
    var personal = ""

    func manifest() throws -> Manifest {
      let text = """
        {"aggregator": 1, "address": {"setting": "SHOP_URL", "default": "https://shop.example/"}, "budget": "unlimited",
         "keys": [{"setting": "SHOP_KEY", "header": "X-Key", "optional": \(personal.contains("optional"))}],
         "sources": {"things": {"summary": "\(summary)",
          "list": {"path": "things", "query": {"skip": "{offset}", "take": "{size}"\(query)}}, "rows": "\(rows)",\(unwrap)
          \(personal.contains("true") ? #""personal": true,"# : personal.contains("false") ? #""personal": false,"# : "")
          "key": "\(key)", "fields": [{"name": "id", "type": "integer"}, {"name": "code"},
           {"name": "name", "path": "\(namePath)", "role": "\(role)", "searchable": \(isSearchable)}, {"name": "size", "type": "\(sizeType)"}],
          "paging": {"by": "offset", "size": \(size), "total": "\(total)", "end": "total"}}}}
        """
      return try Manifest(Array(text.utf8), file: "shop.json")
    }

    /// The parts that decide which rows are read and how.
    var rules: [String] { [rows, key, namePath, sizeType, total, query, unwrap] }

    /// The parts that decide which rows are read.
    var rowRules: [String] { [rows, key, total, query, unwrap] }

    mutating func changeRules(by dice: SeededDice) {
      switch dice.index(below: 6) {
      case 0: rows = rows == "rows" ? "others" : "rows"
      case 1: key = key == "id" ? "code" : "id"
      case 2: namePath = namePath == "name" ? "deep.name" : "name"
      case 3: sizeType = sizeType == "integer" ? "text" : "integer"
      case 4: total = total == "total" ? "count" : "total"
      default: query = query.isEmpty ? #", "state": "open""# : ""
      }
    }

    mutating func changeLooks(by dice: SeededDice) {
      switch dice.index(below: 4) {
      case 0: summary += "!"
      case 1: role = role == "title" ? "plain" : "title"
      case 2: size = size == 10 ? 15 : 10
      default: isSearchable.toggle()
      }
    }
  }

  @Test("the rows of another list are shown as such until the list is read anew")
  func leftBehind() async throws {
    let shop = ListPerKey()
    #expect(try await shop.next("A", 4).map(\.id) == ["0", "1", "2", "3"])
    #expect(try await shop.sync("A").verdict == .complete)
    try await shop.session("A").stored.delete("7", at: shop.clock.now)
    let edit = copy(of: Edit()) { $0.rows = "others" }
    let old = try await shop.walk("A", edit)
    #expect(old.items.count == 29 && old.verdict == .partial(.anotherList))
    // A walk that a limit ends says it too.
    var few = Walk(try shop.session("A", edit, reach: .offline).answering, bounds: Bounds(limit: 3), clock: shop.clock)
    while try await few.nextPage() != nil {}
    #expect(few.summary.given == 3 && few.summary.verdict == .partial(.anotherList))
    // Records 4 to 9 were read ahead. They are fetched anew, and no shown record comes again.
    let next = try await shop.next("A", 6, edit)
    #expect(next.map(\.id) == ["4", "5", "6", "8", "9", "10"])
    #expect(try await shop.walk("A", edit).verdict?.kind == "partial")
    let outcome = try await shop.sync("A", edit)
    #expect(outcome.verdict == .complete && outcome.state.counts.new == 0)
    #expect(outcome.state.counts.landed.readAnew == 11)
    let whole = try await shop.walk("A", edit)
    #expect(whole.verdict == .complete && whole.items.count == 29)
    #expect(try await shop.session("A").stored.deletions() == ["7"])
  }

  @Test("a corrected field is read anew at once, offline and with the verdict, and a sync then finds no change")
  func readAnew() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    try await shop.session("A").stored.delete("7", at: shop.clock.now)
    let typed = try await shop.walk("A", copy(of: Edit()) { $0.sizeType = "text" })
    #expect(typed.verdict == .complete && typed.items.count == 29)
    #expect(typed.items.allSatisfy { $0.value["size"] == .text($0.id) })
    let moved = copy(of: Edit()) { ($0.sizeType, $0.namePath) = ("text", "deep.name") }
    let unknown = try await shop.walk("A", moved)
    #expect(unknown.verdict == .unverifiable && unknown.items.allSatisfy { $0.value["name"]?.isNull == true })
    let synced = try await shop.sync("A", moved)
    #expect(synced.verdict == .complete && synced.state.counts.landed.readAnew == 29 && synced.state.counts.new == 0)
    #expect(try await shop.walk("A", moved).items.first?.value["name"] == .text("Deep 0"))
    #expect(try await shop.sync("A", moved).state.counts.unchanged == 30)
  }

  @Test("a sync that was cut off begins anew once a field is corrected, and no field is unknown at its end")
  func cutOff() async throws {
    let shop = ListPerKey()
    shop.answersLeft.withLock { $0 = 2 }
    #expect(try await shop.sync("A").verdict.kind == "partial")
    shop.answersLeft.withLock { $0 = nil }
    let moved = copy(of: Edit()) { $0.namePath = "deep.name" }
    #expect(try await shop.sync("A", moved).verdict == .complete)
    let walked = try await shop.walk("A", moved)
    #expect(walked.verdict == .complete && walked.items.allSatisfy { $0.value["name"] == .text("Deep \($0.id)") })
  }

  @Test("a person's edit of a field outlasts a correction of the field, and the correction changes no record")
  func editedAndCorrected() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    let session = try shop.session("A")
    let mine = try session.schema.read(JSON(Array(#"{"id":3,"name":"Mine"}"#.utf8)))
    let file = Fetch(at: shop.clock.now, request: Fetch.importing, place: "line 1")
    try await session.stored.land([mine], from: file, rule: .imported(since: shop.clock.now, replacing: true))
    let moved = copy(of: Edit()) { $0.namePath = "deep.name" }
    #expect(try await shop.walk("A", moved).items[3].value["name"] == .text("Mine"))
    #expect(try await shop.sync("A", moved).verdict == .complete)
    let walked = try await shop.walk("A", moved).items
    #expect(walked[3].value["name"] == .text("Mine") && walked[4].value["name"] == .text("Deep 4"))
    #expect(try await shop.session("A", moved).stored.changes(since: Moment(nanoseconds: 0)).isEmpty)
  }

  @Test(
    "a stored value that the corrected type would read otherwise than what came is unknown until the next full sync",
    arguments: [("number", "text"), ("text", "json"), ("integer", "json"), ("number", "json")])
  func notReadAnew(before: String, after: String) async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A", copy(of: Edit()) { $0.sizeType = before }).verdict == .complete)
    let edit = copy(of: Edit()) { $0.sizeType = after }
    let walked = try await shop.walk("A", edit)
    #expect(walked.verdict == .unverifiable && walked.items.allSatisfy { $0.value["size"]?.isNull == true })
    #expect(try await shop.sync("A", edit).verdict == .complete)
    #expect(try await shop.walk("A", edit).items.allSatisfy { $0.value["size"]?.isNull == false })
  }

  @Test("a type that is corrected to and fro loses no value")
  func toAndFro() async throws {
    let (shop, edit) = (ListPerKey(), copy(of: Edit()) { $0.sizeType = "integer" })
    #expect(try await shop.sync("A", edit).verdict == .complete)
    for type in ["text", "number", "json", "decimal", "integer", "boolean", "integer"] {
      _ = try await shop.walk("A", copy(of: edit) { $0.sizeType = type })
    }
    let again = try await shop.walk("A", edit)
    #expect(
      again.verdict == .unverifiable && again.items.allSatisfy { [.int(Int($0.id) ?? -1), .null].contains($0.value["size"] ?? .null) })
    #expect(try await shop.sync("A", edit).verdict == .complete)
    #expect(try await shop.walk("A", edit).items.map { $0.value["size"] } == (0..<30).map { .int($0) })
  }

  @Test("a sync whose description was corrected meanwhile does not end complete")
  func correctedMeanwhile() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    let (old, edit) = (try shop.session("A"), copy(of: Edit()) { $0.sizeType = "text" })
    await #expect(throws: SourceError.self) {
      try await Syncing(old.live, into: old.stored, clock: shop.clock).run(
        .init(full: true),
        beginning: { _ in _ = try? await shop.walk("A", edit) })
    }
    #expect(try await shop.walk("A", edit).verdict?.kind == "partial")
    #expect(try await shop.sync("A", edit).verdict == .complete)
  }

  @Test("a description that reads nothing leaves the stored records unchanged")
  func mistaken() async throws {
    let shop = ListPerKey()
    #expect(try await shop.sync("A").verdict == .complete)
    let wrong = copy(of: Edit()) { $0.rows = "nothing" }
    await #expect(throws: SourceError.self) { _ = try await shop.sync("A", wrong) }
    await #expect(throws: SourceError.self) { _ = try await shop.next("A", 3, wrong) }
    let again = try await shop.walk("A")
    #expect(again.items.count == 30 && again.verdict == .complete)
  }

  @Test("no row of another description is ever shown, after any edits and commands", arguments: 0..<40 as Range<UInt64>)
  func edits(seed: UInt64) async throws {
    let (shop, dice) = (ListPerKey(), SeededDice(seed: seed))
    var (edit, shown, syncs) = (Edit(), Set<String>(), 0)
    for _ in 0..<12 {
      switch dice.index(below: 5) {
      case 0: edit.changeRules(by: dice)
      case 1: edit.changeLooks(by: dice)
      case 2:
        #expect(try await shop.sync("A", edit).verdict == .complete)
        syncs += 1
      case 3:
        for record in try await shop.next("A", 1 + dice.index(below: 8), edit) {
          // The same thing under another key is another record.
          #expect(shown.insert("\(edit.key) \(record.id)").inserted, "seed \(seed): \(record.id) was shown before")
          check(record, edit, seed)
        }
      default:
        guard let list = try? await shop.walk("A", edit) else { continue }
        // Rows of another list are told to be.
        if list.verdict == .partial(.anotherList) { continue }
        for record in list.items { check(record, edit, seed) }
        if list.verdict == .complete { #expect(list.items.count == 30, "seed \(seed)") }
      }
    }
  }

  /// Expects that a record was read as the description says.
  private func check(_ record: LooseRecord, _ edit: Edit, _ seed: UInt64) {
    let number = record.value["id"].flatMap { Int($0.plainText) } ?? -1
    #expect(record.id == (edit.key == "id" ? "\(number)" : "c\(number)"), "seed \(seed)")
    // A name that was read from another place is left out until the record comes again.
    let name = Value.text(edit.namePath == "name" ? "Thing \(number)" : "Deep \(number)")
    #expect([name, .null].contains(record.value["name"]), "seed \(seed)")
    #expect(record.value["size"] == (edit.sizeType == "integer" ? .int(number) : .text("\(number)")), "seed \(seed)")
  }

  @Test("the digest changes with the members that decide the rows, and with no others", arguments: 0..<60 as Range<UInt64>)
  func digests(seed: UInt64) throws {
    let dice = SeededDice(seed: seed)
    var (edit, known, rows) = (Edit(), [[String]: String](), [[String]: String]())
    for _ in 0..<20 {
      if dice.index(below: 2) == 0 { edit.changeRules(by: dice) } else { edit.changeLooks(by: dice) }
      let manifest = try edit.manifest()
      let source = try #require(manifest.sources.first)
      let rules = manifest.rules(of: source)
      let text = rules.request + "\n" + rules.list
      #expect(known[edit.rules, default: text] == text)
      #expect(known.filter { $0.key != edit.rules }.allSatisfy { $0.value != text })
      known[edit.rules] = text
      #expect(rows[edit.rowRules, default: rules.request + rules.rows] == rules.request + rules.rows)
      #expect(rows.filter { $0.key != edit.rowRules }.allSatisfy { $0.value != rules.request + rules.rows })
      rows[edit.rowRules] = rules.request + rules.rows
      #expect(rules.fields["name"]?.value.hasPrefix(edit.namePath) == true)
    }
  }
}
