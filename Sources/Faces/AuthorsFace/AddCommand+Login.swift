import AggregatorCommand
import AggregatorCore
import Authoring
import Logins
import Services

/// The login of a service that is added: `--key oauth2:ADDRESS`.
extension AddCommand {
  /// Reads what follows `oauth2:`, the address of the tokens, and after spaces the rights to ask for.
  static func login(_ text: String) throws(UsageError) -> NamedKey {
    let words = text.split(separator: " ").map(String.init)
    // The text may hold a password, and is not repeated.
    guard let first = words.first, let tokens = WebAddress(first), tokens.isSafe else {
      throw UsageError(
        "--key oauth2:ADDRESS takes the https address that gives tokens; the rights to ask for may follow it: 'oauth2:ADDRESS read'"
      )
    }
    let scope = words.count > 1 ? words.dropFirst().joined(separator: " ") : nil
    return copy(of: NamedKey(.header("Authorization", scheme: "Bearer"))) {
      $0.login = NamedLogin(tokens: tokens, scope: scope)
    }
  }

  /// Asks a person for what a login needs. A pipe has a line for each part: the id, the secret, and perhaps a refresh token.
  static func asked(_ login: NamedLogin, _ invocation: Invocation) throws -> NamedLogin {
    let console = invocation.program.console
    func value(_ what: String) throws -> Secret? {
      let name = "\(what) for \(login.tokens.host)"
      let typed = console.isInputTerminal ? try console.readSecret(name) : try console.readValue() ?? ""
      try KeyFile.check(Secret(typed.trimmingSpaces), of: name)
      return typed.trimmingSpaces.isEmpty ? nil : Secret(typed.trimmingSpaces)
    }
    var login = login
    guard let client = try value("the program's id") else { throw UsageError("no id for the login on standard input") }
    (login.client, login.secret) = (client.reveal(), try value("the program's secret (empty if it has none)"))
    login.refresh = try value("a refresh token (empty if the program itself logs in)")
    guard login.secret != nil || login.refresh != nil else {
      throw UsageError(
        "a login without a secret needs a refresh token, or a page on which a person logs in; describe such a page in a manifest"
      )
    }
    return login
  }

  /// Logs in, and returns the key with its first token.
  static func token(
    _ key: NamedKey, _ login: NamedLogin, at service: WebAddress, of name: String, _ settings: DraftSettings,
    named setting: String,
    _ invocation: Invocation
  ) async throws -> NamedKey {
    invocation.say("asking \(login.tokens.host) for a token")
    var login = login
    func token() async throws -> Secret {
      let oauth = login.oauth(settings.stem)
      var world = try invocation.world()
      let values = login.values(for: oauth).map { ($0.setting, $0.value.reveal()) }
      world.settings = Settings(declared: oauth.settings, environment: Dictionary(values) { $1 })
      let token = Setting(setting, .secret, "")
      return try await LoginKeeper(Login(oauth, token: token, at: service, world.settings), of: name, in: world).token()
    }
    var access: Secret
    do { access = try await token() } catch let error as SourceError where error.kind == .refusedKey && login.refresh == nil {
      // Some services take the secret only in a header.
      login.usesBasic = true
      do { access = try await token() } catch is SourceError { throw error }
    }
    return copy(of: key.typed(access.reveal())) { $0.login = login }
  }
}
