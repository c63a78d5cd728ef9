import AggregatorCore

/// The address that gives tokens, with the requests that it answers.
struct TokenAddress: Sendable {
  let login: Login
  let transport: any Transport
  let clock: any Timekeeper

  /// An answer to a request for tokens that refuses them and says why, by RFC 6749, 5.2 and RFC 8628, 3.5.
  struct Refusal: Error {
    let code: String
    let words: String
    let status: Int
    /// The error that HTTP's own rules make of the status, with the time to wait.
    var trouble: SourceError?
    /// The remedy of a refusal that is not about the token.
    let remedy: Remedy

    /// True when the service says that it did not take the token, or fails; the token can be sent again.
    var isTemporary: Bool {
      ["temporarily_unavailable", "server_error", "slow_down"].contains(code) || status >= 500 || [408, 429].contains(status)
        || !Self.codes.contains(code) && !endsLogin && (200..<300 ~= status || status == 403)
    }

    /// True when the service refuses the token itself. Any other refusal is about the program, the request or the
    /// service, and the token stays.
    var endsLogin: Bool { status < 500 && status != 429 && Self.endings.contains(code) }

    /// The codes of a token that has ended: that of RFC 6749, and those that some services have in its place.
    private static let endings: Set = [
      "invalid_grant", "invalid_token", "invalid_refresh_token", "bad_refresh_token", "expired_token", "token_expired",
      "token_revoked",
    ]
    /// The codes about a program that is not set up as the service expects.
    private static let codes: Set = [
      "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_request", "invalid_scope", "access_denied",
    ]

    /// Returns the error of a refusal that may end by itself, with the time to wait.
    func passing(_ what: String) -> SourceError {
      copy(of: trouble ?? SourceError(.unavailable, "")) { $0.message = "\(what): \(words)" }
    }
  }

  /// The most bytes of an answer.
  private static let longest = 1 << 20

  /// Asks for tokens with these members of the body. Throws a `Refusal` if the service says that it gives none.
  func tokens(_ members: KeyValuePairs<String, Secret?>) async throws -> Tokens {
    let json = try await answer(from: login.oauth.tokens, members)
    do {
      return try Tokens(answer: json, at: clock.now, naming: login.oauth.holder)
    } catch let error as SourceError {
      throw copy(of: error) {
        $0.message = "the address of the tokens gave an answer of another kind: \(error.message)"
        $0.remedy = error.remedy ?? check(login.oauth.tokens)
      }
    }
  }

  /// The remedy of a refusal with this code and this status: what it is about, in the settings or in the source's file.
  func remedy(of code: String, _ status: Int, from address: WebAddress) -> Remedy {
    let oauth = login.oauth
    let program = Remedy.set([oauth.client, oauth.secret].compactMap { $0?.name })
    return switch code {
    case "invalid_client": program
    case "invalid_scope": .checkLogin("scope")
    case "unsupported_grant_type": .checkLogin("grant")
    case "unauthorized_client": program.or(.checkLogin("grant"))
    case "invalid_request": .checkLogin("parameters")
    case _ where [404, 405, 410].contains(status): check(address)
    default: .set(oauth.settings.map(\.name))
    }
  }

  /// The address as a person knows it: that of the tokens, or that of the codes for devices.
  private func name(of address: WebAddress) -> String {
    address == login.oauth.tokens ? "the address of the tokens" : "the address of the codes"
  }

  private func check(_ address: WebAddress) -> Remedy { .advice("check \(name(of: address)), \(address)") }

  /// Returns the JSON that a form with these members is answered with.
  func answer(from address: WebAddress, _ members: KeyValuePairs<String, Secret?>) async throws -> JSON {
    var request = HTTPRequest(.post, address)
    (request.isPrivate, request.limits.bodyBytes) = (true, Self.longest)
    request.headers = [
      .init("Accept", "application/json"), .init("Content-Type", "application/x-www-form-urlencoded"),
    ]
    var items = members.compactMap { name, value in value.map { (name, $0.reveal()) } }
    items += login.oauth.parameters.map { ($0.name, $0.value) }
    if let scope = login.oauth.scope, !items.contains(where: { $0.0 == "code" || $0.0 == "device_code" }) {
      items.append(("scope", scope))
    }
    let client = login.client ?? ""
    if login.oauth.usesBasic, let secret = login.secret {
      // RFC 6749, 2.3.1: both are encoded as in a form first.
      let (user, password) = (PercentEncoding.query(client), PercentEncoding.query(secret.reveal()))
      request.headers.append(.init("Authorization", .basic(Secret(password), user: user)))
    } else {
      items.append(("client_id", client))
      if let secret = login.secret { items.append(("client_secret", secret.reveal())) }
    }
    request.body = Array(items.map { "\(PercentEncoding.query($0))=\(PercentEncoding.query($1))" }.joined(separator: "&").utf8)
    // The body holds secrets, which an answer may repeat.
    let scrubber = Scrubber(
      members.compactMap { $1 }.filter { $0.reveal().utf8.count >= Scrubber.shortest } + [login.secret].compactMap(\.self))
    do {
      let response = try await transport.send(request)
      return try read(response, from: address, hiding: scrubber)
    } catch let error as SourceError {
      throw copy(of: error) {
        $0.message = scrubber.scrub($0.message)
        $0.remedy = $0.remedy ?? check(address)
      }
    }
  }

  private func read(_ response: HTTPResponse, from address: WebAddress, hiding scrubber: Scrubber) throws -> JSON {
    let place = name(of: address)
    guard !(300..<400).contains(response.status) else {
      throw SourceError(.malformed, "\(place) redirects (HTTP \(response.status)); nothing was sent to another address")
    }
    func refusal(_ code: String, _ words: String) -> Refusal {
      Refusal(
        code: code, words: words, status: response.status, trouble: trouble(of: response),
        remedy: remedy(of: code, response.status, from: address))
    }
    let json = try? JSON(response.body)
    // Some services send an error with the status of a success.
    if let json, json.kind == .object, let code = try? json.string("error") {
      let words = (try? json.stringIfPresent("error_description")) ?? nil
      let shown = [code, words].compactMap(\.self).map { Printable.clean(scrubber.scrub(String($0.prefix(200)))) }
      throw refusal(code, shown.joined(separator: ": "))
    }
    guard (200..<300).contains(response.status) else {
      throw refusal("", response.trouble(at: clock.now)?.message ?? "\(place) answered with HTTP \(response.status)")
    }
    guard let json, json.kind == .object else {
      throw SourceError(.malformed, "\(place) did not answer with JSON")
    }
    return json
  }

  /// Returns the error of a service that fails or asks for a pause; nil for other answers.
  private func trouble(of response: HTTPResponse) -> SourceError? {
    response.status >= 500 || [408, 429].contains(response.status) ? response.trouble(at: clock.now) : nil
  }
}

extension Remedy {
  /// Check this member of `oauth`, by which a file describes the login.
  static func checkLogin(_ member: String) -> Remedy { .advice("check \"\(member)\" of oauth in the source's file") }
}
