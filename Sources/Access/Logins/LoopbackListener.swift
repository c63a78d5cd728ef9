import AggregatorCore
import Platform

/// A listener on this machine for the one request by which a browser comes back from a page.
final class LoopbackListener: Sendable {
  private let socket: CInt
  let port: Int
  private let stopping: Pipe

  /// Listens on a free port of 127.0.0.1, which only programs on this machine reach.
  init() throws {
    guard let stopping = Pipe() else { throw Self.failure }
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = CInt(SOCK_STREAM.rawValue)
    #endif
    let handle = Platform.socket(AF_INET, kind, 0)
    _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(handle, $0, size) == 0 && listen(handle, 8) == 0 && getsockname(handle, $0, &size) == 0
      }
    }
    guard handle >= 0, isListening else {
      if handle >= 0 { close(handle) }
      throw Self.failure
    }
    (socket, port, self.stopping) = (handle, Int(UInt16(bigEndian: address.sin_port)), stopping)
  }

  deinit { for file in [socket, stopping.reading, stopping.writing] { close(file) } }

  private static let failure = SourceError(.noTransport, "no port of this machine is free to log in with")

  /// Returns the query of the first request that `isWanted` takes; nil if none came in that time. Other requests are answered too.
  func answer(
    within patience: Duration, _ isWanted: @escaping @Sendable ([String: String]) -> Bool
  ) async throws -> [String: String]? {
    try await SystemThread.blocking { [self] in
      let deadline = ContinuousClock.now + patience
      while ContinuousClock.now < deadline {
        guard let ready = Descriptor.ready([(socket, POLLIN), (stopping.reading, POLLIN)], within: 1_000) else { continue }
        if ready[1] { throw CancellationError() }
        guard ready[0] else { continue }
        let connection = accept(socket, nil, nil)
        guard connection >= 0 else { continue }
        defer { close(connection) }
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        guard let query = Self.query(from: connection) else {
          Self.send("400 Bad Request", "This is not the address of a login.", to: connection)
          continue
        }
        if isWanted(query) {
          let text = query["error"] == nil ? "You are logged in. You can close this page." : "The login was declined."
          Self.send("200 OK", "\(text) The rest is in the terminal.", to: connection)
          return query
        }
        Self.send("404 Not Found", "This is not the login that the terminal waits for.", to: connection)
      }
      return nil
    } onCancel: { [stopping] in
      Pipe.send(to: stopping.writing)
    }
  }

  /// Returns the items of the query of a request for `/`; nil if it is another request, or none within two seconds.
  private static func query(from connection: CInt) -> [String: String]? {
    var bytes: [UInt8] = []
    let deadline = ContinuousClock.now + .seconds(2)
    while !bytes.contains(Byte.newline), bytes.count < 16 << 10 {
      guard ContinuousClock.now < deadline, Descriptor.ready([(connection, POLLIN)], within: 200)?[0] == true else {
        if ContinuousClock.now < deadline { continue }
        return nil
      }
      var part = [UInt8](repeating: 0, count: 4 << 10)
      let count = part.withUnsafeMutableBytes { Descriptor.read(connection, into: $0) } ?? 0
      guard count > 0 else { return nil }
      bytes += part.prefix(count)
    }
    let words = String(decoding: bytes.prefix { $0 != Byte.newline }, as: UTF8.self).split(separator: " ")
    guard words.count == 3, words[0] == "GET", words[1].hasPrefix("/?") else { return nil }
    let items = words[1].dropFirst(2).split(separator: "&").map {
      $0.split(separator: "=", maxSplits: 1).map { PercentEncoding.decode($0) }
    }
    return Dictionary(items.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }) { first, _ in first }
  }

  private static func send(_ status: String, _ text: String, to connection: CInt) {
    let page = "<!doctype html><meta charset=\"utf-8\"><title>aggregator</title><p>\(text)</p>\n"
    let head = """
      HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: \(page.utf8.count)\r\n\
      Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n
      """
    Array((head + page).utf8).withUnsafeBytes { _ = Descriptor.write($0, to: connection, within: 2_000) }
  }
}
