public import AggregatorCore
import Synchronization

/// One client, seen from the server. Its calls block the connection's own thread.
public struct ServerConnection: Sendable {
  private let socket: Int32
  private let listener: ServerListener

  init(_ socket: Int32, listener: ServerListener) {
    self.socket = socket
    self.listener = listener
  }

  /// The next request; nil once the client has closed.
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

  /// Bytes as they are; false once the client has closed.
  @discardableResult public func send(_ bytes: [UInt8]) -> Bool { Socket.pass(bytes, to: socket) }

  /// The same of a text, as UTF-8.
  @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Waits until the client closes; what it still sends is thrown away.
  public func untilClosed() { while !Socket.receive(1, from: socket).isEmpty {} }

  /// Makes the end a reset.
  public func reset() { Socket.resetWhenClosed(socket) }
}

/// A request as a server reads it.
public struct ServerRequest: Sendable {
  /// From the first line to the empty one.
  public let head: String
  /// The body, as it came.
  public let bytes: [UInt8]
  /// When it had been read.
  public let at: Moment

  /// `GET /path HTTP/1.1`
  public var line: String { String(head.prefix { $0 != "\r\n" }) }
  /// `GET`, as the client wrote it.
  public var method: String { String(line.prefix { $0 != " " }) }
  /// The path and the query, as they came.
  public var target: String { String(line.dropFirst(method.count + 1).prefix { $0 != " " }) }
  /// The body as text; what is no UTF-8 is replaced.
  public var body: String { String(decoding: bytes, as: UTF8.self) }

  /// Every header, in order.
  public var headers: [HTTPResponse.Header] {
    head.split(separator: "\r\n").dropFirst().map { line in
      let name = line.prefix { $0 != ":" }
      return HTTPResponse.Header(String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
    }
  }

  /// The value of a header, nil if it is not there.
  public subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// Answers, whole and broken. `status` is what follows the version, headers end in `\r\n` each.
extension ServerConnection {
  /// An answer with its length.
  public func answer(status: String = "200 OK", headers: String = "", bytes: [UInt8]) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes)
  }

  /// A whole answer with that text; a line break ends each of `headers`.
  public func answer(status: String = "200 OK", headers: String = "", _ body: String = "") {
    answer(status: status, headers: headers, bytes: Array(body.utf8))
  }

  /// An answer in pieces, each sent once `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", chunks: [[UInt8]], through turnstile: Turnstile? = nil) {
    send(head(status, "Transfer-Encoding: chunked\r\n" + headers))
    for chunk in chunks where !chunk.isEmpty {
      turnstile?.pass()
      send(Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + Array("\r\n".utf8))
    }
    turnstile?.pass()
    send("0\r\n\r\n")
  }

  /// An answer sent a byte at a time, each once `turnstile` lets it pass.
  public func answer(status: String = "200 OK", headers: String = "", dripping bytes: [UInt8], through turnstile: Turnstile) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers))
    for byte in bytes {
      turnstile.pass()
      send([byte])
    }
  }

  /// An answer that announces all and sends the first `count` bytes. Return from the script then: the connection is cut.
  public func answer(status: String = "200 OK", headers: String = "", cutting bytes: [UInt8], after count: Int) {
    send(head(status, "Content-Length: \(bytes.count)\r\n" + headers) + bytes.prefix(count))
  }

  private func head(_ status: String, _ headers: String) -> [UInt8] { Array("HTTP/1.1 \(status)\r\n\(headers)\r\n".utf8) }
}
