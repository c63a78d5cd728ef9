import AggregatorCore

/// A request as it goes on the wire: checked, with its secrets revealed, and so never to be shown.
struct WireRequest: Sendable {
  let method: HTTPRequest.Method
  let address: String
  /// `Name: value`, as libcurl wants them.
  let headerLines: [String]
  /// The line for how an answer may be packed, unless the request has one of its own.
  var codingLine: [String] { hasCoding ? [] : Unpacking.accepted.map { ["Accept-Encoding: \($0)"] } ?? [] }
  private let hasCoding: Bool
  let body: [UInt8]?
  let limits: HTTPLimits
  let isRepeatable: Bool
  /// Whom it is for, as errors name it, without and with its port.
  let host: String
  let place: String
  let isSecure: Bool

  init(_ request: HTTPRequest, userAgent: String) throws(SourceError) {
    let address = request.wireAddress
    self.address = address.description
    guard self.address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else {
      throw SourceError(.badRequest, "the address contains a space or a control character")
    }
    var headers = request.wireHeaders
    if !headers.contains(where: { $0.name.lowercased() == "user-agent" }) { headers.append(("User-Agent", userAgent)) }
    var lines: [String] = []
    for header in headers { lines.append(try Self.line(header.name, header.value)) }
    // What libcurl would add on its own account and nobody asked for: a name without a value takes it out.
    for name in ["Expect", "Content-Type"] where !headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
      lines.append("\(name):")
    }
    headerLines = lines
    hasCoding = headers.contains { $0.name.lowercased() == "accept-encoding" }
    method = request.method
    body = request.body
    limits = request.limits
    isRepeatable = request.isRepeatable
    host = address.host
    place = address.origin.place
    isSecure = address.scheme == "https"
  }

  /// Neither text may end the line or the text it is passed in: what follows would be a header of somebody else's making.
  private static func line(_ name: String, _ value: String) throws(SourceError) -> String {
    guard !name.isEmpty, name.utf8.allSatisfy(isToken) else { throw SourceError(.badRequest, "invalid header name") }
    guard value.utf8.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == UInt8(ascii: "\t") }) else {
      throw SourceError(.badRequest, "the header \(name) contains a control character")
    }
    // libcurl's spelling of a header that is there and empty.
    return value.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? "\(name);" : "\(name): \(value)"
  }

  /// RFC 9110's `tchar`.
  private static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
