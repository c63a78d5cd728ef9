import AggregatorCore
package import Authoring
package import Recordings

/// Writes recordings for tests, with one line for a request and its answer.
package struct RecordedService {
  package init() {}

  package var exchanges: [Exchange] = []

  /// Adds a request; `address` is below an example's host unless it is a whole one.
  package mutating func get(_ address: String, status: Int = 200, headers: [String: String] = [:], _ answer: String) throws {
    let headers = headers.sorted { $0.key < $1.key }.map { HTTPResponse.Header($0.key, $0.value) }
    try note("GET", address, body: nil, HTTPResponse(status: status, headers: headers, body: Array(answer.utf8)))
  }

  package mutating func post(_ address: String, sending body: String, _ answer: String) throws {
    try note("POST", address, body: Array(body.utf8), HTTPResponse(status: 200, body: Array(answer.utf8)))
  }

  private mutating func note(_ method: String, _ address: String, body: [UInt8]?, _ response: HTTPResponse) throws {
    guard let address = WebAddress(address.hasPrefix("http") ? address : "https://api.example\(address)") else {
      throw SourceError(.settings, "\(address) is no address")
    }
    exchanges.append(Exchange(TapedRequest(method, address, body: body), response, startedAt: Moment(secondsSinceEpoch: 0)))
  }

  package var fixture: Fixture { Fixture("test.har", exchanges: exchanges) }

  /// Returns the model that is inferred from exchanges.
  package static func model(_ write: (inout RecordedService) throws -> Void) throws -> ServiceModel {
    var recording = RecordedService()
    try write(&recording)
    return try ServiceModel(of: recording.fixture)
  }
}

/// Returns the rows `range` of a list of ports, as JSON.
package func ports(_ range: Range<Int>) -> String {
  "[" + range.map { #"{"id":\#($0),"name":"Port \#($0)","city":"City"}"# }.joined(separator: ",") + "]"
}
