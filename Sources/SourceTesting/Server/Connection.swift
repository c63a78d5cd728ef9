public import AggregatorCore
import Synchronization

extension StandInServer {
  /// One client, seen from the server. Its calls block the connection's own thread.
  public struct Connection: Sendable {
    private let socket: Int32
    private let door: ServerListener

    init(_ socket: Int32, door: ServerListener) {
      self.socket = socket
      self.door = door
    }

    public struct Request: Sendable {
      /// From the first line to the empty one.
      public let head: String
      public let bytes: [UInt8]
      /// When it had been read.
      public let at: Moment

      /// `GET /path HTTP/1.1`
      public var line: String { String(head.prefix { $0 != "\r\n" }) }
      public var method: String { String(line.prefix { $0 != " " }) }
      /// The path and the query, as they came.
      public var target: String { String(line.dropFirst(method.count + 1).prefix { $0 != " " }) }
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

    /// The next request; nil once the client has closed.
    public func request() -> Request? {
      var head: [UInt8] = []
      while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
        guard let byte = Socket.receive(1, from: socket).first else { return nil }
        head.append(byte)
      }
      let bare = Request(head: String(decoding: head, as: UTF8.self), bytes: [], at: door.clock.now)
      let body = Socket.receive(bare["content-length"].flatMap { Int($0) } ?? 0, from: socket)
      let request = Request(head: bare.head, bytes: body, at: door.clock.now)
      door.state.withLock { $0.requests.append(request) }
      return request
    }

    /// Bytes as they are; false once the client has closed.
    @discardableResult public func send(_ bytes: [UInt8]) -> Bool { Socket.send(bytes, to: socket) }

    @discardableResult public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits until the client closes; what it still sends is thrown away.
    public func untilClosed() { while !Socket.receive(1, from: socket).isEmpty {} }

    /// Makes the end a reset.
    public func reset() { Socket.resetWhenClosed(socket) }
  }
}
