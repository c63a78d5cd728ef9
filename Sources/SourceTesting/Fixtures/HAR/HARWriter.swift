import AggregatorCore

/// Writes HAR 1.2 that viewers open and people can compare: the same exchanges give the same bytes.
enum HARWriter {
  /// A log of these entries.
  static func log(_ exchanges: [Exchange]) -> Value {
    object(
      "log",
      object(
        ("version", .text("1.2")), ("creator", object(("name", .text("aggregator")), ("version", .text("1")))),
        ("entries", .list(exchanges.map(entry)))))
  }

  static func entry(_ exchange: Exchange) -> Value {
    let took = milliseconds(exchange.took)
    return object(
      ("startedDateTime", .text(exchange.startedAt.iso)), ("time", took), ("request", request(exchange.request)),
      ("response", response(exchange.response, exchange.failure)), ("cache", .object([])),
      ("timings", object(("send", .int(0)), ("wait", took), ("receive", .int(0)))))
  }

  private static func request(_ request: RecordedRequest) -> Value {
    var members = members(
      ("method", .text(request.method)), ("url", .text(request.address.description)), ("httpVersion", .text("HTTP/1.1")),
      ("cookies", .list([])),
      ("headers", headers(request.headers)), ("queryString", headers(request.address.queryItems)))
    if let body = request.body {
      var data = self.members(("mimeType", .text(request[header: "Content-Type"] ?? "")))
      // HAR 1.2 knows no binary requests; a member of one's own begins with an underscore.
      data += text(of: body, encoding: "_encoding")
      members.append(Member(name: "postData", value: .object(data)))
    }
    return .object(members + self.members(("headersSize", .int(-1)), ("bodySize", .int(request.body?.count ?? 0))))
  }

  private static func response(_ response: HTTPResponse, _ failure: SourceError?) -> Value {
    var content = members(("size", .int(response.body.count)), ("mimeType", .text(response[header: "Content-Type"] ?? "")))
    if failure == nil { content += text(of: response.body, encoding: "encoding") }
    let kept = response.headers.filter { !HARReader.ofTheWire.contains($0.name.lowercased()) }
    var members = members(
      ("status", .int(failure == nil ? response.status : 0)), ("statusText", .text("")), ("httpVersion", .text("HTTP/1.1")),
      ("cookies", .list([])),
      ("headers", headers(kept)), ("content", .object(content)), ("redirectURL", .text(response[header: "Location"] ?? "")),
      ("headersSize", .int(-1)), ("bodySize", .int(-1)))
    if let failure { members.append(Member(name: "_error", value: .text(HARFailure.text(failure)))) }
    return .object(members)
  }

  /// As text where it is one, so that a difference can be read.
  private static func text(of body: [UInt8], encoding: String) -> [Member] {
    if let text = String(validating: body, as: UTF8.self) { return members(("text", .text(text))) }
    return members(("text", .text(Base64.encode(body))), (encoding, .text("base64")))
  }

  private static func headers(_ headers: [HTTPResponse.Header]) -> Value {
    .list(headers.map { object(("name", .text($0.name)), ("value", .text($0.value))) })
  }

  /// To the microsecond, and whole where it can be.
  private static func milliseconds(_ duration: Duration) -> Value {
    let microseconds = Int((duration.inSeconds * 1_000_000).rounded())
    return microseconds % 1000 == 0 ? .int(microseconds / 1000) : .double(Double(microseconds) / 1000)
  }

  private static func object(_ members: (String, Value)...) -> Value { .object(members.map { Member(name: $0.0, value: $0.1) }) }
  private static func object(_ name: String, _ value: Value) -> Value { object((name, value)) }
  private static func members(_ members: (String, Value)...) -> [Member] { members.map { Member(name: $0.0, value: $0.1) } }
}
