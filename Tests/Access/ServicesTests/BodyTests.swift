import AggregatorCore
import Bodies
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Services that answer in csv, tsv or ndjson.
@Suite struct BodyTests {
  private func list(
    _ text: String, _ body: String = "csv", _ paging: String = #""by": "whole", "end": "empty""#, more: String = "", top: String = "",
    status: Int = 200, fields: String = OneList.usual
  ) throws -> OneList {
    let more = #""body": "\#(body)""# + (more.isEmpty ? "" : ", \(more)")
    return try OneList(paging, more, top: top, rows: nil, fields: fields) { _ in HTTPResponse(status: status, body: Array(text.utf8)) }
  }

  @Test(
    "rows of lines are records",
    arguments: [
      ("csv", "size,id,name\r\n7,1,\"a, b\"\r\n,2,\r\n"), ("csv", "\u{FEFF}id;name;size\n1;a, b;7\n2;;\n"),
      ("tsv", "id\tname\tsize\n1\ta, b\t7\n2\t\t\n"), ("ndjson", "{\"id\": 1, \"name\": \"a, b\", \"size\": \"7\"}\n{\"id\": \"2\"}\n"),
    ])
  func rows(body: String, text: String) async throws {
    let (records, summary) = try await list(text, body).records()
    #expect(records.map(\.id) == ["1", "2"] && summary.verdict == .complete)
    #expect(records.map { $0.value["name"] } == [.text("a, b"), .null] && records.map { $0.value["size"] } == [.int(7), .null])
  }

  @Test("cells are read as types, as import reads them")
  func types() async throws {
    let fields = #"""
      {"name": "id"}, {"name": "on", "type": "boolean"}, {"name": "at", "type": "time"}, {"name": "day", "type": "date"},
      {"name": "since", "type": "unix"}, {"name": "price", "type": "decimal"}, {"name": "part", "type": "number"}, {"name": "tags", "type": "texts"}
      """#
    let text =
      "id,on,at,day,since,price,part,tags\n007,true,\"Tue, 10 Jun 2025 09:41:01 GMT\",2025-06-10,0,1.50,\" 2.5\",\"[\"\"a\"\",\"\"b\"\"]\"\n"
    let record = try #require(try await list(text, fields: fields).records().records.first)
    #expect(record.id == "007")
    let price = try JSON(Array("1.50".utf8)).value
    let wanted: Value = [
      "id": "007", "on": true, "at": "2025-06-10T09:41:01Z", "day": "2025-06-10", "since": "1970-01-01T00:00:00Z", "price": price,
      "part": 2.5, "tags": ["a", "b"],
    ]
    #expect(record.value == wanted)
  }

  @Test("broken rows are counted, with their lines, and no row is shifted")
  func broken() async throws {
    let faults = Faults()
    let (records, summary) = try await Event.listening({ faults.note($0) }) {
      try await list("id,name,size\n1,a,1\n2,b\n3,c,3,3\n4,d,4\n", "csv").records()
    }
    #expect(records.map(\.id) == ["1", "4"] && summary.skipped == 2)
    #expect(faults.reasons == ["line 3: 2 values in place of 3", "line 4: 4 values in place of 3"])
  }

  @Test(
    "an answer in another format is malformed, and never rows",
    arguments: [
      ("csv", "<!DOCTYPE html><html><body>Log in</body></html>"), ("ndjson", "<html><body>Log in</body></html>"),
      ("csv", "{\"error\": \"busy\"}"), ("csv", "Service busy"), ("tsv", "id,name\n1,a\n"), ("csv", ""),
      ("csv", "id,id,name,size\n1,1,a,2\n"),
    ])
  func others(body: String, text: String) async throws {
    #expect(await (try list(text, body)).error()?.kind == .malformed)
  }

  @Test(
    "an answer that ends inside a row is cut short", arguments: [("csv", "id,name\n1,a\n2,\"b"), ("ndjson", "{\"id\": 1}\n{\"id\": 2")])
  func cut(body: String, text: String) async throws {
    #expect(await (try list(text, body)).error()?.kind == .truncated)
  }

  @Test(
    "rows whose end nothing shows prove no list, unless a total adds up; a document shows its end",
    arguments: [
      ("csv", "id,name\n1,a\n2,b\n", nil, Verdict.unverifiable), ("csv", "id,name\n", nil, .unverifiable),
      ("csv", "id,name\n1,a\n2,b\n", "2", .complete), ("csv", "id,name\n1,a\n2,b", "2", .unverifiable),
      ("csv", "id,name\n1,a\n2,b\n", "3", .partial(.total(missing: 1))), ("tsv", "id\tname\n1\ta\n", nil, .unverifiable),
      ("ndjson", "{\"id\": 1}\n", nil, .unverifiable), ("json", #"[{"id": 1}]"#, nil, .complete),
      ("xml", "<r><i><id>1</id></i></r>", nil, .complete),
    ])
  func unshownEnd(body: String, text: String, total: String?, verdict: Verdict) async throws {
    let list = try OneList(
      #""by": "whole", "end": "empty", "total": "header X-Total""#, #""body": "\#(body)""#, rows: ["xml": "r.i", "json": ""][body]
    ) { _ in
      copy(of: HTTPResponse(status: 200, headers: total.map { [.init("X-Total", $0)] } ?? [], body: Array(text.utf8))) {
        $0.isEndShown = false
      }
    }
    #expect(try await list.walked().summary.verdict == verdict)
  }

  @Test("a page by Link that is cut between two rows loses them with a word")
  func unshownEndOfPage() async throws {
    let list = try OneList(#""by": "link", "next": "header", "end": "next""#, #""body": "ndjson""#, rows: nil) { request in
      let isFirst = request.query["page"] == nil
      let headers = isFirst ? [HTTPResponse.Header("Link", "</api/rows?page=2>; rel=\"next\"")] : []
      var response = HTTPResponse(status: 200, headers: headers, body: Array((isFirst ? "{\"id\": 1}\n" : "{\"id\": 9}\n").utf8))
      response.isEndShown = !isFirst
      return response
    }
    let (ids, summary) = try await list.walked()
    #expect(ids == ["1", "9"] && summary.verdict == .unverifiable)
    #expect(summary.notices == ["the answer ended with its connection, so that rows may be missing"])
  }

  @Test("a row that is an error in place of a record makes the list partial, with the service's words")
  func errorRow() async throws {
    let (ids, verdict) = try await { ($0.ids, $0.summary.verdict) }(list("{\"id\": 1}\n{\"error\": \"stop\"}\n", "ndjson").walked())
    #expect(ids == ["1"] && verdict == .partial(.said("the service says: stop")))
  }

  @Test(
    "a last line that says that rows are missing, or that cannot be read, makes the list partial",
    arguments: [#"{"truncated": true}"#, #"{"success": false}"#, "ERROR: out of memory"])
  func lastLine(text: String) async throws {
    let (ids, verdict) = try await { ($0.ids, $0.summary.verdict) }(list("{\"id\": 1}\n\(text)\n", "ndjson").walked())
    #expect(ids == ["1"] && verdict?.kind == "partial", "\(String(describing: verdict))")
  }

  @Test(
    "XML is read in the encoding that its content type names, which is stronger than its declaration",
    arguments: [("text/xml; charset=utf-8", [0xC3, 0xA9]), ("text/xml; charset=ISO-8859-1", [0xE9]), ("text/xml", [0xC3, 0xA9])]
      as [(String, [UInt8])])
  func encodingOfXML(type: String, letter: [UInt8]) async throws {
    let declared = type == "text/xml" ? "utf-8" : type.hasSuffix("utf-8") ? "ISO-8859-1" : "utf-8"
    let list = try OneList(#""by": "whole", "end": "empty""#, #""body": "xml""#, rows: "rows.row") { _ in
      let head = Array("<?xml version='1.0' encoding='\(declared)'?><rows><row><id>1</id><name>caf".utf8)
      let body = head + letter + Array("</name></row><row><id>2</id></row></rows>".utf8)
      return HTTPResponse(status: 200, headers: [.init("content-type", type)], body: body)
    }
    #expect(try await list.records().records.map { $0.value["name"] }.first == .text("café"))
  }

  @Test(
    "an error in place of the rows is an error, also where rows may be missing",
    arguments: [#"{"error": "busy"}"#, #"{"errors": [{"message": "busy"}]}"#, #"{"rows": null, "error": {"code": 7, "message": "busy"}}"#])
  func errorPage(text: String) async throws {
    let list = try OneList(#""by": "offset", "size": 2, "end": "empty""#, #""rowsMayBeMissing": true"#) { request in
      request.int("skip") == 0 ? .rows(["1", "2"]) : .json(try JSON(Array(text.utf8)).value)
    }
    let (ids, summary) = try await list.walked()
    #expect(ids == ["1", "2"] && summary.verdict == .partial(.failed(SourceError(.malformed, "the service says: busy").from("things"))))
    let empty = try OneList(#""by": "whole", "end": "empty""#, #""rowsMayBeMissing": true"#) { _ in
      .json(["error": .null, "errors": .list([])])
    }
    #expect(try await empty.walked().summary.verdict == .complete)
  }

  @Test(
    "rows are read in the encoding that the answer names, and as UTF-8 if they are that",
    arguments: [
      ("text/csv; charset=iso-8859-1", [0xE9]), ("text/csv;charset=\"Windows-1252\"", [0xE9]), ("text/csv; charset=latin1", [0xC3, 0xA9]),
      ("text/csv", [0xC3, 0xA9]),
    ] as [(String, [UInt8])])
  func encodings(type: String, letter: [UInt8]) async throws {
    let list = try OneList(#""by": "whole", "end": "empty""#, #""body": "csv""#, rows: nil) { _ in
      HTTPResponse(status: 200, headers: [.init("content-type", type)], body: Array("id,name\n1,caf".utf8) + letter + Array("\n".utf8))
    }
    #expect(try await list.records().records.map { $0.value["name"] } == [.text("café")])
  }

  @Test("a header alone is an empty list; nothing at all is one only where rows may be missing")
  func empty() async throws {
    #expect(try await list("id,name,size\n").walked().summary.verdict == .complete)
    #expect(try await list("", more: #""rowsMayBeMissing": true"#).walked().ids.isEmpty)
    #expect(await (try list("id,name,size\n", more: #""neverEmpty": true"#)).error()?.kind == .malformed)
  }

  @Test("a rule reads an error in JSON beside csv", arguments: [200, 400])
  func rules(status: Int) async throws {
    let rule = #""errors": [{"path": "error", "present": true, "kind": "throttled", "message": "error.text"}],"#
    let error = await (try list(#"{"error": {"text": "slow down"}}"#, top: rule, status: status)).error()
    #expect(error?.kind == .throttled && error?.message.hasSuffix("slow down") == true)
  }

  @Test("csv pages by offset, up to a total in a header")
  func pages() async throws {
    let things = try OneList(
      #""by": "offset", "size": 10, "total": "header X-Total", "end": "total""#, #""body": "csv""#, rows: nil
    ) { request in
      let rows = (0..<25).dropFirst(request.int("skip")).prefix(request.int("take")).map { "\($0),n,1\n" }
      return HTTPResponse(status: 200, headers: [.init("X-Total", "25")], body: Array(("id,name,size\n" + rows.joined()).utf8))
    }
    let (ids, summary) = try await things.walked()
    #expect(ids == (0..<25).map(String.init) && summary.verdict == .complete)
  }

  @Test("a manifest is written as it is read")
  func written() throws {
    let manifest = try list("").manifest
    #expect(manifest.sources[0].body == .csv && manifest.value["sources"]?["things"]?["rows"] == nil)
    let again = try Manifest(manifest.value.bytes, file: "test.json")
    #expect(again.sources == manifest.sources)
    let rules = try ["csv", "tsv"].map { try list("", $0).manifest }.map { $0.rules(of: $0.sources[0]) }
    #expect(rules[0].list != rules[1].list && rules[0].rows != rules[1].rows)
  }
}

/// The reasons of broken rows that were told.
private final class Faults: Sendable {
  private let told = Mutex<[String]>([])
  var reasons: [String] { told.withLock { $0 } }

  func note(_ event: Event) {
    if case .rowSkipped(_, let fault) = event { told.withLock { $0.append(fault.text) } }
  }

  @Test(
    "an answer in XML without rows is an empty list only if it has nothing else",
    arguments: [
      ("<r/>", true), ("<r></r>", true), ("<r>\n</r>", true), ("<r page=\"4\" count=\"0\"/>", true), ("<r><count>0</count></r>", true),
      ("<r><error>quota exceeded</error></r>", false), ("<r status=\"error\"/>", false), ("<r message=\"try later\"/>", false),
      ("<r>quota exceeded</r>", false), ("<r><status><text>down</text></status></r>", false), ("<error>down</error>", false),
    ])
  func emptyXML(text: String, isEmpty: Bool) async throws {
    let list = try OneList(#""by": "whole", "end": "empty""#, #""body": "xml""#, rows: "r.i") { _ in
      HTTPResponse(status: 200, body: Array(text.utf8))
    }
    if isEmpty {
      let (ids, summary) = try await list.walked()
      #expect(ids.isEmpty && summary.verdict == .complete)
    } else {
      await #expect(throws: SourceError.self) { try await list.walked() }
    }
  }
}
