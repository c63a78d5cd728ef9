public import AggregatorCore
import Logins

extension Manifest {
  /// The version of the format.
  public static let version = 1

  /// Reads a manifest. An error has the file, the path in it and the nearest valid word.
  public init(_ bytes: [UInt8], file: String) throws(SourceError) {
    do {
      try self.init(ManifestNode(json: JSON(bytes), file: file))
    } catch let error as SourceError where error.kind == .settings {
      throw error
    } catch {
      throw SourceError(.settings, Printable.clean("\(file): \(error)"))
    }
  }

  private init(_ node: ManifestNode) throws {
    var node = node
    file = node.file
    guard node.json.kind == .object, let version = node["aggregator"] else {
      throw node.error("not a manifest: the member \"aggregator\" is missing")
    }
    let number = try version.int(in: 1...(.max))
    guard number == Self.version else {
      throw version.error("this file needs a newer aggregator: it has version \(number)")
    }
    try node.check([
      "$schema", "aggregator", "address", "settings", "keys", "headers", "budget", "errors", "sources",
    ])
    _ = try node["$schema"]?.text()
    // An address that is there is read first, so that its errors come in the order of the file.
    let needsAddress =
      try node["address"] != nil
      || node.member("sources").members().contains { $0.node["command"] == nil && $0.node["singer"] == nil }
    let address = needsAddress ? try Self.setting(node.member("address"), .address) : nil
    let texts = try node["settings"]?.elements().map { try Self.setting($0) } ?? []
    keys = try node["keys"]?.elements().map { try ManifestKey($0, texts, needsCarrier: needsAddress) } ?? []
    let names = try Self.names(of: address, texts, keys, in: node)
    let known = Set(texts.map(\.name))
    node.keys = Set(keys.flatMap(\.settings).map(\.name))
    headers = try node["headers"].map { try ManifestRequest.headers($0, known) } ?? []
    budget = try node["budget"].map(Self.budget) ?? Self.usualBudget
    errors = try node["errors"]?.elements().map(ErrorRule.init) ?? []
    if let address {
      let budgetSetting = Self.budgetSetting(of: address, budget)
      guard !names.contains(budgetSetting.name) else {
        throw node.error(
          "the setting \(budgetSetting.name) is the budget of \(address.name); give it another name", at: "settings")
      }
    }
    self.address = address
    let users = keys.filter(\.setting.isOptional).compactMap(\.user)
    self.texts = texts.map { text in copy(of: text) { $0.isOptional = users.contains(text.name) } }
    sources = try Self.sources(node.member("sources"), known, Array(known) + keys.flatMap(\.settings).map(\.name))
  }

  /// Returns the names of the settings. Each of them is there once.
  private static func names(
    of address: Setting?, _ texts: [Setting], _ keys: [ManifestKey], in node: ManifestNode
  ) throws -> Set<String> {
    var names: Set<String> = []
    for (name, member) in [address.map { ($0.name, "address") }].compactMap(\.self) + texts.map({ ($0.name, "settings") })
      + keys.flatMap({ $0.settings.map { ($0.name, "keys") } })
    where !names.insert(name).inserted {
      throw node.error("the setting \(name) is there twice", at: member)
    }
    return names
  }

  private static func sources(_ node: ManifestNode, _ known: Set<String>, _ settings: [String]) throws -> [ManifestSource] {
    var read: [ManifestSource] = []
    for (name, source) in try node.members() { read.append(try ManifestSource(name, source, known, settings, read)) }
    guard !read.isEmpty else { throw node.error("a manifest has at least one source") }
    for source in read {
      do throws(SourceError) { _ = try source.schema() } catch { throw node.error(error.message, at: source.name) }
    }
    return read
  }

  private static func setting(_ node: ManifestNode, _ kind: Setting.Kind = .text) throws -> Setting {
    try node.check(["setting", "about", "default"] + (kind == .address ? ["insecure"] : []))
    let name = try node.member("setting").settingName()
    let value = try node["default"]?.text()
    let isInsecure = try node["insecure"]?.isTrue() ?? false
    if kind == .address { try check(address: value, isInsecure: isInsecure, node) }
    let about = try node["about"]?.text() ?? Setting.usualSummary(kind)
    var setting = Setting(name, kind, isInsecure ? about + Setting.insecure : about, default: value)
    setting.isInsecure = isInsecure
    return setting
  }

  /// Throws if others could read what is sent to this address. The file may allow that for an address in a private network.
  private static func check(address text: String?, isInsecure: Bool, _ node: ManifestNode) throws {
    // No error repeats the text itself, which may contain a password.
    guard
      let address = try text.map({ text in
        guard let address = WebAddress(text) else {
          throw node.error("expected an address such as https://api.example.com/", at: "default")
        }
        return address
      }), !address.isSafe
    else {
      guard !isInsecure else { throw node.error("only an http address in a private network is insecure", at: "insecure") }
      return
    }
    guard address.isPrivate else { throw node.error("an address on another machine begins with https://", at: "default") }
    guard isInsecure else {
      throw node.error(
        "an address on another machine begins with https://; in a private network \"insecure\": true beside it allows http",
        at: "default")
    }
  }

  private static func budget(_ node: ManifestNode) throws -> Budget {
    let text = try node.text()
    do {
      return try Budget(text)
    } catch {
      throw node.error("\"\(text)\" is not a budget; write 200/1h, 200/1h each, 1/1s or unlimited")
    }
  }
}

extension ManifestKey {
  fileprivate init(_ node: ManifestNode, _ texts: [Setting], needsCarrier: Bool) throws {
    try node.check(["setting", "about", "header", "query", "scheme", "user", "optional", "rotates", "oauth"])
    let name = try node.member("setting").settingName()
    var setting = try Setting(name, .secret, node["about"]?.text() ?? Setting.usualSummary(.secret))
    setting.isOptional = try node["optional"]?.isTrue() ?? false
    setting.rotates = try node["rotates"]?.isTrue() ?? false
    if let oauth = try node["oauth"].map({ try OAuth($0, texts) }) {
      guard node["optional"] == nil, node["rotates"] == nil else {
        throw node.error(
          "a token of a login is renewed, and is not optional", at: node["optional"] == nil ? "rotates" : "optional")
      }
      guard needsCarrier, node["user"] == nil else {
        throw node.error("a token of a login goes into a header or the query", at: "oauth")
      }
      self.oauth = oauth
      (setting.isOptional, setting.rotates, setting.isFromLogin) = (true, true, true)
    }
    self.setting = setting
    carrier = try Self.carrier(node, texts, isNeeded: needsCarrier)
  }

  /// Returns the place of the key in a request; nil if it has none, because templates name it.
  private static func carrier(_ node: ManifestNode, _ texts: [Setting], isNeeded: Bool) throws -> Carrier? {
    let (header, query) = (try node["header"]?.text(), try node["query"]?.text())
    if let header { try node.check(header: header, at: "header") }
    let (scheme, user) = (try node["scheme"]?.text(), try node["user"]?.settingName())
    if let scheme { try node.check(headerValue: scheme, at: "scheme") }
    switch (header, query, user) {
    case (let header?, nil, nil):
      guard scheme != "Basic" else {
        throw node.error("Basic needs a user: the setting that has the user's name", at: "scheme")
      }
      return .header(header, scheme: scheme)
    case (let header?, nil, let user?):
      guard scheme == "Basic" else { throw node.error("a user goes with \"scheme\": \"Basic\"", at: "user") }
      _ = try node.member("user").name(of: "setting", among: texts.map(\.name))
      return .basic(header: header, user: user)
    case (nil, let query?, _):
      guard scheme == nil, user == nil else {
        throw node.error("scheme and user go with a header", at: scheme == nil ? "user" : "scheme")
      }
      return .query(query)
    case (nil, nil, nil) where !isNeeded && scheme == nil: return nil
    default: throw node.error("a key has either a header or a query")
    }
  }
}

extension ManifestRequest {
  /// Returns the items of a query; a list becomes one item for each of its texts.
  static func items(_ node: ManifestNode, _ known: Set<String>) throws -> [Item] {
    try node.members().flatMap { name, value in
      let texts = value.json.kind == .array ? try value.elements() : [value]
      return try texts.map { Item(name, try $0.template(naming: known)) }
    }
  }

  static func headers(_ node: ManifestNode, _ known: Set<String>) throws -> [Item] {
    let items = try items(node, known)
    for item in items {
      try node.check(header: item.name, at: item.name)
      try node.check(headerValue: item.value.text, at: item.name)
    }
    return items
  }

  init(_ node: ManifestNode, _ known: Set<String>) throws {
    try node.check(["method", "path", "query", "headers", "body"])
    method = try node["method"]?.choice([.get, .post])
    path = try node["path"]?.template(naming: known)
    if let text = path?.text {
      guard !["://", "?", "#"].contains(where: text.contains) else {
        throw node.error(
          "expected a path below the address of the service; what follows a ? goes into \"query\"", at: "path")
      }
      guard text.utf8.allSatisfy({ 0x21..<0x7F ~= $0 }) else {
        throw node.error("a path must be percent-encoded: %20 for a space, %C3%BC for ü", at: "path")
      }
    }
    query = try node["query"].map { try Self.items($0, known) } ?? []
    headers = try node["headers"].map { try Self.headers($0, known) } ?? []
    guard let body = node["body"] else { return }
    guard body.json.kind == .object || body.json.kind == .array else { throw body.error("expected an object or a list") }
    self.body = body.json.value
    try body.check(body.json.value.templateNames, among: known)
  }
}

extension ErrorRule {
  init(_ node: ManifestNode) throws {
    try node.check(["status", "path", "header", "is", "isNot", "present", "kind", "message", "until"])
    status = try node["status"]?.int(in: 100...599)
    (path, header) = (try node["path"]?.path(), try node["header"]?.headerName())
    (value, other) = (try node["is"]?.scalar(), try node["isNot"]?.scalar())
    isPresent = try node["present"]?.isTrue()
    kind = try node.member("kind").choice(Kind.allCases)
    message = try node["message"]?.path()
    until = try node["until"].map { until in
      try until.check(["header", "as"])
      return try Until(header: until.member("header").headerName(), form: until.member("as").choice(Until.Form.allCases))
    }
    guard path == nil || header == nil else { throw node.error("a rule has either a path or a header") }
    guard status != nil || path != nil || header != nil else {
      throw node.error("a rule needs a status, a path or a header")
    }
    let isAsked = value != nil || other != nil || isPresent != nil
    guard isAsked == (path != nil || header != nil) else {
      throw node.error("is, isNot or present say what has to stand at the path or in the header")
    }
  }
}
