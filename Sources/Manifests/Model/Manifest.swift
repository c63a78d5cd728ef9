public import AggregatorCore

/// A file that describes a service and its sources: strict, so that a misspelt member is an error and never ignored.
///
///     let manifest = try Manifest(bytes, file: "github.json")
///     let issues = try manifest.source("issues")
public struct Manifest: Sendable {
  /// Where the file lies, as errors name it.
  public let file: String
  /// Where the service begins.
  public let address: Setting
  /// Plain values that templates name.
  public let texts: [Setting]
  /// What the service wants to know its users by.
  public let keys: [ManifestKey]
  /// What every request carries.
  public let headers: [ManifestRequest.Item]
  /// How often the service lets itself be asked; five times a second where the file says nothing.
  public let budget: Budget
  /// Whether the file says how often.
  public let declaresBudget: Bool
  /// The setting that overrides the budget.
  public let budgetSetting: Setting
  /// Looked at before what HTTP's own rules say of an answer; the first that applies decides.
  public let errors: [ErrorRule]
  /// In the order of the file.
  public let sources: [ManifestSource]

  /// All that can be set.
  public var settings: [Setting] { [address] + texts + keys.map(\.setting) + [budgetSetting] }
  /// Whether anything of the person's goes to the service, which needs their leave.
  public var needsLeave: Bool { !keys.isEmpty || !texts.isEmpty }
}

/// A key, by the name of its setting, and where the service expects it.
public struct ManifestKey: Sendable, Hashable {
  /// Where a key travels.
  public enum Carrier: Sendable, Hashable {
    /// In a header, behind the word that says what kind it is.
    case header(String, scheme: String?)
    /// In the query.
    case query(String)
    /// In a header, as base64 of a user's name and the key; the setting has the name.
    case basic(header: String, user: String)
  }

  /// What holds it.
  public let setting: Setting
  /// Where it travels.
  public let carrier: Carrier
  /// The setting with the name of its user.
  var user: String? { if case .basic(_, let user) = carrier { user } else { nil } }
}

/// A request of a manifest, whose texts are templates.
public struct ManifestRequest: Sendable, Hashable {
  /// A name and what stands for it.
  public struct Item: Sendable, Hashable {
    /// As it is sent.
    public let name: String
    /// What is sent under it; left out where it names a value that is not there.
    public let value: Template
  }

  /// GET unless told.
  public var method: HTTPRequest.Method?
  /// Below the service's address.
  public var path: Template?
  /// In the order of the file.
  public var query: [Item] = []
  /// In the order of the file.
  public var headers: [Item] = []
  /// A text that is a single template stands for its value.
  public var body: Value?

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

  /// Every name in its templates.
  package var names: [String] {
    (path?.names ?? []) + (query + headers).flatMap { $0.value.names } + (body?.templateNames ?? [])
  }
}

/// What an answer means that HTTP's own rules do not tell: all of its conditions have to hold.
public struct ErrorRule: Sendable, Hashable {
  /// What may be there instead of an error.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The key is refused.
    case refusedKey = "refused-key"
    /// The request is wrong.
    case badRequest = "bad-request"
    /// There is nothing at that address.
    case notFound = "not-found"
    /// Too much was asked; the service cannot answer now; what it says is not understood.
    case throttled, unavailable, malformed
    /// No error: an answer without rows.
    case nothing
  }

  /// How a header says when to come back.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// The seconds from now; those since 1970; a date.
    case seconds, unix, date
  }

  /// When to come back, as a header says it.
  package struct Until: Sendable, Hashable {
    package let header: String
    package let form: Form
  }

  package let status: Int?
  package let path: ValuePath?
  package let header: String?
  /// The value has to be this.
  package let value: Value?
  /// The value must not be this.
  package let other: Value?
  package let isPresent: Bool?
  package let kind: Kind
  package let message: ValuePath?
  package let until: Until?
}
