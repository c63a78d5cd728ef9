import AggregatorCore
import Platform
import Recordings
import ScratchFolders
import Services
import Testing

@testable import Authoring

/// What single members of a manifest come to in Swift. That it compiles is `Scripts/test-scaffold`'s to show.
@Suite struct EjectingTests {
  private let rows = #"{"rows":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"next":null}"#

  /// A manifest of things, whose service has these members and whose source has those.
  private func manifest(_ service: String = "", _ source: String) -> String {
    #"{"aggregator":1,"address":{"setting":"THINGS_URL","default":"https://api.example/"},\#(service)"sources":{"things":{"#
      + #""summary":"Things","rows":"rows","key":"id","fields":[{"name":"id","type":"integer"},{"name":"name","searchable":true}],"#
      + source + "}}}"
  }

  @Test("a first page that is asked for plainly has neither place nor size")
  func plain() async throws {
    let written = try await EjectedPackage(
      manifest: manifest(
        "",
        #""list":{"path":"things","query":{"from":"{offset}","n":"{size}"}},"paging":{"by":"offset","size":2,"end":"empty","lookingBack":false,"startsPlain":true}"#
      ),
      over: [("things", rows), ("things?from=2&n=2", #"{"rows":[]}"#)])
    #expect(
      written.service.contains(
        #""from": request.cursor == nil ? nil : "\(place.number)", "n": request.cursor == nil ? nil : "\(place.size)""#))
    #expect(written.tests.contains("records.count == 2"))
  }

  @Test("whatever says that there is more is read of a list that comes whole, and a doubt is not settled by a total")
  func watched() async throws {
    let body = #"{"rows":[{"id":1,"name":"a"}],"next":null,"has_more":false,"pages":1,"total":1}"#
    func service(_ paging: String) async throws -> String {
      let source = #""list":{"path":"things"},"paging":{"by":"whole",\#(paging)}"#
      return try await EjectedPackage(manifest: manifest("", source), over: [("things", body)]).service
    }
    let more = try await service(#""next":"next","more":"has_more","total":"total","end":"never""#)
    #expect(more.contains(#"page.more = try body.bool("has_more")"#), "\(more)")
    #expect(more.contains(#"if try body.stringOrNumberIfPresent("next") != nil { page.more = true }"#), "\(more)")
    #expect(more.contains("\n    page.standing = .unverifiable\n"), "\(more)")
    let pages = try await service(#""pages":"pages""#)
    #expect(pages.contains(#"page.more = try body.intIfPresent("pages").map { 1 < $0 }"#), "\(pages)")
  }

  @Test("what the first page does not have is left out of a body, or null where the manifest says so")
  func posted() async throws {
    func service(_ token: String) async throws -> String {
      let source =
        #""list":{"method":"POST","path":"things","body":{"size":"{size}","in":{"token":"\#(token)"}}},"#
        + #""paging":{"by":"token","size":2,"next":"next","end":"next"}"#
      let name = try SourceName("things")
      let exchange = Exchange(
        RecordedRequest(
          "POST", try #require(WebAddress("https://api.example/things")),
          body: Array((token.contains("?") ? #"{"size":2,"in":{"token":null}}"# : #"{"size":2,"in":{}}"#).utf8)),
        HTTPResponse(status: 200, body: Array(rows.utf8)), startedAt: Moment(secondsSinceEpoch: 0))
      let package = try await SourcePackage(
        name, ejecting: Manifest(Array(manifest("", source).utf8), file: "things.json"), over: Fixture("things.har", exchanges: [exchange]),
        core: "/core")
      return package.files.first { $0.path.hasSuffix("Service.swift") }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    }
    let left = try await service("{token}")
    #expect(left.contains(#"var posted: Value = ["size": place.size.fieldValue, "in": [:]]"#), "\(left)")
    #expect(left.contains(#"posted["in"]?["token"] = place.token?.fieldValue"#), "\(left)")
    #expect(try await service("{token?}").contains(#"posting: ["size": place.size.fieldValue, "in": ["token": place.token.fieldValue]]"#))
  }

  @Test("a header that a setting fills goes with every request, and one of a list with the list alone")
  func headers() async throws {
    let written = try await EjectedPackage(
      manifest: manifest(
        #""settings":[{"setting":"THINGS_TOWN","default":"Ulm"}],"headers":{"X-Town":"{THINGS_TOWN}","Accept":"text/json"},"#,
        #""list":{"path":"things","headers":{"X-List":"all"}},"paging":{"by":"whole"},"detail":{"request":{"path":"things/{id}"},"row":""}"#
      ),
      over: [("things", rows)])
    #expect(written.descriptor.contains(#"headers: [HTTPRequest.Item("Accept", "text/json")]"#))
    #expect(written.service.split(separator: "\n").count { $0.contains(#"HTTPRequest.Item("X-Town", "\(thingsTown)")"#) } == 2)
    #expect(written.service.split(separator: "\n").count { $0.hasSuffix("get.carriesSetting = true") } == 2)
    #expect(written.service.split(separator: "\n").count { $0.contains(#"HTTPRequest.Item("X-List", "all")"#) } == 1)
  }

  @Test("where nothing says whether that was all, a page says so")
  func open() async throws {
    let written = try await EjectedPackage(
      manifest: manifest("", #""list":{"path":"things"},"paging":{"by":"whole","end":"never"}"#), over: [("things", rows)])
    #expect(written.service.contains("page.standing = .unverifiable"))
    #expect(written.tests.contains("model.isOpen = true"))
    #expect(!written.tests.contains(".complete"))
  }

  @Test("whatever an answer may say of more is watched in Swift as well")
  func more() async throws {
    let answer = #"{"rows":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"more":false,"links":{"next":null},"pages":1,"total":2}"#
    func service(_ paging: String) async throws -> String {
      try await EjectedPackage(
        manifest: manifest("", #""list":{"path":"things"},"paging":{"by":"whole",\#(paging)}"#), over: [("things", answer)]
      ).service
    }
    let all = try await service(#""more":"not more","next":"links.next","pages":"pages","end":"next""#)
    for line in [
      #"page.more = try !body.bool("more")"#,
      #"guard try body.intIfPresent("pages") != nil else { throw SourceError(.malformed, "the answer has no pages") }"#,
      #"if let pages = try body.intIfPresent("pages"), 1 < pages { page.more = true }"#,
      #"guard body["links"]?["next"] != nil else { throw SourceError(.malformed, "the answer has no links.next") }"#,
      #"if try body.objectIfPresent("links")?.stringOrNumberIfPresent("next") != nil { page.more = true }"#,
      "page.noteMore(in: answer)",
    ] { #expect(all.contains(line), "\(all)") }
    let total = try await service(#""total":"total","end":"total""#)
    #expect(total.contains("guard page.total != nil else"), "\(total)")
    // An author who does not know is believed, whatever is announced.
    let never = try await service(#""total":"total","end":"never""#)
    #expect(never.contains("\n    page.standing = .unverifiable"), "\(never)")
  }

  @Test("pages behind a value that rows may share say so, and a Link header that is followed names no other page")
  func ties() async throws {
    func service(_ source: String, after last: String) async throws -> String {
      try await EjectedPackage(manifest: manifest("", source), over: [("things", rows), ("things?after=\(last)", #"{"rows":[]}"#)]).service
    }
    let list = #""list":{"path":"things","query":{"after":"{token}"}},"paging":{"by":"last","end":"empty","#
    #expect(try await service(list + #""next":"name"}"#, after: "b").contains(", sharingKeys: true)"))
    #expect(try await !service(list + #""next":"[\"id\"]"}"#, after: "2").contains("sharingKeys"))
    let linked = try await EjectedPackage(
      manifest: manifest("", #""list":{"path":"things"},"paging":{"by":"link","next":"header","more":"more","end":"next"}"#),
      over: [("things", #"{"rows":[{"id":1,"name":"a"},{"id":2,"name":"b"}],"more":false}"#)]
    ).service
    #expect(linked.contains("page.noteMore(in: answer, followingLink: true)"), "\(linked)")
    #expect(linked.contains("if page.more == false, page.received > 0, page.next != .end { page.more = nil }"), "\(linked)")
  }

  @Test("bundled rows are carried along, each a literal that computes nothing")
  func bundled() async throws {
    let folder = try ScratchFolder()
    try SystemFiles().replace("\(folder.path)/things.ndjson", with: Array(#"{"id":1,"name":"\\(fatalError()) \"*/"}"#.utf8))
    let source = #""list":{"path":"things"},"paging":{"by":"whole"},"bundled":"things.ndjson""#
    let written = try await EjectedPackage(manifest: manifest("", source), in: folder.path, over: [("things", rows)])
    #expect(written.descriptor.contains("bundled: { try Thing.bundled.map { try Thing(JSON(Array($0.utf8)), as: .own) } }"))
    #expect(written.text("Thing+Bundled.swift").contains(##""{\"id\":1,\"name\":\"\\\\(fatalError()) \\\"*/\"}","##))
  }
}
