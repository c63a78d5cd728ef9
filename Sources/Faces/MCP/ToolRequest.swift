import AggregatorCore
import Asking

/// A request, and what it takes to answer it.
struct ToolRequest: Sendable {
  let server: MCPServer
  let message: Message
  let isModern: Bool
  /// The sources as they are, and the world in which they are asked.
  let catalogue: Catalogue, world: World
  let notify: @Sendable (Value) -> Void

  init(
    _ server: MCPServer, _ message: Message, _ isModern: Bool, _ catalogue: Catalogue, _ world: World,
    _ notify: @escaping @Sendable (Value) -> Void
  ) {
    (self.server, self.message, self.isModern) = (server, message, isModern)
    (self.catalogue, self.world, self.notify) = (catalogue, world, notify)
  }

  func result() async throws -> Value {
    let (capabilities, manual): (Value, Value) = (
      ["tools": [:], "resources": [:], "completions": [:]], .text(MCPServer.manual)
    )
    switch message.method {
    case "initialize" where !isModern:
      let wanted = message["protocolVersion"]?.text ?? ""
      let agreed = MCPServer.legacy.contains(wanted) ? wanted : MCPServer.legacy[0]
      return [
        "protocolVersion": .text(agreed), "capabilities": capabilities, "serverInfo": server.identity, "instructions": manual,
      ]
    case "ping" where !isModern: return [:]
    case "server/discover" where isModern:
      return ["supportedVersions": [.text(MCPServer.modern)], "capabilities": capabilities, "instructions": manual]
    case "tools/list":
      guard message["cursor"] ?? .null == .null else { throw Fault(.parameters, "the list of tools has one page") }
      let tools = server.tools
      return ["tools": .list(tools.indices.map { tools[$0].description(after: tools[..<$0]) })]
    case "tools/call": return try await called()
    case "resources/list": return try await listedResources()
    case "resources/templates/list": return ["resourceTemplates": Self.templates]
    case "resources/read": return try await readResource()
    case "completion/complete": return try completions()
    default: throw Fault(.method, "unknown method \"\(message.method)\"")
    }
  }

  private func called() async throws -> Value {
    guard let name = message["name"]?.text, let tool = server.tools.first(where: { $0.name == name }) else {
      let names = server.tools.map(\.name).joined(separator: ", ")
      throw Fault(.parameters, "unknown tool \"\(message["name"]?.plainText ?? "")\"; the tools are \(names)")
    }
    let arguments = message["arguments"] ?? .null
    guard let members = arguments == .null ? [] : arguments.members else {
      throw Fault(.parameters, "arguments must be an object")
    }
    let call = ToolCall(tool, members, in: self)
    return try await call.result().value(of: call)
  }

  /// Runs `work`, and tells the client of its progress if it asked for that.
  func telling<Answer>(_ work: () async throws -> Answer) async rethrows -> Answer {
    guard let teller else { return try await work() }
    defer { teller.end() }
    return try await Event.listening({ teller.note($0) }, during: work)
  }

  /// Tells the client of progress; nil if it did not ask for that.
  var teller: ProgressTeller? {
    message.progressToken.map { ProgressTeller($0, by: world.clock, notify) }
  }
}
