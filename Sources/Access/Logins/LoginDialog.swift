package import AggregatorCore
import Platform

/// A login in which a person takes part, with a browser on this machine or on another.
package struct LoginDialog: Sendable {
  /// The page that a person opens, and the code that the person types there; nil if the page needs none.
  package struct Invitation: Sendable, Hashable {
    package let page: WebAddress
    package let code: String?
    /// True when the page leads back to this machine, so that a browser here has to open it.
    package let isForThisMachine: Bool
  }

  private let keeper: LoginKeeper
  private let invite: @Sendable (Invitation) -> Void
  private var login: Login { keeper.login }

  /// A dialog that shows its page by `invite`.
  package init(_ keeper: LoginKeeper, inviting invite: @escaping @Sendable (Invitation) -> Void) {
    (self.keeper, self.invite) = (keeper, invite)
  }

  /// Logs in, and stores the tokens. Throws if the person refuses, or does nothing for too long.
  package func run() async throws {
    try login.check()
    do {
      switch login.oauth.grant {
      case .device: try await askForDevice()
      case .code: try await askOnPage()
      case .client, .refresh: _ = try await keeper.token()
      }
    } catch let refusal as TokenAddress.Refusal {
      throw refused(refusal)
    }
  }

  private func refused(_ refusal: TokenAddress.Refusal) -> SourceError {
    switch refusal.code {
    case "access_denied": SourceError(.refusedKey, "the login was declined on the page")
    case "expired_token": Self.tooLate
    default: SourceError(.refusedKey, "the service refused the login: \(refusal.words)", remedy: refusal.remedy)
    }
  }

  private static let tooLate = SourceError(.timedOut, "no person logged in while the page was valid")

  private func keep(_ tokens: Tokens) async throws {
    var tokens = tokens
    // Without a name each login is an account of its own.
    tokens.holder = tokens.holder ?? "login \(Self.random(16))"
    try await keeper.secrets.alone(login.name) { [keeper, tokens] in try keeper.keep(tokens) }
  }

  // MARK: - A code on another device (RFC 8628)

  private func askForDevice() async throws {
    guard let page = login.oauth.page else { return }
    let json = try await keeper.address.answer(from: page, [:])
    let (device, code) = (try json.string("device_code"), try json.string("user_code"))
    // Some services spell it as an earlier draft did.
    let shown = try json.stringIfPresent("verification_uri") ?? json.string("verification_url")
    guard let address = WebAddress(shown), address.isSafe else {
      throw SourceError(.malformed, "the service names no page to log in on")
    }
    invite(Invitation(page: address, code: Printable.clean(code), isForThisMachine: false))
    let seconds = (try? json.intIfPresent("expires_in")) ?? nil
    let deadline = keeper.clock.now + .seconds(min(max(seconds ?? 900, 1), 3_600))
    var pause = Duration.seconds(min(max(((try? json.intIfPresent("interval")) ?? nil) ?? 5, 1), 60))
    while keeper.clock.now + pause < deadline {
      try await keeper.clock.sleep(for: pause)
      do {
        let tokens = try await keeper.address.tokens([
          "grant_type": Secret("urn:ietf:params:oauth:grant-type:device_code"), "device_code": Secret(device),
        ])
        return try await keep(tokens)
      } catch let refusal as TokenAddress.Refusal where refusal.code == "authorization_pending" {
        continue
      } catch let refusal as TokenAddress.Refusal where refusal.isTemporary {
        pause += .seconds(5)
      } catch let error as SourceError where error.kind.isTransient || error.kind == .unreachable {
        pause += .seconds(5)
      }
    }
    throw Self.tooLate
  }

  // MARK: - A page that leads back (RFC 8252, RFC 7636)

  /// The time for a person to log in on the page.
  private static let patience = Duration.seconds(600)

  private func askOnPage() async throws {
    guard let page = login.oauth.page else { return }
    let listener = try LoopbackListener()
    let (state, verifier) = (Self.random(32), Self.random(32))
    let challenge = Base64.encode(SHA256.digest(of: Array(verifier.utf8)), forAddresses: true)
    let own = "http://127.0.0.1:\(listener.port)/"
    var items: [(String, String)] = [
      ("response_type", "code"), ("client_id", login.client ?? ""), ("redirect_uri", own), ("state", state),
      ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]
    if let scope = login.oauth.scope { items.append(("scope", scope)) }
    items += login.oauth.parameters.map { ($0.name, $0.value) }
    let query = items.map { HTTPRequest.Item($0.0, .plain($0.1)) }
    invite(Invitation(page: page.appending(query: query) { _ in "" }, code: nil, isForThisMachine: true))
    let found = try await listener.answer(within: Self.patience) { $0["state"] == state && ($0["code"] ?? $0["error"]) != nil }
    guard let found else { throw Self.tooLate }
    if let error = found["error"] {
      throw TokenAddress.Refusal(
        code: error, words: Printable.clean(String((found["error_description"] ?? error).prefix(200))), status: 0,
        remedy: keeper.address.remedy(of: error, 0, from: page))
    }
    try await keep(
      keeper.address.tokens([
        "grant_type": Secret("authorization_code"), "code": found["code"].map { Secret($0) }, "redirect_uri": Secret(own),
        "code_verifier": Secret(verifier),
      ]))
  }

  /// Returns so many random bytes as a text that can stand in an address.
  private static func random(_ count: Int) -> String {
    var system = SystemRandomNumberGenerator()
    return Base64.encode((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &system) }, forAddresses: true)
  }
}

extension LoginKeeper {
  /// Removes the tokens from this machine. Returns false if none were stored.
  package func logOut() async throws -> Bool {
    try await secrets.alone(login.name) { [self] in
      guard try secrets.text(login.name) != nil, try stored().map({ $0.access != nil || $0.mayRenew }) ?? false else {
        return false
      }
      // A person's own refresh token may have been used, so it is not sent again.
      let past = try stored()?.past ?? []
      try keep(login.given.map { _ in Tokens(use: .loggedOut, cameAt: clock.now, origin: login.origin, past: past) })
      return true
    }
  }
}
