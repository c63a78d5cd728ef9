import AggregatorCore
import Asking
import SourceTesting
import TestServices
import Testing

@testable import Serve

/// The messages of the Model Context Protocol over HTTP. The names are those of the official conformance suite, 0.2.0.
@Suite("Messages over HTTP", .timeLimit(.minutes(30))) struct MessageTests {
  /// A scenario of the suite.
  enum Scenario: Sendable {
    /// The server does what the scenario wants.
    case met(@Sendable (Peer) async throws -> Void)
    /// The server lacks what the scenario is about: no capability names it, and its methods are unknown.
    case absent([String])
    /// The scenario is about content that no tool here gives.
    case elsewhere(String)
  }

  /// A client of a server of a test.
  struct Peer: Sendable {
    let server: TestServer
    static let meta: Value = [
      "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": .object([]),
    ]

    /// Posts a message in the modern era, with the headers that it wants unless others are given.
    func ask(_ method: String, _ parameters: [Member] = [], headers: [String]? = nil, meta: Value? = meta) async throws -> RawReply {
      let all = parameters + [meta.map { Member(name: "_meta", value: $0) }].compactMap(\.self)
      let name = parameters.first { ["name", "uri"].contains($0.name) }?.value.text
      let usual =
        ["MCP-Protocol-Version: 2026-07-28", "Mcp-Method: \(method)"] + (name.map { ["Mcp-Name: \($0)"] } ?? [])
      return try await post(
        ["jsonrpc": "2.0", "id": "x", "method": .text(method), "params": .object(all)], headers ?? usual)
    }

    /// Posts a message of the older era.
    func askBefore(_ method: String, _ parameters: [Member] = []) async throws -> RawReply {
      try await post(
        ["jsonrpc": "2.0", "id": 7, "method": .text(method), "params": .object(parameters)],
        ["MCP-Protocol-Version: 2025-11-25"])
    }

    func post(_ message: Value, _ headers: [String] = [], host: String? = nil) async throws -> RawReply {
      let body = String(decoding: [UInt8].ofJSON(message), as: UTF8.self)
      let lines =
        [
          "POST /mcp HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(server.port)")", "Connection: close",
          "Content-Type: application/json", "Accept: application/json, text/event-stream", "Content-Length: \(body.utf8.count)",
        ] + headers
      return RawReply(try await server.raw(lines.joined(separator: "\r\n") + "\r\n\r\n" + body), hasBody: true)
    }

    func call(_ tool: String, _ arguments: Value, meta: Value? = meta) async throws -> RawReply {
      try await ask("tools/call", [Member(name: "name", value: .text(tool)), Member(name: "arguments", value: arguments)], meta: meta)
    }
  }

  static let scenarios: [(name: String, Scenario)] =
    [
      (
        "server-initialize",
        .met { peer async throws in
          let reply = try await peer.askBefore("initialize", [Member(name: "protocolVersion", value: "2025-06-18")])
          #expect(reply.status == 200 && reply.value("id") == 7 && reply.value("result", "protocolVersion") == "2025-06-18")
          #expect(
            reply.value("result", "serverInfo", "name") == "aggregator" && reply.value("result", "capabilities", "tools") == .object([]))
          let other = try await peer.askBefore("initialize", [Member(name: "protocolVersion", value: "1999-01-01")])
          #expect(other.value("result", "protocolVersion") == "2025-11-25")
        }
      ),
      (
        "server-session-lifecycle",
        .met { peer async throws in
          // Without a session, nothing can end too early.
          #expect(try await peer.askBefore("initialize")["mcp-session-id"] == nil)
          #expect(try await peer.askBefore("tools/list").status == 200)
          #expect(try await peer.server.ask("/mcp", method: "DELETE").status == 405)
        }
      ),
      (
        "server-stateless",
        .met { peer async throws in
          let found = try await peer.ask("server/discover")
          #expect(found.value("result", "supportedVersions") == ["2026-07-28"] && found.value("result", "resultType") == "complete")
          for meta: Value? in [nil, .object([]), ["io.modelcontextprotocol/protocolVersion": "2026-07-28"]] {
            let reply = try await peer.ask("tools/list", meta: meta)
            #expect(reply.status == 400 && reply.value("error", "code") == -32_602 && reply.value("id") == "x")
          }
          let old: Value = [
            "io.modelcontextprotocol/protocolVersion": "2077-01-01", "io.modelcontextprotocol/clientCapabilities": .object([]),
          ]
          let unknown = try await peer.ask(
            "tools/list", headers: ["MCP-Protocol-Version: 2077-01-01", "Mcp-Method: tools/list"], meta: old)
          #expect(unknown.status == 400 && unknown.value("error", "code") == -32_022)
          #expect(
            unknown.value("error", "data", "supported") == ["2026-07-28"] && unknown.value("error", "data", "requested") == "2077-01-01")
          for method in ["initialize", "ping", "logging/setLevel", "nothing"] {
            let reply = try await peer.ask(method)
            #expect(reply.status == 404 && reply.value("error", "code") == -32_601 && reply.value("id") == "x")
          }
        }
      ),
      ("logging-set-level", .absent(["logging/setLevel"])),
      ("ping", .met { peer async throws in #expect(try await peer.askBefore("ping").value("result") == .object([])) }),
      (
        "completion-complete",
        .met { peer async throws in
          let reply = try await peer.ask(
            "completion/complete",
            [
              Member(name: "ref", value: ["type": "ref/resource", "uri": "aggregator://{source}/{id}"]),
              Member(name: "argument", value: ["name": "source", "value": "p"]),
            ])
          #expect(reply.value("result", "completion", "values") == ["ports", "piers"])
        }
      ),
      (
        "tools-list",
        .met { peer async throws in
          let (one, other) = (try await peer.ask("tools/list"), try await peer.ask("tools/list"))
          #expect(one.body == other.body && one.value("result", "tools").list?.count == 6)
        }
      ),
      (
        "tools-call-simple-text",
        .met { peer async throws in
          let reply = try await peer.call("list", ["source": "ports"])
          let content = reply.value("result", "content").list?.first
          #expect(content?["type"] == "text" && reply.value("result", "isError") == false)
          #expect(try JSON(Array((content?["text"]?.text ?? "").utf8)).value == reply.value("result", "structuredContent"))
        }
      ),
      (
        "tools-call-error",
        .met { peer async throws in
          #expect(try await peer.call("list", .object([])).value("result", "isError") == true)
          let unknown = try await peer.call("nothing", .object([]))
          #expect(unknown.status == 400 && unknown.value("error", "code") == -32_602)
        }
      ),
      (
        "tools-call-with-progress",
        .met { peer async throws in
          var meta = Peer.meta
          meta["progressToken"] = "t"
          let reply = try await peer.call("list", ["source": "ports", "live": true], meta: meta)
          #expect(reply["content-type"] == "text/event-stream")
          let messages = reply.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { line in
            (try? JSON(Array(line.dropFirst(6).utf8)).value) ?? .null
          }
          #expect(messages.count > 2 && messages.last?["id"] == "x" && messages.last?["result"] != nil)
          #expect(messages.dropLast().allSatisfy { $0["method"] == "notifications/progress" && $0["params"]?["progressToken"] == "t" })
        }
      ),
      ("tools-call-with-logging", .absent(["logging/setLevel"])),
      ("tools-call-image", .elsewhere("results are JSON")), ("tools-call-audio", .elsewhere("results are JSON")),
      ("tools-call-mixed-content", .elsewhere("results are JSON")), ("tools-call-embedded-resource", .elsewhere("results are JSON")),
      ("tools-call-sampling", .elsewhere("the server asks nothing of a client")),
      ("tools-call-elicitation", .elsewhere("the server asks nothing of a client")),
      ("elicitation-sep1034-defaults", .elsewhere("the server asks nothing of a client")),
      ("elicitation-sep1330-enums", .elsewhere("the server asks nothing of a client")),
      (
        "json-schema-2020-12",
        .met { peer async throws in
          for tool in try await peer.ask("tools/list").value("result", "tools").list ?? [] {
            #expect(tool["inputSchema"]?["type"] == "object" && tool["outputSchema"]?["required"] == ["what", "items"])
          }
        }
      ),
      (
        "resources-list",
        .met { peer async throws in
          _ = try await peer.call("list", ["source": "ports"])
          var (uris, cursor): ([String], Value?) = ([], nil)
          repeat {
            let reply = try await peer.ask("resources/list", cursor.map { [Member(name: "cursor", value: $0)] } ?? [])
            uris += (reply.value("result", "resources").list ?? []).compactMap { $0["uri"]?.text }
            cursor = reply.value("result", "nextCursor")
          } while cursor != .null
          #expect(uris.count == Set(uris).count && uris.contains("aggregator://ports/p3") && uris.contains("aggregator://piers"))
          #expect(try await peer.ask("resources/list", [Member(name: "cursor", value: "nonsense")]).value("error", "code") == -32_602)
        }
      ),
      (
        "resources-read-text",
        .met { peer async throws in
          let reply = try await peer.ask("resources/read", [Member(name: "uri", value: "aggregator://ports?limit=2")])
          let content = reply.value("result", "contents").list?.first
          #expect(content?["mimeType"] == "application/json" && content?["uri"] == "aggregator://ports?limit=2")
          #expect(content?["text"]?.text?.contains("2 of 10 ports; NOT ALL") == true)
        }
      ),
      ("resources-read-binary", .elsewhere("resources are JSON")),
      (
        "resources-templates-read",
        .met { peer async throws in
          let templates = try await peer.ask("resources/templates/list").value("result", "resourceTemplates").list ?? []
          #expect(
            templates.map { $0["uriTemplate"]?.text } == ["aggregator://{source}/{id}", "aggregator://{source}{?where,sort,fields,limit}"])
          let reply = try await peer.ask("resources/read", [Member(name: "uri", value: "aggregator://ports/p%33")])
          #expect(reply.value("result", "contents").list?.first?["text"]?.text?.contains("\"id\":\"p3\"") == true)
        }
      ),
      (
        "sep-2164-resource-not-found",
        .met { peer async throws in
          for uri in ["aggregator://ports/none", "aggregator://nothing/p1", "file:///etc/passwd", "", "aggregator://ports?nothing=1"] {
            let parameters = [Member(name: "uri", value: .text(uri))]
            #expect(try await peer.ask("resources/read", parameters).value("error", "code") == -32_602, "\(uri)")
            #expect(try await peer.askBefore("resources/read", parameters).value("error", "code") == -32_002, "\(uri)")
          }
        }
      ),
      ("resources-subscribe", .absent(["resources/subscribe"])), ("resources-unsubscribe", .absent(["resources/unsubscribe"])),
      ("prompts-list", .absent(["prompts/list"])), ("prompts-get-simple", .absent(["prompts/get"])),
      ("prompts-get-with-args", .absent(["prompts/get"])), ("prompts-get-embedded-resource", .absent(["prompts/get"])),
      ("prompts-get-with-image", .absent(["prompts/get"])),
      (
        "dns-rebinding-protection",
        .met { peer async throws in
          let message: Value = ["jsonrpc": "2.0", "id": 1, "method": "tools/list"]
          #expect(try await peer.post(message, host: "evil.example").status == 421)
          #expect(try await peer.post(message, ["Origin: http://evil.example"]).status == 403)
          #expect(try await peer.post(message, ["Origin: http://127.0.0.1:\(peer.server.port)"]).status == 200)
          #expect(try await peer.post(message, host: "localhost:\(peer.server.port)").status == 200)
        }
      ),
      (
        "caching",
        .met { peer async throws in
          for method in ["server/discover", "tools/list", "resources/list", "resources/templates/list"] {
            let result = try await peer.ask(method).value("result")
            #expect(result["ttlMs"]?.int == 60_000 && result["cacheScope"] == "private")
            #expect(try await peer.askBefore(method).value("result")["ttlMs"] == nil)
          }
        }
      ),
      (
        "http-header-validation",
        .met { peer async throws in
          let (name, arguments) = (Member(name: "name", value: "list"), Member(name: "arguments", value: ["source": "ports"]))
          let (version, method, tool) = ("MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: list")
          let padless = "Mcp-Name: =?base64?bGlzdA?="
          for headers in [
            [version, method, padless], [method, tool], [version, tool], [version, method], [version, method, "Mcp-Name: show"],
            [version, "Mcp-Method: tools/list", tool], ["MCP-Protocol-Version: 2025-11-25", method, tool],
          ] {
            let reply = try await peer.ask("tools/call", [name, arguments], headers: headers)
            #expect(reply.status == 400 && reply.value("error", "code") == -32_020 && reply.value("id") == "x", "\(headers)")
          }
          for headers in [
            [version, method, tool], [version.lowercased(), "MCP-METHOD:   tools/call  ", "mcp-name: list"],
            [version, method, "Mcp-Name: =?base64?bGlzdA==?="],
          ] {
            #expect(try await peer.ask("tools/call", [name, arguments], headers: headers).status == 200, "\(headers)")
          }
        }
      ),
      ("http-custom-header-server-validation", .elsewhere("no argument is given as a header")),
      ("server-sse-polling", .elsewhere("a stream ends with its answer")),
      (
        "server-sse-multiple-streams",
        .met { peer async throws in
          #expect(try await peer.server.ask("/mcp", ["Accept: text/event-stream"]).status == 405)
          try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<5 { group.addTask { try await peer.call("list", ["source": "ports"]).status } }
            for try await status in group { #expect(status == 200) }
          }
        }
      ),
    ]
    + [
      "basic-elicitation", "basic-sampling", "basic-list-roots", "request-state", "multiple-input-requests", "multi-round",
      "missing-input-response", "non-tool-request", "result-type", "unsupported-methods", "tampered-state", "capability-check",
      "ignore-extra-params", "validate-input",
    ].map { ("input-required-result-\($0)", .elsewhere("the server asks nothing of a client")) }
    + [
      "lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers", "dispatch",
      "status-notifications", "required-task-error", "mrtr-composition",
    ]
    .map { ("tasks-\($0)", .absent(["tasks/get", "tasks/update", "tasks/cancel", "tasks/list"])) }

  @Test("scenarios of the conformance suite", arguments: scenarios.map(\.name))
  func scenario(name: String) async throws {
    let peer = Peer(server: try await TestServer())
    guard let scenario = Self.scenarios.first(where: { $0.name == name })?.1 else { return }
    switch scenario {
    case .met(let check): try await check(peer)
    case .absent(let methods):
      for method in methods {
        let reply = try await peer.ask(method)
        #expect(reply.status == 404 && reply.value("error", "code") == -32_601)
      }
      fallthrough
    case .elsewhere:
      let found = try await peer.ask("server/discover").value("result", "capabilities")
      #expect(found == ["tools": .object([]), "resources": .object([]), "completions": .object([])])
    }
  }

  @Test("the guard of the server is before every message") func guarded() async throws {
    let server = try await TestServer { service in
      (service.token, service.isReadOnly) = (Secret("a-token-of-16-letters"), true)
    }
    let peer = Peer(server: server)
    #expect(try await peer.ask("tools/list").status == 401)
    let token = ["Authorization: Bearer a-token-of-16-letters"]
    let message: Value = ["jsonrpc": "2.0", "id": 1, "method": "tools/list"]
    #expect(try await peer.post(message, token).value("result", "tools").list?.count == 6)
    let plain = "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nConnection: close\r\n\(token[0])\r\nContent-Length: 2\r\n\r\n{}"
    #expect(RawReply(try await server.raw(plain), hasBody: true).status == 415)
    let long: Value = ["jsonrpc": "2.0", "id": 1, "method": .text(String(repeating: "x", count: 70_000))]
    #expect(try await peer.post(long, token).status == 413)
    #expect(try await peer.post([1], token).status == 400)
    #expect(try await peer.post(["jsonrpc": "2.0", "method": "notifications/initialized"], token).status == 202)
  }

  @Test("a sync begins only where the owner allows it, and ends with a client that leaves") func syncs() async throws {
    let closed = Peer(server: try await TestServer())
    #expect(try await closed.call("sync", ["source": "ports"]).value("error", "code") == -32_602)
    let server = try await TestServer { $0.takesSyncs = true }
    let held = server.services.hold("ports", after: 1)
    let client = try server.client()
    let body = #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sync","arguments":{"source":"ports"}}}"#
    client.send(
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    try await held.gate.arrivals(atLeast: 1)
    client.leave()
    await held.cancellations.reach(1)
    server.services.mend("ports")
    #expect(try await server.ask("/api/jobs/1?format=events").text.contains("\"state\":\"cancelled\""))
    let reply = try await Peer(server: server).call("sync", ["source": "ports"])
    #expect(reply.value("result", "structuredContent", "verdict") == "complete")
  }
}
