public import AggregatorCore
package import Logins
package import Programs

/// A file that describes a service and its sources. It is read strictly, so a misspelled member is an error.
///
///     let manifest = try Manifest(bytes, file: "github.json")
///     let issues = try manifest.source("issues")
public struct Manifest: Sendable {
  /// The path of the file, as errors name it.
  public let file: String
  /// The base address of the service; nil if every source is a program.
  package var address: Setting?
  /// True when the base address is an http address in a private network, where others can read what is sent.
  package var isInsecure: Bool { address?.isInsecure ?? false }
  /// The plain settings that templates name.
  package var texts: [Setting]
  /// The keys by which the service knows its users.
  package var keys: [ManifestKey]
  /// The headers of every request.
  package var headers: [ManifestRequest.Item]
  /// The request budget that the service allows.
  package var budget = Self.usualBudget
  /// The rules for errors. They are checked before HTTP's own rules, and the first one that applies decides.
  package var errors: [ErrorRule] = []
  /// The sources, in the order of the file.
  package var sources: [ManifestSource]

  package init(
    file: String, address: Setting?, texts: [Setting], keys: [ManifestKey], headers: [ManifestRequest.Item],
    sources: [ManifestSource]
  ) {
    (self.file, self.address, self.texts) = (file, address, texts)
    (self.keys, self.headers, self.sources) = (keys, headers, sources)
  }

  /// The budget of a service that publishes none.
  static let usualBudget = Budget([Budget.Rate(5, per: .seconds(1))])

  /// The setting that overrides the budget.
  package var budgetSetting: Setting? { address.map { Self.budgetSetting(of: $0, budget) } }

  static func budgetSetting(of address: Setting, _ budget: Budget) -> Setting {
    let ending = ["_BASE_URL", "_URL", "_ADDRESS"].first { address.name.hasSuffix($0) && address.name != $0 }
    return Setting(
      String(address.name.dropLast(ending?.count ?? 0)) + "_BUDGET", .budget,
      "request budget for \(WebAddress(address.defaultValue ?? "")?.host ?? address.name)", default: budget.description)
  }

  /// Every setting of the manifest.
  public var settings: [Setting] {
    [address].compactMap(\.self) + texts + keys.flatMap(\.settings) + [budgetSetting].compactMap(\.self)
  }
  /// The programs that it starts.
  package var programs: [SourceProgram] { sources.compactMap(\.program) }
  /// True when it starts a program, sends something of the person's, or sends anything without encryption; all of that needs leave.
  package var needsPermission: Bool { !keys.isEmpty || !texts.isEmpty || isInsecure || !programs.isEmpty }

  /// True when a list belongs to the holder of the key. A list that needs a key does, unless the file says otherwise.
  package func isPersonal(_ source: ManifestSource) -> Bool {
    source.declaresPersonal ?? keys.contains { !$0.setting.isOptional || $0.oauth != nil }
  }
}

/// A key, with the name of its setting and the part of a request where the service expects it.
package struct ManifestKey: Sendable, Hashable {
  package enum Carrier: Sendable, Hashable, CustomStringConvertible {
    /// In a header, after the name of the scheme if there is one.
    case header(String, scheme: String?)
    case query(String)
    /// In a header, as base64 of a user's name and the key. In a manifest, `user` is the setting with the user's name.
    case basic(header: String, user: String)

    /// Returns the credential of a client for the key in `setting`. `user` returns the setting with the user's name.
    package func credential(_ setting: Setting, user: (String) -> Setting) -> Credential {
      switch self {
      case .header(let name, let scheme): .header(name, setting, scheme: scheme)
      case .query(let name): .query(name, setting)
      case .basic(let header, let name): .basic(setting, user: user(name), header: header)
      }
    }

    /// True for a bearer token, which many services renew by design.
    package var isBearerToken: Bool {
      if case .header(_, let scheme?) = self { scheme.lowercased() == "bearer" } else { false }
    }

    package var description: String {
      switch self {
      case .header(let name, _): "header \(name)"
      case .query(let name): "query \(name)"
      case .basic(_, let user): "password of \(user)"
      }
    }
  }

  package var setting: Setting
  /// The part of a request that has the key; nil for one that only the private files of programs have.
  package let carrier: Carrier?

  /// The way to get the token by a login; nil for a key that a person has.
  package var oauth: OAuth?

  package init(_ setting: Setting, _ carrier: Carrier?) { (self.setting, self.carrier) = (setting, carrier) }

  /// The secrets that a person may set for it.
  var settings: [Setting] { [setting] + [oauth?.secret, oauth?.refresh].compactMap(\.self) }

  /// The name of the setting with the user's name; nil for other carriers.
  package var user: String? { if case .basic(_, let user) = carrier { user } else { nil } }
}

/// A request in a manifest, with templates as texts.
package struct ManifestRequest: Sendable, Hashable {
  /// A name and its value. The item is left out if its template names a missing value.
  package struct Item: Sendable, Hashable {
    package let name: String
    package let value: Template

    package init(_ name: String, _ value: Template) { (self.name, self.value) = (name, value) }
  }

  package init(path: Template? = nil) { self.path = path }

  /// The method; nil means GET.
  package var method: HTTPRequest.Method?
  /// The path below the service's address.
  package var path: Template?
  package var query: [Item] = []
  package var headers: [Item] = []
  /// The JSON to send. A text that is only a template is replaced by the value itself, with its type.
  package var body: Value?

  /// Returns this request with the parts of `other` in place of its own, member by member.
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

  /// A text that differs between requests of the same service, apart from the method.
  var identity: String {
    let items = (query + headers).map { "\($0.name)=\($0.value.text)" }.joined(separator: "&")
    let body = body.map { " \(String(decoding: $0.bytes, as: UTF8.self))" } ?? ""
    return "\(path?.text ?? "")\(items.isEmpty ? "" : "?\(items)")\(body)"
  }

  /// Returns the parameter that has the value of this name and nothing else; nil if no parameter has it.
  package func parameter(naming name: String) -> Parameter? {
    if let item = query.first(where: { $0.value.onlyName == name }) { return Parameter(.query, item.name) }
    if let item = headers.first(where: { $0.value.names == [name] }) { return Parameter(.header, item.name) }
    if let path = body?.path(toTemplate: name) { return Parameter(.body, path.joined(separator: ".")) }
    return path.flatMap { $0.text.split(separator: "/").contains("{\(name)}") ? Parameter(.path, name) : nil }
  }

  /// Returns the parameter that has the value of this name, and the number of characters before
  /// and after the value; nil if no parameter has it.
  package func text(naming name: String) -> (parameter: Parameter, before: Int, after: Int)? {
    if let parameter = parameter(naming: name) { return (parameter, 0, 0) }
    guard let item = query.first(where: { $0.value.names == [name] }) else { return nil }
    let lengths = item.value.pieces.split(separator: .name(name), omittingEmptySubsequences: false).map { pieces in
      pieces.reduce(0) { if case .text(let text) = $1 { $0 + text.count } else { $0 } }
    }
    return (Parameter(.query, item.name), lengths.first ?? 0, lengths.last ?? 0)
  }

  /// The names in all its templates.
  package var names: [String] {
    (path?.names ?? []) + (query + headers).flatMap { $0.value.names } + (body?.templateNames ?? [])
  }
}

/// The meaning of an answer that HTTP's own rules do not explain; all conditions of the rule must apply.
package struct ErrorRule: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    case refusedKey = "refused-key"
    case badRequest = "bad-request"
    case notFound = "not-found"
    case throttled, unavailable, malformed
    /// Not an error: an answer without rows.
    case nothing
  }

  /// The time to try again, in a header: the seconds from now, the seconds since 1970, or a date.
  package struct Until: Sendable, Hashable {
    package enum Form: String, Sendable, Hashable, CaseIterable { case seconds, unix, date }

    package let header: String
    package let form: Form
  }

  package var status: Int?
  package var path: ValuePath?
  package var header: String?
  /// The value that must be there.
  package var value: Value?
  /// The value that must not be there.
  package var other: Value?
  package var isPresent: Bool?
  package let kind: Kind
  package var message: ValuePath?
  package var until: Until?

  package init(_ kind: Kind) { self.kind = kind }
}
