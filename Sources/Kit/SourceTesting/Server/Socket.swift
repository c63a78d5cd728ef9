import AggregatorCore
import Platform

/// The few system calls that a server on the loopback needs.
enum Socket {
  static func listening(backlog: Int32) throws -> (socket: Int32, port: Int) {
    let listener = stream()
    guard listener >= 0, withAddress(port: 0, { bind(listener, $0, $1) }) == 0, listen(listener, backlog) == 0
    else {
      throw SourceError(.unreachable, "cannot start a server on the loopback: \(String(cString: strerror(errno)))")
    }
    var bound = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(listener, $0, &size) }
    }
    return (listener, Int(in_port_t(bigEndian: bound.sin_port)))
  }

  /// Begins to connect. The result does not matter, and the socket stays open as long as the process runs.
  static func knock(at port: Int) {
    let client = stream()
    _ = fcntl(client, F_SETFL, O_NONBLOCK)
    _ = withAddress(port: port) { connect(client, $0, $1) }
  }

  /// Waits for the next client; nil after the listener was shut down.
  static func client(of listener: Int32) -> Int32? {
    while true {
      let socket = accept(listener, nil, nil)
      if socket < 0, errno == EINTR || errno == ECONNABORTED { continue }
      return socket < 0 ? nil : socket
    }
  }

  /// Reads `count` bytes; fewer only if no more will come.
  static func receive(_ count: Int, from socket: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let more = bytes.withUnsafeMutableBytes { Descriptor.read(socket, into: .init(rebasing: $0[got...])) }
      guard let more, more > 0 else { break }
      got += more
    }
    return Array(bytes.prefix(got))
  }

  /// Writes the bytes; returns false after the other side has closed.
  static func pass(_ bytes: [UInt8], to socket: Int32) -> Bool {
    bytes.withUnsafeBytes { Descriptor.write($0, to: socket) } == nil
  }

  /// Blocks the signal for a closed pipe on this thread, so that writing to a client that is gone is an error.
  static func ignoreClosedPipes() {
    var closed = sigset_t()
    sigemptyset(&closed)
    sigaddset(&closed, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &closed, nil)
  }

  static func resetWhenClosed(_ socket: Int32) {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
  }

  static func shutDown(_ socket: Int32) { shutdown(socket, Int32(SHUT_RDWR)) }

  private static func stream() -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func withAddress(port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
