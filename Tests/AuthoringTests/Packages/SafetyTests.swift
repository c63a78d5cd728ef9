import AggregatorCore
import Recordings
import Testing

@testable import Authoring

/// Texts of a recording stay text, and secrets are left out.
@Suite struct SafetyTests {
  @Test("no key and no long cookie is in any written file", arguments: ["offset", "number", "link", "cursor", "hostile"])
  func secrets(recording: String) async throws {
    for file in try await EjectedPackage(recording).package.files {
      let text = String(decoding: file.bytes, as: UTF8.self)
      for secret in EjectedPackage.secrets { #expect(!text.contains(secret), "a secret is in \(file.path)") }
    }
  }

  @Test("a setting asks for each key, in the query, in a header or after a word")
  func keys() async throws {
    for (recording, key) in [
      ("offset", #""query": "api_key""#), ("number", #""scheme": "Bearer""#), ("link", #""header": "x-api-key""#),
      ("cursor", #""setting": "THINGS_API_KEY""#),
    ] {
      let written = try await EjectedPackage(recording)
      #expect(written.description.contains(key), "\(written.description)")
      #expect(written.readme.contains("$ export THINGS_"))
    }
    #expect(try await EjectedPackage("offset").fixture.exchanges.first?.request.address.query?.contains("api_key=KEY") == true)
  }

  @Test("a token that leads to the next page is not a key, in spite of its name")
  func cursors() throws {
    #expect(SecretFinder(sparing: ["token"]).isSecret("token") == false)
    #expect(SecretFinder(sparing: []).isSecret("accessToken"))
    #expect(!SecretFinder(sparing: []).isSecret("sort"))
  }

  @Test("if a key would be left in the code, nothing is written")
  func leak() async throws {
    let address = try #require(
      WebAddress("https://api.example/things?api_key=\(EjectedPackage.secrets[0])&trace=\(EjectedPackage.secrets[0])"))
    let response = HTTPResponse(status: 200, body: Array(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#.utf8))
    let exchange = Exchange(TapedRequest("GET", address), response, startedAt: Moment(secondsSinceEpoch: 0))
    let error = await #expect(throws: SourceError.self) { try await EjectedPackage(Fixture("leak.har", exchanges: [exchange])) }
    #expect(error?.message == "a key would be left in what describes things, so nothing was written")
  }

  @Test("quotes, line ends and interpolations in a recording stay text")
  func hostile() async throws {
    let written = try await EjectedPackage("hostile")
    for file in written.package.files where file.path.hasSuffix(".swift") {
      let text = String(decoding: file.bytes, as: UTF8.self)
      // Each backslash of the recording has another before it; a single one would compute something.
      #expect(!text.replacingEach(#"\\"#, with: "").contains(#"\(fatalError"#), "\(file.path) computes text of the recording")
      #expect(!text.unicodeScalars.contains("\u{202E}"), "\(file.path) has a mark that hides the order of its text")
    }
  }

  @Test("a Swift literal that is written has only its text")
  func literals() {
    #expect(SwiftText.literal("a\"b\\(c)\n\u{0}\u{2028}\u{FEFF}é") == #""a\"b\\(c)\n\u{0}\u{2028}\u{FEFF}é""#)
    #expect(SwiftText.clause("a\n// `b`\u{1B}[31m\u{202E}c") == "a // b c")
  }
}
