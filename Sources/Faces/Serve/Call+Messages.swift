import AggregatorCore
import Asking
import MCP

// Programs that speak the Model Context Protocol.

extension Route {
  /// The address for messages of the Model Context Protocol. What they ask is read, but for a sync where the owner allows it.
  static let messages = Route(
    "POST", [.word(messagesName)], as: [.json, .events], .message, "a message of the Model Context Protocol"
  ) { try await $0.message() }

  static let messagesName = "mcp"
}

extension Call {
  fileprivate func message() async throws -> Reply {
    let type = request["content-type"]?.prefix { $0 != ";" } ?? ""
    guard String(type).trimmingSpaces.lowercased() == "application/json" else {
      throw Problem(415, "unsupported-type", "a message is sent as application/json")
    }
    let message = HTTPMessage(request.body) { request[$0] }
    let (server, accepted) = (server, request.values(of: "accept"))
    let takesEvents = !accepted.isEmpty && (try? Form(named: nil, accepted: accepted, among: [.events])) != nil
    guard takesEvents, message.wantsProgress(of: server) else {
      // A silent service holds up its own calls only.
      let (status, answer) = try await interface.traffic.inTurn(of: message.source ?? "") {
        try await message.answer(by: server) { _ in }
      }
      guard let answer else { return Reply(status) }
      return Reply(status, Form.json.type, .bytes(.ofJSON(answer)))
    }
    let slot = try interface.traffic.stream(of: service)
    return try await Writing.reply(
      Form.events.type, isStream: true, pingingBy: world.clock, ending: { slot.end() }
    ) { writing in
      try await writing.flush()
      let (_, answer) = try await message.answer(by: server) { progress in
        try? EventStream.send("message", progress, into: writing.outlet)
      }
      if let answer { try EventStream.send("message", answer, into: writing.outlet) }
      return Writing.Conclusion()
    }
  }

  private var server: MCPServer {
    var server = MCPServer(look: { [catalogue, world] in (catalogue, world.settings) }, in: world)
    (server.program, server.version, server.engine) = (service.program, service.version, service.engine)
    (server.answerTime, server.jobs) = (service.answerTime, service.takesSyncs ? interface.jobs : nil)
    server.bare = interface.bare
    server.wordsForPerson = { remedy, source in
      switch remedy {
      case .set, .check, .ask: Remedy.inAddresses(remedy, source)
      default: nil
      }
    }
    return server
  }
}
