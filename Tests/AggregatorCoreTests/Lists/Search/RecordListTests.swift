import AggregatorCore
import Testing

@Suite("Records at hand")
struct ShelfTests {
  /// Twelve rows and some broken ones, handed out in each style of paging.
  private func source(_ paging: Paging, count: Int = 12, broken: Int = 0) -> ModelSource {
    let shelf = RecordList([Row](0..<count), faults: (0..<broken).map { .broken($0) })
    let profile = Profile("shelf", paging: paging, search: .native, lookup: .native)
    return ModelSource(profile) { try shelf.page(of: $0.source, $0.request, origin: .bundled) }
  }

  static let pagings: [Paging] = [
    .whole, .offset(size: 5, end: .total), .offset(size: 4, end: .emptyPage), .numbered(from: 1, size: 5, end: .total),
    .numbered(from: 0, size: 4, end: .emptyPage), .tokens(size: 5),
  ]

  @Test("records at hand are all met once in every style of paging", arguments: pagings, [0, 1, 3])
  func paged(paging: Paging, broken: Int) async throws {
    try await Walked(source(paging, broken: broken)).expect(ids: 0..<12, .complete, skipped: broken, total: 12 + broken)
  }

  @Test("an empty list of records at hand is complete", arguments: pagings)
  func empty(paging: Paging) async throws {
    try await Walked(source(paging, count: 0)).expect(ids: 0..<0, .complete)
  }

  @Test("records at hand that are all broken are an error; a search without a match among sound ones is not", arguments: pagings)
  func broken(paging: Paging) async throws {
    await #expect { try await Walked(source(paging, count: 0, broken: 2).retrying()) } throws: { ($0 as? SourceError)?.kind == .malformed }
    #expect(try await Walked(source(paging, count: 3, broken: 2).retrying(), .matching("nowhere")).ids.isEmpty)
  }

  @Test("records at hand are searched", arguments: pagings)
  func searched(paging: Paging) async throws {
    try await Walked(source(paging), .matching("row 1")).expect(ids: [1, 10, 11], .complete, total: 3)
  }

  @Test("records at hand are looked up by their ids", arguments: [("11", ["11"]), ("12", [])])
  func lookedUp(id: String, found: [String]) async throws {
    try await Walked(source(.offset(size: 5, end: .total)), .record(id)).expect(ids: found, .complete)
  }

  @Test("records at hand say where they came from")
  func origin() async throws { #expect(try await Walked(source(.whole)).summary.origin == .bundled) }
}

@Suite("Rows as a store keeps them")
struct StoredRowListTests {
  struct City: Record {
    var id = ""
    var name = ""
    var people = 0

    static let fields: [Field<City>] = [
      Field("id", \.id, width: .whole), Field("name", \.name, .title, searchable: true), Field("people", \.people, .weight),
    ]
    static let schema = Schema<City>(fields, searchOnly: [Field("nickname") { $0.name == "Paris" ? "Paname" : nil }]) {
      try City($0, as: $1)
    }
    init() {}
  }

  private func list(_ rows: String...) throws -> RecordList<City> {
    RecordList(rows: try rows.map { try JSON(Array($0.utf8)) }, of: City.schema)
  }

  @Test("a search counts all stored rows, and reads only those that it finds")
  func reading() throws {
    let list = try list(
      #"{"id":"1","name":"Paris","people":2,"nickname":"Paname"}"#, #"{"id":"2","name":"Lyon","people":"many"}"#)
    let found = try list.page(of: BundledRecords("towns") { list }, PageRequest(.matching("paname")), origin: .bundled)
    #expect(found.items.map(\.name) == ["Paris"])
    #expect(found.searched == 2)
    #expect(throws: SourceError.self) { try list.items }
  }

  @Test(
    "a stored row must have what a search reads in the record",
    arguments: [
      (#"{"id":"1","name":"Paris","people":2,"nickname":"Paname"}"#, nil),
      (#"{"id":"1","name":"Paris","people":2}"#, "[0]: a search reads another text in the row than in the record"),
      (#"{"id":"2","name":"Lyon","people":2,"nickname":"Lugdunum"}"#, "[0]: a search reads another text in the row than in the record"),
    ])
  func check(row: String, problem: String?) throws {
    let list = try list(row)
    guard let problem else { return try list.checkRows() }
    let error = #expect(throws: SourceError.self) { try list.checkRows() }
    #expect(error?.message == problem)
  }
}

@Suite("A page of a service's rows")
struct PageRowsTests {
  private let source = ModelSource.list(0)

  @Test("a page skips and counts a row that cannot be read, and keeps the others")
  func oneBadRow() throws {
    let rows = try JSON(Array(#"[{"id":"1","name":"a"},{"id":2},{"id":"3","name":"c"},null,{"id":"","name":"d"}]"#.utf8))
    let page: Page<Row> = try Page(of: source, rows: rows.elements, total: 5)
    #expect(page.items.map(\.id) == ["1", "3"])
    #expect(page.faults.count == 3)
    #expect(page.received == 5)
    #expect(page.faults.allSatisfy { $0.reason?.isEmpty == false })
    #expect(Set(page.faults.map(\.digest)).count == 3)
  }

  @Test("an error that is not about the row is not skipped")
  func otherError() throws {
    let rows = try JSON(Array("[1]".utf8))
    #expect(throws: SourceError(.storage, "full")) {
      try Page(of: source, rows: rows.elements) { _ throws -> Row in throw SourceError(.storage, "full") }
    }
  }
}
