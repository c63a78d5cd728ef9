import AggregatorCore

extension Candidate {
  func checkEchoes() async throws -> LawOutcome {
    guard carriesSecret, let key = bed.canaries.first else { return .notApplicable("it sends no secret") }
    for place in EchoTransport.EchoPlace.allCases {
      let rows = place == .rows ? try await rows(holding: key) : nil
      for reach in [World.Reach.anywhere, .live] {
        let run = try await HazardRun(self, reach: reach, rows: rows, echo: place)
        if let trace = run.traces.first(where: { holds($0.text, key) }) {
          return .failed("the secret, which the service repeats \(place.rawValue), appears in \(trace.place)")
        }
        let followed = run.requests.flatMap(\.wireAddress.queryItems).filter { $0.name == EchoTransport.item }.map(\.value)
        if let value = followed.first(where: { $0 != EchoTransport.words(key) }) {
          return .failed("a next address was followed with \"\(value)\" in place of the secret that the service wrote there")
        }
      }
    }
    return .passed
  }

  /// The rows with the key in every text that the source reads without taking the record for another one.
  private func rows(holding key: String) async throws -> [Value] {
    guard let row = made.rows.first, let id = made.ids.first else { return [] }
    func adding(_ path: FieldPath, to row: Value) -> Value {
      row[path]?.text.map { row.setting(path, to: .text("\($0) \(EchoTransport.words(key))")) } ?? row
    }
    var paths: [FieldPath] = []
    for (path, value) in row.scalars(depth: 3) where value.text != nil {
      if try await bed.id(of: adding(path, to: row)) == id { paths.append(path) }
    }
    return made.rows.map { row in paths.reduce(row) { adding($1, to: $0) } }
  }

  private func holds(_ text: String, _ key: String) -> Bool {
    let encoded = Base64.encode(Array(key.utf8)).prefix { $0 != "=" }
    return text.contains(EchoTransport.words(key)) || text.contains(PercentEncoding.query(EchoTransport.words(key)))
      || text.contains(encoded.dropLast(1))
  }
}

/// A service that repeats the key that it was asked with.
struct EchoTransport: Transport {
  /// Where it repeats the key.
  enum EchoPlace: String, CaseIterable {
    case unauthorized = "in a 401"
    case forbidden = "in a 403"
    case failure = "in a 500"
    case inside = "in an error inside a 200"
    case rows = "in its rows"
    case next = "in the address of the next page"
  }

  /// The item of a next address that holds the key.
  static let item = "echo-of-the-key"

  let place: EchoPlace
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
        response.headers[index].value = String(
          decoding: echoing(Array(response.headers[index].value.utf8), request), as: UTF8.self)
      }
      return response
    }
  }

  /// What services say, the key in it in several spellings.
  private func refusal(_ status: Int, _ request: HTTPRequest) -> HTTPResponse {
    let encoded = PercentEncoding.query(Self.words(key))
    let text = "Invalid API key \(Self.words(key)) in ?api_key=\(encoded) (\(Base64.encode(Array(key.utf8))))"
    let body = Value.object(["error", "message", "detail"].map { Member(name: $0, value: .text(text)) })
    return HTTPResponse(
      status: status, headers: [.init("Content-Type", "application/json"), .init("X-Asked", text)], body: body.bytes)
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
