import Synchronization
import Testing

@testable import AggregatorCore

@Suite("A value that does not fit its field")
struct MisfitTests {
  static let fields = [
    LooseField("id"), LooseField("text"), LooseField("integer", .integer), LooseField("number", .number), LooseField("bool", .bool),
    LooseField("time", .time), LooseField("address", .address), LooseField("decimal", .decimal), LooseField("list", .list(of: .text)),
    LooseField("part", .part([LooseField("x", .integer), LooseField("y")])),
  ]
  /// One value of every type, hostile ones among them.
  static let values = [
    "true", "0", "-9223372036854775808", "1e400", "1e2147483647", "-1e-400", #""1e-2147483648""#,
    "9007199254740993.0", "1.5", "123456789012345678901234567890", #""41%""#, #""2024-13-45""#, #""=1+1,\"x\"\n""#,
    #""'); DROP TABLE record; --""#, #""\u0000\u001b[2J""#, "{}", #"{"a":{"b":[null]}}"#, "[]", "[1,[2],{}]", #"["x",{}]"#, #""""#,
  ]

  @Test(
    "a value that does not fit stays in a loose record as it came, is counted, and is there when the record is read again",
    arguments: values)
  func kept(value: String) throws {
    let schema = try Schema(Self.fields, id: "id")
    let source = LooseRows(profile: Profile("loose", paging: .whole), schema: schema)
    for field in Self.fields.dropFirst() {
      let name = field.outline.name
      let row = try JSON(Array(#"{"id":"a","\#(name)":\#(value)}"#.utf8))
      let page = try Page(of: source, rows: [row])
      let record = try #require(page.items.first, "a value of another type costs no row")
      let came = try #require(row[name]).value
      if page.misfits["a"] != nil {
        // A part keeps its other values, and a wrong one inside stays in its place.
        #expect(record.value[name] == came || name == "part", "\(name): \(value)")
        #expect(page.misfits["a"]?.map(\.field) == [name])
        #expect(page.misfits["a"]?.first?.sample?.isEmpty == false)
      } else {
        // It fits, or says nothing.
        #expect(record.value[name].map { $0.isNull || $0.isSame(as: came) } ?? true, "\(name): \(value)")
      }
      let (again, misfits) = try schema.readWithMisfits(JSON(schema.body(of: record)))
      #expect(again == record)
      // What is beyond every number here is stored as a text, and that text fits an address.
      let isBeyond = value == "1e2147483647" && name == "address"
      #expect(isBeyond || misfits.map(\.field) == page.misfits["a", default: []].map(\.field), "\(name): \(value)")
    }
  }

  @Test(
    "a value that does not fit is left out of a typed record if its property may be missing, and otherwise costs the row",
    arguments: [
      (#"{"id":"a","berths":"many"}"#, ["berths"]), (#"{"id":"a","berths":1e99,"tags":7}"#, ["berths", "tags"]),
      (#"{"id":"a","site":"Kiel"}"#, ["site"]), (#"{"id":"a","site":{"city":{},"zip":"2"}}"#, ["site"]),
      (#"{"id":"a","sites":[{"city":1},{"city":[]}]}"#, ["sites"]), (#"{"id":"a","far":{"away":"x"}}"#, ["depth"]),
      (#"{"id":"a","far":"away"}"#, ["depth"]), (#"{"id":"a","price":"cheap"}"#, ["price"]), (#"{"id":"a","berths":3}"#, []),
      (#"{"id":{}}"#, nil), (#"{"id":"a","name":7}"#, nil),
    ])
  func leftOut(row: String, fields: [String]?) throws {
    let source = TypedRows(profile: Profile("typed", paging: .whole))
    let page = try Page(of: source, rows: [JSON(Array(row.utf8)), JSON(Array(#"{"id":"b","name":"B","berths":4}"#.utf8))])
    guard let fields else {
      #expect(page.items.map(\.id) == ["b"] && page.faults.count == 1 && page.misfits.isEmpty)
      return
    }
    #expect(page.items.map(\.id) == ["a", "b"] && page.faults.isEmpty)
    #expect(page.items.last?.berths == 4)
    #expect(page.misfits["a", default: []].map(\.field) == fields)
    #expect(page.misfits["b"] == nil)
    let body = Quay.schema.storedValue(of: page.items[0], misfits: page.misfits["a"] ?? [])
    let (again, misfits) = try Quay.schema.readWithMisfits(JSON(body.bytes))
    #expect(again == page.items[0] && misfits.map(\.field) == fields)
  }

  @Test("a value that does not fit costs the row in a typed record's own form")
  func ownForm() {
    #expect(throws: SourceError.self) { try Quay(JSON(Array(#"{"id":"a","berths":"many"}"#.utf8)), as: .own) }
  }

  @Test("values that do not fit are counted by field over a walk, with the first of them, and a repeated record counts once")
  func counted() async throws {
    let rows = (0..<6).map { #"{"id":"\#($0 % 5)","berths":\#($0 == 0 ? "2" : "\"\($0)%\"")}"# }
    let source = PagedQuays(rows: rows)
    var walk = Walk(source)
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.duplicates == 1)
    #expect(walk.summary.misfits.fields == ["berths": Misfits.Count(records: 4, sample: #""1%""#)])
    #expect(!walk.summary.misfits.areKept)
  }

  @Test("values that do not fit are known of stored records, cached answers and a sync over several runs", arguments: [1, 9])
  func stored(requests: Int) async throws {
    let rows = (0..<6).map { #"{"id":"\#($0)","berths":\#($0 == 0 ? "2" : "\"\($0)%\"")}"# }
    let archive = Archive("quays", of: Quay.schema, in: StoreInMemory())
    var outcome: SyncOutcome?
    repeat {
      outcome = try await Syncing(PagedQuays(rows: rows, left: Countdown(requests)), into: archive).run()
    } while outcome?.state.verdict == nil
    #expect(outcome?.state.counts.misfits.fields.mapValues(\.records) == ["berths": 5])
    var walk = Walk(archive.records())
    while try await walk.nextPage() != nil {}
    #expect(walk.summary.misfits.fields.mapValues(\.records) == ["berths": 5])
    let second = try await Syncing(PagedQuays(rows: rows), into: archive).run()
    #expect(second.state.counts.unchanged == 6, "the same misfits are no change")
  }
}

private struct LooseRows: DataSource {
  let profile: Profile
  let schema: Schema<LooseRecord>
  func page(_ request: PageRequest) async throws -> Page<LooseRecord> { Page(of: self, []) }
}

private struct TypedRows: DataSource {
  let profile: Profile
  func page(_ request: PageRequest) async throws -> Page<Quay> { Page(of: self, []) }
}

private struct PagedQuays: DataSource {
  var profile: Profile { Profile("quays", paging: .offset(size: 2, end: .total)) }
  let rows: [String]
  var left = Countdown(.max)

  func page(_ request: PageRequest) async throws -> Page<Quay> {
    guard left.next() > 0 else { throw SourceError(.requestsSpent, "the request limit was reached") }
    let start = min(rows.count, try request.place(in: self).number)
    let some = try rows[start..<min(rows.count, start + 2)].map { try JSON(Array($0.utf8)) }
    return try Page(of: self, rows: some, total: rows.count)
  }
}

private final class Countdown: Sendable {
  private let left: Mutex<Int>
  init(_ count: Int) { left = Mutex(count) }
  func next() -> Int {
    left.withLock {
      $0 -= 1
      return $0 + 1
    }
  }
}

private struct Quay: Record {
  var id = ""
  var name = "?"
  var berths: Int?
  var tags: [String] = []
  var site: Site?
  var sites: [Site] = []
  var depth: Double?
  var price: Int?

  struct Site: Part {
    var city: String?
    var zip: String?
    static let fields: [Field<Site>] = [Field("city", \.city), Field("zip", \.zip)]
  }

  static let fields: [Field<Quay>] = [
    Field("id", \.id, .title), Field("name", \.name, reading: { try $0["name"] == nil ? "?" : $0.string("name") }),
    Field("berths", \.berths), Field("tags", \.tags), Field("site", \.site), Field("sites", \.sites),
    Field("depth", \.depth, from: "far.away"), Field("price", \.price, reading: { try $0["price"].map { try $0.asInt() } }),
  ]
}
