public import AggregatorCore
import Platform

/// A message that came by HTTP. Nothing is remembered between two of them: a request without a handshake says what it needs, and one of the
/// older era is taken as if the handshake had been.
public struct HTTPMessage: Sendable {
  private let message: Result<Message, Fault>

  /// Reads the body of a request. `header` returns the value of a header by its name in small letters.
  public init(_ body: [UInt8], header: (String) -> String?) {
    do throws(Fault) {
      let message = try Message(body)
      do throws(Fault) { try message.check(header) } catch {
        throw Fault(error.code, error.message, id: message.id, data: error.data)
      }
      self.message = .success(message)
    } catch { message = .failure(error) }
  }

  /// The source that the message names; nil if it names none.
  public var source: String? { (try? message.get())?["arguments"]?["source"]?.text }

  /// True for a sound call whose client wants to be told of progress, for which the answer has to be a stream of events.
  public func wantsProgress(of server: MCPServer) -> Bool {
    guard let message = try? message.get(), message.id != nil, message.progressToken != nil else { return false }
    guard (try? server.check(message, isAgreed: true)) != nil, message.method == "tools/call" else { return false }
    return server.tools.contains { .text($0.name) == message["name"] }
  }

  /// Answers. Returns the status, and the answer unless the message is a notification. `notify` sends what comes before the answer.
  public func answer(
    by server: MCPServer, notifying notify: @escaping @Sendable (Value) -> Void
  ) async throws -> (status: Int, answer: Value?) {
    let message: Message
    do { message = try self.message.get() } catch { return (Self.status(of: error.code.rawValue), error.answer()) }
    if message.id == nil { return (202, nil) }
    guard let answer = await server.answer(to: message, isAgreed: true, notifying: notify) else { throw CancellationError() }
    let code = answer["error"]?["code"]?.int
    return (message.revision == nil ? 200 : code.map(Self.status) ?? 200, answer)
  }

  private static func status(of code: Int) -> Int {
    switch Fault.Code(rawValue: code) {
    case .method: 404
    case .unforeseen, .resource: 200
    default: 400
    }
  }
}

extension Message {
  /// Checks that the headers say the same as the body, so that whatever passes a request on can trust them.
  fileprivate func check(_ header: (String) -> String?) throws(Fault) {
    let named = header("mcp-protocol-version")?.trimmingSpaces
    guard let revision = revision?.text ?? (named == MCPServer.modern ? named : nil) else {
      if let named, !MCPServer.legacy.contains(named) { throw Fault(.request, "unknown revision \"\(named)\"") }
      return
    }
    func same(_ name: String, _ wanted: String) throws(Fault) {
      var given = header(name)?.trimmingSpaces ?? ""
      if given.hasPrefix("=?base64?"), given.hasSuffix("?=") {
        let text = String(given.dropFirst(9).dropLast(2))
        // Letters that another program reads in another way are not read.
        given = Base64.decode(text).flatMap { Base64.encode($0) == text ? String(validating: $0, as: UTF8.self) : nil } ?? ""
      }
      if given != wanted { throw Fault(.header, "the header \(name) does not say the same as the message") }
    }
    if id == nil { return }
    guard self.revision != nil else { throw Fault(.parameters, "the request names no revision in _meta") }
    try same("mcp-protocol-version", revision)
    try same("mcp-method", method)
    let name: String? = ["tools/call": "name", "prompts/get": "name", "resources/read": "uri"][method]
    if let value = name.flatMap({ self[$0]?.text }) { try same("mcp-name", value) }
  }
}
