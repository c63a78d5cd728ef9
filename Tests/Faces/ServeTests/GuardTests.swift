import AggregatorCore
import TestServices
import Testing

@testable import Serve

/// The rules of who may ask for what.
@Suite("The guard", .timeLimit(.minutes(30))) struct GuardTests {
  static let paths = [
    "/", "/openapi.json", "/healthz", "/readyz", "/metrics", "/problems/not-found", "/api/sources", "/api/status", "/api/search?text=a",
    "/api/changes", "/api/jobs", "/api/ports", "/api/ports/walk", "/api/ports/count", "/api/ports/records/p1", "/nothing",
  ]

  @Test("every address refuses a foreign host, also by other methods", arguments: paths)
  func refusesForeignHosts(path: String) async throws {
    let server = try await TestServer()
    for host in ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:\(server.port)", "localhost.evil.example:\(server.port)"] {
      for method in ["GET", "POST", "DELETE", "OPTIONS", "HEAD"] {
        #expect(try await server.ask(path, method: method, host: host).status == 421, "\(method) \(host)")
      }
    }
    #expect(try await server.ask(path, host: "LOCALHOST:\(server.port)").status != 421)
  }

  @Test("every address wants the token, and tells nothing without it", arguments: paths)
  func wantsToken(path: String) async throws {
    let server = try await TestServer { $0.token = Secret("0123456789abcdef") }
    for header in [[], ["Authorization: Bearer 0123456789abcdeF"], ["Authorization: Basic 0123456789abcdef"], ["Authorization: Bearer "]] {
      let reply = try await server.ask(path, header)
      #expect(reply.status == 401 && reply["www-authenticate"] == "Bearer", "\(header)")
      #expect(reply.value("type") == .text("/problems/no-token"))
    }
    #expect(try await server.ask(path + (path.contains("?") ? "&" : "?") + "token=0123456789abcdef").status == 401)
    #expect(try await server.ask(path, ["Authorization: bearer 0123456789abcdef"]).status != 401)
  }

  @Test("blanks around the value of a header are not part of it", arguments: ["", " ", "\t", " \t  "])
  func blanks(blank: String) async throws {
    let server = try await TestServer { $0.token = Secret("0123456789abcdef") }
    let token = "Authorization:\(blank)Bearer 0123456789abcdef\(blank)"
    #expect(try await server.ask("/api/ports", [token], host: "\(blank)127.0.0.1:\(server.port)\(blank)").status == 200)
    #expect(try await server.ask("/api/ports", ["Authorization: Bearer 0123456789abcdef x\(blank)"]).status == 401)
  }

  @Test("another machine's address needs a token")
  func needsToken() async throws {
    let service = Service(look: { (Catalogue(), Settings(declared: [])) }, in: TestServices().world())
    await #expect(throws: SourceError.self) { try await service.run(at: .port(0, of: "0.0.0.0")) { _ in } }
  }

  @Test("a page of another origin changes nothing; other programs may")
  func refusesOtherOrigins() async throws {
    let server = try await TestServer()
    let own = "http://127.0.0.1:\(server.port)"
    for headers in [
      ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"], ["Sec-Fetch-Site: cross-site", "Origin: \(own)"],
      ["Origin: http://evil.example"], ["Origin: null"], ["Origin: \(own)", "Origin: \(own)"], ["Origin: http://127.0.0.1"],
    ] {
      #expect(try await server.ask("/api/ports/audit", method: "POST", headers).status == 403, "\(headers)")
      #expect(try await server.ask("/api/ports?limit=1", headers).status == 200)
    }
    for headers in [["Sec-Fetch-Site: same-origin"], ["Sec-Fetch-Site: none"], ["Origin: \(own)"], []] {
      #expect(try await server.ask("/api/ports/audit", method: "POST", headers).status == 202, "\(headers)")
    }
  }

  @Test("a picture, a script or a request of another origin's page asks nothing; a link from there leads here")
  func refusesAsking() async throws {
    let server = try await TestServer { $0.origins = ["https://good.example"] }
    let site = "Sec-Fetch-Site: cross-site"
    for mode in ["no-cors", "cors", "same-origin", "websocket"] {
      #expect(try await server.ask("/api/ports?live=true", [site, "Sec-Fetch-Mode: \(mode)"]).status == 403, "\(mode)")
    }
    for headers in [
      [site, "Sec-Fetch-Mode: navigate"], [site, "Sec-Fetch-Mode: cors", "Origin: https://good.example"],
      ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors"],
    ] {
      #expect(try await server.ask("/api/ports?limit=1", headers).status == 200, "\(headers)")
    }
  }

  @Test("pages read the answers only from origins that were named, exactly")
  func shares() async throws {
    let server = try await TestServer { $0.origins = ["https://good.example"] }
    let good = try await server.ask("/api/ports", ["Origin: https://good.example"])
    #expect(good["access-control-allow-origin"] == "https://good.example" && good["vary"] != nil)
    for origin in ["https://good.example:444", "http://good.example", "https://good.example.evil", "null"] {
      #expect(try await server.ask("/api/ports", ["Origin: \(origin)"])["access-control-allow-origin"] == nil, "\(origin)")
    }
    let asked = try await server.ask(
      "/api/ports", method: "OPTIONS", ["Origin: https://good.example", "Access-Control-Request-Method: GET"])
    #expect(asked.status == 204 && asked["access-control-allow-methods"] == "GET, HEAD")
    let guarded = try await TestServer {
      ($0.origins, $0.token) = (["https://good.example"], Secret("0123456789abcdef"))
    }
    #expect(try await guarded.ask("/api/ports", method: "OPTIONS", ["Origin: https://good.example"]).status == 204)
    #expect(try await guarded.ask("/api/ports", method: "OPTIONS", ["Origin: https://evil.example"]).status == 401)
    #expect(try await guarded.ask("/api/ports", ["Origin: https://good.example"]).status == 401)
    let closed = try await TestServer().ask("/api/ports", ["Origin: https://good.example"])
    #expect(!closed.headers.contains { $0.name.hasPrefix("access-control") })
  }

  @Test("every reply has the headers that keep a browser from doing harm", arguments: paths)
  func sendsHeaders(path: String) async throws {
    let reply = try await TestServer().ask(path)
    for header in Guard.headers { #expect(reply[header.name.lowercased()] == header.value) }
  }

  @Test("an address takes its methods and no other", arguments: paths)
  func takesMethods(path: String) async throws {
    let server = try await TestServer()
    let isKnown = path != "/nothing"
    for method in ["PUT", "PATCH", "TRACE", "CONNECT", "POST", "DELETE", "get"] {
      let reply = try await server.ask(path, method: method)
      if method == "DELETE", path.contains("records") { continue }
      #expect(reply.status == (isKnown ? 405 : 404), "\(method)")
      if isKnown { #expect(reply["allow"]?.hasPrefix("GET") ?? reply["allow"]?.contains("GET") ?? false) }
    }
    let head = try await server.ask(path, method: "HEAD")
    #expect(head.status == (isKnown ? 200 : 404) && head.body.isEmpty)
  }

  @Test("a server that only reads has no address that changes something")
  func onlyReads() async throws {
    let server = try await TestServer { $0.isReadOnly = true }
    for (method, path) in [
      ("POST", "/api/ports/sync"), ("POST", "/api/ports/audit"), ("POST", "/api/ports/records/p1/restore"), ("POST", "/api/jobs/1/cancel"),
    ] {
      #expect([404, 405].contains(try await server.ask(path, method: method).status), "\(path)")
    }
    #expect(try await server.ask("/api/ports").status == 200)
  }
}
