public import AggregatorCore

/// A file that describes a service and its sources: strict, so that a misspelt member is an error and never ignored.
///
///     let manifest = try Manifest(bytes, file: "github.json")
///     let issues = try manifest.source("issues")
public struct Manifest: Sendable {
  /// Where the file lies, as errors name it.
  public let file: String
  /// Where the service begins.
  package var address: Setting
  /// Whether that is an http address in a private network, where others can read what is sent.
  package var isInsecure: Bool
  /// Plain values that templates name.
  package var texts: [Setting]
  /// What the service wants to know its users by.
  package var keys: [ManifestKey]
  /// What every request carries.
  package var headers: [ManifestRequest.Item]
  /// How often the service lets itself be asked.
  package var budget = Self.usualBudget
  /// Looked at before what HTTP's own rules say of an answer; the first that applies decides.
  package var errors: [ErrorRule] = []
  /// In the order of the file.
  package var sources: [ManifestSource]

  package init(
    file: String, address: Setting, isInsecure: Bool, texts: [Setting], keys: [ManifestKey], headers: [ManifestRequest.Item],
    sources: [ManifestSource]
  ) {
    (self.file, self.address, self.isInsecure, self.texts) = (file, address, isInsecure, texts)
    (self.keys, self.headers, self.sources) = (keys, headers, sources)
  }

  /// What a service bears that says nothing of it.
  static let usualBudget = Budget([Budget.Rate(5, per: .seconds(1))])

  /// The setting that overrides the budget.
  package var budgetSetting: Setting { Self.budgetSetting(of: address, budget) }

  static func budgetSetting(of address: Setting, _ budget: Budget) -> Setting {
    let ending = ["_BASE_URL", "_URL", "_ADDRESS"].first { address.name.hasSuffix($0) && address.name != $0 }
    return Setting(
      String(address.name.dropLast(ending?.count ?? 0)) + "_BUDGET", .budget,
      "request budget for \(WebAddress(address.defaultValue ?? "")?.host ?? address.name)", default: budget.description)
  }

  /// All that can be set.
  public var settings: [Setting] { [address] + texts + keys.map(\.setting) + [budgetSetting] }
  /// Whether anything of the person's goes to the service, or anything at all without encryption, which needs their leave.
  package var needsLeave: Bool { !keys.isEmpty || !texts.isEmpty || isInsecure }

  /// Whether a list is that of the key's holder: one that needs a key is, unless the file says otherwise.
  package func isPersonal(_ source: ManifestSource) -> Bool {
    source.declaresPersonal ?? keys.contains { !$0.setting.isOptional }
  }
}

/// A key, by the name of its setting, and where the service expects it.
package struct ManifestKey: Sendable, Hashable {
  package enum Carrier: Sendable, Hashable {
    /// In a header, behind the word that says what kind it is.
    case header(String, scheme: String?)
    case query(String)
    /// In a header, as base64 of a user's name and the key; in a manifest the name is in the setting of that name.
    case basic(header: String, user: String)

    /// The key in `setting` as a client sends it; `user` gives the setting with its user's name.
    package func credential(_ setting: Setting, user: (String) -> Setting) -> Credential {
      switch self {
      case .header(let name, let scheme): .header(name, setting, scheme: scheme)
      case .query(let name): .query(name, setting)
      case .basic(let header, let name): .basic(setting, user: user(name), header: header)
      }
    }
  }

  package let setting: Setting
  package let carrier: Carrier

  package init(_ setting: Setting, _ carrier: Carrier) { (self.setting, self.carrier) = (setting, carrier) }

  /// The setting with the name of its user.
  package var user: String? { if case .basic(_, let user) = carrier { user } else { nil } }
}

/// A request of a manifest, whose texts are templates.
package struct ManifestRequest: Sendable, Hashable {
  /// A name and what is sent under it; left out where that names a value that is not there.
  package struct Item: Sendable, Hashable {
    package let name: String
    package let value: Template

    package init(_ name: String, _ value: Template) { (self.name, self.value) = (name, value) }
  }

  package init(path: Template? = nil) { self.path = path }

  /// GET unless told.
  package var method: HTTPRequest.Method?
  /// Below the service's address.
  package var path: Template?
  package var query: [Item] = []
  package var headers: [Item] = []
  /// A text that is a single template stands for its value.
  package var body: Value?

  /// This request with what `other` says in place of what it says itself, member by member.
  package func overlaid(by other: ManifestRequest) -> ManifestRequest {
    var request = self
    (request.method, request.path) = (other.method ?? method, other.path ?? path)
    request.query = Self.merged(query, other.query)
    request.headers = Self.merged(headers, other.headers)
    if case .object(let new) = other.body, case .object(let old) = body {
      request.body = .object(old.filter { member in !new.contains { $0.name == member.name } } + new)
    } else {
      request.body = other.body ?? body
    }
    return request
  }

  private static func merged(_ old: [Item], _ new: [Item]) -> [Item] {
    old.filter { item in !new.contains { $0.name == item.name } } + new
  }

  /// What tells it from another request of the same service.
  var identity: String {
    let items = (query + headers).map { "\($0.name)=\($0.value.text)" }.joined(separator: "&")
    let body = body.map { " \(String(decoding: $0.bytes, as: UTF8.self))" } ?? ""
    return "\(path?.text ?? "")\(items.isEmpty ? "" : "?\(items)")\(body)"
  }

  /// What is sent with the value of that name and nothing else.
  package func parameter(naming name: String) -> Parameter? {
    if let item = query.first(where: { $0.value.onlyName == name }) { return Parameter(.query, item.name) }
    if let item = headers.first(where: { $0.value.names == [name] }) { return Parameter(.header, item.name) }
    if let path = body?.path(toTemplate: name) { return Parameter(.body, path.joined(separator: ".")) }
    return path.flatMap { $0.text.split(separator: "/").contains("{\(name)}") ? Parameter(.path, name) : nil }
  }

  /// Every name in its templates.
  package var names: [String] {
    (path?.names ?? []) + (query + headers).flatMap { $0.value.names } + (body?.templateNames ?? [])
  }
}

/// What an answer means that HTTP's own rules do not tell: all of its conditions have to hold.
package struct ErrorRule: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case refusedKey = "refused-key"
    case badRequest = "bad-request"
    case notFound = "not-found"
    case throttled, unavailable, malformed
    /// No error: an answer without rows.
    case nothing
  }

  /// When to come back, as a header says it: the seconds from now, those since 1970, or a date.
  package struct Until: Sendable, Hashable {
    package enum Form: String, Sendable, Hashable, CaseIterable { case seconds, unix, date }

    package let header: String
    package let form: Form
  }

  package var status: Int?
  package var path: ValuePath?
  package var header: String?
  /// The value has to be this.
  package var value: Value?
  /// The value must not be this.
  package var other: Value?
  package var isPresent: Bool?
  package let kind: Kind
  package var message: ValuePath?
  package var until: Until?

  package init(_ kind: Kind) { self.kind = kind }
}
