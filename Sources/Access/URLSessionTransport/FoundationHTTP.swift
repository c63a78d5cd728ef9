public import AggregatorCore
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// HTTP on Foundation's `URLSession`, for apps: some of Apple's systems have no libcurl.
///
/// ```swift
/// let transport = FoundationHTTP(userAgent: "Ports/1.0")
/// let response = try await transport.send(HTTPRequest(.get, address))
/// ```
///
/// It stores no cookies, answers or passwords, and follows no redirects. It differs from libcurl
/// where `URLSession` hides something: whether there was a connection (so `HTTPLimits.connect` has
/// no effect, only the total time counts), the order of headers, whether gzip came to its end,
/// whether it had a second member, and the version of HTTP (so that the end of a body without a length
/// and without chunks counts as not shown, as in HTTP/1).
public final class FoundationHTTP: Transport {
  private let userAgent: String
  private let session = Session()

  /// Makes a transport with connections of its own, which sends `userAgent` in requests that set none.
  public init(userAgent: String) { self.userAgent = userAgent }

  deinit { session.urls.invalidateAndCancel() }

  /// Sends a request. In addition to the errors of `Transport` it throws `badRequest` for a request that cannot be sent exactly as it is.
  public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    let request = try WireRequest(request, userAgent: userAgent)
    // If a reused connection turns out to be dead, URLSession sends again by itself. A new session has no connection to reuse.
    guard request.isRepeatable else {
      let session = Session()
      defer { session.urls.finishTasksAndInvalidate() }
      return try await session.send(request)
    }
    // The caller keeps the session while it waits for an answer.
    defer { withExtendedLifetime(self) {} }
    return try await session.send(request)
  }
}

/// A session and its exchanges.
private final class Session: Sendable {
  let urls: URLSession
  private let exchanges: Exchanges

  init() {
    // The session keeps its delegate until it is invalidated, when its owner is freed.
    exchanges = Exchanges()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // Time is measured here, where the meaning of a time-out is known.
    configuration.timeoutIntervalForRequest = configuration.timeoutIntervalForResource
    // Budgets decide how many requests are sent at once.
    configuration.httpMaximumConnectionsPerHost = 64
    urls = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
  }

  func send(_ request: WireRequest) async throws -> HTTPResponse {
    let task = urls.dataTask(with: try request.foundation)
    let exchange = Exchange(request)
    exchanges.begin(exchange, as: task)
    let watch = Task {
      while let left = exchange.patienceLeft { try await Task.sleep(for: left) }
      task.cancel()
    }
    defer {
      watch.cancel()
      exchanges.forget(task)
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter in
        if exchange.ticket.wait({ waiter.resume(with: $0) }) { task.resume() }
      }
    } onCancel: {
      exchange.ticket.finish(.failure(CancellationError()))
      task.cancel()
    }
  }
}

extension WireRequest {
  fileprivate var foundation: URLRequest {
    get throws {
      // URLSession also reads files, and removes dots from a path.
      let (text, path) = (encodedAddress, address.prefix { $0 != "?" }.split(separator: "/").map { PercentEncoding.decode($0) })
      guard ["http", "https"].contains(origin.scheme), !path.contains("."), !path.contains(".."), let url = URL(string: text),
        url.absoluteString == text
      else {
        throw SourceError(.badRequest, "invalid address")
      }
      var request = URLRequest(url: url)
      request.httpMethod = method.rawValue
      for (name, value) in headers { request.addValue(value, forHTTPHeaderField: name) }
      if let body {
        request.httpBody = Data(body)
        // URLSession would call it a form.
        if !has("Content-Type") { request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type") }
      }
      return request
    }
  }

  /// The address with invalid characters encoded, which some services use: URLSession would encode the rest twice.
  private var encodedAddress: String {
    let whole = Array(address.utf8)
    let bytes = whole.dropFirst(origin.description.utf8.count)
    let encoded = bytes.indices.map { index in
      let isEncoding = whole[(index + 1)...].prefix(2).count { Character(UnicodeScalar($0)).isHexDigit } == 2
      let character = String(UnicodeScalar(whole[index]))
      return character == "%" && !isEncoding || #"[]"<>\^`{|}"#.contains(character)
        ? PercentEncoding.query(character) : character
    }
    return origin.description + encoded.joined()
  }
}

/// The exchanges under way, by the numbers of their tasks.
private final class Exchanges: NSObject, URLSessionDataDelegate, Sendable {
  private let underWay = Mutex<[Int: Exchange]>([:])

  func begin(_ exchange: Exchange, as task: URLSessionTask) { underWay.withLock { $0[task.taskIdentifier] = exchange } }

  func forget(_ task: URLSessionTask) { underWay.withLock { $0[task.taskIdentifier] = nil } }

  private func exchange(_ task: URLSessionTask) -> Exchange? { underWay.withLock { $0[task.taskIdentifier] } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  /// Gives no password to a service that asks for one: a source with a key sends it without being asked.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let passwords = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodDefault]
    completionHandler(
      passwords.contains(challenge.protectionSpace.authenticationMethod) ? .rejectProtectionSpace : .performDefaultHandling, nil
    )
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    completionHandler(exchange(dataTask)?.take(response) == true ? .allow : .cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if exchange(dataTask)?.take(data) != true { dataTask.cancel() }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchange(task)?.end(task.response, error)
  }
}

/// One request, and the part of its answer that has come.
private final class Exchange: Sendable {
  private struct State {
    var head: HTTPURLResponse?
    var body: [UInt8] = []
    /// The time of the last bytes; nil before the head has come.
    var lastMove: ContinuousClock.Instant?
  }

  let ticket: WireTicket
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  init(_ request: WireRequest) { ticket = WireTicket(request) }

  private var request: WireRequest { ticket.request }

  /// The longest time to sleep before the next check; nil once the exchange is finished. It finishes the exchange if its time is over.
  var patienceLeft: Duration? {
    guard !ticket.isFinished else { return nil }
    let (limits, lastMove) = (request.limits, state.withLock { $0.lastMove })
    let ends = [(start + limits.total, request.unanswered)] + (lastMove.map { [($0 + limits.stall, request.stalled)] } ?? [])
    guard let (end, error) = ends.min(by: { $0.0 < $1.0 }) else { return nil }
    let left = ContinuousClock.now.duration(to: end)
    // At most the time of a stall: the head may come in the meantime, and a stall counts from then.
    if left > .zero { return min(left, limits.stall) }
    ticket.finish(.failure(error))
    return nil
  }

  /// Takes the head. Returns true if the body is wanted.
  func take(_ response: URLResponse) -> Bool {
    guard let head = response as? HTTPURLResponse else { return refuse(request.notHTTP) }
    guard head.pairs.reduce(0, { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }) <= WireRequest.mostHeadBytes else {
      return refuse(request.headTooLarge)
    }
    guard request.method == .head || head.expectedContentLength <= Int64(clamping: request.limits.bodyBytes) else {
      return refuse(request.tooLarge)
    }
    // An interim answer does not say when the final one comes.
    if head.statusCode >= 200 { state.withLock { ($0.head, $0.lastMove) = (head, .now) } }
    return true
  }

  /// Takes a part of the body. Returns true if more is wanted.
  func take(_ data: Data) -> Bool {
    guard !ticket.isFinished else { return false }
    let fits = state.withLock { state in
      guard data.count <= request.limits.bodyBytes - state.body.count else { return false }
      state.body.append(contentsOf: data)
      state.lastMove = .now
      return true
    }
    return fits || refuse(request.tooLarge)
  }

  private func refuse(_ error: SourceError) -> Bool {
    ticket.finish(.failure(error))
    return false
  }

  func end(_ response: URLResponse?, _ error: (any Error)?) {
    let (known, body) = state.withLock { ($0.head, $0.body) }
    // On Linux a task that gets no password is cancelled after its whole answer has come.
    let isRefusal = known?.statusCode == 401 && (error as? URLError)?.code == .cancelled
    if let error, !isRefusal { return ticket.finish(.failure(failure(error))) }
    // A redirect that is not followed is reported only at its end.
    guard let head = known ?? response as? HTTPURLResponse else { return ticket.finish(.failure(request.notHTTP)) }
    let length = head.value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) } ?? 0
    let coding = head.value(forHTTPHeaderField: "Content-Encoding")?.lowercased()
    if coding == nil, body.count < length, request.method != .head, head.statusCode != 304 {
      return ticket.finish(.failure(request.cutShort))
    }
    let headers = head.pairs.map { HTTPResponse.Header($0.name, $0.value) }
    var response = HTTPResponse(status: head.statusCode, headers: headers, body: body)
    response.isEndShown =
      coding != nil || ["Content-Length", "Transfer-Encoding"].contains { head.value(forHTTPHeaderField: $0) != nil }
    ticket.finish(.success(response))
  }

  /// Returns the error for a person. It has only codes, since Foundation's text may hold the address.
  private func failure(_ error: any Error) -> SourceError {
    let error = error as NSError
    let head = state.withLock { $0.head }
    return switch URLError.Code(rawValue: error.code) {
    case _ where error.domain != NSURLErrorDomain:
      SourceError(.interrupted, "\(request.origin.host): \(error.domain) \(error.code)")
    case .badURL: SourceError(.badRequest, "invalid address")
    case .cannotFindHost, .dnsLookupFailed: request.unreachable("no such host")
    case .cannotConnectToHost: request.unreachable("no connection")
    case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
      request.unreachable("this device is offline")
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
      .serverCertificateHasUnknownRoot:
      request.unreachable("its certificate is not valid")
    case .secureConnectionFailed: request.unreachable("no secure connection")
    case .appTransportSecurityRequiresSecureConnection:
      SourceError(.noTransport, "this app may send nothing to \(request.origin.host) that is not encrypted")
    case .timedOut: request.unanswered
    case .networkConnectionLost: head == nil ? request.lost : request.cutShort
    // On Linux these are an empty reply, as libcurl calls it, and an answer without a head.
    case .badServerResponse where head == nil: request.lost
    case .badServerResponse, .cannotParseResponse, .unsupportedURL: request.notHTTP
    case .cannotDecodeContentData, .cannotDecodeRawData: request.undecodable
    // Errors that Foundation has no code for on Linux.
    case .unknown where head == nil: SourceError(.malformed, "\(request.origin.host) sent a head that cannot be read")
    case .unknown: head?.value(forHTTPHeaderField: "Content-Encoding") == nil ? request.cutShort : request.undecodable
    case .dataLengthExceedsMaximum: request.tooLarge
    default: SourceError(.interrupted, "\(request.origin.host): URLSession's error \(error.code)")
    }
  }
}

extension HTTPURLResponse {
  /// The headers in the order of their names, since URLSession loses the order in which they came.
  fileprivate var pairs: [(name: String, value: String)] {
    allHeaderFields.map { ("\($0.key)", "\($0.value)".trimmingSpaces) }.sorted { $0.0 < $1.0 }
  }
}
