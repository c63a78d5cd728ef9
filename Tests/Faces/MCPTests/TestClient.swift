import AggregatorCore
import Asking
import SourceTesting
import Synchronization
import TestServices

@testable import MCP

/// A client of a test, which speaks one of the two eras.
struct TestClient {
  let services = TestServices()
  var server: MCPServer
  var isModern = true

  init(
    _ sources: [SourceDescriptor] = [], store: any RecordStore = StoreInMemory(), clock: any Timekeeper = TestClock()
  ) throws {
    let catalogue = sources.isEmpty ? try services.endlessCatalogue() : try Catalogue(sources)
    server = MCPServer(
      look: { (catalogue, Settings(declared: [])) }, in: services.world(store: store, clock: clock))
  }

  /// A message as the era of the client has it.
  func message(_ method: String, _ parameters: Value = .object([]), id: Value? = 1, token: Value? = nil) -> [UInt8] {
    var meta: [Member] = token.map { [Member(name: "progressToken", value: $0)] } ?? []
    if isModern {
      meta += [
        Member(name: "io.modelcontextprotocol/protocolVersion", value: "2026-07-28"),
        Member(name: "io.modelcontextprotocol/clientCapabilities", value: .object([])),
      ]
    }
    let all = (parameters.members ?? []) + (meta.isEmpty ? [] : [Member(name: "_meta", value: .object(meta))])
    let message: Value = .object(leavingOutNil: ["jsonrpc": "2.0", "id": id, "method": .text(method), "params": .object(all)])
    return message.bytes
  }

  /// Returns the answer, and what was told before it.
  func ask(_ method: String, _ parameters: Value = .object([]), token: Value? = nil) async throws -> (answer: Value, told: [Value]) {
    let told = Mutex<[Value]>([])
    let answer = await server.answer(to: try Message(message(method, parameters, token: token)), isAgreed: true) { value in
      told.withLock { $0.append(value) }
    }
    return (answer ?? .null, told.withLock(\.self))
  }

  /// Calls a tool, and returns its result.
  func call(_ tool: String, _ arguments: Value = .object([])) async throws -> Value {
    try await ask("tools/call", ["name": .text(tool), "arguments": arguments]).answer["result"]?["structuredContent"] ?? .null
  }

  /// Follows `more` to its end, as a model does. Returns the ids, and the last result.
  func readOn(_ tool: String, _ arguments: Value, between: () async throws -> Void = {}) async throws -> (ids: [String], last: Value) {
    var (result, ids) = (try await call(tool, arguments), [String]())
    while true {
      ids += (result["items"]?.list ?? []).map { $0["id"]?.plainText ?? "" }
      guard let more = result["more"], let next = more["tool"]?.text, let place = more["arguments"], ids.count < 5_000 else {
        return (ids, result)
      }
      try await between()
      result = try await call(next, place)
    }
  }
}

extension Value {
  var verdict: String? { self["verdict"]?.text }
  var what: String { self["what"]?.text ?? "" }
}
