import AggregatorCore
import Platform
import Recordings
import Services

extension SourceUnderTest {
  func checkEchoes() async throws -> LawOutcome {
    guard carriesSecret, let key = canaries.first else { return .notApplicable("it sends no secret") }
    for location in Echo.EchoLocation.allCases {
      let echo = Echo(location: location, key: key)
      let rows = location == .rows ? try await rows(holding: echo.words) : nil
      for reach in [World.Reach.anywhere, .live] {
        let run = try await ObservedWalk(self, reach: reach, rows: rows, echo: echo)
        if let trace = run.traces.first(where: { echo.isHeard(in: $0.text) }) {
          return .failed("the secret, which the service repeats \(location.rawValue), appears in \(trace.container)")
        }
        if run.hasUntoldMask {
          return .failed("values that had the secret are no misfits")
        }
        let followed = run.requests.flatMap(\.wireAddress.queryItems).filter { $0.name == echo.item.name }
        if let item = followed.first(where: { $0 != echo.item }) {
          return .failed(
            "a next address was followed with \"\(item.value)\" in place of the secret that the service wrote there")
        }
      }
    }
    return .passed
  }

  /// Returns the rows with `words` added to every text that may change without changing the record's ID.
  private func rows(holding words: String) async throws -> [Value] {
    guard let row = testRows.rows.first, let id = testRows.ids.first else { return [] }
    func adding(_ path: ValuePath, to row: Value) -> Value {
      row[path]?.text.map { row.setting(path, to: .text("\($0) \(words)")) } ?? row
    }
    var paths: [ValuePath] = []
    for (path, value) in row.scalars(depth: 3) where value.text != nil {
      if try await self.id(of: adding(path, to: row)) == id { paths.append(path) }
    }
    return testRows.rows.map { row in paths.reduce(row) { adding($1, to: $0) } }
  }
}

/// A service that repeats the key from the request.
struct Echo: Sendable {
  /// The part of an answer where the service repeats the key.
  enum EchoLocation: String, CaseIterable {
    case unauthorized = "in a 401"
    case forbidden = "in a 403"
    case failure = "in a 500"
    case inside = "in an error inside a 200"
    case rows = "in its rows"
    case next = "in the address of the next page"
  }

  let location: EchoLocation
  let key: String

  /// The key as the service repeats it. The prefix tells it from a key that the source itself leaks.
  var words: String { "echo-\(key)" }

  /// The item with the key in the address of the next page.
  var item: HTTPResponse.Header { .init("echo-of-the-key", words) }

  func isHeard(in text: String) -> Bool {
    let encoded = Base64.encode(Array(key.utf8)).prefix { $0 != "=" }
    return text.contains(words) || text.contains(PercentEncoding.query(words)) || text.contains(encoded.dropLast(1))
  }

  /// Returns the service. If it repeats the key in an error, it answers every request with that error.
  func transport(to server: ModelServer) -> any Transport {
    let statuses: [EchoLocation: Int] = [.unauthorized: 401, .forbidden: 403, .failure: 500, .inside: 200]
    guard let status = statuses[location] else { return server }
    return FixedAnswer(answer: .success(refusal(status)))
  }

  /// Returns an error message with the key in several encodings.
  private func refusal(_ status: Int) -> HTTPResponse {
    let encoded = PercentEncoding.query(words)
    let text = "Invalid API key \(words) in ?api_key=\(encoded) (\(Base64.encode(Array(key.utf8))))"
    let body = Value.object(["error", "message", "detail"].map { Member(name: $0, value: .text(text)) })
    var response = HTTPResponse.json(body.bytes, status: status)
    response.headers.append(.init("X-Asked", text))
    return response
  }
}

/// A service with the same answer to every request.
struct FixedAnswer: Transport {
  let answer: Result<HTTPResponse, SourceError>

  func send(_ request: HTTPRequest) async throws -> HTTPResponse { try answer.get() }
}
