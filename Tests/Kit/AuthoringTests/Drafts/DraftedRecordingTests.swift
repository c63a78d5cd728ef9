import AggregatorCore
import Recordings
import Services
import Testing

@testable import Authoring

/// Drafts from the recordings beside this file, each of another service.
@Suite struct DraftedRecordingTests {
  /// The key and the cookie in the recordings.
  private static let secrets = ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "0123456789abcdef01234567"]

  private func draft(_ recording: String) async throws -> Draft {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    return try await Draft(from: Fixture(contentsOf: "\(here)/Recordings/\(recording).har"), naming: { _ in "things" })
  }

  private func text(_ recording: String) async throws -> String { String(decoding: try await draft(recording).bytes, as: UTF8.self) }

  @Test("fields have the types of the recorded values")
  func types() async throws {
    let text = try await text("offset")
    for line in [
      #"{"name": "id", "type": "integer", "width": "whole"}"#, #"{"name": "name", "role": "title", "searchable": true}"#,
      #"{"name": "countryCode", "path": "country.code", "searchable": true}"#, #"{"name": "depth", "type": "number"}"#,
      #"{"name": "opened", "type": "date"}"#, #"{"name": "isFree", "type": "boolean", "width": "extra"}"#,
      #"{"name": "tags", "type": "texts", "width": "extra", "searchable": true}"#,
    ] {
      #expect(text.contains(line), "\(line) is missing in\n\(text)")
    }
  }

  @Test(
    "an id may be a number, a text, or have another name",
    arguments: [("number", "isbn"), ("next", "episode_id"), ("posted", "id"), ("single", "sku"), ("shop", "id")])
  func ids(recording: String, key: String) async throws {
    #expect(try await draft(recording).contents.manifest.sources[0].key == key)
  }

  @Test("pictures and links are recognized")
  func addresses() async throws {
    #expect(try await text("number").contains(#"{"name": "cover_url", "type": "address", "role": "picture", "width": "extra"}"#))
    #expect(try await text("next").contains(#"{"name": "url", "type": "address", "role": "link", "width": "extra"}"#))
  }

  @Test("the id of a post is not a secret key")
  func shop() async throws {
    #expect(try await !text("shop").contains(#""keys""#))
  }

  @Test("no key and no long cookie is in the manifest and its recording", arguments: ["offset", "number", "link", "cursor", "hostile"])
  func secrets(recording: String) async throws {
    let draft = try await draft(recording)
    let text = String(decoding: draft.bytes + draft.recording.har, as: UTF8.self)
    for secret in Self.secrets { #expect(!text.contains(secret)) }
  }

  @Test("a setting asks for each key, in the query, in a header or after a word")
  func keys() async throws {
    for (recording, key) in [
      ("offset", #""query": "api_key""#), ("number", #""scheme": "Bearer""#), ("link", #""header": "x-api-key""#),
      ("cursor", #""setting": "THINGS_API_KEY""#),
    ] {
      let text = try await text(recording)
      #expect(text.contains(key), "\(text)")
    }
    #expect(try await draft("offset").recording.exchanges.first?.request.address.query?.contains("api_key=KEY") == true)
  }

  @Test("a token that leads to the next page is not a key, in spite of its name")
  func cursors() throws {
    #expect(SecretFinder(sparing: ["token"]).isSecret("token") == false)
    #expect(SecretFinder(sparing: []).isSecret("accessToken"))
    #expect(!SecretFinder(sparing: []).isSecret("sort"))
  }

  @Test("if a key would be left in the manifest, nothing is drafted")
  func leak() async throws {
    let address = try #require(WebAddress("https://api.example/things?api_key=\(Self.secrets[0])&trace=\(Self.secrets[0])"))
    let response = HTTPResponse(status: 200, body: Array(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#.utf8))
    let exchange = Exchange(TapedRequest("GET", address), response, startedAt: Moment(secondsSinceEpoch: 0))
    let error = await #expect(throws: SourceError.self) {
      try await Draft(from: Fixture("leak.har", exchanges: [exchange]), naming: { _ in "things" })
    }
    #expect(error?.message == "a key would be left in what describes things, so nothing was written")
  }

  @Test(
    "the walk of a draft over its recording is as complete as the recording shows",
    arguments: ["array", "keyset", "mixed", "quoted", "since"])
  func walk(recording: String) async throws {
    let draft = try await draft(recording)
    var walk = try Walk(draft.contents.manifest.source("things").source(replaying: Replay(draft.recording)))
    var count = 0
    while let page = try await walk.nextPage() { count += page.count }
    #expect(count > 0 && walk.summary.verdict != nil, "\(recording): \(count), \(walk.summary)")
  }

  @Test("a list whose recording ends before it has a weak guess about its paging")
  func ending() async throws {
    let paging = try await draft("single").findings.first { $0.subject == "paging" }
    #expect(paging?.guess == #"offset by query "offset""# && paging?.confidence == .weak)
  }

  @Test("requests that do not belong to the list are left out")
  func strangers() async throws {
    let addresses = try await draft("mixed").recording.exchanges.map(\.request.address)
    #expect(addresses.map(\.path) == ["/api/teas", "/api/teas", "/api/teas/search"])
    #expect(try await draft("keyset").recording.exchanges.count == 3)
  }
}
