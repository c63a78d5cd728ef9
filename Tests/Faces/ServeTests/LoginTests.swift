import AggregatorCore
import SourceTesting
import Synchronization
import TestServices
import Testing

@testable import Serve

/// The way of a browser to a server with a token: it gives the token once, and brings a cookie from then on.
@Suite("The login", .timeLimit(.minutes(30))) struct LoginTests {
  static let token = "0123456789abcdef"
  private let browser = ["Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"]

  private func server(_ services: TestServices = TestServices(), _ change: (inout Service) -> Void = { _ in }) async throws -> TestServer {
    try await TestServer(services) {
      $0.token = Secret(Self.token)
      change(&$0)
    }
  }

  /// Returns the cookie as a browser sends it back.
  private func cookie(_ server: TestServer) async throws -> String {
    let reply = try await server.logIn("token=\(Self.token)")
    return String(try #require(reply["set-cookie"]).prefix { $0 != ";" })
  }

  @Test(
    "a browser without the token is led to the form, and from there to where it wanted to be",
    arguments: [
      ("/", "/-/login", "/"), ("/ports?text=a&b=%26", "/-/login?to=%2Fports%3Ftext%3Da%26b%3D%2526", "/ports?text=a&b=%26"),
      ("/nothing", "/-/login?to=%2Fnothing", "/nothing"), ("/apis", "/-/login?to=%2Fapis", "/apis"),
      ("//evil.example", "/-/login", "/"), ("/\\evil.example", "/-/login", "/"),
      ("/%5Cevil.example", "/-/login?to=%2F%255Cevil.example", "/%5Cevil.example"), ("/?q=\(token)", "/-/login", "/"),
      ("/" + String(repeating: "a", count: 2000), "/-/login", "/"),
    ])
  func leadsToForm(target: String, form: String, end: String) async throws {
    let server = try await server()
    for method in ["GET", "HEAD"] {
      let reply = try await server.ask(target, method: method, browser)
      #expect(reply.status == 303 && reply["location"] == form && reply["www-authenticate"] == nil, "\(reply.headers)")
      #expect(!reply.headers.contains { $0.value.contains(Self.token) })
    }
    let page = try await server.ask(form, browser)
    #expect(page.status == 200 && page["content-type"] == "text/html; charset=utf-8")
    #expect(page.text.contains("action=\"\(form)\"") && page.text.contains("type=\"password\" id=\"token\" name=\"token\""))
    #expect(page.text.contains("autocomplete=\"current-password\"") && !page.text.contains("role=\"alert\""))
    for header in Guard.headers { #expect(page[header.name.lowercased()] == header.value) }
    #expect(try await server.ask(form, method: "HEAD").body.isEmpty)
    #expect(try await server.logIn("token=\(Self.token)", at: form)["location"] == end)
  }

  @Test(
    "a program is told that the token is missing, and so is a browser at an address for programs",
    arguments: [
      "/api", "/api/ports", "/api/nothing", "/metrics", "/healthz", "/readyz", "/openapi.json", "/problems", "/problems/no-token",
      "//api/ports",
    ])
  func tellsPrograms(target: String) async throws {
    let server = try await server()
    #expect(try await server.ask(target, browser).status == 401)
    for accept in ["*/*", "text/*", "application/json", "text/htmlx"] {
      #expect(try await server.ask("/", ["Accept: \(accept)"]).status == 401, "\(accept)")
    }
    #expect(try await server.ask("/", method: "POST", browser).status == 401)
    #expect(try await server.ask("/-/logout", method: "POST", browser).status == 401)
    #expect(try await server.ask("/", ["Accept: application/json", "Accept: TEXT/HTML; q=0.9"]).status == 303)
  }

  @Test("the right token is traded for a cookie, which stands for it at every address", arguments: GuardTests.paths)
  func takesCookie(path: String) async throws {
    let server = try await server()
    let reply = try await server.logIn("token=\(Self.token)")
    #expect(reply.status == 303 && reply["location"] == "/")
    let set = try #require(reply["set-cookie"])
    let (name, value) = ("aggregator-\(server.port)", set.dropFirst("aggregator-\(server.port)=".count).prefix { $0 != ";" })
    #expect(set == "\(name)=\(value); HttpOnly; SameSite=Strict; Path=/" && value.count == 64 && !set.contains(Self.token))
    let expected = path == "/nothing" ? 404 : 200
    for header in [
      "\(name)=\(value)", "a=b; \(name)=\(value)", "a=b;\(name)=\(value);c=d", "\(name)=x; \(name)=\(value)", "a; =; \(name)=\(value)",
    ] {
      #expect(try await server.ask(path, ["Cookie: \(header)"]).status == expected, "\(header)")
    }
    #expect(try await server.ask(path, ["Cookie: a=b", "Cookie: \(name)=\(value)"]).status == expected)
    #expect(try await server.ask(path, ["Authorization: Basic eDp5", "Cookie: \(name)=\(value)"]).status == expected)
    for header in [
      "", "\(name)=", "\(name)", "\(name)=\(Self.token)", "\(name)=\(value)0", "\(name)=\(value.dropLast())",
      "\(name)=\(value.uppercased())",
      "\(name)=\"\(value)\"", "aggregator=\(value)", "aggregator-1=\(value)", "x\(name)=\(value)", "\(name.dropLast())x=\(value)",
      "\(name)x=\(value)",
      "a=\(name)=\(value)",
    ] {
      #expect(try await server.ask(path, ["Cookie: \(header)"]).status == 401, "\(header)")
    }
    #expect(try await server.ask(path, ["Authorization: Bearer \(value)"]).status == 401)
  }

  @Test("the cookie ends when the token changes or the server starts again, and it is marked as secure for a browser that came over TLS")
  func bindsCookie() async throws {
    let server = try await server { $0.hosts = ["data.example"] }
    func cookie(_ token: String, _ port: Int? = 8080) -> TokenCookie { TokenCookie(for: Secret(token), calledAt: port) }
    var request = Request(target: "/")
    let own = cookie(Self.token)
    let header = own.header(for: request).value
    request.headers = [("cookie", String(header.prefix { $0 != ";" }))]
    #expect(own.isIn(request))
    for other in [cookie("0123456789abcdeF"), cookie(Self.token, 80), cookie(Self.token)] { #expect(!other.isIn(request)) }
    #expect(cookie(Self.token, nil).header(for: request).value.hasPrefix("aggregator="))
    let body = "token=\(Self.token)"
    let secure = try await server.logIn(body, ["Origin: https://data.example", "Sec-Fetch-Site: same-origin"], host: "data.example")
    #expect(secure["set-cookie"]?.hasSuffix("; Path=/; Secure") ?? false)
    let plain = try await server.logIn(body, ["Origin: http://data.example"], host: "data.example")
    #expect(plain["set-cookie"]?.hasSuffix("; Path=/") ?? false)
  }

  @Test(
    "a wrong token gives the form again, which says so",
    arguments: [
      "token=", "token=0123456789abcdeF", "token=0123456789abcdef0", "token=0123456789abcde", "token=%zz", "token=%ff%00",
      "token=+0123456789abcdef", "token=%22%3E%3Cscript%3E",
    ])
  func refuses(body: String) async throws {
    let server = try await server()
    let reply = try await server.logIn(body, at: "/-/login?to=%2Fports")
    #expect(reply.status == 403 && reply["set-cookie"] == nil && reply["location"] == nil)
    #expect(reply.text.contains("role=\"alert\"") && reply.text.contains("action=\"/-/login?to=%2Fports\""))
    #expect(!reply.text.contains("0123456789") && !reply.text.contains("\"><script"))
    #expect(try await server.logIn("token=%30123456789abcde%66").status == 303)
  }

  @Test("after ten wrong tokens in a minute the form takes none, not even the right one")
  func slows() async throws {
    let server = try await server()
    for _ in 0..<10 { #expect(try await server.logIn("token=wrong").status == 403) }
    let refused = try await server.logIn("token=%30123456789abcde%66")
    #expect(refused.status == 429 && refused["retry-after"] != nil && refused["set-cookie"] == nil)
  }

  @Test(
    "a form without exactly one token is refused, and a large one too",
    arguments: [
      ("", 400), ("token", 400), ("a=b", 400), ("token=\(token)&token=\(token)", 400), ("token=\(token)&token=x", 400),
      ("token=\(token)&to=/x", 400), ("{\"token\": \"\(token)\"}", 400), ("\u{0}\u{1}", 400),
      ("token=" + String(repeating: "a", count: 5000), 413), ("token=\(token)&a=" + String(repeating: "a", count: 60_000), 413),
      ("token=" + String(repeating: "a", count: 70_000), 413),
    ])
  func refusesForms(body: String, status: Int) async throws {
    let reply = try await server().logIn(body)
    #expect(reply.status == status && reply["set-cookie"] == nil)
  }

  @Test("a login of another type is refused, and no other address reads a body")
  func readsOneBody() async throws {
    let (server, body) = (try await server(), "token=\(Self.token)")
    for type in ["text/plain", "application/json", "multipart/form-data; boundary=a", "application/x-www-form-urlencodedx", ""] {
      #expect(try await server.logIn(body, type: type).status == 415, "\(type)")
    }
    #expect(try await server.logIn(body, type: nil).status == 415)
    for type in ["Application/X-WWW-Form-Urlencoded", "application/x-www-form-urlencoded; charset=UTF-8"] {
      #expect(try await server.logIn(body, type: type).status == 303, "\(type)")
    }
    let cookie = try await cookie(server)
    for (method, path) in [
      ("GET", "/-/login"), ("PUT", "/-/login"), ("POST", "/-/login/"), ("POST", "//-/login"), ("POST", "/%2d/login"), ("POST", "/-/logout"),
      ("POST", "/api/ports/sync"), ("POST", "/-/files/a/b"),
    ] {
      #expect(try await server.logIn(body, at: path, method: method, ["Cookie: \(cookie)"]).status == 400, "\(method) \(path)")
    }
  }

  @Test("a login that leads elsewhere than to an address of this server leads to its first page")
  func staysHere() async throws {
    let server = try await server()
    for to in [
      "//evil.example", "https://evil.example", "/%5Cevil", "%5C%5Cevil", "/\\evil", "evil.example", "", "/a%0D%0ASet-Cookie:%20a=b",
      "/%0A/evil",
      "/%09/evil", "/a%20b", "/%C3%A9", "%2F%2Fevil.example", "javascript:alert(1)", "/%7F", "%20/a", "/a%5Cb",
    ] {
      let reply = try await server.logIn("token=\(Self.token)", at: "/-/login?to=\(to)")
      // An empty one is refused, as every parameter without a value is.
      #expect(reply["location"] == "/" || to.isEmpty && reply.status == 400, "\(to) \(reply.headers)")
      #expect(!reply.headers.contains { $0.value.contains("evil") || $0.value.contains("a=b") })
      #expect(!(try await server.ask("/-/login?to=\(to)").text.contains("evil")), "\(to)")
    }
    #expect(try await server.logIn("token=\(Self.token)", at: "/-/login?to=/a&to=/b").status == 400)
    #expect(try await server.ask("/-/login?next=/a").status == 400)
    #expect(try await server.logIn("token=\(Self.token)", at: "/-/login?to=/a%253Cb%22%3Cc%3E")["location"] == "/a%3Cb\"<c>")
    #expect(!(try await server.ask("/-/login?to=/%22%3E%3Cscript%3E").text.contains("<script>")))
  }

  @Test("a page of another origin neither changes anything with the cookie nor logs in or out")
  func refusesOtherOrigins() async throws {
    let server = try await server()
    let cookie = ["Cookie: \(try await cookie(server))"]
    for headers in [
      ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Origin: http://evil.example"], ["Origin: null"],
      ["Origin: http://127.0.0.1:1"], ["Sec-Fetch-Site: same-site", "Origin: http://127.0.0.1:\(server.port)"],
    ] {
      for path in ["/api/ports/audit", "/-/logout", "/-/login"] {
        let reply = try await server.ask(path, method: "POST", headers + cookie)
        #expect(reply.status == 403 && reply["set-cookie"] == nil, "\(path) \(headers)")
      }
      #expect(try await server.ask("/api/ports/records/p1", method: "DELETE", headers + cookie).status == 403)
      let login = try await server.logIn("token=\(Self.token)", headers)
      #expect(login.status == 403 && login["set-cookie"] == nil, "\(headers)")
    }
    #expect(try await server.ask("/api/ports/audit", method: "POST", cookie + ["Sec-Fetch-Site: same-origin"]).status == 202)
    #expect(try await server.logIn("token=\(Self.token)", ["Sec-Fetch-Site: same-origin"]).status == 303)
    #expect(try await server.logIn("token=\(Self.token)", host: "evil.example").status == 421)
  }

  @Test("logging out ends the cookie in the browser and at the server, and no other login")
  func logsOut() async throws {
    let server = try await server { $0.isReadOnly = true }
    let (cookie, other) = (try await cookie(server), try await cookie(server))
    #expect(try await server.ask("/", ["Cookie: \(cookie)"]).status == 200)
    let reply = try await server.ask("/-/logout", method: "POST", ["Cookie: \(cookie)"])
    #expect(reply.status == 303 && reply["location"] == "/-/login")
    #expect(reply["set-cookie"] == "aggregator-\(server.port)=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0")
    #expect(try await server.ask("/", ["Cookie: \(cookie)"]).status == 401)
    #expect(try await server.ask("/", ["Cookie: \(cookie); \(other)"]).status == 200)
    #expect(try await server.ask("/-/logout", ["Cookie: \(other)"]).status == 405)
  }

  @Test(
    "a button of a page whose cookie has ended does nothing, and gives the form for the token, which says so",
    arguments: ["/-/logout", "/ports/sync", "/ports"])
  func endedCookie(target: String) async throws {
    let server = try await server()
    for cookie in [[], ["Cookie: aggregator-\(server.port)=dead"]] {
      let reply = try await server.ask(target, method: "POST", browser + cookie)
      #expect(reply.status == 401 && reply["set-cookie"] == nil && reply["content-type"] == "text/html; charset=utf-8")
      #expect(reply.text.contains("<p role=\"alert\">You are not signed in, so nothing was done.</p>"))
      #expect(reply.text.contains("action=\"/-/login\"") && reply.text.contains("name=\"token\"") && !reply.text.contains("<nav"))
    }
  }

  @Test("a server without a token has no login")
  func needsNoLogin() async throws {
    let server = try await TestServer()
    for reply in [try await server.ask("/-/login?to=/a"), try await server.logIn("token=a")] {
      #expect(reply.status == 303 && reply["location"] == "/" && reply["set-cookie"] == nil)
    }
    let out = try await server.ask("/-/logout", method: "POST")
    #expect(out.status == 303 && out["location"] == "/-/login" && out["set-cookie"] == nil)
  }

  @Test("without the token the form and its files are given and nothing else, also where the sources cannot be read")
  func tellsNothingElse() async throws {
    let look: @Sendable () throws -> (Catalogue, Settings) = { throw SourceError(.settings, "a secret matter") }
    let server = try await TestServer(of: look, in: TestServices().world()) { $0.token = Secret(Self.token) }
    for file in [PageAsset.style, .script, .icon] { #expect(try await server.ask(file.address).body == file.bytes) }
    for path in [
      "/-/files/a/b", "/-/files/", "/-/files/../../api/ports", "/-/files/..%2F..%2Fapi/ports", "/-/login/x", "/-/filesx", "/-/", "/-",
    ] {
      let reply = try await server.ask(path)
      #expect([401, 404].contains(reply.status) && !reply.text.contains("secret"), "\(path) \(reply.status)")
    }
    let page = try await server.ask("/-/login")
    #expect(page.status == 200 && !page.text.contains("<nav") && !page.text.contains("/-/search"))
    let reply = try await server.ask("/healthz", ["Authorization: Bearer \(Self.token)"])
    #expect(reply.status == 500 && reply.text.contains("secret"))
  }

  @Test("the log has neither the token nor the cookie")
  func keepsLogClean() async throws {
    let heard = Mutex<[String]>([])
    let server = try await server { $0.hear = { access in heard.withLock { $0.append("\(access)") } } }
    let cookie = try await cookie(server)
    _ = try await server.logIn("token=x\(Self.token)")
    _ = try await server.ask("/?q=\(Self.token)", browser)
    #expect(try await server.ask("/-/login?to=/\(Self.token)").status == 400)
    _ = try await server.ask("/", ["Cookie: \(cookie)"])
    let log = heard.withLock(\.self)
    #expect(log.count == 5 && log.contains { $0.contains("/-/login") })
    #expect(!log.contains { $0.contains(Self.token) || $0.contains(cookie.split(separator: "=")[1]) }, "\(log)")
  }
}

extension TestServer {
  /// Sends the form of the login.
  fileprivate func logIn(
    _ body: String, at target: String = "/-/login", method: String = "POST", type: String? = "application/x-www-form-urlencoded",
    _ headers: [String] = [], host: String? = nil
  ) async throws -> RawReply {
    let lines =
      [
        "\(method) \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")", "Connection: close", "Content-Length: \(body.utf8.count)",
      ] + (type.map { ["Content-Type: \($0)"] } ?? []) + headers
    return RawReply(try await raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body))
  }
}
