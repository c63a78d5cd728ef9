import AggregatorCore
import CurlTransport
import Platform
import SourceTesting
import Synchronization
import URLSessionTransport

/// The transports that these tests check.
enum Way: CaseIterable {
  case libcurl
  case urlSession

  /// URLSession's sockets can crash Dispatch in a process with hundreds of other threads, so `./test` asks for it in a step of its own.
  static let hasURLSession = getenv("AGGREGATOR_URLSESSION") != nil
  static var allCases: [Way] { hasURLSession ? [.libcurl, .urlSession] : [.libcurl] }

  func transport(userAgent: String = "aggregator") -> any Transport {
    switch self {
    case .libcurl: LibCurl(userAgent: userAgent)
    case .urlSession: FoundationHTTP(userAgent: userAgent)
    }
  }
}

/// The environment of the process.
enum World {
  private static let prepared: Void = {
    for name in ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] { unsetenv(name) }
  }()

  /// Makes sure that no proxy of this machine is used between the tests and their servers.
  static func prepare() { prepared }
}

extension HTTPRequest {
  /// This request without time limits, so that only the test ends it, however busy the machine is.
  var patient: HTTPRequest {
    var request = self
    (request.limits.connect, request.limits.total, request.limits.stall) = (.seconds(86_400), .seconds(86_400), .seconds(86_400))
    return request
  }
}

/// Lets all threads pass once `parties` have come. It blocks, and is meant for the threads of servers.
final class Gate: Sendable {
  private let parties: Int
  private let count = Mutex(0)
  private let turnstile = Turnstile()

  init(parties: Int) { self.parties = parties }

  func pass() {
    let isLast = count.withLock {
      $0 += 1
      return $0 == parties
    }
    if isLast { turnstile.open() }
    turnstile.pass()
  }
}

enum Gzip {
  /// `{"name":"Asterix","name":"Obelix"}`, compressed.
  static let names: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 171, 86, 202, 75, 204, 77, 85, 178, 82, 114, 44, 46, 73, 45, 202, 172, 80, 210, 129, 9, 248, 39, 165,
    230, 0, 249, 181, 0, 91, 211, 73, 199, 34, 0, 0, 0,
  ]

  /// A megabyte of zeros, compressed to a kilobyte.
  static let bomb: [UInt8] =
    [31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 237, 193, 49, 1, 0, 0, 0, 194, 160, 245, 79, 109, 8, 95, 160] + [UInt8](repeating: 0, count: 1016)
    + [62, 3, 28, 234, 56, 167, 0, 0, 16, 0]
}

/// An event that happens once, for which a task can wait without a thread.
struct Event: Sendable {
  private let stream: AsyncStream<Never>
  private let continuation: AsyncStream<Never>.Continuation

  init() { (stream, continuation) = AsyncStream.makeStream() }

  func happen() { continuation.finish() }
  func wait() async { for await _ in stream {} }
}
