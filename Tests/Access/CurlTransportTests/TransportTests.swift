import AggregatorCore
import Platform
import SourceTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct TransportTests {
  /// Keeps a proxy of this machine out of these tests.
  init() { World.prepare() }

  private func transport(_ way: Way) -> any Transport { way.transport(userAgent: "aggregator/1.0 (+https://example.org)") }

  @Test("a transport sends the path, the query and the headers, with revealed secrets", arguments: Way.allCases)
  func get(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { while let request = $0.request() { $0.answer(request.head) } }
    let path = way == .libcurl ? "/a/../b%20c" : "/a/b%20c"
    var request = HTTPRequest(
      .get, try server.address(path), query: [.init("q", "a&b"), .init("key", .secret(Secret("s3/cret")))])
    request.headers = [.init("X-Plain", "one"), .init("X-Key", .secret(Secret("hidden"))), .init("X-Empty", "")]
    let seen = try await transport.send(request).text
    #expect(seen.hasPrefix("GET \(path)?q=a%26b&key=s3%2Fcret HTTP/1.1\r\n"))
    for line in [
      "Host: 127.0.0.1:\(server.port)", "X-Plain: one", "X-Key: hidden", "X-Empty:", "User-Agent: aggregator/1.0 (+https://example.org)",
    ] {
      #expect(seen.contains("\r\n\(line)\r\n"))
    }
    #expect(seen.contains("\r\nAccept-Encoding: ") && seen.contains("gzip"))
  }

  @Test("an address that a service names is sent unchanged, except for invalid characters that URLSession encodes", arguments: Way.allCases)
  func strays(_ way: Way) async throws {
    let server = try StandInServer { while let request = $0.request() { $0.answer(request.target) } }
    let (target, encoded) = ("/a|b/%20?page[size]=2&q=\"100%\"&x=%5B", "/a%7Cb/%20?page%5Bsize%5D=2&q=%22100%25%22&x=%5B")
    let address = try #require(try server.address().resolving(target))
    #expect(try await transport(way).send(HTTPRequest(.get, address)).text == (way == .libcurl ? target : encoded))
  }

  @Test(
    "URLSession, which removes dots from a path, gets no path with dots, and only web addresses", .enabled(if: Way.hasURLSession),
    arguments: ["/a/../b", "/a/./b", "/..", "/%2E%2e/b"])
  func dots(path: String) async throws {
    var requests = [HTTPRequest(.get, try #require(WebAddress("http://127.0.0.1:1")), query: [])]
    requests[0].address.path = path
    requests.append(HTTPRequest(.get, try #require(WebAddress("http://127.0.0.1:1/etc/hosts"))))
    requests[1].address.scheme = "file"
    for request in requests {
      await #expect { try await transport(.urlSession).send(request) } throws: { ($0 as? SourceError)?.kind == .badRequest }
    }
  }

  @Test("a User-Agent of the request replaces that of the transport", arguments: Way.allCases)
  func userAgent(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { while let request = $0.request() { $0.answer(request.head.lowercased()) } }
    var request = HTTPRequest(.get, try server.address())
    request.headers = [.init("user-agent", "mine/2")]
    let seen = try await transport.send(request).text
    #expect(seen.split(separator: "\r\n").filter { $0.hasPrefix("user-agent:") } == ["user-agent: mine/2"])
  }

  @Test("a transport posts a whole body, without asking for permission first", arguments: Way.allCases, [0, 2, 3_000_000])
  func post(_ way: Way, size: Int) async throws {
    let transport = transport(way)
    let server = try StandInServer {
      while let request = $0.request() {
        $0.answer("\(request.line) \(request["expect"] ?? "-") \(request["content-type"] ?? "-") \(request.body.utf8.count)")
      }
    }
    var request = HTTPRequest(.post, try server.address("/in"))
    request.body = [UInt8](repeating: 65, count: size)
    // URLSession would send it as a form if no type were named.
    let type = way == .libcurl ? "-" : "application/octet-stream"
    #expect(try await transport.send(request).text == "POST /in HTTP/1.1 - \(type) \(size)")
  }

  @Test("a POST without a body ends, and so does a HEAD that announces more than the limit", arguments: Way.allCases)
  func bodiless(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer {
      while let request = $0.request() {
        if request.line.hasPrefix("HEAD") {
          $0.send("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        } else {
          $0.answer(request["content-length"] ?? "none")
        }
      }
    }
    #expect(try await transport.send(HTTPRequest(.post, server.address())).text == "0")
    let head = try await transport.send(HTTPRequest(.head, server.address()))
    #expect(head[header: "content-length"] == "99999999999")
    #expect(head.body.isEmpty)
  }

  @Test(
    "a transport passes any status through and follows no redirect", arguments: Way.allCases,
    ["404 Not Found", "500 Oops", "301 Moved", "204 No Content"])
  func statuses(_ way: Way, status: String) async throws {
    let transport = transport(way)
    let body = status == "204 No Content" ? "" : "see there"
    let server = try StandInServer { while $0.request() != nil { $0.answer(status: status, headers: "Location: /elsewhere\r\n", body) } }
    let response = try await transport.send(HTTPRequest(.get, server.address()))
    #expect("\(response.status)" == status.prefix(3))
    #expect(response[header: "Location"] == "/elsewhere" && response.text == body)
    #expect(server.connections == 1)
  }

  @Test("a transport keeps no cookie, no answer and no password", arguments: Way.allCases)
  func forgets(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { connection in
      while let request = connection.request() {
        let isSecret = request.target == "/secret"
        let kept = "Set-Cookie: a=b\r\nCache-Control: max-age=1000\r\nETag: \"1\"\r\n"
        connection.answer(
          status: isSecret ? "401 Unauthorized" : "200 OK", headers: isSecret ? "WWW-Authenticate: Basic realm=\"x\"\r\n" : kept, "hello")
      }
    }
    for _ in 0..<2 { #expect(try await transport.send(HTTPRequest(.get, server.address())).text == "hello") }
    #expect(try await transport.send(HTTPRequest(.get, server.address("/secret"))).status == 401)
    #expect(server.requests.map(\.target) == ["/", "/", "/secret"])
    for request in server.requests {
      for name in ["Cookie", "If-None-Match", "Authorization"] { #expect(request[name] == nil, "\(name)") }
    }
  }

  @Test("a transport gives the headers of the final answer, without those of interim answers and the trailer", arguments: Way.allCases)
  func headers(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer {
      while $0.request() != nil {
        $0.send("HTTP/1.1 103 Early Hints\r\nLink: </early>\r\n\r\n")
        $0.send("HTTP/1.1 200 OK\r\nB: 1\r\nA:  2 \r\nB: 3\r\nEmpty:\r\nTransfer-Encoding: chunked\r\n\r\n")
        // FoundationNetworking ends the process at a trailer.
        $0.send("2\r\nhi\r\n0\r\n\(way == .libcurl ? "Late: 4\r\n" : "")\r\n")
      }
    }
    let response = try await transport.send(HTTPRequest(.get, server.address()))
    let headers = [("B", "1"), ("A", "2"), ("B", "3"), ("Empty", ""), ("Transfer-Encoding", "chunked")]
    let sorted = [("A", "2"), ("B", "1, 3"), ("Empty", ""), ("Transfer-Encoding", "chunked")]
    #expect(response.headers == (way == .libcurl ? headers : sorted).map { .init($0.0, $0.1) })
    #expect(response.text == "hi")
  }

  @Test("a transport joins a header that is folded into several lines with one space", arguments: Way.allCases)
  func folded(_ way: Way) async throws {
    let transport = transport(way)
    // FoundationNetworking cannot read a head with a continuation that is empty.
    let empty = way == .libcurl ? "  \r\n" : ""
    let headers = "A: 1;\r\n  2;\r\n\t3\r\nB:\r\n 4\r\n\(empty)C: 5\r\n"
    let server = try StandInServer { while $0.request() != nil { $0.answer(headers: headers, "hi") } }
    let response = try await transport.send(HTTPRequest(.get, server.address()))
    for (name, value) in [("A", "1; 2; 3"), ("B", "4"), ("C", "5")] { #expect(response[header: name] == value) }
    #expect(response.text == "hi")
  }

  @Test("a body that ends with its connection alone shows no end", arguments: Way.allCases)
  func ends(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { connection in
      guard let request = connection.request() else { return }
      switch request.target {
      case "/length": connection.answer("id\n1\n")
      case "/chunks": connection.answer(chunks: [Array("id\n1\n".utf8)])
      case "/gzip": connection.send(Array("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".utf8) + Gzip.names)
      default: connection.send("HTTP/1.\(request.target == "/0" ? 0 : 1) 200 OK\r\nConnection: close\r\n\r\nid\n1\n")
      }
    }
    for (path, isShown) in [("/length", true), ("/chunks", true), ("/gzip", true), ("/0", false), ("/1", false)] {
      let response = try await transport.send(HTTPRequest(.get, server.address(path)))
      #expect(response.isEndShown == isShown && !response.body.isEmpty, "\(path)")
    }
  }

  @Test("a transport decodes gzip", arguments: Way.allCases)
  func gzip(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { while $0.request() != nil { $0.answer(headers: "Content-Encoding: gzip\r\n", bytes: Gzip.names) } }
    #expect(try await transport.send(HTTPRequest(.get, server.address())).text == #"{"name":"Asterix","name":"Obelix"}"#)
  }

  @Test("libcurl reads all members of gzip as one body", arguments: 1...3)
  func members(count: Int) async throws {
    let transport = transport(.libcurl)
    let body = [[UInt8]](repeating: Gzip.names, count: count).flatMap(\.self)
    // In one piece, in pieces that end where members do, and byte by byte.
    let server = try StandInServer { connection in
      while let request = connection.request() {
        switch request.target {
        case "/pieces":
          connection.answer(
            headers: "Content-Encoding: gzip\r\n", chunks: [[UInt8]](repeating: Gzip.names, count: count))
        case "/bytes": connection.answer(headers: "Content-Encoding: x-gzip\r\n", chunks: body.map { [$0] })
        default: connection.answer(headers: "Content-Encoding: gzip\r\n", bytes: body)
        }
      }
    }
    for path in ["/", "/pieces", "/bytes"] {
      let text = try await transport.send(HTTPRequest(.get, server.address(path))).text
      #expect(text == String(repeating: #"{"name":"Asterix","name":"Obelix"}"#, count: count), "\(path)")
    }
  }

  @Test("libcurl ignores zeros after the last member of gzip, with which tar fills up a block", arguments: [1, 2, 1_000, 100_000])
  func padding(count: Int) async throws {
    let transport = transport(.libcurl)
    let padding = [UInt8](repeating: 0, count: count)
    // In one piece, in two, and byte by byte.
    let server = try StandInServer { connection in
      while let request = connection.request() {
        switch request.target {
        case "/pieces": connection.answer(headers: "Content-Encoding: gzip\r\n", chunks: [Gzip.names, padding])
        case "/bytes":
          connection.answer(headers: "Content-Encoding: gzip\r\n", chunks: (Gzip.names + padding.prefix(1_000)).map { [$0] })
        default: connection.answer(headers: "Content-Encoding: gzip\r\n", bytes: Gzip.names + padding)
        }
      }
    }
    for path in ["/", "/pieces", "/bytes"] {
      let text = try await transport.send(HTTPRequest(.get, server.address(path))).text
      #expect(text == #"{"name":"Asterix","name":"Obelix"}"#, "\(path)")
    }
  }

  @Test("a transport reads a large body, chunked or whole", arguments: Way.allCases, [true, false])
  func large(_ way: Way, isChunked: Bool) async throws {
    let transport = transport(way)
    let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let server = try StandInServer {
      while $0.request() != nil {
        guard isChunked else {
          $0.answer(bytes: body)
          continue
        }
        $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: body.count, by: 100_000) {
          $0.send(Array("186A0\r\n".utf8) + body[start..<start + 100_000] + Array("\r\n".utf8))
        }
        $0.send("0\r\n\r\n")
      }
    }
    #expect(try await transport.send(HTTPRequest(.get, server.address())).body == body)
  }

  // FoundationNetworking answers before its connection is free again, so a following request may open another one.
  @Test("libcurl reuses one connection for successive requests")
  func keepsConnection() async throws {
    let transport = transport(.libcurl)
    let server = try StandInServer { while let request = $0.request() { $0.answer(request.line) } }
    for number in 0..<10 {
      #expect(try await transport.send(HTTPRequest(.get, server.address("/\(number)"))).text == "GET /\(number) HTTP/1.1")
    }
    #expect(server.connections == 1)
  }

  @Test("a request that must not be repeated is sent over a new connection", arguments: Way.allCases)
  func freshConnection(_ way: Way) async throws {
    let transport = transport(way)
    let server = try StandInServer { while $0.request() != nil { $0.answer() } }
    _ = try await transport.send(HTTPRequest(.get, server.address()))
    _ = try await transport.send(HTTPRequest(.post, server.address()))
    #expect(server.connections == 2)
    _ = try await transport.send(HTTPRequest(.post, server.address(), isRepeatable: true))
    if way == .libcurl { #expect(server.connections == 2) }
  }

  @Test("a request is sent once, also when its kept connection closes without an answer")
  func sentOnce() async throws {
    let transport = transport(.libcurl)
    // Each connection answers its first request only.
    let server = try StandInServer {
      if $0.request() != nil { $0.answer() }
      _ = $0.request()
    }
    for number in 1...3 {
      _ = try await transport.send(HTTPRequest(.get, server.address()))
      let error = await #expect(throws: SourceError.self) { try await transport.send(HTTPRequest(.get, server.address())) }
      #expect(error?.kind == .interrupted)
      #expect(server.requests.count == 2 * number)
    }
  }

  @Test("a transport sends fifty requests at once", arguments: Way.allCases)
  func concurrent(_ way: Way) async throws {
    let transport = transport(way)
    // No request is answered before all have come.
    let gate = Gate(parties: 50)
    let server = try StandInServer { while let request = $0.request() { gate.pass(); $0.answer(request.line) } }
    let address = try server.address("/")
    let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<50 {
        group.addTask { [transport] in (number, try await transport.send(HTTPRequest(.get, address.appending("\(number)")).patient).text) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for number in 0..<50 { #expect(answers[number] == "GET /\(number) HTTP/1.1") }
  }
}

extension HTTPResponse {
  var text: String { String(decoding: body, as: UTF8.self) }
}
