import AggregatorCore
import Platform
import SourceTesting

@testable import Services

/// The services that the manifests in `Examples/manifests` describe, with `count` rows in each list and at most `clamp` on a page.
struct ExampleServices: Sendable {
  var count = 250
  var clamp = Int.max

  static let folder = #filePath.replacingEach("Tests/Access/ServicesTests/ExampleServices.swift", with: "Examples/manifests")
  static let names = [
    "catalogue", "forum", "github", "library", "linear", "market", "notion", "pokemon", "quakes", "stations", "stripe",
  ]

  static func manifest(_ name: String) throws -> Manifest {
    let path = "\(folder)/\(name).json"
    return try Manifest(SystemFiles().read(path, upTo: 1 << 20).bytes, file: path)
  }

  /// A world in which they answer, and every setting has a value.
  func world(of manifest: Manifest, _ flags: [String: String] = [:], clock: any Timekeeper = TestClock.leaping) -> World {
    let values = ["LIBRARY_USER": "ada", "NOTION_DATA_SOURCE": "table"]
    let keys = manifest.keys.map { ($0.setting.name, "key-of-\($0.setting.name)") }
    let settings = Settings(
      declared: manifest.settings, flags: flags.merging(values) { old, _ in old }.merging(keys) { old, _ in old })
    var world = World(settings: settings, transport: StubTransport { request, _ in answer(request) })
    world.clock = clock
    return world
  }

  func answer(_ request: HTTPRequest) -> HTTPResponse {
    let asked = Request(request)
    let host = request.address.origin.description
    switch asked.segments.last ?? "" {
    case "issues":
      let (rows, page, size) = (rows(Self.issue), asked.int("page", or: 1), asked.int("per_page", or: 30))
      let (part, hasMore) = slice(rows, from: (page - 1) * min(size, clamp), size)
      let next = "<\(host)\(asked.path)?state=all&per_page=\(min(size, clamp))&page=\(page + 1)>; rel=\"next\""
      return .json(.list(part), hasMore ? ["Link": next] : [:])
    case "pokemon":
      let (part, _) = slice(rows(Self.pokemon), from: asked.int("offset", or: 0), asked.int("limit", or: 20))
      return .json(["count": .int(count), "results": .list(part)])
    case "customers":
      guard asked.headers["authorization"] == "Bearer key-of-STRIPE_API_KEY" else {
        return .json(["error": ["message": "Invalid API Key"]], status: 401)
      }
      let first = asked.query["starting_after"].flatMap { Int($0.dropFirst(4)) }.map { $0 + 1 } ?? 0
      let (part, hasMore) = slice(rows(Self.customer), from: first, asked.int("limit", or: 10))
      return .json(["has_more": .bool(hasMore), "data": .list(part)])
    case "query" where asked.segments.contains("data_sources"):
      guard case .int(let size)? = asked.body["page_size"] else { return .json(["object": "error", "message": "no size"]) }
      var first = 0
      if case .text(let cursor)? = asked.body["start_cursor"] { first = Int(cursor.dropFirst()) ?? 0 }
      let (part, hasMore) = slice(rows(Self.page), from: first, size)
      return .json([
        "object": "list", "results": .list(part), "has_more": .bool(hasMore),
        "next_cursor": hasMore ? .text("c\(first + part.count)") : .null,
      ])
    case "graphql":
      guard case .int(let size)? = asked.body["variables"]?["first"], case .text(let query)? = asked.body["query"] else {
        return .json(["errors": [["message": "no variables", "extensions": ["code": "BAD_USER_INPUT"]]]])
      }
      var first = 0
      if case .text(let after)? = asked.body["variables"]?["after"] { first = Int(after) ?? 0 }
      let (part, hasMore) = slice(rows(query.contains("teams(") ? Self.team : Self.project), from: first, size)
      if query.contains("teams(") {
        let info: Value = ["hasNextPage": .bool(hasMore), "endCursor": .text("\(first + part.count)")]
        return .json(["data": ["teams": ["nodes": .list(part), "pageInfo": info]]])
      }
      let edges = part.enumerated().map { ["cursor": .text("\(first + $0 + 1)"), "node": $1] as Value }
      return .json(["data": ["projects": ["edges": .list(edges)]]])
    case "articles":
      guard asked.headers["authorization"] == "Basic " + Base64.encode("ada:key-of-LIBRARY_PASSWORD".utf8) else {
        return .json(["errors": [["detail": "who are you?"]]], status: 401)
      }
      var rows = rows(Self.article)
      if let text = asked.query["filter[title]"] {
        rows = rows.filter { row in row["attributes"].map { "\($0)".contains(text) } ?? false }
      }
      let (page, size) = (asked.int("page[number]", or: 1), asked.int("page[size]", or: 10))
      let (part, hasMore) = slice(rows, from: (page - 1) * min(size, clamp), size)
      let next = Value.text("?page%5Bsize%5D=\(min(size, clamp))&page%5Bnumber%5D=\(page + 1)")
      return .json(["data": .list(part), "meta": ["total": .int(rows.count)], "links": ["next": hasMore ? next : .null]])
    case "posts":
      let (page, size) = (asked.int("page", or: 1), asked.int("per_page", or: 20))
      let (part, _) = slice(rows(Self.post), from: (page - 1) * min(size, clamp), size)
      return .json(["posts": .list(part), "meta": ["partial": true]], ["X-Total-Count": "\(count)"])
    case "comments":
      let post = Int(asked.segments.dropLast().last ?? "") ?? 0
      let comments = Self.comments(of: post)
      guard !comments.isEmpty else { return .json(["error": "no comments"], status: 404) }
      let (part, hasMore) = slice(comments, from: asked.int("start", or: 0), asked.int("count", or: 20))
      return .json(part.isEmpty ? ["more": false] : ["comments": .list(part), "more": .bool(hasMore)])
    case "query":
      guard asked.query["apikey"] == "key-of-QUAKES_KEY" else { return .json([:], status: 403) }
      let (part, _) = slice(rows(Self.quake), from: asked.int("after", or: 0), asked.int("limit", or: 10))
      return part.isEmpty ? HTTPResponse(status: 204) : .json(["type": "FeatureCollection", "features": .list(part)])
    case "stations":
      let (part, _) = slice(rows(Self.station), from: asked.int("$skip", or: 0), asked.int("$top", or: 10))
      let members = part.compactMap { row -> Member? in
        guard case .text(let name)? = row["code"], case .object(let members) = row else { return nil }
        return Member(name: name, value: .object(members.filter { $0.name != "code" }))
      }
      return .json(["status": "ok", "stations": .object(members)], ["X-Total": "\(count)"])
    case "prices.csv":
      let (part, _) = slice(rows(Self.price), from: asked.int("offset", or: 0), asked.int("limit", or: 10))
      let lines = part.map { ($0.list ?? []).map(\.plainText).joined(separator: ";") }
      let text = (["sku;Name;Unit Price;stock"] + lines).joined(separator: "\r\n")
      return HTTPResponse(status: 200, headers: [.init("X-Total", "\(count)")], body: Array(text.utf8))
    case "news.rss":
      let items = (0..<count).map(Self.news).joined()
      return HTTPResponse(status: 200, body: Array("<rss version=\"2.0\"><channel><title>News</title>\(items)</channel></rss>".utf8))
    case "notices": return .json(["status": "ok", "count": .int(count), "notices": .list(rows(Self.notice))])
    case "books", "authors":
      let (page, size) = (asked.int("page", or: 0), min(asked.int("size", or: 20), clamp))
      let (part, hasMore) = slice(rows(asked.segments.last == "books" ? Self.book : Self.author), from: page * size, size)
      return .json([
        "content": .list(part), "last": .bool(!hasMore), "page": ["totalPages": .int((count + size - 1) / size)],
      ])
    default: return .json(["message": "Not Found"], status: 404)
    }
  }

  private func rows(_ row: (Int) -> Value) -> [Value] { (0..<count).map(row) }

  /// The rows of a page, and whether more rows follow.
  private func slice(_ rows: [Value], from first: Int, _ size: Int) -> ([Value], hasMore: Bool) {
    let part = Array(rows.dropFirst(first).prefix(min(size, clamp)))
    return (part, first + part.count < rows.count)
  }
}

/// The rows as each service sends them.
extension ExampleServices {
  private static func day(_ index: Int) -> String { "20\(10 + index / 28 % 90)-02-\(index % 28 < 9 ? "0" : "")\(index % 28 + 1)" }

  static func issue(_ index: Int) -> Value {
    [
      "number": .int(index + 1), "title": .text("Issue \(index + 1)"), "user": index % 7 == 0 ? .null : ["login": "ada"],
      "state": "open", "labels": index % 3 == 0 ? [["name": "bug"], ["name": "macOS"]] : [], "comments": .int(index % 4),
      "updated_at": .text("\(day(index))T08:00:00Z"), "html_url": .text("https://github.com/swiftlang/swift/issues/\(index + 1)"),
      "body": "text",
    ]
  }

  static func pokemon(_ index: Int) -> Value {
    ["name": .text("pokemon-\(index)"), "url": .text("https://pokeapi.co/api/v2/pokemon/\(index)/")]
  }

  static func price(_ index: Int) -> Value {
    [.text("p\(index)"), .text("\"Thing \(index); red\""), .text("\(index).50"), index % 5 == 0 ? "" : .int(index)]
  }

  static func news(_ index: Int) -> String {
    let tags = index % 2 == 0 ? "" : "<category>a</category>"
    let text = "<description><![CDATA[<p>News &amp; more</p>]]></description><enclosure url=\"https://market.example/\(index).jpg\"/>"
    return "<item><guid isPermaLink=\"false\">n\(index)</guid><title>News \(index) &lt;\(index)&gt;</title>"
      + "<pubDate>\(index % 28 + 1) Jun 2025 11:41:01 +0200</pubDate>\(tags)\(text)</item>"
  }

  static func customer(_ index: Int) -> Value {
    [
      "id": .text("cus_\(index)"), "name": .text("Customer \(index)"), "email": .null, "balance": .int(-index),
      "created": .int(1_700_000_000 + index), "metadata": ["plan": .text("p\(index % 3)")],
    ]
  }

  static func page(_ index: Int) -> Value {
    [
      "object": "page", "id": .text("page-\(index)"), "last_edited_time": .text("\(day(index))T00:00:00.000Z"),
      "url": .text("https://www.notion.so/\(index)"),
      "properties": [
        "Name": ["title": [["plain_text": "Row "], ["plain_text": .text("\(index)")]]],
        "Status": ["select": index % 2 == 0 ? .null : ["name": "done"]],
      ],
    ]
  }

  static func team(_ index: Int) -> Value {
    [
      "id": .text("team-\(index)"), "name": .text("Team \(index)"), "key": .text("T\(index)"),
      "updatedAt": .text("\(day(index))T00:00:00Z"),
    ]
  }

  static func project(_ index: Int) -> Value {
    [
      "id": .text("project-\(index)"), "name": .text("Project \(index)"), "progress": .double(Double(index % 4) / 4),
      "startDate": index % 5 == 0 ? .null : .text(day(index)),
    ]
  }

  static func article(_ index: Int) -> Value {
    [
      "type": "articles", "id": .text("\(index)"), "links": ["self": .text("articles/\(index)")],
      "attributes": ["title": .text("Article \(index)"), "published": .text(day(index))],
      "relationships": ["author": ["data": ["type": "people", "id": .text("\(index % 9)")]]],
    ]
  }

  static func post(_ index: Int) -> Value {
    [
      "id": .int(index + 1), "title": .text("Post \(index + 1)"), "replies": .int(comments(of: index + 1).count),
      "body": .text("<p>Hello &amp; <b>welcome</b> \(index + 1)</p>"),
    ]
  }

  /// Some posts have no comment, one has more than a page, and all have 250 together.
  static func comments(of post: Int) -> [Value] {
    let count = post == 1 ? 60 : (2...20).contains(post) ? 10 : 0
    return (0..<count).map { index in
      [
        "number": .int(index + 1), "author": index % 6 == 0 ? "[deleted]" : .text("user\(index)"),
        "body": .text("<p>Comment \(index + 1)</p>"),
      ]
    }
  }

  static func quake(_ index: Int) -> Value {
    [
      "type": "Feature",
      "properties": [
        "sequence": .int(index + 1), "place": index % 10 == 0 ? "unknown" : .text("\(index) km off Kyoto"),
        "mag": .text("\(index % 8).50"), "felt": .bool(index % 2 == 0), "time": .int(1_600_000_000 + 60 * index),
      ],
      "geometry": ["type": "Point", "coordinates": [135.7, 35, .double(Double(index) / 2)]],
    ]
  }

  static func station(_ index: Int) -> Value {
    [
      "code": .text("ST\(index)"), "display name": .text("Station \(index)"), "lines": index % 3 == 0 ? "A" : ["A", "B"],
      "picture": .text("/pictures/\(index).jpg"),
    ]
  }

  static func notice(_ index: Int) -> Value {
    [
      "id": .text("n\(index)"), "text": .text("Notice \(index)"), "day": .text("\(day(index))T10:00:00+02:00"),
      "at": [["code": .text("ST\(index)")], ["code": "ST0"]],
    ]
  }

  static func book(_ index: Int) -> Value {
    [
      "isbn": .text("978\(1_000_000_000 + index)"), "title": .text("Book \(index)"), "subtitle": .null,
      "in_print": .bool(index % 2 == 0),
    ]
  }

  static func author(_ index: Int) -> Value {
    [
      "id": .int(index), "name": index % 4 == 0 ? ["family": .text("Okafor \(index)")] : ["family": "Ito", "given": .text("Mai \(index)")],
      "born": .text(day(index)),
    ]
  }
}
