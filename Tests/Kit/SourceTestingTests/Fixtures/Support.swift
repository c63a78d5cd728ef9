import AggregatorCore
import SourceTesting

extension HTTPRequest {
  /// A request for an address that must be valid.
  static func to(_ address: String, _ query: [Item] = []) throws -> HTTPRequest {
    guard let address = WebAddress(address) else { throw SourceError(.badRequest, address) }
    return HTTPRequest(.get, address, query: query)
  }
}

extension HTTPResponse {
  init(_ body: String, status: Int = 200, headers: KeyValuePairs<String, String> = [:]) {
    self.init(status: status, headers: headers.map { Header($0.key, $0.value) }, body: Array(body.utf8))
  }

  var text: String { String(decoding: body, as: UTF8.self) }
}

extension Exchange {
  /// An exchange `seconds` after the beginning of the recording.
  init(_ address: String, _ response: HTTPResponse, method: String = "GET", body: [UInt8]? = nil, at seconds: Int = 0) throws {
    guard let address = WebAddress(address) else { throw SourceError(.badRequest, address) }
    self.init(
      TapedRequest(method, address, body: body), response, startedAt: Moment(secondsSinceEpoch: 1_700_000_000 + seconds),
      took: .milliseconds(250))
  }
}

extension Transport {
  /// The error of a request; nil if it succeeds.
  func failure(_ request: HTTPRequest) async throws -> SourceError? {
    do {
      _ = try await send(request)
      return nil
    } catch let error as SourceError {
      return error
    }
  }
}

/// Archives in the shapes that other tools write.
enum Archive {
  static let folder =
    #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    + "/../../AuthoringTests/Guesses/Recordings/Archives"
}
