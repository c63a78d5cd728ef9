import AggregatorCore
import Platform
import StoreTesting
import Testing

// What Docs/guides/write-a-store.md shows, compiled and run. `GuideTests` checks that each of its snippets stands in here, word for word.

private typealias MyStore = StoreInMemory

private struct MyRecords {
  var records: [[UInt8]: (body: [UInt8], fetch: Fetch)] = [:]
  var deleted: Set<[UInt8]> = []
  /// What was read by an earlier description, and has not come since.
  var outdated: Set<[UInt8]> = []
  var position = Position()
  var sync: SyncState?

  mutating func land(_ batch: Batch) throws -> LandingResult {
    var landed = LandingResult()
    if let state = batch.sync, state.noted(over: sync) == nil { throw SyncState.isOvertaken(batch.kind) }
    if let advance = batch.advance {
      guard let next = position.advanced(by: advance) else {
        landed.isOvertaken = true
        return landed
      }
      position = next
    }
    for row in batch.rows {
      landed.count(try land(row, of: batch))
    }
    // What landed is counted here, and by nobody else.
    if let state = batch.sync { sync = state.noted(over: sync, landing: landed) }
    return landed
  }

  private mutating func land(_ row: Batch.Row, of batch: Batch) throws -> Batch.Landing {
    let (id, body, fetch) = (Array(batch.bytes[row.id]), Array(batch.bytes[row.body]), batch.fetches[row.fetch])
    if deleted.contains(id) { return Batch.Landing(fate: .deleted) }
    guard let kept = records[id] else {
      records[id] = (body, fetch)
      return Batch.Landing(fate: .new)
    }
    let landing = try batch.rule.landing(
      of: body, emptied: row.emptied, on: kept.body, same: kept.body == body, outdated: outdated.remove(id) != nil,
      edited: EditedRecord.isEdited(kept.body), keptFrom: kept.fetch, as: batch.kind)
    switch landing.fate {
    case .replaces: records[id] = (landing.body ?? body, fetch)
    case .edits: records[id] = (landing.body ?? body, kept.fetch)
    case .confirms: records[id] = (kept.body, fetch)
    default: break
    }
    return landing
  }
}

private struct Berth: Record {
  var id = ""
  var ship = ""

  static let fields: [Field<Berth>] = [Field("id", \.id), Field("ship", \.ship, .title)]

  init() {}
  init(_ id: String, _ ship: String) { (self.id, self.ship) = (id, ship) }
}

@Suite struct StoreGuide {
  @Test("a store is held against the laws")
  func laws() async {
    let laws = StoreLaws("my store") {
      let store = MyStore()
      return { store }
    }
    let report = await laws.report()
    #expect(report.breaches.isEmpty, "\(report)")
  }

  @Test("a batch lands by the rules that Core has")
  func landing() throws {
    var (records, batch) = (MyRecords(), Batch(RecordKind("berths", of: Berth.schema), rule: .lastStays))
    let fetch = Fetch(at: Moment(secondsSinceEpoch: 1), request: "all", place: "start")
    batch.add([Berth("1", "Ada"), Berth("2", "Bea"), Berth("1", "Cid")], from: fetch)
    batch.advance = records.position.end(.complete)
    let landed = try records.land(batch)
    #expect(landed.new == 2)
    #expect(landed.updated == 1)
    #expect(try records.land(batch).isOvertaken)
  }

  @Test("the guide names every law")
  func names() throws {
    let path = #filePath.replacingEach("Tests/SourceTestingTests/Guides/StoreGuide.swift", with: "Docs/guides/write-a-store.md")
    let guide = String(decoding: try SystemFiles().read(path, upTo: 1 << 20).bytes, as: UTF8.self)
    for law in StoreLaw.allCases { #expect(guide.contains("- \(law.rawValue)\n")) }
  }
}
