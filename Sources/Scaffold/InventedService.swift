import AggregatorCore
import SourceTesting

/// A service that does not exist, for a source that is to be written by hand.
struct InventedService {
  let name: SourceName

  private static let names = ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"]

  /// Two pages of a list, and a search.
  func fixture() throws -> Fixture {
    Fixture(
      "\(name.text).har",
      exchanges: try [
        exchange("offset=0&limit=4", rows: 0..<4, second: 0), exchange("offset=4&limit=4", rows: 4..<6, second: 1),
        exchange("q=dover&offset=0&limit=4", rows: 3..<4, total: 1, second: 2),
      ])
  }

  private func exchange(_ query: String, rows: Range<Int>, total: Int = names.count, second: Int) throws -> Exchange {
    guard let address = WebAddress("https://api.\(name.text).example/v1/\(name.text)?\(query)") else {
      throw SourceError(.settings, "cannot make an address from \(name.text)")
    }
    var writer = JSONWriter()
    writer.write(.object([Member(name: "items", value: .list(rows.map(row))), Member(name: "total", value: .int(total))]))
    let response = HTTPResponse(status: 200, headers: [.init("Content-Type", "application/json")], body: writer.bytes)
    return Exchange(RecordedRequest("GET", address), response, startedAt: Moment(secondsSinceEpoch: 1_767_225_600 + second))
  }

  private func row(_ number: Int) -> Value {
    let members: [(String, Value)] = [
      ("id", .int(number + 1)), ("name", .text(Self.names[number])), ("note", number % 2 == 0 ? .null : .text("Open all year")),
      ("createdAt", .text("2026-01-0\(number + 1)T08:00:00Z")), ("score", .double(4.5 - Double(number) / 4)),
      ("tags", .list(number == 0 ? [] : [.text("north"), .text("quiet")])),
      ("url", .text("https://\(name.text).example/\(number + 1)")),
    ]
    return .object(members.map { Member(name: $0.0, value: $0.1) })
  }
}
