import AggregatorCore
import CCurl

/// One transfer: what is told to libcurl, and what comes back. It lives on the worker's thread.
final class Exchange {
  let ticket: WireTicket
  let easy: Easy

  private var head = ResponseHead()
  private var body: [UInt8] = []
  /// What unpacks the body; nil before it has begun, and where it is not packed.
  private var unpacking: Unpacking?
  private var hasBody = false
  /// Why a receiver broke the transfer off, where libcurl only knows that it did.
  private var refusal: SourceError?
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// Whether something came since `patienceLeft` was last asked, and when that was.
  private var hasMoved = false
  private var lastMove: ContinuousClock.Instant?

  var request: WireRequest { ticket.request }

  init(_ ticket: WireTicket, on easy: Easy) {
    self.ticket = ticket
    self.easy = easy
  }

  /// Frees what libcurl was given by pointer: for when it has let go of it.
  func release() {
    ccurl_list_free(headerList)
    headerList = nil
  }
}

// MARK: Asking

extension Exchange {
  /// Tells libcurl everything about the request.
  func prepare() throws(CurlFailure) {
    try easy.set(CURLOPT_URL, request.address)
    // The path as it stands, and nothing but the web.
    try easy.set(CURLOPT_PATH_AS_IS, 1)
    try easy.set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
    try easy.set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    try easy.set(CURLOPT_NOSIGNAL, 1)
    try easy.set(CURLOPT_FOLLOWLOCATION, 0)
    // Over a kept connection that turns out to be dead libcurl sends again by itself; a new one rules that out.
    if !request.isRepeatable { try easy.set(CURLOPT_FRESH_CONNECT, 1) }
    if let file = Environment.authorities { try easy.set(CURLOPT_CAINFO, file) }
    try easy.set(CURLOPT_CONNECTTIMEOUT_MS, request.limits.connect)
    try easy.set(CURLOPT_TIMEOUT_MS, request.limits.total)
    // Refuses what announces itself as too large; what does not is counted as it comes. A HEAD only announces.
    if request.method != .head { try easy.set(CURLOPT_MAXFILESIZE_LARGE, bytes: max(request.limits.bodyBytes, 0)) }
    try prepareMessage()
    easy.prefer(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    easy.prefer(CURLOPT_TCP_NODELAY, 1)
    // Longer than a budget may keep a sync waiting between two requests.
    easy.prefer(CURLOPT_MAXAGE_CONN, 600)
    easy.prefer(CURLOPT_BUFFERSIZE, 256 << 10)
    easy.prefer(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    // Or breaking off would wait for the resolver's thread. Younger than the oldest headers that this builds with.
    easy.prefer(CURLoption(322), 1)
  }

  private func prepareMessage() throws(CurlFailure) {
    // Only once the library is open it is known what can be unpacked.
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
    // Passed unretained: the worker keeps this object until libcurl has let go of the handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    try easy.check(ccurl_set_receivers(easy.pointer, receiveHead, receiveBody, context))
  }
}

// MARK: Receiving

/// libcurl calls these two on the worker's thread, inside `perform`, with `one * count` bytes that are good until they
/// return, and with the context from `prepareMessage`. To take fewer bytes than were given breaks the transfer off.
private let receiveHead: ccurl_receiver = { bytes, one, count, context in
  guard let context else { return 0 }
  let line = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().takeHead(line) ? line.count : 0
}

private let receiveBody: ccurl_receiver = { bytes, one, count, context in
  guard let context else { return 0 }
  let part = UnsafeRawBufferPointer(start: bytes, count: one * count)
  return Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue().takeBody(part) ? part.count : 0
}

extension Exchange {
  fileprivate func takeHead(_ line: UnsafeRawBufferPointer) -> Bool {
    hasMoved = true
    return head.take(line) || refuse(request.headTooLarge)
  }

  fileprivate func takeBody(_ part: UnsafeRawBufferPointer) -> Bool {
    hasMoved = true
    // Unpacking goes on for as long as there is more to unpack, though nobody waits for it.
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

  /// The first reason is the one.
  private func refuse(_ error: SourceError) -> Bool {
    refusal = refusal ?? error
    return false
  }

  /// Whether the empty line behind the head has come.
  var isHeadWhole: Bool { head.isFinal }

  /// How much longer the body may stand still; nil before it has begun.
  func patienceLeft(at now: ContinuousClock.Instant) -> Duration? {
    guard head.isFinal else { return nil }
    if hasMoved {
      lastMove = now
      hasMoved = false
    }
    return request.limits.stall - ((lastMove ?? now).duration(to: now))
  }

  /// The answer, or what went wrong, once libcurl says that it is over.
  func outcome(_ code: CURLcode) -> WireTicket.Outcome {
    guard code == CURLE_OK else { return .failure(refusal ?? failure(code)) }
    guard unpacking?.isOver ?? true else { return .failure(request.cutShort) }
    return .success(HTTPResponse(status: easy.long(CURLINFO_RESPONSE_CODE), headers: head.headers, body: body))
  }
}

extension WireRequest {
  /// `Name: value`, as libcurl wants them.
  fileprivate var headerLines: [String] {
    // libcurl's spelling of a header that is there and empty.
    let lines = headers.map { name, value in
      value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)"
    }
    // What libcurl would add on its own account and nobody asked for: a name without a value takes it out.
    return lines + ["Expect", "Content-Type"].filter { !has($0) }.map { "\($0):" }
  }
}
