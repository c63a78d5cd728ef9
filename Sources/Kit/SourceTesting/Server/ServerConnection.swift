public import AggregatorCore
import Synchronization

/// A connection to one client, seen from the server. Its calls block the connection's own thread.
public struct ServerConnection: Sendable {
  private let socket: Int32
  private let listener: ServerListener

  init(_ socket: Int32, listener: ServerListener) {
    self.socket = socket
    self.listener = listener
  }

  /// Reads the next request; nil after the client has closed.
  public func request() -> ServerRequest? {
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let byte = Socket.receive(1, from: socket).first else { return nil }
      head.append(byte)
    }
    let bare = ServerRequest(head: String(decoding: head, as: UTF8.self), bytes: [], at: listener.clock.now)
    let body = Socket.receive(bare["content-length"].flatMap { Int($0) } ?? 0, from: socket)
    let request = ServerRequest(head: bare.head, bytes: body, at: listener.clock.now)
    listener.state.withLock { $0.requests.append(request) }
    return request
  }

  /// Sends bytes unchanged; returns false after the client has closed.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool { Socket.pass(bytes, to: socket) }

  /// Sends a text in UTF-8; returns false after the client has closed.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Waits until the client closes. What it still sends is ignored.
  public func untilClosed() { while !Socket.receive(1, from: socket).isEmpty {} }

  /// Makes the connection end with a reset.
  public func reset() { Socket.resetWhenClosed(socket) }
}

/// A request as the server reads it.
public struct ServerRequest: Sendable {
  /// The text from the first line to the empty line.
  public let head: String
  /// The body as it was received.
  public let bytes: [UInt8]
  /// The time at which it had been read.
  public let at: Moment

  /// The first line: `GET /path HTTP/1.1`.
  public var line: String { String(head.prefix { $0 != "\r\n" }) }
  /// The method as the client wrote it, such as `GET`.
  public var method: String { String(line.prefix { $0 != " " }) }
  /// The path and the query as they were received.
  public var target: String { String(line.dropFirst(method.count + 1).prefix { $0 != " " }) }
  /// The body as text. Bytes that are not UTF-8 are replaced.
  public var body: String { String(decoding: bytes, as: UTF8.self) }

  /// The headers, in order.
  public var headers: [HTTPResponse.Header] {
    head.split(separator: "\r\n").dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return HTTPResponse.Header(String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
  }

  /// The value of a header; nil if the request does not have it.
  public subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// Complete and broken answers. `status` is the text after the HTTP version, and each header ends in `\r\n`.
extension ServerConnection {
  /// Sends an answer with its length.
  public func answer(status: String = "200 OK", headers: String = "", bytes: [UInt8]) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes)
  }

  /// Sends a complete answer with a text. Each of `headers` ends in a line break.
  public func answer(status: String = "200 OK", headers: String = "", _ body: String = "") {
    answer(status: status, headers: headers, bytes: Array(body.utf8))
  }

  /// Sends an answer in chunks, each after `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", chunks: [[UInt8]], through turnstile: Turnstile? = nil) {
    send(head(status, "Transfer-Encoding: chunked\r\n" + headers))
    for chunk in chunks where !chunk.isEmpty {
      turnstile?.pass()
      send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
    }
    turnstile?.pass()
    send("0\r\n\r\n")
  }

  /// Sends an answer one byte at a time, each after `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", dripping bytes: [UInt8], through turnstile: Turnstile) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers))
    for byte in bytes {
      turnstile.pass()
      send([byte])
    }
  }

  /// Sends an answer that announces all bytes, but only its first `count` bytes. Return from
  /// the script then, so that the connection is cut.
  public func answer(status: String = "200 OK", headers: String = "", cutting bytes: [UInt8], after count: Int) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes.prefix(count))
  }

  private func head(_ status: String, _ headers: String) -> [UInt8] { Array("HTTP/1.1 \(status)\r\n\(headers)\r\n".utf8) }
}
