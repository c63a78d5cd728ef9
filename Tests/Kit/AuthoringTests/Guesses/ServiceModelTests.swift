import AggregatorCore
import Authoring
import Ports
import Recordings
import Services
import Testing

@Suite struct ServiceModelTests {
  @Test("Unrelated requests in the same recording do not confuse the guesses")
  func noise() throws {
    let model = try RecordedService.model {
      try $0.post("https://stats.example/collect", sending: #"{"event":"open"}"#, #"[{"ok":true}]"#)
      try $0.get("https://cdn.example/app.js", "console.log(1)")
      try $0.get("/config", #"{"flags":[{"name":"a","on":true},{"name":"b","on":false}]}"#)
      try $0.get("/ports?page=1", #"{"items":\#(ports(0..<4)),"facets":[{"name":"x","count":1},{"name":"y","count":2}]}"#)
      try $0.get("/ports/2", #"{"id":2,"name":"Port 2","berths":[{"id":1},{"id":2},{"id":3}]}"#)
      try $0.get("/ports?page=2", #"{"items":\#(ports(4..<8)),"facets":[{"name":"x","count":1},{"name":"y","count":2}]}"#)
      try $0.get("/ports?page=3", status: 500, "<html>")
    }
    #expect(model.list.endpoint.address.shown == "https://api.example/ports")
    #expect(model.list.items.value == "items")
    #expect(model.list.paging.way.value == .page(Parameter(.query, "page"), first: 1))
    #expect(model.list.recorded.rows.count == 8)
    #expect(model.searches.isEmpty)
  }

  @Test("An endpoint that takes a text is the one for searches")
  func search() throws {
    let model = try RecordedService.model {
      try $0.get("/ports?page=1", #"{"items":\#(ports(0..<4))}"#)
      try $0.get("/ports?page=2", #"{"items":\#(ports(4..<8))}"#)
      try $0.get("/find?query=port%203", #"{"items":\#(ports(3..<4))}"#)
    }
    #expect(model.list.endpoint.address.path == "/ports")
    #expect(model.searches.map(\.endpoint.address.path) == ["/find"])
    #expect(model.searches.first?.search?.value == Parameter(.query, "query"))
    #expect(model.searches.first?.search?.confidence == .strong)
  }

  @Test("A large list of small objects beside the rows is not taken for the rows")
  func facets() throws {
    let facets = "[" + (0..<30).map { #"{"n":"\#($0)"}"# }.joined(separator: ",") + "]"
    let model = try RecordedService.model { try $0.get("/ports", #"{"facets":\#(facets),"ports":\#(ports(0..<12))}"#) }
    #expect(model.list.items.value == "ports")
  }

  @Test("The key is unique, in every row, and has the name of a key")
  func key() throws {
    let rows = (0..<5).map {
      #"{"title":"T\#($0)","id":{"value":null},"login":{"uuid":"u-\#($0)"},"email":"a\#($0 % 2)@b.example","group":7}"#
    }
    let model = try RecordedService.model { try $0.get("/people", #"{"results":[\#(rows.joined(separator: ","))]}"#) }
    #expect(model.list.key?.value == ["login.uuid"])
  }

  /// The members of a row with a number, and the guess for such rows.
  static let keys: [(row: @Sendable (Int) -> String, guess: String?)] = [
    ({ #""purchased":"2019-09-0\#($0)","hostname":"mail-00\#($0)""# }, "hostname (strong: unique in all 9 rows)"),
    ({ #""customer_id":"C\#($0)","total":\#($0),"order_no":"SO-\#($0)""# }, "order_no (strong: unique in all 9 rows)"),
    (
      { #""email":"\#($0)@b.example","name":"N\#($0)","login":{"uuid":"u\#($0)"}"# },
      "login.uuid (weak: unique in all 9 rows, but it may be that of something else)"
    ),
    ({ #""name":"N\#($0)","place":"P""# }, "name (weak: unique in all 9 rows, but its name does not suggest it)"),
    ({ #""mail":"\#($0)@b.example","phone_number":"\#($0)""# }, "phone_number (strong: unique in all 9 rows)"),
    ({ #""owner":{"id":\#($0)},"slug":"s\#($0)""# }, "slug (strong: unique in all 9 rows)"),
    ({ #""paid":\#($0),"created":"2019-09-0\#($0)T08:00:00Z","label":"L \#($0)""# }, "label"),
    ({ #""serial_no":"s\#($0)","rack_no":"r\#($0)""# }, "serial_no (weak: unique in all 9 rows, and so is rack_no)"),
    ({ #""site":"s\#($0 % 2)","seen":17000000\#($0)0,"at":"2019-09-0\#($0)""# }, nil),
  ]

  @Test("An id is recognized by its name, at any place, before an e-mail address, and is never a time", arguments: keys.indices)
  func keyNames(index: Int) throws {
    let rows = (1..<10).map { "{\(Self.keys[index].row($0))}" }.joined(separator: ",")
    let key = try RecordedService.model { try $0.get("/v1/orders", "[\(rows)]") }.list.key?.map { $0[0] }
    let guess = Self.keys[index].guess
    #expect(guess.map { key.map { "\($0)" }?.hasPrefix($0) ?? false } ?? (key == nil), "\(key.map { "\($0)" } ?? "no key")")
  }

  @Test("A repeated id is not a key; a nameless one is a weak guess")
  func weakKey() throws {
    let model = try RecordedService.model {
      try $0.get("/a", #"[{"id":1,"label":"x"},{"id":1,"label":"y"},{"id":1,"label":"z"},{"id":2,"label":"w"}]"#)
    }
    #expect(model.list.key?.value == ["label"])
    #expect(model.list.key?.confidence == .weak)
  }

  @Test(
    "A page of the list that cannot be read is an error that names it",
    arguments: [
      ("page=2", 304, "", "304 (not modified)"), ("page=2", 200, "<html>", "an HTML page"), ("go=9", 200, "{}", "has no rows at"),
    ])
  func missing(query: String, status: Int, body: String, reason: String) throws {
    func model(again: Bool) throws -> ServiceModel {
      try RecordedService.model {
        try $0.get("/ports?page=1", #"{"items":\#(ports(0..<2)),"next":"/ports?\#(query)"}"#)
        try $0.get("/ports?\(query)", status: status, body)
        try $0.get("/ports?page=3", #"{"items":\#(ports(4..<6)),"next":null}"#)
        if again { try $0.get("/ports?\(query)", #"{"items":\#(ports(2..<4)),"next":"/ports?page=3"}"#) }
      }
    }
    let error = #expect(throws: SourceError.self) { try model(again: false) }
    #expect(error?.message.hasPrefix("test.har: GET https://api.example/ports?\(query) is a page of the list, but ") == true)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(try model(again: true).list.recorded.rows.count == 6)
  }

  @Test("A body without a list is refused with what to do", arguments: ["", "<html>", "{}", "[]", "[1,2]", #"{"a":null}"#, "[[{}]]"])
  func nothing(body: String) throws {
    let error = #expect(throws: SourceError.self) { try RecordedService.model { try $0.get("/a", body) } }
    #expect(error?.remedy != nil)
  }

  @Test("Hostile recordings are read without harm")
  func hostile() throws {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    let model = try RecordedService.model {
      try $0.get("/deep", deep)
      try $0.get("/ports?offset=99999999999999999999&limit=-5&%ff=%zz&&=", #"{"items":\#(ports(0..<3)),"total":"many"}"#)
      try $0.post("/ports", sending: "not json", #"{"items":[null,3,{}]}"#)
      try $0.get("/ports?offset=9223372036854775807", headers: ["Link": "<>; rel=next, garbage, <http://[;rel=next"], #"{"items":[{},{}]}"#)
      try $0.get("/ports?offset=-9223372036854775808", #"{"items":\#(ports(0..<3)),"next":"javascript:alert(1)"}"#)
    }
    #expect(model.list.endpoint.address.path == "/ports")
  }
}
