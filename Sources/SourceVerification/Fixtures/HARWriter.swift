import AggregatorCore

/// Writes HAR 1.2 that viewers open and people can compare: the same exchanges give the same bytes.
enum HARWriter {
  /// A log of these entries.
  static func log(_ exchanges: [Exchange]) -> Value {
    let creator = object(["name": .text("aggregator"), "version": .text("1")])
    return object(["log": object(["version": .text("1.2"), "creator": creator, "entries": .list(exchanges.map(entry))])])
  }

  static func entry(_ exchange: Exchange) -> Value {
    let took = milliseconds(exchange.took)
    return object([
      "startedDateTime": .text(exchange.startedAt.iso), "time": took, "request": request(exchange.request),
      "response": response(exchange.response, exchange.failure), "cache": .object([]),
      "timings": object(["send": .int(0), "wait": took, "receive": .int(0)]),
    ])
  }

  private static func request(_ request: RecordedRequest) -> Value {
    // HAR 1.2 knows no binary requests; a member of one's own begins with an underscore.
    let body = request.body.map { body in
      members([
        "postData": .object(members(["mimeType": .text(request[header: "Content-Type"] ?? "")]) + text(of: body, "_encoding"))
      ])
    }
    return .object(
      members([
        "method": .text(request.method), "url": .text(request.address.description), "httpVersion": .text("HTTP/1.1"),
        "cookies": .list([]),
        "headers": headers(request.headers), "queryString": headers(request.address.queryItems),
      ]) + (body ?? []) + members(["headersSize": .int(-1), "bodySize": .int(request.body?.count ?? 0)]))
  }

  private static func response(_ response: HTTPResponse, _ failure: SourceError?) -> Value {
    let mimeType = Value.text(response[header: "Content-Type"] ?? "")
    let content = members(["size": .int(response.body.count), "mimeType": mimeType])
    let sent = response.headers.filter { !HARReader.ofTheWire.contains($0.name.lowercased()) }
    return .object(
      members([
        "status": .int(failure == nil ? response.status : 0), "statusText": .text(""), "httpVersion": .text("HTTP/1.1"),
        "cookies": .list([]), "headers": headers(sent),
        "content": .object(content + (failure == nil ? text(of: response.body, "encoding") : [])),
        "redirectURL": .text(response[header: "Location"] ?? ""), "headersSize": .int(-1), "bodySize": .int(-1),
      ]) + (failure.map { members(["_error": .text(HARFailure.text($0))]) } ?? []))
  }

  /// As text where it is one, so that a difference can be read.
  private static func text(of body: [UInt8], _ encoding: String) -> [Member] {
    if let text = String(validating: body, as: UTF8.self) { return members(["text": .text(text)]) }
    return members(["text": .text(Base64.encode(body)), encoding: .text("base64")])
  }

  private static func headers(_ headers: [HTTPResponse.Header]) -> Value {
    .list(headers.map { object(["name": .text($0.name), "value": .text($0.value)]) })
  }

  /// To the microsecond, and whole where it can be.
  private static func milliseconds(_ duration: Duration) -> Value {
    let microseconds = Int((duration.inSeconds * 1_000_000).rounded())
    return microseconds % 1000 == 0 ? .int(microseconds / 1000) : .double(Double(microseconds) / 1000)
  }

  private static func members(_ members: KeyValuePairs<String, Value>) -> [Member] {
    members.map { Member(name: $0.key, value: $0.value) }
  }
  private static func object(_ members: KeyValuePairs<String, Value>) -> Value { .object(self.members(members)) }
}

extension Value {
  /// JSON for people and for diffs: indented, but what is short and holds no list or object stays on one line.
  var prettyBytes: [UInt8] { pretty(indent: 0) + [UInt8(ascii: "\n")] }

  private static let mostOnOneLine = 120

  private func pretty(indent: Int) -> [UInt8] {
    let (parts, open, close): ([(name: String?, value: Value)], UInt8, UInt8)
    switch self {
    case .list(let values): (parts, open, close) = (values.map { (nil, $0) }, UInt8(ascii: "["), UInt8(ascii: "]"))
    case .object(let members):
      (parts, open, close) = (members.map { ($0.name, $0.value) }, UInt8(ascii: "{"), UInt8(ascii: "}"))
    default: return bytes
    }
    func named(_ name: String?, _ value: [UInt8]) -> [UInt8] {
      (name.map { Value.text($0).bytes + Array(": ".utf8) } ?? []) + value
    }
    if parts.allSatisfy(\.value.isFlat) {
      let line = parts.map { named($0.name, $0.value.bytes) }
      if line.reduce(0, { $0 + $1.count + 2 }) <= Self.mostOnOneLine {
        return [open] + line.joined(separator: ", ".utf8) + [close]
      }
    }
    func newline(_ indent: Int) -> [UInt8] { [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: indent) }
    let lines = parts.map { newline(indent + 2) + named($0.name, $0.value.pretty(indent: indent + 2)) }
    return [open] + lines.joined(separator: ",".utf8) + newline(indent) + [close]
  }

  private var isFlat: Bool {
    switch self {
    case .list(let values): values.isEmpty
    case .object(let members): members.isEmpty
    default: true
    }
  }
}
