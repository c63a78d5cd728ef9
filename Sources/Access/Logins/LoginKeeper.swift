package import AggregatorCore
import Synchronization

/// The one place that uses and renews the tokens of a login.
///
/// A token is renewed by one process at a time. The use of a refresh token is noted before it is sent, and the answer is stored before it
/// is used. So no refresh token is sent twice. A process that is killed between the two loses the login: that is the one moment.
package final class LoginKeeper: Sendable {
  package let login: Login
  /// The source that a person names to log in.
  let source: String
  let secrets: any SecretStore
  let address: TokenAddress
  let clock: any Timekeeper
  /// The tokens as this process saw them last.
  private let seen = Mutex<Tokens?>(nil)
  private let renewals = SharedRequests<Secret?, Secret>()

  package init(_ login: Login, of source: String, in world: World) {
    (self.login, self.source, secrets, clock) = (login, source, world.secrets, world.clock)
    let layers: [any Middleware] = [
      ReachabilityMiddleware(world.hosts, clock: world.clock), EventMiddleware(clock: world.clock, counting: world.requests),
    ]
    address = TokenAddress(login: login, transport: world.transport.through(layers), clock: world.clock)
  }

  // MARK: - Using

  /// Returns a token that can be used, as far as is known. `refused` is one that the service did not take.
  package func token(insteadOf refused: Secret? = nil) async throws -> Secret {
    if let tokens = seen.withLock(\.self), let access = usable(tokens, insteadOf: refused) { return access }
    return try await renewals.value(for: refused) { [self] in
      // A renewal that has begun is brought to its end.
      try await Deadline.disregarded { [self] in
        try await secrets.alone(login.name) { [self] in try await found(insteadOf: refused) }
      }
    }
  }

  /// The refresh token of the tokens that are used; nil without one.
  var refresh: Secret? { seen.withLock { $0?.refresh } }

  private func usable(_ tokens: Tokens, insteadOf refused: Secret?) -> Secret? {
    tokens.isFresh(at: clock.now) && tokens.access != refused ? tokens.access : nil
  }

  /// Returns the token that another process has stored meanwhile, or a new one.
  private func found(insteadOf refused: Secret?) async throws -> Secret {
    try login.check()
    let old = try stored()
    var tokens = old ?? Tokens(cameAt: clock.now)
    var access = old.flatMap { usable($0, insteadOf: refused) }
    if access == nil {
      tokens =
        login.oauth.grant == .client
        ? try await fetched() : try await UnfinishedRenewals.counting { try await renewed(old) }
      access = tokens.access
    }
    let before = seen.withLock { [tokens] seen in
      defer { seen = tokens }
      return seen?.holder ?? old?.holder
    }
    // What this process has opened is the list of the account before.
    if let before, let holder = tokens.holder, holder != before {
      throw SourceError(
        .settings,
        "the service now gives tokens of another account: \(Printable.clean(holder)) in place of \(Printable.clean(before))",
        remedy: .advice("run this again to use that account"))
    }
    guard let access else { throw lost(tokens) }
    return access
  }

  // MARK: - Renewing

  private func fetched() async throws -> Tokens {
    do {
      var tokens = try await address.tokens(["grant_type": Secret("client_credentials")])
      // RFC 6749, 4.4.3: a client that can log in at any time needs no refresh token.
      (tokens.refresh, tokens.holder) = (nil, tokens.holder ?? login.client)
      try keep(tokens)
      return tokens
    } catch let refusal as TokenAddress.Refusal {
      if refusal.isTemporary, refusal.status != 403 { throw refusal.passing("no token was given") }
      throw SourceError(
        .refusedKey, "the service refused the login: \(refusal.words)", remedy: refusal.remedy)
    }
  }

  private func renewed(_ old: Tokens?) async throws -> Tokens {
    guard var tokens = old, tokens.mayRenew, let refresh = tokens.refresh else { throw lost(old) }
    tokens.use = .sent
    try keep(tokens)
    do {
      var new = try await address.tokens(["grant_type": Secret("refresh_token"), "refresh_token": refresh])
      new.rotates = new.refresh.map { $0 != refresh } ?? false
      (new.refresh, new.origin, new.past) = (new.refresh ?? refresh, tokens.origin, tokens.past)
      let (before, named) = (tokens.holder, new.holder)
      // The account that no answer named at first keeps its name here.
      new.holder = before.flatMap { $0.hasPrefix(Self.unnamed) ? $0 : nil } ?? named ?? before ?? Self.unnamed + tokens.origin
      try keep(new)
      return new
    } catch let refusal as TokenAddress.Refusal {
      // A service that does not know the program, or the address, did not look at the token.
      tokens.use = refusal.endsLogin ? .refused : .unused
      try keep(tokens)
      if refusal.isTemporary { throw refusal.passing("the token was not renewed") }
      guard refusal.endsLogin else {
        throw SourceError(
          .refusedKey, "the service refused the login: \(refusal.words)", remedy: refusal.remedy)
      }
      throw copy(of: lost(tokens)) { $0.message += ": \(refusal.words)" }
    } catch let error as SourceError {
      if [.unreachable, .noTransport, .requestsSpent].contains(error.kind) {
        tokens.use = .unused
        try keep(tokens)
      }
      // The error of the one request is told once; from now on the login is what has to be mended.
      guard !tokens.mayRenew, error.kind != .storage else { throw error }
      throw copy(of: lost(tokens)) {
        $0.message += " (\(error.message))"
        // An answer of another kind may come from a wrong address.
        if error.kind == .malformed, let cure = error.remedy { $0.remedy = $0.remedy.map(cure.or) ?? cure }
      }
    }
  }

  /// The beginning of the name of an account that no answer with tokens has named.
  private static let unnamed = "given "

  // MARK: - Stored tokens

  /// Returns the stored tokens; nil if none is stored, or if a person has set another refresh token since.
  func stored() throws -> Tokens? {
    var first = login.given.map { Tokens(refresh: $0, cameAt: clock.now, origin: login.origin) }
    guard let bytes = try secrets.text(login.name) else { return first }
    do {
      let tokens = try Tokens(bytes)
      if tokens.origin == login.origin { return tokens }
      first?.past = tokens.past + [tokens.origin]
      if tokens.past.contains(login.origin) { first?.use = .past }
      return first
    } catch {
      throw SourceError(
        .storage, "the stored tokens of \(source) cannot be read",
        remedy: .ask(.init(ofProgram: "logout", source), "to remove them"))
    }
  }

  func keep(_ tokens: Tokens?) throws { try secrets.keep(tokens?.bytes, as: login.name) }

  /// The remedy of a login whose token the service does not take.
  package var remedy: Remedy {
    if login.oauth.grant == .client { return .set(login.oauth.settings.map(\.name)) }
    return login.oauth.refresh.map { Remedy.set([$0.name]) } ?? .logIn(source)
  }

  /// Returns the error of a login that has no usable token.
  private func lost(_ tokens: Tokens?) -> SourceError {
    switch tokens?.use {
    case nil: SourceError(.missingKey, "not logged in", remedy: remedy)
    case .refused: SourceError(.refusedKey, "the service has ended the login", remedy: remedy)
    case .loggedOut: SourceError(.missingKey, "logged out", remedy: remedy)
    case .past: SourceError(.refusedKey, "this refresh token was used before, and may be used up", remedy: remedy)
    case .sent:
      SourceError(.refusedKey, "a renewal of the login was interrupted, so its token may be used up", remedy: remedy)
    case .unused: SourceError(.refusedKey, "the service gave no token to renew the login with", remedy: remedy)
    }
  }

  // MARK: - The state

  /// The state of the login, without asking the service.
  package var state: LoginState {
    do {
      try login.check()
      let tokens = try stored()
      if login.oauth.grant == .client {
        return LoginState(holder: login.client, words: "logs in by itself\(tokens.map(ending) ?? "")")
      }
      let isUsable = tokens.map { $0.mayRenew || $0.isFresh(at: clock.now) } ?? false
      guard let tokens, isUsable else { throw lost(tokens) }
      return LoginState(holder: tokens.holder, words: "logged in\(ending(tokens))")
    } catch {
      let error = error as? SourceError ?? SourceError(.storage, "\(error)")
      return LoginState(holder: (try? stored())?.holder, trouble: error, words: error.message)
    }
  }

  private func ending(_ tokens: Tokens) -> String {
    guard tokens.access != nil else { return "" }
    guard tokens.isFresh(at: clock.now) else { return ", and its token is renewed on the next request" }
    guard let lasts = tokens.lasts else { return ", and the service says no end of its token" }
    return ", and its token ends in \((tokens.cameAt + lasts - clock.now).inWords)"
  }
}
