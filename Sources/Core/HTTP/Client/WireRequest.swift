import Synchronization

/// A request as a transport sends it: checked, with its secrets revealed, so it must never be shown.
package struct WireRequest: Sendable {
  package let method: HTTPRequest.Method
  package let address: String
  package let headers: [(name: String, value: String)]
  package let body: [UInt8]?
  package let limits: HTTPLimits
  package let isRepeatable: Bool
  package let origin: WebAddress.Origin
  /// True for a request without encryption that no proxy may read: it is for this machine, or it has a key.
  package let isPlainAndPrivate: Bool

  /// The request in the form for sending; throws if it cannot be sent as it is.
  package init(_ request: HTTPRequest, userAgent: String) throws(SourceError) {
    let address = request.wireAddress
    self.address = address.description
    guard self.address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw SourceError(.badRequest, "the address contains a space or a control character")
    }
    var headers = request.wireHeaders
    if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) { headers.append(("User-Agent", userAgent)) }
    for header in headers { try Self.check(header.name, header.value) }
    self.headers = headers
    (method, body, limits, isRepeatable) = (request.method, request.body, request.limits, request.isRepeatable)
    origin = address.origin
    isPlainAndPrivate = address.scheme == "http" && (address.isSafe || request.carriesSecret || request.isPrivate)
  }

  /// Throws if a control character could end the line or the text: the rest would be a header that somebody else wrote.
  private static func check(_ name: String, _ value: String) throws(SourceError) {
    guard !name.isEmpty, name.utf8.allSatisfy(isToken) else { throw SourceError(.badRequest, "invalid header name") }
    guard isHeaderValue(value) else {
      throw SourceError(.badRequest, "the header \(name) contains a control character")
    }
  }

  /// True for a text without control characters, but for tabs.
  package static func isHeaderValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }
  }

  /// True for RFC 9110's `tchar`.
  private static func isToken(_ byte: UInt8) -> Bool { Byte.isWord(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte) }

  package func has(_ header: String) -> Bool { headers.contains { $0.name.lowercased() == header.lowercased() } }
}

/// The errors of sending, in the words of every transport. They name the host at most, because an address holds secrets.
extension WireRequest {
  package static let mostHeadBytes = 256 << 10

  package var stalled: SourceError { SourceError(.timedOut, "\(origin.host) sent nothing for \(limits.stall.inWords)") }
  package var unanswered: SourceError {
    SourceError(.timedOut, "\(origin.host) did not answer within \(limits.total.inWords)")
  }
  package var tooLarge: SourceError {
    let bytes = limits.bodyBytes
    let isWhole = bytes >= 1 << 20 && bytes % (1 << 20) == 0
    let size = isWhole ? "\(bytes >> 20) MB" : bytes >= 1 << 10 ? "\(bytes >> 10) kB" : "\(bytes) bytes"
    return SourceError(.malformed, "the response is larger than \(size)")
  }
  package var headTooLarge: SourceError { SourceError(.malformed, "the response headers are too long") }
  package var cutShort: SourceError { SourceError(.truncated, "the response from \(origin.host) was cut short") }
  package var undecodable: SourceError { SourceError(.malformed, "\(origin.host) sent a body that cannot be decoded") }
  package var notHTTP: SourceError { SourceError(.malformed, "\(origin.host) did not answer in HTTP") }
  package var lost: SourceError { SourceError(.interrupted, "the connection to \(origin.host) was lost") }

  package func unreachable(_ why: String, remedy: Remedy? = nil) -> SourceError {
    SourceError(.unreachable, "cannot reach \(origin.authority): \(why)", remedy: remedy)
  }
}

/// One request and the caller that waits for its response. The first outcome wins; later ones are ignored.
package final class WireTicket: Sendable {
  /// Gets the outcome.
  // A function, since the size of a continuation is known only at run time, and every start would look for it.
  package typealias Waiter = @Sendable (Outcome) -> Void
  package typealias Outcome = Result<HTTPResponse, any Error>

  package let request: WireRequest
  private let state = Mutex(State())

  private struct State {
    var waiter: Waiter?
    var outcome: Outcome?
  }

  package init(_ request: WireRequest) { self.request = request }

  /// Lets `waiter` wait. False if the outcome was already known; the waiter has it by then.
  package func wait(_ waiter: @escaping Waiter) -> Bool {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiter = waiter }
      return state.outcome
    }
    if let outcome { waiter(outcome) }
    return outcome == nil
  }

  /// True when the outcome is known; the caller may have given it up by then.
  package var isFinished: Bool { state.withLock { $0.outcome != nil } }

  package func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state in
      guard state.outcome == nil else { return nil as Waiter? }
      state.outcome = outcome
      return state.waiter
    }
    waiter?(outcome)
  }
}
