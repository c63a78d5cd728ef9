package import AggregatorCore
import Platform

/// The way to a service's tokens by OAuth 2, as its manifest describes it.
package struct OAuth: Sendable, Hashable {
  /// The kinds of login, by their names in manifests.
  package enum Grant: String, Sendable, Hashable, CaseIterable {
    /// The program itself logs in with its id and its secret (RFC 6749, 4.4).
    case client
    /// A person has a refresh token from elsewhere, as a setting (RFC 6749, 6).
    case refresh
    /// A person types a code on a page of the service (RFC 8628).
    case device
    /// A person agrees on a page of the service, which leads back to this machine (RFC 6749, 4.1, with RFC 7636 and RFC 8252).
    case code
  }

  package let grant: Grant
  /// The address that gives tokens.
  package let tokens: WebAddress
  /// The address of the page of the service (`code`), or the one that gives codes for devices (`device`).
  package var page: WebAddress?
  /// The setting with the id by which the service knows this program.
  package let client: Setting
  /// The setting with the program's secret; nil for a program that has none.
  package var secret: Setting?
  /// The setting with a person's refresh token.
  package var refresh: Setting?
  /// The rights to ask for.
  package var scope: String?
  /// Further members of the requests, such as `audience`.
  package var parameters: [Member] = []
  /// True when id and secret are sent as HTTP's Basic authentication, and not in the body.
  package var usesBasic = false
  /// The path in an answer with tokens to the name of the account.
  package var holder: ValuePath?

  package init(_ grant: Grant, tokens: WebAddress, client: Setting) {
    (self.grant, self.tokens, self.client) = (grant, tokens, client)
  }

  /// A further member of a request.
  package struct Member: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// The settings that it reads besides that of the token.
  package var settings: [Setting] { [client, secret, refresh].compactMap(\.self) }

  /// True when a person logs in with a browser.
  package var isDialog: Bool { grant == .device || grant == .code }
}

/// A login at a service: what a manifest says of it, with a person's settings and with the service's address.
package struct Login: Sendable {
  let oauth: OAuth
  /// The service that gets the tokens; no other does.
  let service: WebAddress.Origin
  /// The id of this program; nil if its setting has no value.
  let client: String?
  let secret: Secret?
  /// A person's own refresh token.
  let given: Secret?
  /// The reason why a command gave no secret; nil without one.
  private let failure: SourceError?
  /// The name under which its tokens are stored. Another service, program or right is another login.
  let name: String

  package init(_ oauth: OAuth, token: Setting, at service: WebAddress, _ settings: Settings) {
    (self.oauth, self.service) = (oauth, service.origin)
    client = settings.text(oauth.client)
    secret = oauth.secret.flatMap { settings.secret($0) }
    given = oauth.refresh.flatMap { settings.secret($0) }
    failure = [oauth.secret, oauth.refresh].lazy.compactMap(\.self).compactMap { settings.failure(of: $0.name) }.first
    let identity = [service.origin.description, oauth.tokens.shown, client ?? "", oauth.scope ?? ""]
    name = "\(token.name)-\(SHA256.hex(identity.joined(separator: "\u{0}")).prefix(16))"
  }

  /// The name of the account for budgets: tokens change, and the limit is the same.
  package var account: String { name }

  /// The settings that are needed and have no value.
  package var missing: [String] {
    var names = client == nil ? [oauth.client.name] : []
    if let setting = oauth.secret, secret == nil, !setting.isOptional { names.append(setting.name) }
    if oauth.grant == .refresh, given == nil, let setting = oauth.refresh { names.append(setting.name) }
    return names
  }

  /// Throws if a setting is missing.
  func check() throws(SourceError) {
    if let failure { throw failure }
    guard missing.isEmpty else { throw SourceError(.missingKey, "no login is set up", remedy: .set(missing)) }
  }

  /// The digest of the refresh token that a person set; empty without one.
  var origin: String { given.map { SHA256.hex($0.reveal()) } ?? "" }
}
