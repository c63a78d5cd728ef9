import Platform

/// A client on a socket, which sends any bytes and reads what comes.
final class RawClient: Sendable {
  let descriptor: CInt

  init(port: Int) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), in_port_t(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Refused() }
  }

  struct Refused: Error {}

  deinit { Platform.close(descriptor) }

  func send(_ text: String) { send(Array(text.utf8)) }
  func send(_ bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { Platform.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
  }

  /// Closes the connection at once, as a client that is killed does.
  func leave() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  /// Reads until the server closes the connection. It waits on a thread of its own, since the
  /// server's tasks need the others, and as long as a busy machine may take.
  func read() async -> [UInt8] {
    await withCheckedContinuation { continuation in SystemThread.start { continuation.resume(returning: self.readNow()) } }
  }

  private func readNow() -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while Descriptor.ready([(descriptor, POLLIN)], within: 900_000) == [true] {
      let count = part.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
      guard count > 0 else { break }
      bytes += part.prefix(count)
    }
    return bytes
  }
}

/// A reply as it came over the wire.
struct RawReply {
  var status = 0
  var headers: [(name: String, value: String)] = []
  /// The headers after the last chunk.
  var trailers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  /// True when the body is as long as its head says, or its last chunk came.
  var isWhole = false

  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(name: String) -> String? { headers.first { $0.name == name }?.value }

  private static func header(_ line: String) -> (name: String, value: String) {
    let sides = line.split(separator: ":", maxSplits: 1)
    return (sides[0].lowercased(), sides.count == 2 ? String(sides[1].drop { $0 == " " }) : "")
  }

  /// Reads the bytes of one reply; `hasBody` is false for a reply to HEAD.
  init(_ bytes: [UInt8], hasBody: Bool = true) {
    let end = Array("\r\n\r\n".utf8)
    guard let split = bytes.indices.first(where: { bytes[$0...].starts(with: end) }) else { return }
    let lines = String(decoding: bytes[..<split], as: UTF8.self).split(separator: "\r\n").map(String.init)
    status = lines.first?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    headers = lines.dropFirst().map(Self.header)
    var rest = bytes[(split + 4)...]
    guard self["transfer-encoding"] == "chunked" else {
      body = Array(rest)
      isWhole = !hasBody || self["content-length"].flatMap { Int($0) } ?? 0 == body.count
      return
    }
    while let line = rest.firstIndex(of: UInt8(ascii: "\r")) {
      guard let count = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16) else { return }
      if count == 0 {
        isWhole = true
        trailers = String(decoding: rest[line...], as: UTF8.self).split(separator: "\r\n").map { Self.header(String($0)) }
        return
      }
      guard rest.count >= line - rest.startIndex + 2 + count + 2 else { return }
      let start = line + 2
      body += rest[start..<start + count]
      rest = rest[(start + count + 2)...]
    }
  }
}
