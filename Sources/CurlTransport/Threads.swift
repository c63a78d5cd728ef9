import AggregatorCore
import CCurl

extension LibCurl {
  /// Throws where the system gives no more threads.
  ///
  /// A request takes one of its own, and waiting for it takes those of Swift's pool, which never says that it has none: it tries for
  /// ever. So who asks a service looks first.
  public static func checkThreads() throws {
    guard ccurl_can_start_threads(6) else {
      throw SourceError(
        .noTransport, "cannot start another thread", remedy: "allow more processes with 'ulimit -u', or use --offline")
    }
  }
}
