import AggregatorCore
import SourceTesting
import Testing

@Suite struct PagingGuesserTests {
  @Test("An offset that grows by the rows received, in the query")
  func offset() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?offset=0&limit=2", #"{"results":\#(ports(0..<2)),"total":5}"#)
      try $0.get("/ports?offset=2&limit=2", #"{"results":\#(ports(2..<4)),"total":5}"#)
      try $0.get("/ports?offset=4&limit=2", #"{"results":\#(ports(4..<5)),"total":5}"#)
    }
    #expect(model.list.paging.value == .offset(Parameter(.query, "offset")))
    #expect(model.list.paging.confidence == .strong)
    #expect(model.list.size?.value == Parameter(.query, "limit"))
    #expect(model.list.total?.value == .body("total"))
    #expect(model.list.total?.confidence == .strong)
    #expect(model.list.items.value == "results")
    #expect(model.list.key?.value == "id")
    #expect(model.list.key?.confidence == .strong)
    #expect(model.list.rows.count == 5)
  }

  @Test("skip and take in a JSON body, without a total")
  func skipAndTake() throws {
    let model = try RecordedService.model {
      try $0.post("/ports/offset", sending: #"{"skip":0,"take":3}"#, #"{"ports":\#(ports(0..<3))}"#)
      try $0.post("/ports/offset", sending: #"{"skip":3,"take":3}"#, #"{"ports":\#(ports(3..<6))}"#)
    }
    #expect(model.list.paging.value == .offset(Parameter(.body, "skip")))
    #expect(model.list.size?.value == Parameter(.body, "take"))
    #expect(model.list.total == nil)
  }

  @Test("The first page may leave its offset out")
  func offsetLeftOut() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?limit=2", ports(0..<2))
      try $0.get("/ports?limit=2&offset=2", ports(2..<4))
    }
    #expect(model.list.paging.value == .offset(Parameter(.query, "offset")))
    #expect(model.list.items.value == FieldPath())
  }

  @Test("A page number", arguments: [("page", 1), ("page", 0), ("pageNumber", 1), ("p", 1)])
  func pageNumber(name: String, first: Int) throws {
    let model = try RecordedService.model {
      try $0.get("/ports?\(name)=\(first)&per_page=2", #"{"data":{"items":\#(ports(0..<2))},"page":\#(first)}"#)
      try $0.get("/ports?\(name)=\(first + 1)&per_page=2", #"{"data":{"items":\#(ports(2..<4))},"page":\#(first + 1)}"#)
    }
    #expect(model.list.paging.value == .number(Parameter(.query, name), first: first))
    #expect(model.list.size?.value == Parameter(.query, "per_page"))
    #expect(model.list.items.value == "data.items")
    #expect(model.list.total == nil)
  }

  @Test("The address of the next page in the body", arguments: ["next", "links.next", "@odata.nextLink"])
  func nextAddress(path: String) throws {
    let path = path.hasPrefix("@") ? FieldPath([path]) : FieldPath(text: path)
    func page(_ rows: Range<Int>, next: String) throws -> String {
      var writer = JSONWriter()
      writer.write(try JSON(Array(#"{"value":\#(ports(rows))}"#.utf8)).value.setting(path, to: .text(next)))
      return String(decoding: writer.bytes, as: UTF8.self)
    }
    let model = try RecordedService.model {
      try $0.get("/ports?limit=2", page(0..<2, next: "https://api.example/ports?limit=2&after=b"))
      try $0.get("/ports?limit=2&after=b", page(2..<4, next: ""))
    }
    #expect(model.list.paging.value == .nextAddress(path))
    #expect(model.list.paging.confidence == .strong)
  }

  @Test("A Link header, found among others")
  func link() throws {
    let model = try RecordedService.model {
      try $0.get(
        "/ports?page=1",
        headers: ["link": #"<https://api.example/ports?page=9>; rel="last", <https://api.example/ports?page=2>; rel="next""#],
        ports(0..<2))
      try $0.get("/ports?page=2", ports(2..<4))
    }
    #expect(model.list.paging.value == .link)
    #expect(model.list.paging.confidence == .strong)
  }

  @Test("A token from the body in the next request")
  func token() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?limit=2", #"{"items":\#(ports(0..<2)),"meta":{"cursor":"x7f"}}"#)
      try $0.get("/ports?limit=2&after=x7f", #"{"items":\#(ports(2..<4)),"meta":{"cursor":null}}"#)
    }
    #expect(model.list.paging.value == .token("meta.cursor", Parameter(.query, "after")))
    #expect(model.list.paging.confidence == .strong)
  }

  @Test(
    "The key of the last row in the next request, and what says that there is more",
    arguments: ["starting_after", "after", "since_id", "before", "lastId"])
  func keyset(name: String) throws {
    let model = try RecordedService.model {
      try $0.get("/ports?limit=3", #"{"data":\#(ports(1..<4)),"has_more":true}"#)
      try $0.get("/ports?limit=3&\(name)=3", #"{"data":\#(ports(4..<6)),"has_more":false}"#)
    }
    #expect(model.list.paging.value == .keyset("id", Parameter(.query, name)))
    #expect(model.list.paging.confidence == .strong)
    #expect(model.list.more?.value.path == "has_more")
    #expect(model.list.more?.value.isContrary == false)
    #expect(model.list.more?.confidence == .strong)
  }

  @Test("What says that a page was the last says the contrary")
  func isLast() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?page=1", #"{"data":\#(ports(0..<2)),"meta":{"isLast":false}}"#)
      try $0.get("/ports?page=2", #"{"data":\#(ports(2..<4)),"meta":{"isLast":true}}"#)
    }
    #expect(model.list.more?.value.path == "meta.isLast")
    #expect(model.list.more?.value.isContrary == true)
  }

  @Test("One page alone is a weak ground, and says so")
  func lonePage() throws {
    let model = try RecordedService.model { try $0.get("/ports?skip=0&take=2", ports(0..<2)) }
    #expect(model.list.paging.value == .offset(Parameter(.query, "skip")))
    #expect(model.list.paging.confidence == .weak)
    #expect(model.list.paging.reason.contains("only one page was recorded"))
  }

  @Test("A bare array that nothing pages is everything")
  func whole() throws {
    let model = try RecordedService.model { try $0.get("/ports.json", ports(0..<5)) }
    #expect(model.list.paging.value == .whole)
    #expect(model.list.size == nil)
  }

  @Test("A total in a header")
  func totalInHeader() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?page=1", headers: ["X-Total-Count": "4"], ports(0..<2))
      try $0.get("/ports?page=2", headers: ["X-Total-Count": "4"], ports(2..<4))
    }
    #expect(model.list.total?.value == .header("X-Total-Count"))
  }

  @Test("The rows of a page, the limit and the number of pages are no total")
  func noTotal() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?page=1", #"{"items":\#(ports(0..<2)),"count":2,"limit":50,"total_pages":9}"#)
      try $0.get("/ports?page=2", #"{"items":\#(ports(2..<3)),"count":1,"limit":50,"total_pages":9}"#)
    }
    #expect(model.list.total == nil)
  }
}
