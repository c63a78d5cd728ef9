import SourceTesting

/// The meaning of a line of the golden file: a line of shell, in the circumstances that the file names after it.
///
/// Most circumstances explain themselves: `HTTP 503`, `the service answers: {}`, `keys: A = 1`. The others are here.
extension Scene {
  /// The scene of a line such as `69  $ aggregator countries list    # HTTP 503`.
  init(head: String) {
    let line = head.dropFirst(6)
    let mark = line.firstRange(of: "    # ")
    let (command, circumstance) = (String(line[..<(mark?.lowerBound ?? line.endIndex)]), mark.map { String(line[$0.upperBound...]) } ?? "")
    self =
      Self.special.first { $0.command == command && $0.circumstance == circumstance }
      ?? Self(command, circumstance, named: circumstance)
  }

  private init(_ command: String, _ circumstance: String, named text: String) {
    func after(_ beginning: String) -> String? { text.hasPrefix(beginning) ? String(text.dropFirst(beginning.count)) : nil }
    if let keys = after("keys: ") {
      self.init(
        command, circumstance, files: ["keys": keys.replacing(" | ", with: "\n") + "\n"], environment: ["COUNTRIES_URL": ""],
        before: ["chmod 600 keys"])
    } else if let body = after("the service answers: ") {
      self.init(command, circumstance) { connection, _, _ in
        connection.answer(headers: Self.soon, ["nothing": "", "a zero byte": "\u{0}"][body] ?? body)
      }
    } else if let answer = after("the picture is: HTTP ") {
      let parts = answer.split(separator: ", ", maxSplits: 1).map(String.init)
      self.init(command, circumstance) { connection, request, _ in
        guard request.target == "/a.png" else { return connection.answer(Self.kettle(request)) }
        connection.answer(status: parts[0], parts.count > 1 ? parts[1] : "")
      }
    } else if let seconds = after("HTTP 429, Retry-After: ") {
      self.init(command, circumstance) { connection, _, _ in
        let body = #"{"status_code":107,"error":"Rate limit exceeded."}"#
        connection.answer(status: "429 Too Many Requests", headers: "Retry-After: \(seconds)\r\n", body)
      }
    } else if let status = after("HTTP ") {
      self.init(command, circumstance) { connection, _, _ in connection.answer(status: status, headers: Self.soon) }
    } else {
      self.init(command, circumstance)
    }
  }

  static let special = services + budgets + stores + recordings + people + manifests
}

// MARK: - Services

extension Scene {
  private static let services = [
    Scene("aggregator countries list", "the same, asked a moment ago", before: ["aggregator countries list"]),
    Scene("aggregator countries list --live --timeout 100ms", "the service is silent") { connection, _, _ in connection.untilClosed() },
    Scene("aggregator countries list --timeout 100ms", "the service is silent") { connection, _, _ in connection.untilClosed() },
    Scene("aggregator countries list", "Ctrl-C while the service is silent", interrupted: true) { connection, _, _ in
      connection.untilClosed()
    },
    Scene("aggregator countries list --live", "the service closes the connection", hangingUp: true) { _, _, _ in },
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
    Scene("aggregator heroes list --live", "no key is set", environment: ["COMIC_VINE_API_KEY": ""]),
    Scene("aggregator heroes list --limit 1", "no key is set", environment: ["COMIC_VINE_API_KEY": ""]),
    Scene("aggregator heroes list", "the service refuses the key") { connection, _, _ in
      connection.answer(status: "401 Unauthorized", "{\"status_code\":100,\"error\":\"Invalid API Key\"}")
    },
    Scene("aggregator heroes list", "a redirect to another host") { connection, request, _ in
      connection.answer(status: "302 Found", headers: "Location: http://example.com\(request.target)\r\n")
    },
    Scene("aggregator heroes list --live", "the service has blocked this address") { connection, _, _ in
      connection.answer(status: "403 Forbidden", "Your IP was blocked for abnormal traffic")
    },
    Scene("aggregator countries list --limit 1", "answered once, now HTTP 500", before: ["aggregator countries list"]) {
      connection, _, number in
      number == 0 ? connection.answer(countries) : connection.answer(status: "500 Oops", headers: soon)
    },
    Scene("aggregator countries list --offline --limit 1", "answered once", before: ["aggregator countries list"]) { connection, _, _ in
      connection.answer(countries)
    },
    Scene("aggregator heroes list --all", "the service announces 260 and has 250") { connection, request, _ in
      connection.answer(heroes(request, total: 260))
    },
    Scene("aggregator heroes list --all", "the total grows from 250 to 255 meanwhile, and the rows do not") { connection, request, number in
      connection.answer(heroes(request, total: number == 0 ? 250 : 255))
    },
    Scene("aggregator products list --all", "the service gives the first page again and again") { connection, _, _ in
      connection.answer(products(0..<100))
    },
    Scene("aggregator products list --all", "HTTP 500 half-way") { connection, request, number in
      number == 0 ? shop(connection, request, 0) : connection.answer(status: "500 Oops", headers: soon)
    },
    Scene("aggregator countries list", "one row is broken, one comes twice") { connection, _, _ in
      connection.answer("[\(germany),{\"code\":\"FR\"},\(germany)]")
    },
    Scene("aggregator countries list --verbose", "one row is broken") { connection, _, _ in
      connection.answer("[\(germany),{\"code\":\"FR\"}]")
    },
    Scene("aggregator products image 1", "the product has none") { connection, request, _ in connection.answer(kettle(request, [])) },
    Scene("aggregator products image 1 --offline", "shown before", before: ["aggregator products show 1"]) { connection, request, _ in
      connection.answer(kettle(request))
    },
    Scene("aggregator products image 1 --save /dev/null/x") { connection, request, _ in connection.answer(kettle(request)) },
    Scene("aggregator products list --images pictures", "one of two pictures is missing") { connection, request, _ in
      switch request.target {
      case "/a.gif": connection.answer(bytes: FakePictureShop.gif)
      case "/b.gif": connection.answer(status: "404 Not Found")
      default: connection.answer("{\"products\":[\(request.body.contains("\"skip\":0") ? kettle(request, ["a.gif", "b.gif"]) : "")]}")
      }
    },
  ]

  private static let budgets = [
    hourly("list --live --refresh", "the budget is one request an hour", before: ["aggregator products list"]),
    hourly("list --refresh --limit 1", "the same", before: ["aggregator products list"]),
    hourly("sync", "the budget is one request an hour"), hourly("sync --wait --timeout 60", "the same"),
    hourly("list --all", "the budget is one request an hour"),
    Scene("aggregator products sync --max-requests 2", service: shop),
    Scene(
      "aggregator products sync --max-requests 2", "for the second time", before: ["aggregator products sync --max-requests 2"],
      service: shop),
    Scene(
      "aggregator products list --all --offline", "one page was asked for", before: ["aggregator products list --limit 20"],
      service: shop),
    Scene("aggregator countries sync", service: small),
    Scene("aggregator countries sync", "for the second time", before: ["aggregator countries sync"], service: small),
  ]

  private static func hourly(_ words: String, _ circumstance: String, before: [String] = []) -> Scene {
    Scene("aggregator products \(words)", circumstance, environment: ["PRODUCTS_BUDGET": "1/1h"], before: before, service: shop)
  }
}

// MARK: - Files in the folder

extension Scene {
  private static let stores = [
    Scene("aggregator heroes next --store notes.txt --offline", files: ["notes.txt": "Buy milk, and call Ada about the store.\n"]),
    Scene("aggregator heroes next --offline", "a newer version wrote the store", before: [used, patch(60)]),
    Scene("aggregator countries list --limit 1", "a newer version wrote the store", before: [used, patch(60)], service: small),
    Scene("aggregator countries list --offline --limit 1", "a newer version wrote the store", before: [used, patch(60)]),
    Scene("aggregator heroes next --offline", "another program wrote the store", before: [used, patch(68)]),
    Scene("aggregator countries next --offline --limit 1", "the store is damaged", before: [used, "echo 'no database' >\(store)"]),
    Scene(
      "aggregator countries list --limit 1 --offline", "neither XDG_DATA_HOME nor HOME is set",
      environment: ["HOME": "", "XDG_CACHE_HOME": "/tmp"]),
    Scene("aggregator users list --limit 1 --store /dev/null/x/store.db") { connection, _, _ in
      connection.answer("{\"results\":[{\"email\":\"ada@example.com\",\"name\":{\"first\":\"Ada\"},\"login\":{\"uuid\":\"1\"}}]}")
    },
    Scene(
      "aggregator countries list --offline", "the store is named by a key file that lies here",
      files: ["Configuration/Debug.xcconfig": "AGGREGATOR_STORE = other.db\n"]),
    Scene("aggregator users next", "// began a comment in the address", environment: ["AGGREGATOR_STORE": "postgresql:"]),
    Scene("aggregator users next", "no shell replaced the ~ of the store", environment: ["AGGREGATOR_STORE": "~/notes.db"]),
    Scene(
      "aggregator store copy old.db new.db", "twice",
      before: ["aggregator countries list --limit 1 --quiet --store old.db", "aggregator store copy old.db new.db"], service: small),
    Scene("aggregator cache clear", "twice", before: ["aggregator cache clear"]),
    Scene(
      "aggregator config >/dev/null", files: ["Configuration/Debug.xcconfig": "COMIC_VINE_API_KEY = key\n"],
      before: ["chmod 644 Configuration/*"]),
    Scene(
      "aggregator heroes list", "the key comes from the environment",
      files: ["Configuration/Debug.xcconfig": "COMIC_VINE_BASE_URL = https:/$()/example.com/\n"], environment: ["COMIC_VINE_BASE_URL": ""]),
  ]

  private static let recordings = [
    replay("", "the folder is empty", before: ["mkdir recordings"]),
    replay("", "a file in it is no recording", files: ["recordings/a.har": "{}"]),
    replay("", "another address was recorded", files: ["recordings/a.har": har("/other")]),
    replay("--refresh ", "another host was recorded", files: ["recordings/a.har": har("/", "a.example")]),
    Scene("aggregator countries list --record /dev/null/x", service: small),
    Scene(
      "aggregator countries list --record recordings", "a file there is no recording", files: ["recordings/countries.har": "{}"],
      service: small),
    Scene("aggregator countries list --record recordings", service: small),
    Scene("aggregator source new ports", before: ["mkdir ports"]),
    Scene("aggregator add ports.har", "it is no recording", files: ["ports.har": "{}"]),
    Scene("aggregator add ports.har", "it lists nothing", files: ["ports.har": har("/")]),
  ]

  private static func replay(_ option: String, _ circumstance: String, files: [String: String] = [:], before: [String] = []) -> Scene {
    Scene("aggregator countries list \(option)--replay recordings", circumstance, files: files, before: before)
  }

  private static let people =
    ["delete", "restore", "why"].map { verb in
      Scene("aggregator users \(verb) eve@example.com", environment: ["RANDOM_USER_BASE_URL": ""])
    } + [
      Scene("aggregator users next --offline", "never asked", environment: ["RANDOM_USER_BASE_URL": ""]),
      Scene("aggregator users delete ada@example.com", before: [imported]),
      Scene("aggregator users restore ada@example.com", before: [imported]),
      Scene(
        "aggregator users show ada@example.com --offline", "deleted before", before: [imported, "aggregator users delete ada@example.com"]),
      Scene(
        "aggregator users search ada", "two were fetched",
        before: ["printf 'email\\nada@example.com\\nbob@example.com\\n' | aggregator import users -"]),
      Scene("aggregator countries next --offline", "all were shown", before: ["aggregator countries next --offline --limit 300"]),
    ]

  private static let imported = "printf 'email\\nada@example.com\\n' | aggregator import users -"
  private static let used = "aggregator countries next --offline --limit 1"
  private static let store = ".local/share/aggregator/store.db"

  /// Overwrites a number of SQLite's header: the version of the format at 60, that of the program at 68.
  private static func patch(_ place: Int) -> String {
    "printf '\\0\\0\\0\\143' | dd of=\(store) bs=1 seek=\(place) conv=notrunc 2>/dev/null"
  }

  private static func har(_ path: String, _ host: String = "127.0.0.1:1") -> String {
    #"{"log":{"version":"1.2","creator":{"name":"test","version":"1"},"entries":[{"startedDateTime":"2026-01-02T03:04:05Z","#
      + #""request":{"method":"GET","url":"http://\#(host)\#(path)","headers":[]},"#
      + #""response":{"status":200,"headers":[],"content":{"mimeType":"application/json","text":"[]"}}}]}}"#
  }
}

// MARK: - Sources in files

extension Scene {
  private static let manifests =
    [
      manifest("pokemon list", "two files name it", files: ["a.json": pokemon(), "b.json": pokemon()]),
      manifest("pokemon list", "its file is broken", files: ["a.json": "{"]),
      Scene("AGGREGATOR_SOURCES=nowhere aggregator pokemon list"),
      manifest("countries list --limit 1 --offline", "a file names it too", files: ["a.json": pokemon("countries")]),
      manifest(
        "sources >/dev/null", "files name a command, countries, pokemon twice, and nothing",
        files: ["a.json": pokemon("search"), "b.json": pokemon("countries", "pokemon"), "c.json": pokemon(), "d.json": "{}"]),
      manifest("pokemon list", "it wants a key, and was not allowed it", files: ["a.json": pokemon(more: FakePokemonService.token)]),
      manifest(
        "pokemon list", "its file changed since it was allowed", files: ["a.json": pokemon(more: FakePokemonService.token)],
        before: ["aggregator source allow pokemon", "echo >>.config/aggregator/sources/a.json"]),
      manifest("pokemon list", "it wants the key of heroes", files: ["a.json": pokemon(more: stolen)]),
      manifest("source allow pokemon", "it wants the key of heroes", files: ["a.json": pokemon(more: stolen)]),
      manifest("source allow pokemon", files: ["a.json": pokemon(more: FakePokemonService.token)]),
      manifest("source allow pokemon", "it sends no key", files: ["a.json": pokemon()]),
      manifest("remove pokemon --stored", files: ["a.json": pokemon()]), manifest("remove pokemon", files: ["a.json": pokemon()]),
      manifest("remove pokemon", "its file has berries too", files: ["a.json": pokemon("pokemon", "berries")]),
      manifest("source try pokemon", "its file is broken", files: ["a.json": "{"]),
    ] + [
      Scene("aggregator add pokemon.json", files: ["pokemon.json": pokemon(more: FakePokemonService.token)]),
      Scene("aggregator add pokemon.json", "it is a recording", files: ["pokemon.json": "{\"log\":{}}"]),
      Scene(
        "aggregator add pokemon.json", "another file has that name",
        files: ["pokemon.json": pokemon(), ".config/aggregator/sources/pokemon.json": pokemon("berries")]),
      Scene(
        "aggregator add pokemon.json", "another file names it",
        files: ["pokemon.json": pokemon(), ".config/aggregator/sources/a.json": pokemon()]),
      Scene("aggregator add pokemon.json", "it is called search", files: ["pokemon.json": pokemon("search")]),
      Scene("aggregator add pokemon.json", "it is called sqlite", files: ["pokemon.json": pokemon("sqlite")]),
      Scene(
        "aggregator add api.json", "it names two lists",
        files: ["api.json": FakePokemonService.openAPI(["/boats", "/ports"], server: "https://pokemon.example/v1")]),
      Scene(
        "aggregator add api.json", "its list needs a text",
        files: ["api.json": FakePokemonService.openAPI(["/search"], server: "https://pokemon.example/v1")]),
      Scene("aggregator add api.json", "it names no host", files: ["api.json": FakePokemonService.openAPI(["/boats"], server: "/v1")]),
      Scene("aggregator add api.json", "it names no list", files: ["api.json": FakePokemonService.openAPI([])]),
      Scene("aggregator add boats.csv", files: ["boats.csv": "id,name\n1,Ada\n"]),
      Scene("aggregator import countries bad.csv", "a row has an empty code", files: ["bad.csv": "code,name\nXX,Xland\n,Yland\n"]),
      Scene(
        "aggregator import pokemon bad.csv", "a row has no name",
        files: [".config/aggregator/sources/a.json": pokemon(), "bad.csv": "name,level\np1,2\n,3\n"]),
      Scene("aggregator source check pokemon.json", "it is called absorbed", files: ["pokemon.json": pokemon("absorbed")]),
      Scene("aggregator source check pokemon.json", "it is called changes", files: ["pokemon.json": pokemon("changes")]),
      Scene("aggregator add pokemon.json", "it is called countries", files: ["pokemon.json": pokemon("countries")]),
      Scene(
        "aggregator source check pokemon.json", "a member is misspelt",
        files: ["pokemon.json": pokemon().replacing("paging", with: "pagin")]),
      Scene("aggregator source try pokemon.json berrie", files: ["pokemon.json": pokemon("pokemon", "berries")]),
    ]

  private static let stolen = FakePokemonService.token.replacing("POKEMON_TOKEN", with: "COMIC_VINE_API_KEY")

  private static func pokemon(_ names: String..., more: String = "") -> String {
    names.count == 2
      ? FakePokemonService.manifest(names[0], names[1], at: "https://pokemon.example/", more: more)
      : FakePokemonService.manifest(names.first ?? "pokemon", at: "https://pokemon.example/", more: more)
  }

  private static func manifest(
    _ words: String, _ circumstance: String = "", files: [String: String], before: [String] = []
  ) -> Scene {
    Scene(
      "aggregator \(words)", circumstance,
      files: [String: String](uniqueKeysWithValues: files.map { (".config/aggregator/sources/\($0.key)", $0.value) }),
      before: before)
  }
}

// MARK: - Answers of services

extension Scene {
  // A retry may come at once.
  private static let soon = "Retry-After: 0\r\n"
  private static let germany = AggregatorCommandTests.Service.row("DE", "Germany")
  private static let countries = "[\(germany),\(AggregatorCommandTests.Service.row("FR", "France"))]"
  private static let small: Scene.Service = { connection, _, _ in connection.answer("[\(germany)]") }

  private static func kettle(_ request: ServerRequest, _ pictures: [String] = ["a.png"]) -> String {
    let images = pictures.map { "\"http://\(request["host"] ?? "")/\($0)\"" }
    return "{\"id\":\"1\",\"title\":\"Kettle\",\"images\":[\(images.joined(separator: ","))]}"
  }

  private static func products(_ numbers: Range<Int>) -> String {
    let rows = numbers.map { "{\"id\":\"\($0)\",\"title\":\"Kettle \($0)\",\"merchant\":\"Shop\",\"images\":[]}" }
    return "{\"products\":[\(rows.joined(separator: ","))]}"
  }

  /// A shop with 450 kettles.
  private static let shop: Scene.Service = { connection, request, _ in
    let skip = request.body.split(separator: "\"skip\":").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    connection.answer(products(min(skip, 450)..<min(skip + 100, 450)))
  }

  private static func heroes(_ request: ServerRequest, total: Int) -> String {
    let offset = request.target.split(separator: "offset=").last.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
    let rows = (min(offset, 250)..<min(offset + 100, 250)).map { "{\"id\":\($0 + 1),\"name\":\"Bat \($0 + 1)\"}" }
    return "{\"status_code\":1,\"number_of_total_results\":\(total),\"results\":[\(rows.joined(separator: ","))]}"
  }
}
