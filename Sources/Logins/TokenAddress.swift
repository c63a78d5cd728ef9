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
      throw copy(of: error) { $0.message = "the address of the tokens gave an answer of another kind: \(error.message)" }
    }
  }

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
      return try read(response, hiding: scrubber)
    } catch let error as SourceError {
      throw copy(of: error) {
        $0.message = scrubber.scrub($0.message)
        $0.remedy = $0.remedy ?? .advice("check the address of the tokens, \(address)")
      }
    }
  }

  private func read(_ response: HTTPResponse, hiding scrubber: Scrubber) throws -> JSON {
    guard !(300..<400).contains(response.status) else {
      throw SourceError(
        .malformed, "the address of the tokens redirects (HTTP \(response.status)); nothing was sent to another address")
    }
    let json = try? JSON(response.body)
    // Some services send an error with the status of a success.
    if let json, json.kind == .object, let code = try? json.string("error") {
      let words = (try? json.stringIfPresent("error_description")) ?? nil
      let shown = [code, words].compactMap(\.self).map { Printable.clean(scrubber.scrub(String($0.prefix(200)))) }
      throw Refusal(
        code: code, words: shown.joined(separator: ": "), status: response.status, trouble: trouble(of: response))
    }
    guard (200..<300).contains(response.status) else {
      let words = response.trouble(at: clock.now)?.message ?? "the address of the tokens answered with HTTP \(response.status)"
      throw Refusal(code: "", words: words, status: response.status, trouble: trouble(of: response))
    }
    guard let json, json.kind == .object else {
      throw SourceError(.malformed, "the address of the tokens did not answer with JSON")
    }
    return json
  }

  /// Returns the error of a service that fails or asks for a pause; nil for other answers.
  private func trouble(of response: HTTPResponse) -> SourceError? {
    response.status >= 500 || [408, 429].contains(response.status) ? response.trouble(at: clock.now) : nil
  }
}
