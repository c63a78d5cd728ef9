public import AggregatorCore

extension Manifest {
  /// The version of the format that is read here.
  public static let version = 1

  /// Reads a manifest; the error names the file, the path and the nearest word.
  public init(_ bytes: [UInt8], file: String) throws(SourceError) {
    let json: JSON
    do { json = try JSON(bytes) } catch { throw SourceError(.settings, Printable.clean("\(file): \(error)")) }
    try self.init(ManifestNode(json: json, file: file))
  }

  private init(_ node: ManifestNode) throws(SourceError) {
    var node = node
    file = node.file
    guard node.json.kind == .object, let version = node["aggregator"] else {
      throw node.error("not a manifest: the member \"aggregator\" is missing")
    }
    let number = try version.int(in: 1...(.max))
    guard number == Self.version else { throw version.error("this file needs a newer aggregator: it has version \(number)") }
    try node.check(["$schema", "aggregator", "address", "settings", "keys", "headers", "budget", "errors", "sources"])
    _ = try node["$schema"]?.text()
    let address = try Self.setting(node.member("address"), .address)
    let texts = try node["settings"]?.elements().map { element throws(SourceError) in try Self.setting(element) } ?? []
    keys = try node["keys"]?.elements().map { element throws(SourceError) in try ManifestKey(element, texts) } ?? []
    var names: Set<String> = []
    for (name, place) in [(address.name, "address")] + texts.map({ ($0.name, "settings") })
      + keys.map({ ($0.setting.name, "keys") })
    where !names.insert(name).inserted {
      throw node.error("the setting \(name) is there twice", at: place)
    }
    let known = Set(texts.map(\.name))
    node.keys = Set(keys.map(\.setting.name))
    headers = try node.read("headers") { headers throws(SourceError) in try ManifestRequest.headers(headers, known) } ?? []
    budget = try node.read("budget") { budget throws(SourceError) in try Self.budget(budget) } ?? Self.usualBudget
    declaresBudget = node["budget"] != nil
    errors = try node["errors"]?.elements().map { rule throws(SourceError) in try ErrorRule(rule) } ?? []
    budgetSetting = Setting(
      Self.stem(of: address.name) + "_BUDGET", .budget,
      "request budget for \(WebAddress(address.defaultValue ?? "")?.host ?? address.name)",
      default: budget.description)
    guard names.insert(budgetSetting.name).inserted else {
      throw node.error(
        "the setting \(budgetSetting.name) is the budget of \(address.name); give it another name", at: "settings")
    }
    self.address = address
    let users = keys.filter(\.setting.isOptional).compactMap(\.user)
    self.texts = texts.map { text in
      var text = text
      text.isOptional = users.contains(text.name)
      return text
    }
    let sources = try node.member("sources")
    var read: [ManifestSource] = []
    for (name, source) in try sources.members() { read.append(try ManifestSource(name, source, known, read)) }
    guard !read.isEmpty else { throw sources.error("a manifest has at least one source") }
    for source in read {
      do throws(SourceError) { _ = try source.schema() } catch { throw sources.error(error.message, at: source.name) }
    }
    self.sources = read
  }

  /// What a service bears that says nothing of it.
  private static let usualBudget = Budget([Budget.Rate(5, per: .seconds(1))])

  private static func setting(_ node: ManifestNode, _ kind: Setting.Kind = .text) throws(SourceError) -> Setting {
    try node.check(["setting", "about", "default"])
    let name = try node.member("setting").settingName()
    let value = try node.read("default") { member throws(SourceError) in
      let text = try member.text()
      if kind == .address { try checkAddress(text, member) }
      return text
    }
    let about = try node["about"]?.text()
    return Setting(
      name, kind, about ?? (kind == .address ? "base address of the service" : "a value of the service"), default: value)
  }

  /// A key in clear text is anybody's; what runs on this machine alone is reached by no wire.
  private static func checkAddress(_ text: String, _ node: ManifestNode) throws(SourceError) {
    guard let address = WebAddress(text) else {
      // Not the text itself, which may hold a password.
      throw node.error("expected an address such as https://api.example.com/")
    }
    guard address.isSafe else { throw node.error("an address on another machine begins with https://") }
  }

  private static func budget(_ node: ManifestNode) throws(SourceError) -> Budget {
    let text = try node.text()
    do {
      var budget = try Budget(text.replacingEach(" each", with: ""))
      let parts = text.split(separator: ",")
      budget.rates = zip(budget.rates, parts).map { rate, part in
        part.trimmingSpaces.hasSuffix(" each") ? Budget.Rate(rate.count, per: rate.period, for: .resource) : rate
      }
      return budget
    } catch {
      throw node.error("\"\(text)\" is not a budget; write 200/1h, 200/1h each, 1/1s or unlimited")
    }
  }

  /// `GITHUB` of `GITHUB_BASE_URL`.
  private static func stem(of name: String) -> String {
    for end in ["_BASE_URL", "_URL", "_ADDRESS"] where name.hasSuffix(end) && name.count > end.count {
      return String(name.dropLast(end.count))
    }
    return name
  }
}

extension WebAddress {
  /// Whether nobody on the way reads along: it is encrypted, or on this machine.
  package var isSafe: Bool { scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].contains(host) }
}

extension ManifestKey {
  fileprivate init(_ node: ManifestNode, _ texts: [Setting]) throws(SourceError) {
    try node.check(["setting", "about", "header", "query", "scheme", "user", "optional"])
    let name = try node.member("setting").settingName()
    var setting = try Setting(name, .secret, node["about"]?.text() ?? "the key to the service")
    setting.isOptional = try node["optional"]?.isTrue() ?? false
    self.setting = setting
    let (header, query) = (try node["header"]?.headerName(), try node["query"]?.text())
    let (scheme, user) = (try node["scheme"]?.text(), try node["user"]?.settingName())
    switch (header, query) {
    case (let header?, nil):
      guard let user else {
        guard scheme != "Basic" else {
          throw node.error("Basic needs a user: the setting that has the user's name", at: "scheme")
        }
        carrier = .header(header, scheme: scheme)
        return
      }
      guard scheme == "Basic" else { throw node.error("a user goes with \"scheme\": \"Basic\"", at: "user") }
      _ = try node.member("user").name(of: "setting", among: texts.map(\.name))
      carrier = .basic(header: header, user: user)
    case (nil, let query?):
      guard scheme == nil, user == nil else {
        throw node.error("scheme and user go with a header", at: scheme == nil ? "user" : "scheme")
      }
      carrier = .query(query)
    default: throw node.error("a key has either a header or a query")
    }
  }
}

extension ManifestRequest {
  /// The items of a query; a list stands for one item for each of its texts.
  static func items(_ node: ManifestNode, _ known: Set<String>) throws(SourceError) -> [Item] {
    var items: [Item] = []
    for (name, value) in try node.members() {
      let texts = value.json.kind == .array ? try value.elements() : [value]
      for text in texts { items.append(try Item(name: name, value: text.template(naming: known))) }
    }
    return items
  }

  static func headers(_ node: ManifestNode, _ known: Set<String>) throws(SourceError) -> [Item] {
    let items = try items(node, known)
    for name in items.map(\.name) {
      guard name.isHeaderName else { throw node.error("\"\(name)\" is not a name of a header", at: name) }
      // They say where a request ends, and for whom it is.
      guard !["host", "content-length", "transfer-encoding", "connection"].contains(name.lowercased()) else {
        throw node.error("a manifest cannot set this header", at: name)
      }
    }
    return items
  }

  init(_ node: ManifestNode, _ known: Set<String>) throws(SourceError) {
    try node.check(["method", "path", "query", "headers", "body"])
    method = try node.read("method") { method throws(SourceError) in try method.choice(Verb.self).method }
    path = try node.read("path") { path throws(SourceError) in
      let template = try path.template(naming: known)
      guard !template.text.contains("://"), !template.text.contains("?"), !template.text.contains("#") else {
        throw path.error("expected a path below the address of the service; what follows a ? goes into \"query\"")
      }
      guard template.text.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
        throw path.error("a path is written as in an address: %20 for a space, %C3%BC for ü")
      }
      return template
    }
    query = try node.read("query") { query throws(SourceError) in try Self.items(query, known) } ?? []
    headers = try node.read("headers") { headers throws(SourceError) in try Self.headers(headers, known) } ?? []
    body = try node.read("body") { body throws(SourceError) in
      guard body.json.kind == .object || body.json.kind == .array else { throw body.error("expected an object or a list") }
      let value = body.json.value
      try body.check(value.templateNames, among: known)
      return value
    }
  }

  private enum Verb: String, CaseIterable {
    case get = "GET"
    case post = "POST"
    var method: HTTPRequest.Method { self == .get ? .get : .post }
  }
}

extension ErrorRule {
  init(_ node: ManifestNode) throws(SourceError) {
    try node.check(["status", "path", "header", "is", "isNot", "present", "kind", "message", "until"])
    status = try node["status"]?.int(in: 100...599)
    (path, header) = (try node["path"]?.path(), try node["header"]?.headerName())
    (value, other) = (try node["is"]?.scalar(), try node["isNot"]?.scalar())
    isPresent = try node["present"]?.isTrue()
    kind = try node.member("kind").choice(Kind.self)
    message = try node["message"]?.path()
    until = try node.read("until") { until throws(SourceError) in
      try until.check(["header", "as"])
      return try Until(header: until.member("header").headerName(), form: until.member("as").choice(Form.self))
    }
    guard path == nil || header == nil else { throw node.error("a rule has either a path or a header") }
    guard status != nil || path != nil || header != nil else { throw node.error("a rule needs a status, a path or a header") }
    let isAsked = value != nil || other != nil || isPresent != nil
    guard isAsked == (path != nil || header != nil) else {
      throw node.error("is, isNot or present say what has to stand at the path or in the header")
    }
  }
}

extension ManifestPaging {
  init(_ node: ManifestNode) throws(SourceError) {
    try node.check(["by", "size", "first", "next", "more", "total", "pages", "end", "lookingBack", "unchanging", "startsPlain"])
    way = try node.member("by").choice(Way.self)
    size = try node["size"]?.int(in: 1...1_000_000) ?? 100
    first = try node["first"]?.int(in: 0...(.max)) ?? 1
    total = try node.read("total", Place.init)
    pages = try node.read("pages", Place.init)
    more = try node.read("more") { more throws(SourceError) in
      let text = try more.text()
      let isContrary = text.hasPrefix("not ")
      guard let path = ValuePath(isContrary ? String(text.dropFirst(4)) : text), !path.text.isEmpty else {
        throw more.error("expected a path such as has_more, or such as \"not last\"")
      }
      return More(path: path, isContrary: isContrary)
    }
    next = try node.read("next") { next throws(SourceError) in try next.json.isHeader ? nil : next.path() } ?? nil
    // What comes whole has no other end.
    end = try (way == .whole ? node["end"] : node.member("end"))?.choice(End.self) ?? .empty
    looksBack = try node["lookingBack"]?.isTrue() ?? true
    isUnchanging = try node["unchanging"]?.isTrue() ?? false
    startsPlain = try node["startsPlain"]?.isTrue() ?? false
    try check(node)
  }

  /// What templates name in a request for a page.
  var names: Set<String> {
    switch way {
    case .whole: []
    case .offset: ["size", "offset"]
    case .page: ["size", "page"]
    case .token, .last: ["size", "token"]
    case .link: ["size"]
    }
  }

  /// Refuses a request that would ask for the same page each time.
  func check(_ request: ManifestRequest, _ node: ManifestNode) throws(SourceError) {
    guard let name = names.subtracting(["size"]).first, !request.names.contains(name) else { return }
    throw node.error("paging by \(way) needs {\(name)} in the request")
  }

  /// Refuses what does not go together.
  private func check(_ node: ManifestNode) throws(SourceError) {
    let named = [
      "token": ["next", "more"], "link": ["next", "more"], "last": ["more", "empty"],
      "offset": ["total", "more", "empty", "never"],
    ]
    let ends =
      named[way.rawValue] ?? (way == .page ? ["total", "more", "empty", "pages", "never"] : ["empty", "total", "never"])
    guard ends.contains(end.rawValue) else {
      throw node.error("\"\(end)\" does not end paging by \(way); choose one of \(ends.joined(separator: ", "))", at: "end")
    }
    let needsNext = way == .token || way == .link || way == .last
    if needsNext, node["next"] == nil { throw node.error("paging by \(way) needs \"next\"") }
    if !needsNext, node["next"] != nil { throw node.error("paging by \(way) has no \"next\"", at: "next") }
    if way != .link, node["next"]?.json.isHeader ?? false {
      throw node.error("only paging by link finds the next page in a header", at: "next")
    }
    if end == .total, total == nil { throw node.error("the end \"total\" needs \"total\"", at: "end") }
    if end == .more, more == nil { throw node.error("the end \"more\" needs \"more\"", at: "end") }
    if end == .pages, pages == nil { throw node.error("the end \"pages\" needs \"pages\"", at: "end") }
    if node["first"] != nil, way != .page { throw node.error("only pages have a first number", at: "first") }
    if node["pages"] != nil, node["more"] != nil {
      throw node.error("either \"pages\" or \"more\" says whether there is more", at: "more")
    }
    if node["pages"] != nil, way != .page { throw node.error("only numbered pages are counted", at: "pages") }
    if node["lookingBack"] != nil, way != .offset { throw node.error("only a walk by offset looks back", at: "lookingBack") }
  }
}

extension ManifestPaging.Place {
  init(_ node: ManifestNode) throws(SourceError) {
    let text = try node.text()
    guard text.hasPrefix("header ") else {
      self = .body(try node.path())
      return
    }
    let name = text.dropFirst(7).trimmingSpaces
    guard name.isHeaderName else { throw node.error("\"\(name)\" is not a name of a header") }
    self = .header(name)
  }
}

extension JSON {
  fileprivate var isHeader: Bool { (try? asString()) == "header" }
}
