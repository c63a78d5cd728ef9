import AggregatorCore
import Platform

/// The place where a server listens.
enum Listener {
  /// Listens at a port of an address; 0 lets the system choose one.
  static func socket(at host: String, port: Int) throws(SourceError) -> (descriptor: CInt, port: Int) {
    var hints = addrinfo()
    (hints.ai_flags, hints.ai_socktype) = (AI_NUMERICHOST | AI_PASSIVE, stream)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
      throw SourceError(.settings, "\"\(host)\" is not an address of this machine", remedy: "use 127.0.0.1, or ::1")
    }
    defer { freeaddrinfo(found) }
    let descriptor = Platform.socket(found.pointee.ai_family, stream, 0)
    guard descriptor >= 0 else { throw failure("cannot make a socket", errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var isReused: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<CInt>.size))
    guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else {
      let code = errno
      close(descriptor)
      throw failure("cannot listen at \(host):\(port)", code)
    }
    guard listen(descriptor, backlog) == 0 else { throw failure("cannot listen at \(host):\(port)", errno) }
    return (descriptor, boundPort(of: descriptor) ?? port)
  }

  /// Listens at a file that only this user may use. A file that a process left there before is replaced; one that is in use is not.
  static func socket(atFile path: String) throws(SourceError) -> CInt {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else {
      throw SourceError(.settings, "the path of the socket has \(bytes.count) bytes, and \(room - 1) are the most")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    func calling(_ call: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ descriptor: CInt) -> Bool {
      withUnsafePointer(to: address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
      } == 0
    }
    let descriptor = Platform.socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { throw failure("cannot make a socket", errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    // The file is made with these rights, so that it never has others.
    let mask = umask(0o177)
    defer { umask(mask) }
    if !calling(bind, descriptor) {
      let code = errno
      guard code == EADDRINUSE, isSocket(path), !calling(connect, descriptor), errno == ECONNREFUSED else {
        throw failure("cannot listen at \(path)", code)
      }
      unlink(path)
      guard calling(bind, descriptor) else { throw failure("cannot listen at \(path)", errno) }
    }
    guard listen(descriptor, backlog) == 0 else { throw failure("cannot listen at \(path)", errno) }
    return descriptor
  }

  /// True for a socket. Any other file there belongs to somebody, and stays.
  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static let backlog: CInt = 512
  #if canImport(Glibc)
    private static let stream = CInt(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  private static func boundPort(of descriptor: CInt) -> Int? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { return nil }
    // The port stands at the same place for both versions of the protocol.
    return withUnsafeBytes(of: &address) { Int($0[2]) << 8 | Int($0[3]) }
  }

  private static func failure(_ what: String, _ code: CInt) -> SourceError {
    SourceError(.unreachable, "\(what): \(SystemFiles.reason(code))")
  }
}
