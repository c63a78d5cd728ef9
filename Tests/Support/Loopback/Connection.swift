#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// One client, seen from the server. Its calls block.
public struct Connection: Sendable {
  let descriptor: Int32

  public struct Request: Sendable {
    public let head: String
    public let body: String

    /// `GET /path HTTP/1.1`
    public var line: String { String(head.prefix { $0 != "\r\n" }) }

    /// The value of a header, nil if it is not there.
    public subscript(name: String) -> String? {
      for line in head.split(separator: "\r\n").dropFirst() where line.lowercased().hasPrefix(name.lowercased() + ":") {
        return String(line.dropFirst(name.count + 1).drop { $0 == " " })
      }
      return nil
    }
  }

  /// The next request; nil once the client has closed.
  public func request() -> Request? {
    var head = ""
    while !head.hasSuffix("\r\n\r\n") {
      guard let byte = bytes(1).first else { return nil }
      head.unicodeScalars.append(Unicode.Scalar(byte))
    }
    let plain = Request(head: head, body: "")
    let body = bytes(plain["content-length"].flatMap { Int($0) } ?? 0)
    return Request(head: head, body: String(decoding: body, as: UTF8.self))
  }

  private func bytes(_ count: Int) -> [UInt8] {
    // To receive nothing would wait for something all the same.
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, count, Int32(MSG_WAITALL)) }
    return Array(bytes.prefix(max(got, 0)))
  }

  public func send(_ text: String) { send(Array(text.utf8)) }

  public func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// An answer with its length.
  public func answer(status: String = "200 OK", headers: String = "", bytes: [UInt8]) {
    send(Array("HTTP/1.1 \(status)\r\nContent-Length: \(bytes.count)\r\n\(headers)\r\n".utf8) + bytes)
  }

  public func answer(status: String = "200 OK", headers: String = "", _ body: String = "") {
    answer(status: status, headers: headers, bytes: Array(body.utf8))
  }

  /// Waits until the client closes; what it still sends is thrown away.
  public func untilClosed() { while !bytes(1).isEmpty {} }

  /// Makes the end a reset.
  public func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  func end() { close(descriptor) }
}
