import AggregatorCore
import Platform
import Services
import Testing

@testable import Authoring
@testable import Recordings

/// The same list, recorded as each browser and proxy writes it. The entries come from archives that these tools have written.
@Suite struct BrowserRecordingTests {
  /// An archive whose first entry becomes the exchanges of a list in two pages.
  private func archive(_ name: String) throws -> [UInt8] {
    let path = #filePath.replacingEach("Drafts/BrowserRecordingTests.swift", with: "Guesses/Recordings/Archives/\(name).har")
    let archive = try JSON(SystemFiles().read(path, upTo: 1 << 20).bytes).value
    let entry = try #require(archive["log"]?["entries"]?.list?.first { $0["response"]?["status"]?.int ?? 0 >= 200 })
    let pages = [0, 4].map { first in
      let rows = (first..<min(first + 4, 6)).map { #"{"id": \#($0), "name": "Boat \#("ABCDEF".dropFirst($0).prefix(1))"}"# }
      let body = #"{"boats": [\#(rows.joined(separator: ", "))], "total": 6}"#
      let query: Value = [["name": "skip", "value": .text("\(first)")], ["name": "take", "value": "4"]]
      return [
        ("request.method", "GET"), ("request.url", .text("https://api.example.com/v1/boats?skip=\(first)&take=4")),
        ("request.queryString", query), ("request.postData", .null), ("response.status", 200), ("response._error", .null),
        ("response.content", ["size": .int(body.utf8.count), "mimeType": "application/json", "text": .text(body)]),
      ].reduce(entry) { $0.setting(ValuePath(stringLiteral: $1.0), to: $1.1) }
    }
    return archive.setting("log.entries", to: .list(pages)).bytes
  }

  @Test("a recording of each browser becomes the same source", arguments: ["chrome", "firefox", "safari", "mitmproxy"])
  func browsers(name: String) async throws {
    let fixture = try Fixture(har: archive(name), name: "\(name).har")
    let draft = try await Draft(from: fixture, naming: { $0.names[0] })
    let source = try draft.contents.manifest.sources[0]
    #expect(source.name == "boats" && source.key == "id" && source.list.rows.path.text == "boats")
    #expect(source.list.paging.way.kind == .offset && source.list.paging.end == .total && source.list.paging.size == 4)
    #expect(source.list.request.query.map { "\($0.name)=\($0.value.text)" } == ["skip={offset}", "take={size}"])
    #expect(draft.recording.exchanges.map(\.request.address) == fixture.exchanges.map(\.request.address))
  }
}
