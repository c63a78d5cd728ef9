public import AggregatorCore
import CCurl
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server on the loopback that runs a script on every connection, each on a thread of its own.
///
/// It stops by itself: the listening socket goes with the server, a connection when its script returns.
public final class LoopbackServer: Sendable {
  public struct Broken: Error {}

  public let port: Int
  private let listener: Int32
  private let count = Mutex(0)

  /// How many connections there were.
  public var connections: Int { count.withLock { $0 } }

  public init(_ script: @escaping @Sendable (Connection) -> Void) throws {
    (listener, port) = try Self.listen(backlog: 128)
    accept(script)
  }

  /// One that never says a word: further knocks at its door go unheard.
  public init(deafTo clients: Int) throws {
    (listener, port) = try Self.listen(backlog: 0)
    for _ in 0..<clients {
      let client = Self.socket()
      // Its outcome is of no interest, and it must not be waited for; the descriptor lives as long as the process.
      _ = fcntl(client, F_SETFL, O_NONBLOCK)
      _ = Self.withAddress(port: port) { connect(client, $0, $1) }
    }
  }

  deinit {
    // Ends the accepting thread; that one closes its copy.
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  public func address(_ path: String = "/") throws -> WebAddress {
    guard let address = WebAddress("http://127.0.0.1:\(port)\(path)") else { throw Broken() }
    return address
  }

  private func accept(_ script: @escaping @Sendable (Connection) -> Void) {
    let own = dup(listener)
    spawn { [weak self] in
      while true {
        #if canImport(Darwin)
          let descriptor = Darwin.accept(own, nil, nil)
        #else
          let descriptor = Glibc.accept(own, nil, nil)
        #endif
        guard descriptor >= 0 else { break }
        self?.count.withLock { $0 += 1 }
        spawn {
          let connection = Connection(descriptor: descriptor)
          script(connection)
          connection.end()
        }
      }
      close(own)
    }
  }

  private static func socket() -> Int32 {
    #if canImport(Darwin)
      Darwin.socket(AF_INET, SOCK_STREAM, 0)
    #else
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  private static func listen(backlog: Int32) throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket()
    guard descriptor >= 0, withAddress(port: 0, { bind(descriptor, $0, $1) }) == 0 else { throw Broken() }
    #if canImport(Darwin)
      guard Darwin.listen(descriptor, backlog) == 0 else { throw Broken() }
    #else
      guard Glibc.listen(descriptor, backlog) == 0 else { throw Broken() }
    #endif
    var bound = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &bound) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { throw Broken() }
    return (descriptor, Int(in_port_t(bigEndian: bound.sin_port)))
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

private final class Job: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// The transport's own way to a thread serves here too: no signal reaches it, so a client's going away ends no test run.
private func spawn(_ run: @escaping @Sendable () -> Void) {
  // The thread takes over this reference.
  let job = Unmanaged.passRetained(Job(run))
  if !ccurl_start_thread({ Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run() }, job.toOpaque()) { job.release() }
}
