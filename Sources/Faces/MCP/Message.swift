import AggregatorCore

/// A message of JSON-RPC 2.0 from a client: a request with an id, or a notification without one.
struct Message: Sendable {
  let id: Value?
  let method: String
  let parameters: Value

  /// Reads a message. Throws a fault with the id of the request as far as it can be read.
  init(_ bytes: [UInt8]) throws(Fault) {
    let value: Value
    do { value = try JSON(bytes).value } catch { throw Fault(.parse, "the message is not JSON") }
    let id = value["id"]
    switch id {
    case nil, .text, .int: break
    default: throw Fault(.request, "an id is a text or a whole number")
    }
    guard value["jsonrpc"] == "2.0" else { throw Fault(.request, "the message is not one of JSON-RPC 2.0", id: id) }
    guard let method = value["method"]?.text else {
      // This server asks nothing, so that it waits for no response.
      guard value["result"] != nil || value["error"] != nil else { throw Fault(.request, "the method is missing", id: id) }
      (self.id, self.method, parameters) = (nil, "", .object([]))
      return
    }
    (self.id, self.method, parameters) = (id, method, value["params"] ?? .object([]))
    guard parameters.members != nil else { throw Fault(.parameters, "params must be an object", id: id) }
  }

  /// The revision that the request names itself, as those without a handshake do.
  var revision: Value? { meta("io.modelcontextprotocol/protocolVersion") }

  /// The name under which the client wants to be told of progress.
  var progressToken: Value? {
    let token = meta("progressToken")
    return token?.text != nil || token?.int != nil ? token : nil
  }

  func meta(_ name: String) -> Value? { parameters["_meta"]?[name] }

  subscript(name: String) -> Value? { parameters[name] }
}

/// The reason why a request has an error and no result.
struct Fault: Error, Sendable {
  enum Code: Int, Sendable {
    case parse = -32_700, request = -32_600, method = -32_601, parameters = -32_602, unforeseen = -32_603
    case resource = -32_002, header = -32_020, version = -32_022
  }

  let code: Code
  let message: String
  var id: Value?
  var data: Value?

  init(_ code: Code, _ message: String, id: Value? = nil, data: Value? = nil) {
    (self.code, self.message, self.id, self.data) = (code, message, id, data)
  }

  /// The answer to the request with that id. What could not be read has none.
  func answer(to id: Value? = nil) -> Value {
    let error: Value = .object(
      leavingOutNil: ["code": .int(code.rawValue), "message": .text(Printable.clean(message)), "data": data])
    return .object(leavingOutNil: ["jsonrpc": "2.0", "id": id ?? self.id, "error": error])
  }
}
