import AggregatorCore
import Asking
import RecordFormats
import SourceTesting
import TestServices
import Testing

@testable import MCP

/// The bound of a result, whatever is in its rows.
@Suite("Bounds of results") struct BoundTests {
  private struct Text: Record {
    var id = ""
    var text = ""
    static let fields: [Field<Text>] = [Field("id", \.id), Field("text", \.text, .title, searchable: true)]
  }

  private struct Pages: DataSource {
    let profile: Profile
    let list: RecordList<Text>
    func page(_ request: PageRequest) async throws -> Page<Text> {
      try list.page(of: self, request, origin: .live)
    }
  }

  private static func client(_ rows: Int, letters: Int, of letter: Character = "x") throws -> TestClient {
    let pages = (0..<rows).map { number in
      copy(of: Text()) { ($0.id, $0.text) = ("r\(number)", String(repeating: letter, count: letters)) }
    }
    let source = Source<Text>(
      "pages", "pages of text", searches: "text", paging: .whole,
      live: { _ in Pages(profile: Profile("pages", paging: .whole, search: .native), list: RecordList(pages)) })
    return try TestClient([source.descriptor])
  }

  @Test("no result is longer than its bound, and no row is lost", arguments: [10, 900, 3_000, 39_000, 200_000])
  func bounds(letters: Int) async throws {
    for letter: Character in letters > 100_000 ? ["\u{1}"] : ["x", "\"", "\u{1}", "ü", "🚢"] {
      let client = try Self.client(letters > 3_000 ? 6 : 60, letters: letters / letter.utf8.count, of: letter)
      var (arguments, seen): (Value, [String]) = (["source": "pages", "limit": 60], [])
      while true {
        let answer = try await client.ask("tools/call", ["name": "list", "arguments": arguments]).answer
        let text = answer["result"]?["content"]?.list?.first?["text"]?.text ?? ""
        #expect(text.utf8.count <= 40_000)
        let result = try JSON(Array(text.utf8)).value
        #expect(result == answer["result"]?["structuredContent"])
        let items = result["items"]?.list ?? []
        #expect(result["rows"]?.int == items.count && !items.isEmpty)
        #expect((result["cut"]?.int ?? 0 > 0) == result.what.contains("had no room here"))
        seen += items.map { $0["id"]?.text ?? "" }
        guard let more = result["more"]?["arguments"], more != .null else {
          #expect(result.verdict == "complete")
          break
        }
        #expect(result.verdict == "bounded")
        arguments = more
      }
      #expect(seen == (0..<(letters > 3_000 ? 6 : 60)).map { "r\($0)" }, "\(letters) of \(letter)")
    }
  }

  @Test("a value is cut to any size, and stays JSON with marks")
  func cuts() throws {
    let fields = (0..<900).map { Member(name: "field\($0)", value: .text(String(repeating: "x", count: $0))) }
    let values: [Value] = [
      .object(fields), .list(fields.map(\.value)), .text(String(repeating: "\u{7}", count: 5_000)),
      .object([Member(name: String(repeating: "n", count: 5_000), value: 1)]),
      [
        "short": 1, "long": .text(String(repeating: "y", count: 100_000)), "inner": ["list": .list(Array(repeating: 12_345, count: 9_000))],
      ],
    ]
    for value in values {
      for room in [100, 300, 1_000, 10_000, 40_000] {
        let cut = value.cut(to: room)
        #expect(cut.size <= room, "\(room)")
        #expect((cut == value) == (value.size <= room))
      }
    }
    let cut = values[4].cut(to: 1_000)
    #expect(cut["short"] == 1 && cut["long"]?.text?.hasSuffix("… (cut; 100000 letters in all)") == true)
  }
}
