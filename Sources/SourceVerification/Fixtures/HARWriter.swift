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
      let (text, encoding) = text(of: body)
      return object([
        "mimeType": .text(request[header: "Content-Type"] ?? ""), "text": text, "_encoding": encoding,
      ])
    }
    return object([
      "method": .text(request.method), "url": .text(request.address.description), "httpVersion": .text("HTTP/1.1"),
      "cookies": .list([]), "headers": headers(request.headers), "queryString": headers(request.address.queryItems),
      "postData": body, "headersSize": .int(-1), "bodySize": .int(request.body?.count ?? 0),
    ])
  }

  private static func response(_ response: HTTPResponse, _ failure: SourceError?) -> Value {
    let (text, encoding) = failure == nil ? text(of: response.body) : (nil, nil)
    return object([
      "status": .int(failure == nil ? response.status : 0), "statusText": .text(""), "httpVersion": .text("HTTP/1.1"),
      "cookies": .list([]),
      "headers": headers(response.headers.filter { !HARReader.ofTheWire.contains($0.name.lowercased()) }),
      "content": object([
        "size": .int(response.body.count), "mimeType": .text(response[header: "Content-Type"] ?? ""), "text": text,
        "encoding": encoding,
      ]),
      "redirectURL": .text(response[header: "Location"] ?? ""), "headersSize": .int(-1), "bodySize": .int(-1),
      "_error": failure.map { .text("\($0.kind.name): \($0.message)") },
    ])
  }

  /// As text where it is one, so that a difference can be read; else in base64, and how it is encoded.
  private static func text(of body: [UInt8]) -> (text: Value?, encoding: Value?) {
    if let text = String(validating: body, as: UTF8.self) { return (.text(text), nil) }
    return (.text(Base64.encode(body)), .text("base64"))
  }

  private static func headers(_ headers: [HTTPResponse.Header]) -> Value {
    .list(headers.map { object(["name": .text($0.name), "value": .text($0.value)]) })
  }

  /// To the microsecond, and whole where it can be.
  private static func milliseconds(_ duration: Duration) -> Value {
    let microseconds = Int((duration.inSeconds * 1_000_000).rounded())
    return microseconds % 1000 == 0 ? .int(microseconds / 1000) : .double(Double(microseconds) / 1000)
  }

  /// What is nil is left out.
  private static func object(_ members: KeyValuePairs<String, Value?>) -> Value {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }
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
    let texts = parts.map {
      ($0.name.map { Value.text($0).bytes + Array(": ".utf8) } ?? []) + $0.value.pretty(indent: indent + 2)
    }
    let isFlat = parts.allSatisfy { $0.value.list?.isEmpty ?? $0.value.members?.isEmpty ?? true }
    if isFlat, texts.reduce(0, { $0 + $1.count + 2 }) <= Self.mostOnOneLine {
      return [open] + texts.joined(separator: ", ".utf8) + [close]
    }
    let newline = { [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: $0) }
    return [open] + texts.map { newline(indent + 2) + $0 }.joined(separator: ",".utf8) + newline(indent) + [close]
  }
}
