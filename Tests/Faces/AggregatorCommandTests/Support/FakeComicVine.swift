import AggregatorCore
import SourceTesting
import Synchronization

/// Comic Vine on the loopback, with 250 characters, and the command that asks it.
///
/// Number 1 is Spider 1, number 2 is Bat 2, and so on by turns. Each changed a second after the one before. A page has at most 100
/// characters and a page of a search at most 10, as with the real service.
final class FakeComicVine: Sendable {
  /// The faults of the service.
  struct Manner: Sendable {
    /// The statuses of its first answers, such as 420, before it answers normally.
    var moods: [Int] = []
    /// The totals of successive pages.
    var totals: [Int] = []
    /// True when every key is refused.
    var isRefusing = false
    /// The address to which every request is redirected.
    var elsewhere: String?
    /// The names of some characters, by their number.
    var names: [Int: String] = [:]
    /// True for the path and query of a request that gets a status of 500.
    var fails: @Sendable (String) -> Bool = { _ in false }
  }

  static let key = "5ecret-of-the-test"
  static let count = 250

  let server: StandInServer
  let folder: String
  let environment: [String: String]

  /// With a turnstile every answer waits there. `onRequest` is called before each answer, and `onSearch` at each search.
  init(
    _ manner: Manner = Manner(), budget: String = "unlimited", turnstile: Turnstile? = nil, onRequest: @escaping @Sendable () -> Void = {},
    onSearch: @escaping @Sendable () -> Void = {}
  ) throws {
    let pages = Pages(manner)
    server = try StandInServer { connection in
      while let request = connection.request() {
        onRequest()
        if request.target.hasPrefix("/api/search/") { onSearch() }
        turnstile?.pass()
        pages.answer(request, on: connection)
      }
    }
    folder = try Folder.fresh()
    environment =
      ["COMIC_VINE_BASE_URL": "\(try server.address("/api/"))", "COMIC_VINE_API_KEY": Self.key, "COMIC_VINE_BUDGET": budget]
      + Folder.homes(folder)
  }

  func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Binary.Outcome {
    try await run(arguments.words, environment: environment)
  }

  func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Binary.Outcome {
    try await InProcess.run(arguments, environment: self.environment + environment, in: folder)
  }

  /// The paths and queries that were asked for, in order.
  var asked: [String] { server.requests.map(\.target) }

  /// The pages and faults of the service.
  private final class Pages: Sendable {
    private let manner: Manner
    private let turn = Mutex(0)
    private let lists = Mutex(0)

    init(_ manner: Manner) { self.manner = manner }

    func answer(_ request: ServerRequest, on connection: ServerConnection) {
      let turn = turn.withLock { turn in
        defer { turn += 1 }
        return turn
      }
      if let elsewhere = manner.elsewhere {
        return connection.answer(status: "302 Found", headers: "Location: \(elsewhere)\(request.target)\r\n")
      }
      if manner.isRefusing {
        return connection.answer(status: "401 Unauthorized", Self.envelope([], total: 0, code: 100, error: "Invalid API Key"))
      }
      if turn < manner.moods.count {
        return connection.answer(
          status: "\(manner.moods[turn]) Enhance Your Calm", headers: "Retry-After: 0\r\n",
          Self.envelope([], total: 0, code: 107, error: "Rate limit exceeded.  Slow down cowboy."))
      }
      if manner.fails(request.target) {
        return connection.answer(status: "500 Internal Server Error", headers: "Retry-After: 0\r\n", "")
      }
      let query = Self.query(of: request.target)
      if request.target.hasPrefix("/api/search/") { return connection.answer(found(query)) }
      if request.target.hasPrefix("/api/characters/") { return connection.answer(list(query)) }
      let number = Int(request.target.dropFirst("/api/character/4005-".count).prefix { $0.isNumber }) ?? 0
      guard (1...FakeComicVine.count).contains(number) else {
        return connection.answer(Self.envelope([], total: 0, code: 101, error: "Object Not Found"))
      }
      let full = row(number).dropLast() + #","powers":[{"id":9,"name":"Flight"}]}"#
      connection.answer(#"{"error":"OK","status_code":1,"number_of_total_results":1,"results":\#(full)}"#)
    }

    private func list(_ query: [String: String]) -> String {
      if let order = query["sort"], order.hasPrefix("date_last_updated:") { return changes(query, isLastFirst: order.hasSuffix("desc")) }
      if let name = query["filter"]?.dropFirst("name:".count) {
        let rows = (1...FakeComicVine.count).filter { self.name($0).lowercased() == name.lowercased() }
        return Self.envelope(rows.map(row), total: rows.count)
      }
      let offset = Int(query["offset"] ?? "") ?? 0
      let page = lists.withLock { page in
        defer { page += 1 }
        return page
      }
      let rows = (1...FakeComicVine.count).dropFirst(offset).prefix(100)
      return Self.envelope(
        rows.map(row), total: manner.totals.isEmpty ? FakeComicVine.count : manner.totals[min(page, manner.totals.count - 1)])
    }

    private func changes(_ query: [String: String], isLastFirst: Bool) -> String {
      let range = query["filter"]?.dropFirst("date_last_updated:".count).split(separator: "|").map(String.init) ?? ["", "~"]
      let changed = (1...FakeComicVine.count).filter { (range[0]...range[1]).contains(Self.change($0)) }
      let rows = (isLastFirst ? changed.reversed() : changed).dropFirst(Int(query["offset"] ?? "") ?? 0).prefix(
        Int(query["limit"] ?? "") ?? 100)
      return Self.envelope(
        rows.map { row($0).dropLast() + #","date_last_updated":"\#(Self.change($0))"}"# }, total: changed.count)
    }

    private func found(_ query: [String: String]) -> String {
      let rows = (1...FakeComicVine.count).filter { name($0).lowercased().contains(query["query"]?.lowercased() ?? "") }
      let page = Int(query["page"] ?? "") ?? 1
      return Self.envelope(rows.dropFirst(10 * (page - 1)).prefix(10).map(row), total: manner.totals.first ?? rows.count)
    }

    private func row(_ number: Int) -> String {
      #"{"id":\#(number),"name":"\#(name(number))","gender":1,"publisher":{"name":"Loopback"}}"#
    }

    /// The time of a character's last change.
    private static func change(_ number: Int) -> String {
      "2024-05-01 10:0\(number / 60):\(number % 60 < 10 ? "0" : "")\(number % 60)"
    }

    private func name(_ number: Int) -> String { manner.names[number] ?? "\(number % 2 == 1 ? "Spider" : "Bat") \(number)" }

    private static func envelope(_ rows: [String], total: Int, code: Int = 1, error: String = "OK") -> String {
      #"{"error":"\#(error)","limit":100,"offset":0,"number_of_page_results":\#(rows.count),"number_of_total_results":\#(total),"#
        + #""status_code":\#(code),"results":[\#(rows.joined(separator: ","))],"version":"1.0"}"#
    }

    private static func query(of target: String) -> [String: String] {
      let items = target.drop { $0 != "?" }.dropFirst().split(separator: "&").map { item -> (String, String) in
        let name = item.prefix { $0 != "=" }
        return (String(name), PercentEncoding.decode(item.dropFirst(name.count + 1)))
      }
      return Dictionary(items) { $1 }
    }
  }
}
