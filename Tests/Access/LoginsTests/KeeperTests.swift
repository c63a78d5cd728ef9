import AggregatorCore
import Platform
import SourceTesting
import Synchronization
import Testing

@testable import Logins

/// The tokens of a login, from a service that the test answers for.
struct KeeperTests {
  private static let refresh = Setting("THINGS_REFRESH", .secret, "")
  private static let client = Setting("THINGS_CLIENT", .text, "", default: "me")
  private static let service = "https://things.example/api"

  private static func keeper(
    _ secrets: SecretsInMemory, _ clock: TestClock, given: String = "first", _ transport: any Transport
  ) throws -> LoginKeeper {
    let tokens = try #require(WebAddress("https://login.example/token"))
    let oauth = copy(of: OAuth(.refresh, tokens: tokens, client: client)) { $0.refresh = refresh }
    let settings = Settings(declared: [client, refresh], flags: [refresh.name: given])
    var world = World(settings: settings, transport: transport)
    (world.clock, world.secrets) = (clock, secrets)
    let login = Login(oauth, token: Setting("THINGS_TOKEN", .secret, ""), at: try #require(WebAddress(service)), settings)
    return LoginKeeper(login, of: "things", in: world)
  }

  /// A service that gives the tokens a1 and r1, a2 and r2, and so on.
  private static func issuer(lasts: Int = 100, rotates: Bool = true) -> StubTransport {
    StubTransport { _, number in
      let refresh = rotates ? #", "refresh_token": "refresh-\#(number + 1)""# : ""
      return try StubTransport.Answer.json(#"{"access_token": "access-\#(number + 1)", "expires_in": \#(lasts)\#(refresh)}"#).get()
    }
  }

  private static func sent(_ transport: StubTransport) -> [String] {
    transport.requests.map {
      String(decoding: $0.body ?? [], as: UTF8.self).split(separator: "&").first { $0.hasPrefix("refresh_token=") }.map(String.init) ?? ""
    }
  }

  @Test("a token is used until shortly before its end, and then renewed with the newest refresh token")
  func renewal() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let keeper = try Self.keeper(secrets, clock, issuer)
    #expect(try await keeper.token().reveal() == "access-1")
    clock.advance(by: .seconds(89))
    #expect(try await keeper.token().reveal() == "access-1")
    clock.advance(by: .seconds(2))
    #expect(try await keeper.token().reveal() == "access-2")
    #expect(Self.sent(issuer) == ["refresh_token=first", "refresh_token=refresh-1"])
  }

  @Test("callers at the same time, in one keeper and in several, cause one renewal")
  func together() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let keepers = try (0..<4).map { _ in try Self.keeper(secrets, clock, issuer) }
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<40 { group.addTask { try await keepers[number % 4].token().reveal() } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(tokens == ["access-1"] && issuer.requests.count == 1)
  }

  @Test("a refresh token whose answer did not come is not sent again, unless the service keeps refresh tokens", arguments: [true, false])
  func interrupted(rotates: Bool) async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer(rotates: rotates))
    _ = try await Self.keeper(secrets, clock, issuer).token()
    clock.advance(by: .seconds(200))
    let silent = StubTransport { _, _ in throw SourceError(.interrupted, "the connection was lost") }
    await #expect(throws: SourceError.self) { try await Self.keeper(secrets, clock, silent).token() }
    let again = Self.issuer(rotates: rotates)
    let keeper = try Self.keeper(secrets, clock, again)
    if rotates {
      let error = await #expect(throws: SourceError.self) { try await keeper.token() }
      #expect(error?.kind == .refusedKey && error?.remedy == .set(["THINGS_REFRESH"]) && again.requests.isEmpty)
      #expect(keeper.state.trouble != nil)
    } else {
      #expect(try await keeper.token().reveal() == "access-1" && Self.sent(again) == ["refresh_token=first"])
    }
  }

  @Test("a refresh token is sent again where the service could not be reached, or says that it took nothing")
  func unsent() async throws {
    for error in [
      StubTransport.Answer.failure(SourceError(.unreachable, "refused")), .status(503),
      .status(400, body: #"{"error": "temporarily_unavailable"}"#),
    ] {
      let (secrets, clock) = (SecretsInMemory(), TestClock())
      let failing = StubTransport(playing: error)
      await #expect(throws: SourceError.self) { try await Self.keeper(secrets, clock, failing).token() }
      let issuer = Self.issuer()
      #expect(try await Self.keeper(secrets, clock, issuer).token().reveal() == "access-1")
    }
  }

  @Test(
    "only a refusal of the token itself ends a login",
    arguments: [
      (400, #"{"error": "invalid_grant"}"#, true), (401, #"{"error": "invalid_token"}"#, true),
      (200, #"{"error": "bad_refresh_token"}"#, true),
      (500, #"{"error": "Internal server error"}"#, false), (502, #"{"error": "bad gateway"}"#, false),
      (403, #"{"error": "rate limit exceeded"}"#, false), (403, "<html>", false), (404, #"{"error": "not found"}"#, false),
      (400, #"{"error": "invalid_request"}"#, false), (200, #"{"error": "maintenance"}"#, false),
      (500, #"{"error": "invalid_grant"}"#, false),
    ])
  func outage(status: Int, body: String, ends: Bool) async throws {
    let (secrets, clock) = (SecretsInMemory(), TestClock())
    let failing = StubTransport(playing: .status(status, body: body))
    let error = await #expect(throws: SourceError.self) { try await Self.keeper(secrets, clock, failing).token() }
    #expect(!ends || error?.kind == .refusedKey)
    let issuer = Self.issuer()
    let again = try? await Self.keeper(secrets, clock, issuer).token().reveal()
    #expect(again == (ends ? nil : "access-1") && issuer.requests.count == (ends ? 0 : 1))
  }

  private static let address = Remedy.advice("check the address of the tokens, https://login.example/token")
  private static func member(_ name: String) -> Remedy { .advice("check \"\(name)\" of oauth in the source's file") }

  @Test(
    "a refusal that is not about the token names what it is about: the address, a member of the file, or the program's settings",
    arguments: [
      (404, "nope", address), (405, "nope", address), (404, #"{"error": "not found"}"#, address),
      (400, #"{"error": "invalid_scope"}"#, member("scope")), (400, #"{"error": "unsupported_grant_type"}"#, member("grant")),
      (400, #"{"error": "unauthorized_client"}"#, Remedy.set(["THINGS_CLIENT"]).or(member("grant"))),
      (400, #"{"error": "invalid_request"}"#, member("parameters")), (401, #"{"error": "invalid_client"}"#, .set(["THINGS_CLIENT"])),
      (401, "", .set(["THINGS_CLIENT", "THINGS_REFRESH"])), (302, "", address.or(.set(["THINGS_REFRESH"]))),
      (200, "<html>", address.or(.set(["THINGS_REFRESH"]))), (200, #"{"token": "a"}"#, address.or(.set(["THINGS_REFRESH"]))),
    ] as [(Int, String, Remedy)])
  func remedies(status: Int, body: String, remedy: Remedy) async throws {
    let answering = StubTransport(playing: .status(status, body: body))
    let keeper = try Self.keeper(SecretsInMemory(), TestClock(), answering)
    let error = await #expect(throws: SourceError.self) { try await keeper.token() }
    #expect(error?.remedy == remedy, "\(String(describing: error))")
  }

  @Test("where the service refuses the token of a login, the remedy is about the login, not about a key")
  func remedyOfLogin() async throws {
    let keeper = try Self.keeper(SecretsInMemory(), TestClock(), Self.issuer())
    var client = Client(
      try #require(WebAddress(Self.service)), over: StubTransport { _, _ in HTTPResponse(status: 403) },
      through: [TokenMiddleware(keeper, .header("Authorization", scheme: "Bearer"))])
    client.remedyOfLogin = keeper.remedy
    let trouble = try await client.trouble(in: client.send(client.request()))
    #expect(trouble?.kind == .refusedKey && trouble?.remedy == .set(["THINGS_REFRESH"]))
  }

  @Test("the wait that the address of the tokens asks for is kept")
  func wait() async throws {
    let busy = StubTransport { _, _ in HTTPResponse(status: 429, headers: [.init("Retry-After", "100")]) }
    let error = await #expect(throws: SourceError.self) { try await Self.keeper(SecretsInMemory(), TestClock(), busy).token() }
    #expect(
      error?.kind == .throttled && error?.retryAfter == .seconds(100) && error?.message.hasPrefix("the token was not renewed") == true)
  }

  @Test("a renewal whose caller has given up is brought to its end, and a command that ends waits for it")
  func unfinished() async throws {
    let (secrets, clock) = (SecretsInMemory(), TestClock())
    let gate = Mutex(false)
    let slow = StubTransport { _, _ in
      while !gate.withLock(\.self) { await Task.yield() }
      return try StubTransport.Answer.json(#"{"access_token": "late", "refresh_token": "next"}"#).get()
    }
    let keeper = try Self.keeper(secrets, clock, slow)
    let caller = Task { try await keeper.token() }
    while slow.requests.isEmpty { await Task.yield() }
    caller.cancel()
    #expect(UnfinishedRenewals.areThere)
    gate.withLock { $0 = true }
    while try keeper.stored()?.access == nil { await UnfinishedRenewals.end(within: .seconds(30), by: SystemTime()) }
    #expect(try keeper.stored()?.refresh?.reveal() == "next")
  }

  @Test("tokens of another account are told, and are not used in the process that began with the first one")
  func otherAccount() async throws {
    let (secrets, clock) = (SecretsInMemory(), TestClock())
    func named(_ subject: String) -> StubTransport {
      let claims = Base64.encode(Array(#"{"sub":"\#(subject)"}"#.utf8), forAddresses: true)
      return StubTransport { _, number in
        try StubTransport.Answer.json(
          #"{"access_token": "\#(subject)-\#(number)", "expires_in": 100, "refresh_token": "\#(subject)\#(number)", "id_token": "e.\#(claims).x"}"#
        ).get()
      }
    }
    #expect(try await Self.keeper(secrets, clock, named("ann")).token().reveal() == "ann-0")
    clock.advance(by: .seconds(200))
    let keeper = try Self.keeper(secrets, clock, named("bob"))
    let error = await #expect(throws: SourceError.self) { try await keeper.token() }
    #expect(error?.kind == .settings && error?.message.contains("another account") == true)
    let next = try Self.keeper(secrets, clock, named("bob"))
    #expect(try await next.token().reveal() == "bob-0" && next.state.holder?.hasSuffix("bob") == true)
  }

  @Test("a token that was taken before it was refused is renewed again")
  func renewedTwice() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let keeper = try Self.keeper(secrets, clock, issuer)
    // Each token is taken twice.
    let uses = Mutex<[String: Int]>([:])
    let wearing = StubTransport { request, _ in
      let token = issuer.requests.count.description
      let count = uses.withLock { uses in
        uses[token, default: 0] += 1
        return uses[token] ?? 0
      }
      return HTTPResponse(status: count > 2 ? 401 : 200)
    }
    let through = wearing.through([TokenMiddleware(keeper, .query("token"))])
    let request = HTTPRequest(.get, try #require(WebAddress("\(Self.service)/things")))
    for _ in 0..<9 { #expect(try await through.send(request).status == 200) }
    #expect(issuer.requests.count == 5)
  }

  @Test("another refresh token of the person begins another login")
  func replaced() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let first = try Self.keeper(secrets, clock, issuer)
    _ = try await first.token()
    let second = try Self.keeper(secrets, clock, given: "second", issuer)
    #expect(second.state.holder != first.state.holder || second.state.holder == nil)
    _ = try await second.token()
    #expect(Self.sent(issuer) == ["refresh_token=first", "refresh_token=second"])
    #expect(second.state.holder != nil && second.state.holder != first.state.holder)
  }

  @Test("a service that repeats the tokens of a login gives masks of them")
  func echoed() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let keeper = try Self.keeper(secrets, clock, issuer)
    let service = StubTransport(playing: .json(#"{"used": "access-1", "kept": "refresh-1", "name": "refresh"}"#))
    let client = Client(
      try #require(WebAddress(Self.service)), over: service,
      through: [TokenMiddleware(keeper, .header("Authorization", scheme: "Bearer"))], clock: clock)
    let answer = try await client.send(client.request()).json().value
    #expect(
      answer["used"] == .text(Scrubber.maskInAnswers) && answer["kept"] == .text(Scrubber.maskInAnswers)
        && answer["name"] == .text("refresh"))
  }

  @Test("a service that refuses every token causes one renewal, and not one for each request")
  func refused() async throws {
    let (secrets, clock, issuer) = (SecretsInMemory(), TestClock(), Self.issuer())
    let keeper = try Self.keeper(secrets, clock, issuer)
    let service = StubTransport { _, _ in HTTPResponse(status: 401) }
    let through = service.through([TokenMiddleware(keeper, .header("Authorization", scheme: "Bearer"))])
    let request = HTTPRequest(.get, try #require(WebAddress("\(Self.service)/things")))
    for _ in 0..<5 { #expect(try await through.send(request).status == 401) }
    #expect(issuer.requests.count == 2 && service.requests.count == 6)
    let elsewhere = HTTPRequest(.get, try #require(WebAddress("https://other.example/")))
    _ = try await through.send(elsewhere)
    #expect(service.requests.last?.headers.isEmpty == true, "another host gets no token")
  }
}

extension KeeperTests {
  @Test(
    "the time of a token is bounded, and one that says nothing useful counts as unknown",
    arguments: [("-1", nil), ("0", nil), ("3600", 3600), (#""3600""#, 3600), ("1e30", 315_360_000), ("null", nil), (#""soon""#, nil)]
      as [(String, Int?)])
  func times(text: String, seconds: Int?) throws {
    let json = try JSON(Array(#"{"access_token": "t", "expires_in": \#(text)}"#.utf8))
    let tokens = try Tokens(answer: json, at: TestClock.start, naming: nil)
    #expect(tokens.lasts == seconds.map { .seconds($0) } && tokens.isFresh(at: TestClock.start))
    #expect(try Tokens(tokens.bytes) == tokens)
  }

  @Test("a token from a clock that was ahead is not trusted")
  func ahead() {
    let tokens = Tokens(access: Secret("t"), cameAt: TestClock.start + .seconds(3_600), lasts: .seconds(3_600))
    #expect(!tokens.isFresh(at: TestClock.start) && tokens.isFresh(at: TestClock.start + .seconds(3_700)))
  }

  @Test("the account is the subject of the id token")
  func subject() throws {
    // {"iss":"https://login.example","sub":"42"}
    let token = "e30.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUiLCJzdWIiOiI0MiJ9.x"
    let json = try JSON(Array(#"{"access_token": "t", "id_token": "\#(token)"}"#.utf8))
    #expect(try Tokens(answer: json, at: TestClock.start, naming: nil).holder == "https://login.example 42")
  }
}
