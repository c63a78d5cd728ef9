import AggregatorCore

/// A service that repeats the key that it was asked with.
struct EchoTransport: Transport {
  /// Where it repeats the key.
  enum Place: String, CaseIterable {
    case unauthorized = "in a 401"
    case forbidden = "in a 403"
    case failure = "in a 500"
    case inside = "in an error inside a 200"
    case rows = "in its rows"
    case next = "in the address of the next page"
  }

  /// The item of a next address that holds the key.
  static let item = "echo-of-the-key"

  let place: Place
  let key: String
  let service: any Transport

  /// The key as the service repeats it, to tell it from a key that the source itself leaks.
  static func words(_ key: String) -> String { "echo-\(key)" }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch place {
    case .unauthorized: return refusal(401, request)
    case .forbidden: return refusal(403, request)
    case .failure: return refusal(500, request)
    case .inside: return refusal(200, request)
    case .rows: return try await service.send(request)
    case .next:
      var response = try await service.send(request)
      response.body = echoing(response.body, request)
      for index in response.headers.indices where response.headers[index].name.lowercased() == "link" {
        response.headers[index].value = String(decoding: echoing(Array(response.headers[index].value.utf8), request), as: UTF8.self)
      }
      return response
    }
  }

  /// What services say, the key in it in several spellings.
  private func refusal(_ status: Int, _ request: HTTPRequest) -> HTTPResponse {
    let encoded = PercentEncoding.query(Self.words(key))
    let text = "Invalid API key \(Self.words(key)) in ?api_key=\(encoded) (\(Base64.encode(Array(key.utf8))))"
    var writer = JSONWriter()
    writer.write(.object(["error", "message", "detail"].map { Member(name: $0, value: .text(text)) }))
    return HTTPResponse(
      status: status, headers: [.init("Content-Type", "application/json"), .init("X-Asked", text)], body: writer.bytes)
  }

  /// The text with an item that holds the key in every address of the service that has a query.
  private func echoing(_ text: [UInt8], _ request: HTTPRequest) -> [UInt8] {
    let origin = Array("\(request.address.origin)/".utf8)
    var echoing: [UInt8] = []
    var isInAddress = false
    for (index, byte) in text.enumerated() {
      if text[index...].starts(with: origin) { isInAddress = true }
      echoing.append(byte)
      if isInAddress, byte == UInt8(ascii: "?") {
        echoing += "\(Self.item)=\(PercentEncoding.query(Self.words(key)))&".utf8
        isInAddress = false
      }
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: ">") { isInAddress = false }
    }
    return echoing
  }
}
