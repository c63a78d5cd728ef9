package import AggregatorCore
import Platform

/// Reads HAR 1.2 as browsers and proxies write it. Missing parts are filled in, and common mistakes are corrected.
package struct HARReader {
  /// The name of the file in errors.
  let name: String

  package init(name: String) { self.name = name }

  /// Returns the exchanges of an archive; errors name the file.
  func exchanges(_ bytes: [UInt8]) throws -> [Exchange] {
    do {
      return try entries(bytes)
    } catch var error as SourceError {
      error.message = "\(name): \(error.message)"
      throw error
    }
  }

  /// Returns the exchanges of an archive; errors do not name the file.
  package func entries(_ bytes: [UInt8]) throws -> [Exchange] {
    try JSON(bytes).object("log").array("entries").compactMap(exchange)
  }

  private func exchange(_ entry: JSON) throws -> Exchange? {
    guard let request = try request(entry.object("request")) else { return nil }
    let started = try entry.member("startedDateTime")
    guard let startedAt = Moment(iso: try started.asString()) else { throw wrong(started, ": this is not a date") }
    let took = Duration.seconds(clamping: min(max(0, try entry.doubleIfPresent("time") ?? 0), 1e9) / 1000)
    let answer = try entry.object("response")
    if let failure = try failure(answer) { return Exchange(request, failing: failure, startedAt: startedAt, took: took) }
    return Exchange(request, try response(answer), startedAt: startedAt, took: took)
  }

  private func wrong(_ json: JSON, _ what: String) -> SourceError { SourceError(.malformed, "\(json.path)\(what)") }

  /// Returns the request; nil if it was not sent over HTTP. A browser's export also has the `data:`, `blob:` and `ws:` addresses of a page.
  private func request(_ json: JSON) throws -> TapedRequest? {
    let url = try json.member("url")
    let text = try url.asString()
    let scheme = text.prefix { $0 != ":" && $0 != "/" }.lowercased()
    if text.dropFirst(scheme.count).hasPrefix(":"), scheme != "http", scheme != "https" { return nil }
    guard var address = WebAddress(text) else { throw wrong(url, Self.reason(againstAddress: text)) }
    // Some tools leave the query out of the address.
    if address.query == nil { address.query = try WebAddress.query(of: pairs(json, "queryString")) }
    let body = try json.objectIfPresent("postData").flatMap { data in
      try bytes(in: data) ?? WebAddress.query(of: pairs(data, "params")).map { Array($0.utf8) }
    }
    return try TapedRequest(json.string("method").uppercased(), address, headers: headers(json), body: body)
  }

  /// Returns the reason why a text is not a valid address. The text is not repeated, because its user part may have a password.
  private static func reason(againstAddress text: String) -> String {
    let authority = text.utf8.drop { $0 != UInt8(ascii: "/") }.drop { $0 == UInt8(ascii: "/") }.prefix {
      !"/?#".utf8.contains($0)
    }
    return authority.contains(UInt8(ascii: "@"))
      ? ": an address with a user part (USER:PASSWORD@) is not supported; remove that part from the file"
      : ": this is not an http or https address"
  }

  /// Headers that describe the body as it was sent. In a file the body is decoded and complete.
  static let ofTheWire: Set<String> = ["content-encoding", "content-length", "transfer-encoding"]

  private func response(_ json: JSON) throws -> HTTPResponse {
    let headers = try headers(json).filter { !Self.ofTheWire.contains($0.name.lowercased()) }
    var response = try HTTPResponse(
      status: json.int("status"), headers: headers, body: json.objectIfPresent("content").flatMap(bytes) ?? [])
    response.isEndShown = json["_endIsShown"]?.value != false
    return response
  }

  /// Returns the error if the answer is missing, or if it cannot be replayed because the
  /// browser had already dropped its body; nil otherwise.
  private func failure(_ response: JSON) throws -> SourceError? {
    let reason = try response.stringIfPresent("_error") ?? ""
    let content = try response.objectIfPresent("content")
    let (status, hasBody) = (try response.int("status"), try content?.stringIfPresent("text") != nil)
    if status == 0 || !reason.isEmpty && !hasBody { return Self.failure(called: reason) }
    guard let size = try content?.doubleIfPresent("size"), size > 0, !hasBody, status != 304 else { return nil }
    return SourceError(
      .custom("unrecorded"), "\(name): \(response.path).content.text: the body of \(Int(size)) bytes was not exported",
      remedy: "export it with content before leaving the page")
  }

  // HTTP/2's pseudo-headers begin with a colon.
  private func headers(_ json: JSON) throws -> [HTTPResponse.Header] {
    try pairs(json, "headers").filter { !$0.name.hasPrefix(":") }
  }

  private func pairs(_ json: JSON, _ name: String) throws -> [HTTPResponse.Header] {
    try json.arrayIfPresent(name)?.map { try HTTPResponse.Header($0.string("name"), $0.stringIfPresent("value") ?? "") } ?? []
  }

  /// Returns the bytes of its `text`; nil if it has none.
  private func bytes(in json: JSON) throws -> [UInt8]? {
    guard let text = try json.stringIfPresent("text") else { return nil }
    let encoding = try json.stringIfPresent("_encoding") ?? json.stringIfPresent("encoding") ?? ""
    if ["", "utf-8", "utf8"].contains(encoding.lowercased()) { return Array(text.utf8) }
    guard encoding.lowercased() == "base64" else {
      throw wrong(json, ".encoding: \"\(encoding)\" is not supported; only base64 is")
    }
    guard let bytes = Base64.decode(text) else { throw wrong(json, ".text: this is not base64") }
    return bytes
  }

  // HAR has no member for the reason why a request has no answer, so tools write it to `_error`, each in its own words.
  private static let kinds: [SourceError.Kind] = [.unreachable, .interrupted, .timedOut, .truncated, .malformed]

  /// Our own texts look like `timed-out: no answer from example.com within 30 s`. The meaning of other texts is unknown.
  private static func failure(called text: String) -> SourceError {
    let name = text.prefix { $0 != ":" }
    if let kind = kinds.first(where: { $0.name == name }) {
      return SourceError(kind, String(text.dropFirst(name.count + 1).drop { $0 == " " }))
    }
    return SourceError(.interrupted, "the recorded request failed" + (text.isEmpty ? "" : " (\(text))"))
  }
}

/// Writes HAR 1.2 that viewers can open and people can compare: the same exchanges give the same bytes.
package enum HARWriter {
  /// Returns the log with these exchanges.
  package static func log(_ exchanges: [Exchange]) -> Value {
    let creator = Value.object(leavingOutNil: ["name": .text("aggregator"), "version": .text("1")])
    return .object(leavingOutNil: [
      "log": .object(leavingOutNil: ["version": .text("1.2"), "creator": creator, "entries": .list(exchanges.map(entry))])
    ])
  }

  package static func entry(_ exchange: Exchange) -> Value {
    let took = milliseconds(exchange.took)
    return .object(leavingOutNil: [
      "startedDateTime": .text(exchange.startedAt.iso), "time": took, "request": request(exchange.request),
      "response": response(exchange.response, exchange.failure), "cache": .object([]),
      "timings": .object(leavingOutNil: ["send": .int(0), "wait": took, "receive": .int(0)]),
    ])
  }

  private static func request(_ request: TapedRequest) -> Value {
    // HAR 1.2 has no binary requests. The name of an added member begins with an underscore.
    let body = request.body.map { body in
      let (text, encoding) = text(of: body)
      return Value.object(leavingOutNil: [
        "mimeType": .text(request[header: "Content-Type"] ?? ""), "text": text, "_encoding": encoding,
      ])
    }
    return .object(leavingOutNil: [
      "method": .text(request.method), "url": .text(request.address.description), "httpVersion": .text("HTTP/1.1"),
      "cookies": .list([]), "headers": headers(request.headers), "queryString": headers(request.address.queryItems),
      "postData": body, "headersSize": .int(-1), "bodySize": .int(request.body?.count ?? 0),
    ])
  }

  private static func response(_ response: HTTPResponse, _ failure: SourceError?) -> Value {
    let (text, encoding) = failure == nil ? text(of: response.body) : (nil, nil)
    return .object(leavingOutNil: [
      "status": .int(failure == nil ? response.status : 0), "statusText": .text(""), "httpVersion": .text("HTTP/1.1"),
      "cookies": .list([]),
      "headers": headers(response.headers.filter { !HARReader.ofTheWire.contains($0.name.lowercased()) }),
      "content": .object(leavingOutNil: [
        "size": .int(response.body.count), "mimeType": .text(response[header: "Content-Type"] ?? ""), "text": text,
        "encoding": encoding,
      ]),
      "redirectURL": .text(response[header: "Location"] ?? ""), "headersSize": .int(-1), "bodySize": .int(-1),
      "_endIsShown": response.isEndShown ? nil : false, "_error": failure.map { .text("\($0.kind.name): \($0.message)") },
    ])
  }

  /// Returns the body as text if it is valid UTF-8, so that a diff can be read; otherwise in base64, with the name of the encoding.
  private static func text(of body: [UInt8]) -> (text: Value?, encoding: Value?) {
    if let text = String(validating: body, as: UTF8.self) { return (.text(text), nil) }
    return (.text(Base64.encode(body)), .text("base64"))
  }

  private static func headers(_ headers: [HTTPResponse.Header]) -> Value {
    .list(headers.map { .object(leavingOutNil: ["name": .text($0.name), "value": .text($0.value)]) })
  }

  /// Returns the duration in milliseconds, to the microsecond; a whole number if possible.
  private static func milliseconds(_ duration: Duration) -> Value {
    let microseconds = Int((duration.inSeconds * 1_000_000).rounded())
    return microseconds % 1000 == 0 ? .int(microseconds / 1000) : .double(Double(microseconds) / 1000)
  }
}
