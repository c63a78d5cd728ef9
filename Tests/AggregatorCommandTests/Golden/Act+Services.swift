import SourceTesting

extension Act {
  static let noAnswer = Act(
    "Services that cannot be reached or do not answer",
    [
      Scene("aggregator countries list --live", "nobody listens there"),
      Scene("aggregator countries list", "the same, asked a moment ago", before: ["aggregator countries list"]),
      Scene("aggregator countries list", "nobody listens there"),
      Scene("aggregator countries list --live --timeout 100ms", "the service is silent") { connection, _, _ in connection.untilClosed() },
      Scene("aggregator countries list --timeout 100ms", "the service is silent") { connection, _, _ in connection.untilClosed() },
      Scene("aggregator countries list --live", "the service closes the connection", hangingUp: true) { _, _, _ in },
      status("500 Internal Server Error"), status("503 Service Unavailable", "countries list --limit 1"), status("404 Not Found"),
      status("408 Request Timeout"), status("400 Bad Request"), status("400 Bad Request", "countries list"),
    ])

  static let badAnswer = Act(
    "Answers that cannot be understood",
    [
      body("<!DOCTYPE html><html></html>"), body(""), body("[{\"code\":\"DE\""), body("[1 2]"), body("{}"), body("[]"), body("[{}]"),
      body("[{\"code\":\"DE\"},{\"code\":\"Germany\"}]"), body("\u{0}"),
      Scene("aggregator countries list --live", "the service closes the connection half-way through its answer", hangingUp: true) {
        connection, _, _ in
        connection.answer(cutting: Array("[{\"code\":\"DE\"".utf8), after: 4)
      },
      Scene("aggregator countries list --live", "the service answers: 220 mail.example ESMTP") { connection, _, _ in
        connection.send("220 mail.example ESMTP\r\n")
      },
      Scene("aggregator countries list --live", "a redirect to itself") { connection, request, _ in
        connection.answer(status: "302 Found", headers: "Location: \(request.target)\r\n")
      },
      Scene("aggregator countries list --live", "a redirect to: ftp://example.com/") { connection, _, _ in
        connection.answer(status: "302 Found", headers: "Location: ftp://example.com/\r\n")
      },
      Scene("aggregator countries list --live", "a redirect to nowhere") { connection, _, _ in connection.answer(status: "302 Found") },
      body("{\"status_code\":102,\"error\":\"Error in URL Format\"}", "heroes list --live"),
      body("{\"status_code\":999,\"error\":\"Odd\"}", "heroes list --live"), body("{}", "heroes list --live"),
      body("{}", "products list --live"), body("{\"error\":\"Uh oh\"}", "users next --live"), body("{\"results\":[]}", "users next --live"),
    ])

  static let keys = Act(
    "Keys",
    [
      Scene("aggregator heroes list --live", "no key is set", environment: ["COMIC_VINE_API_KEY": ""]),
      Scene("aggregator heroes list --limit 1", "no key is set", environment: ["COMIC_VINE_API_KEY": ""]),
      Scene("aggregator heroes list", "the service refuses the key") { connection, _, _ in
        connection.answer(status: "401 Unauthorized", "{\"status_code\":100,\"error\":\"Invalid API Key\"}")
      },
      status("403 Forbidden", "countries list --live"),
      Scene("aggregator heroes list", "a redirect to another host") { connection, request, _ in
        connection.answer(status: "302 Found", headers: "Location: http://example.com\(request.target)\r\n")
      },
    ])

  static let throttled = Act(
    "Rate limits and budgets",
    [
      throttling("countries list --live", after: "3600"), throttling("countries list --limit 1", after: "3600"),
      throttling("heroes list --live", after: "0", "{\"status_code\":107,\"error\":\"Rate limit exceeded.\"}"),
      throttling("products list --live", after: "5400"),
      Scene("aggregator heroes list --live", "the service has blocked this address") { connection, _, _ in
        connection.answer(status: "403 Forbidden", "Your IP was blocked for abnormal traffic")
      },
      Scene(
        "aggregator products list --live --refresh", "the budget is one request an hour", environment: ["PRODUCTS_BUDGET": "1/1h"],
        before: ["aggregator products list"], service: shop),
      Scene(
        "aggregator products list --refresh --limit 1", "the same", environment: ["PRODUCTS_BUDGET": "1/1h"],
        before: ["aggregator products list"], service: shop),
      Scene(
        "aggregator products sync", "the budget is one request an hour", environment: ["PRODUCTS_BUDGET": "1/1h"], service: shop),
      Scene(
        "aggregator products sync --wait --timeout 60", "the same", environment: ["PRODUCTS_BUDGET": "1/1h"], service: shop),
      Scene("aggregator products sync --max-requests 2", service: shop),
      Scene(
        "aggregator products sync --max-requests 2", "for the second time", before: ["aggregator products sync --max-requests 2"],
        service: shop),
    ])

  static let standIns = Act(
    "What stands in",
    [
      Scene("aggregator countries list --offline --limit 1"),
      Scene("aggregator countries list --limit 1", "answered once, now HTTP 500", before: ["aggregator countries list"]) {
        connection, _, number in
        number == 0 ? connection.answer(countries) : connection.answer(status: "500 Oops", headers: "Retry-After: 0\r\n")
      },
      Scene("aggregator countries list --offline --limit 1", "answered once", before: ["aggregator countries list"]) {
        connection, _, _ in connection.answer(countries)
      },
      Scene("aggregator users next --offline", "never asked", environment: ["RANDOM_USER_BASE_URL": ""]),
      Scene("aggregator countries list --limit 1 --explain", "HTTP 404") { connection, _, _ in connection.answer(status: "404 Not Found") },
    ])

  static let incomplete = Act(
    "Answers that are not whole",
    [
      Scene("aggregator heroes list --all", "the service announces 260 and has 250") { connection, request, _ in
        connection.answer(heroes(request, total: 260))
      },
      Scene("aggregator heroes list --all", "the total grows from 250 to 255 meanwhile, and the rows do not") {
        connection, request, number in
        connection.answer(heroes(request, total: number == 0 ? 250 : 255))
      },
      Scene("aggregator products list --all", "the service gives the first page again and again") { connection, _, _ in
        connection.answer(products(0..<100))
      },
      Scene("aggregator products list --all", "HTTP 500 half-way") { connection, request, number in
        number == 0 ? shop(connection, request, 0) : connection.answer(status: "500 Oops", headers: "Retry-After: 0\r\n")
      },
      Scene("aggregator products list --all", "the budget is one request an hour", environment: ["PRODUCTS_BUDGET": "1/1h"], service: shop),
      Scene(
        "aggregator products list --all --offline", "one page was asked for", before: ["aggregator products list --limit 20"], service: shop
      ),
      Scene("aggregator countries list", "one row is broken, one comes twice") { connection, _, _ in
        connection.answer("[\(country("DE", "Germany")),{\"code\":\"FR\"},\(country("DE", "Germany"))]")
      },
      Scene("aggregator countries list --verbose", "one row is broken") { connection, _, _ in
        connection.answer("[\(country("DE", "Germany")),{\"code\":\"FR\"}]")
      },
    ])
}

// MARK: - Services

extension Act {
  private static let countries = "[\(country("DE", "Germany")),\(country("FR", "France"))]"

  private static func country(_ code: String, _ name: String) -> String { Service.row(code, name) }

  private static func status(_ status: String, _ words: String = "countries list --live") -> Scene {
    Scene("aggregator \(words)", "HTTP \(status)") { connection, _, _ in connection.answer(status: status, headers: "Retry-After: 0\r\n") }
  }

  private static func body(_ body: String, _ words: String = "countries list --live") -> Scene {
    Scene("aggregator \(words)", "the service answers: \(body == "\u{0}" ? "a zero byte" : body.isEmpty ? "nothing" : body)") {
      connection, _, _ in
      connection.answer(headers: "Retry-After: 0\r\n", body)
    }
  }

  private static func throttling(_ words: String, after seconds: String, _ body: String = "{}") -> Scene {
    Scene("aggregator \(words)", "HTTP 429, Retry-After: \(seconds)") { connection, _, _ in
      connection.answer(status: "429 Too Many Requests", headers: "Retry-After: \(seconds)\r\n", body)
    }
  }

  static func products(_ numbers: Range<Int>) -> String {
    let rows = numbers.map { "{\"id\":\"\($0)\",\"title\":\"Kettle \($0)\",\"merchant\":\"Shop\",\"images\":[]}" }
    return "{\"products\":[\(rows.joined(separator: ","))]}"
  }

  /// A shop with 450 kettles.
  static let shop: Scene.Service = { connection, request, _ in
    let skip = request.body.split(separator: "\"skip\":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    connection.answer(products(min(skip, 450)..<min(skip + 100, 450)))
  }

  private static func heroes(_ request: ServerRequest, total: Int) -> String {
    let offset = request.target.split(separator: "offset=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    let rows = (min(offset, 250)..<min(offset + 100, 250)).map { "{\"id\":\($0 + 1),\"name\":\"Bat \($0 + 1)\"}" }
    return "{\"status_code\":1,\"number_of_total_results\":\(total),\"results\":[\(rows.joined(separator: ","))]}"
  }
}
