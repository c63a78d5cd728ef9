import AggregatorCore
import CCurl

/// One transfer: the settings for libcurl, and the bytes that come back. It lives on the worker's thread.
final class Transfer {
  let ticket: WireTicket
  let easy: Easy

  private var head = ResponseHead()
  private var body: [UInt8] = []
  /// The unpacker of the body; nil before the body has begun, and if it is not packed.
  private var unpacking: Unpacking?
  private var hasBody = false
  /// True once libcurl began to send the request.
  private var wasSent = false
  /// The reason why a receiver ended the transfer; libcurl knows only that it did.
  private var refusal: SourceError?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// `hasMoved` is true when bytes came since the last call of `patienceLeft`; `lastMove` is when that call last found some.
  private var hasMoved = false
  private var lastMove: ContinuousClock.Instant?

  var request: WireRequest { ticket.request }

  init(_ ticket: WireTicket, on easy: Easy) {
    self.ticket = ticket
    self.easy = easy
  }

  /// Frees what libcurl was given by pointer, once libcurl no longer uses it.
  func release() {
    ccurl_list_free(headerList)
    headerList = nil
  }
}

// MARK: Asking

extension Transfer {
  /// Gives libcurl everything about the request.
  func prepare() throws(CurlFailure) {
    try easy.set(CURLOPT_URL, request.address)
    // The path as it is written, and no scheme but http and https.
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
    try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_FOLLOWLOCATION, 0)
    // Over a reused connection that turns out to be dead, the request would fail, and it must not be repeated.
    if !request.isRepeatable { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
    // A proxy would read a key that goes without encryption, and one on the way to this machine helps with nothing.
    if request.isPlainAndPrivate { try easy.set(CURLOPT_NOPROXY, "*") }
    if let file = Environment.authorities { try easy.set(CURLOPT_CAINFO, file) }
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect)
    try easy.set(CURLOPT_TIMEOUT_MS, request.limits.total)
    // Refuses a body that is announced as too large; other bodies are counted as they come. A HEAD only announces.
    if request.method != .head { try easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: max(request.limits.bodyBytes, 0)) }
    try prepareMessage()
    easy.prefer(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    easy.prefer(CURLOPT_TCP_NODELAY, 1)
    // Longer than a budget may make a sync wait between two requests.
    easy.prefer(CURLOPT_MAXAGE_CONN, 600)
    easy.prefer(CURLOPT_BUFFERSIZE, 256 << 10)
    easy.prefer(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Else a cancellation would wait for the resolver's thread. The oldest headers that this builds with lack the option's name.
    easy.prefer(CURLoption(322), 1)
  }

  private func prepareMessage() throws(CurlFailure) {
    // Only an open library knows whether it can unpack.
    let coding = request.has("Accept-Encoding") || !ccurl_can_inflate() ? [] : ["Accept-Encoding: gzip"]
    for line in request.headerLines + coding {
      guard let longer = ccurl_list_adding(headerList, line) else { throw CurlFailure(code: CURLE_OUT_OF_MEMORY) }
      headerList = longer
    }
    try easy.check(ccurl_set_list(easy.pointer, CURLOPT_HTTPHEADER, headerList))
    if request.method == .head {
      try easy.set(CURLOPT_NOBODY, 1)
    } else if request.method == .post || request.body != nil {
      // The bytes are copied before the call returns.
      let code = (request.body ?? []).withUnsafeBytes { ccurl_set_body(easy.pointer, $0.baseAddress, $0.count) }
      try easy.check(code)
      try easy.set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
    }
    // Passed unretained: the worker keeps this object until libcurl no longer uses the handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    try easy.check(ccurl_set_receivers(easy.pointer, receiveHead, receiveBody, context))
    ccurl_set_gate(easy.pointer, sendOnce, context)
  }
}

// MARK: Sending once

/// libcurl calls this on the worker's thread, inside `perform`, with the context from `prepareMessage`.
private let sendOnce: ccurl_gate = { context, _, _, _, _ in
  guard let context else { return 1 }
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().admitSending() ? 0 : 1
}

extension Transfer {
  /// libcurl would send the request again by itself if a reused connection turns out to be dead. Budgets and limits on the number of
  /// requests would not count that, so the transfer fails instead, and the caller decides.
  fileprivate func admitSending() -> Bool {
    guard !wasSent else { return refuse(request.lost) }
    wasSent = true
    return true
  }
}

// MARK: Receiving

/// libcurl calls these two on the worker's thread, inside `perform`, with `one * count` bytes that are valid until
/// they return, and with the context from `prepareMessage`. Taking fewer bytes than were given ends the transfer.
private let receiveHead: ccurl_receiver = { bytes, one, count, context in
  guard let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().takeHead(line) ? line.count : 0
}

private let receiveBody: ccurl_receiver = { bytes, one, count, context in
  guard let context else { return 0 }
  let part = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().takeBody(part) ? part.count : 0
}

extension Transfer {
  fileprivate func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
    hasMoved = true
    return head.take(line) || refuse(request.headTooLarge)
  }

  fileprivate func takeBody(_ part: UnsafeRawBufferPointer) -> Bool {
    hasMoved = true
    // A packed part is unpacked to its end, even when its caller has stopped waiting; this check ends that.
    guard !ticket.isFinished else { return false }
    if !hasBody {
      hasBody = true
      if let coding = head.coding {
        unpacking = Unpacking(coding)
        if unpacking == nil { return refuse(request.undecodable) }
      }
      // A hint only: a compressed body is announced too short, and a hostile one too long.
      body.reserveCapacity(min(max(easy.size(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), part.count), 16 << 20))
    }
    guard let unpacking else { return append(part) }
    return unpacking.take(part, append) || refuse(request.undecodable)
  }

  private func append(_ part: UnsafeRawBufferPointer) -> Bool {
    guard !ticket.isFinished else { return false }
    guard part.count <= request.limits.bodyBytes - body.count else { return refuse(request.tooLarge) }
    body.append(contentsOf: part)
    return true
  }

  /// Stores the first reason to end the transfer.
  private func refuse(_ error: SourceError) -> Bool {
    refusal = refusal ?? error
    return false
  }

  /// True when the empty line after the head has come.
  var isHeadWhole: Bool { head.isFinal }

  /// Returns how much longer the body may stall; nil before it has begun.
  func patienceLeft(at now: ContinuousClock.Instant) -> Duration? {
    guard head.isFinal else { return nil }
    if hasMoved {
      lastMove = now
      hasMoved = false
    }
    return request.limits.stall - ((lastMove ?? now).duration(to: now))
  }

  /// Returns the answer or the error, once libcurl says that the transfer is over.
  func outcome(_ code: CURLcode) -> WireTicket.Outcome {
    guard code == CURLE_OK else { return .failure(refusal ?? failure(code)) }
    guard unpacking?.isOver ?? true else { return .failure(request.cutShort) }
    var response = HTTPResponse(status: easy.long(CURLINFO_RESPONSE_CODE), headers: head.headers, body: body)
    // A packed body shows its end by itself.
    response.isEndShown = unpacking != nil || head.showsEndOfBody
    return .success(response)
  }
}

extension WireRequest {
  /// The header lines `Name: value`, as libcurl wants them.
  fileprivate var headerLines: [String] {
    // A name with a semicolon is libcurl's spelling of an empty header.
    let lines = headers.map { name, value in
      value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)"
    }
    // libcurl would add these headers by itself; a name without a value prevents that.
    return lines + ["Expect", "Content-Type"].filter { !has($0) }.map { "\($0):" }
  }
}
