import AggregatorCore
import Platform
import SourceTesting
import Testing

@testable import CurlTransport

/// The beginning and the end of a request, of a transport and of the process.
@Suite(.timeLimit(.minutes(30))) struct LifeTests {
  init() { World.prepare() }

  /// A server that never answers, and events for an arrived request and for a client that has gone.
  private func silentServer() throws -> (server: StandInServer, asked: Event, closed: Event) {
    let asked = Event()
    let closed = Event()
    let server = try StandInServer {
      _ = $0.request()
      asked.happen()
      $0.untilClosed()
      closed.happen()
    }
    return (server, asked, closed)
  }

  @Test("a cancelled request ends while the service is silent, and the server sees its connection close", arguments: Way.allCases)
  func cancel(_ way: Way) async throws {
    let transport = way.transport()
    let (server, asked, closed) = try silentServer()
    // Neither the service nor a limit ends the request.
    let request = HTTPRequest(.get, try server.address()).patient
    let task = Task { try await transport.send(request) }
    await asked.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
  }

  @Test("a request of a cancelled task is never sent, and the next one is", arguments: Way.allCases)
  func cancelledBefore(_ way: Way) async throws {
    let transport = way.transport()
    let server = try StandInServer { while $0.request() != nil { $0.answer("hello") } }
    let request = HTTPRequest(.get, try server.address())
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await transport.send(request)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(server.connections == 0)
    #expect(try await transport.send(request).text == "hello")
  }

  @Test("a cancelled request does not affect the others", arguments: Way.allCases)
  func cancelOne(_ way: Way) async throws {
    let transport = way.transport()
    // One request is answered after the other has gone.
    let gate = Gate(parties: 2)
    let asked = Event()
    let silent = try StandInServer {
      _ = $0.request()
      asked.happen()
      $0.untilClosed()
      gate.pass()
    }
    let server = try StandInServer {
      _ = $0.request()
      gate.pass()
      $0.answer("hello")
    }
    let cancelled = HTTPRequest(.get, try silent.address()).patient
    let kept = HTTPRequest(.get, try server.address()).patient
    let task = Task { try await transport.send(cancelled) }
    async let answer = transport.send(kept)
    await asked.wait()
    task.cancel()
    #expect(try await answer.text == "hello")
  }

  @Test("a transport that is released cancels its requests")
  func deinitialise() async throws {
    let (server, asked, closed) = try silentServer()
    var transport: LibCurl? = LibCurl(userAgent: "aggregator")
    let engine = try #require(transport?.engine)
    let request = HTTPRequest(.get, try server.address()).patient
    let task = Task { try await engine.send(request) }
    await asked.wait()
    transport = nil
    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
    await #expect(throws: CancellationError.self) { try await engine.send(request) }
  }

  @Test("a transport that is released ends its engine and its thread")
  func endsThread() async throws {
    let server = try StandInServer { connection in
      while connection.request() != nil { connection.answer() }
    }
    weak var engine: Engine?
    let closed = Event()
    let watch = try StandInServer {
      while $0.request() != nil { $0.answer() }
      closed.happen()
    }
    do {
      let transport = LibCurl(userAgent: "aggregator")
      engine = transport.engine
      _ = try await transport.send(HTTPRequest(.get, server.address()))
      _ = try await transport.send(HTTPRequest(.get, watch.address()))
    }
    // The reused connection closes when the worker frees libcurl's handle.
    await closed.wait()
    while engine != nil { await Task.yield() }
  }

  @Test("without libcurl every request says what to install")
  func missing() async throws {
    let transport = LibCurl(
      userAgent: "aggregator", opening: { () throws(SourceError) in throw LibCurl.missing("libcurl is not installed") })
    let request = HTTPRequest(.get, try #require(WebAddress("http://127.0.0.1:9/")))
    for _ in 0..<2 {
      let error = try #require(await #expect(throws: SourceError.self) { try await transport.send(request) })
      // The error is not remembered for the host.
      #expect(error.kind == .noTransport)
      #expect(error.description == "libcurl is not installed; type apt-get install libcurl4")
    }
  }

  @Test("the process exits while a request is under way")
  func exits() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let asked = Event()
      let server = try StandInServer {
        _ = $0.request()
        asked.happen()
        $0.untilClosed()
      }
      let transport = LibCurl(userAgent: "aggregator")
      let request = HTTPRequest(.get, try server.address()).patient
      Task { try await transport.send(request) }
      await asked.wait()
      exit(7)
    }
  }

  @Test("a proxy from the environment is asked, and its refusal is not the host's")
  func proxy() async {
    await #expect(processExitsWith: .success) {
      let server = try StandInServer {
        while let request = $0.request() {
          guard request.line.hasPrefix("CONNECT") else {
            $0.answer(request.line)
            continue
          }
          let wantsLogin = request.line.contains("locked")
          $0.answer(status: wantsLogin ? "407 Proxy Authentication Required" : "403 Forbidden", headers: "Proxy-Authenticate: Basic\r\n")
        }
      }
      unsetenv("no_proxy")
      unsetenv("NO_PROXY")
      setenv("http_proxy", "http://127.0.0.1:\(server.port)", 1)
      setenv("https_proxy", "http://127.0.0.1:\(server.port)", 1)
      let transport = LibCurl(userAgent: "aggregator")
      let address = try #require(WebAddress("http://nowhere.invalid/x"))
      try #require(try await transport.send(HTTPRequest(.get, address)).text == "GET http://nowhere.invalid/x HTTP/1.1")
      let secure = HTTPRequest(.get, try #require(WebAddress("https://nowhere.invalid/x")))
      let error = try #require(await #expect(throws: SourceError.self) { try await transport.send(secure) })
      try #require(error.kind == .unreachable)
      try #require(error.description == "cannot reach nowhere.invalid: the proxy refused (HTTP 403); check https_proxy")
      let locked = HTTPRequest(.get, try #require(WebAddress("https://locked.invalid/x")))
      let login = try #require(await #expect(throws: SourceError.self) { try await transport.send(locked) })
      try #require(login.kind == .unreachable)
      try #require(
        login.description == "cannot reach locked.invalid: the proxy asks for a name and a password (HTTP 407); "
          + "set https_proxy to http://NAME:PASSWORD@HOST:PORT")
    }
  }
}
