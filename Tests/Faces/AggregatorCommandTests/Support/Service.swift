import AggregatorCore
import SourceTesting
import Synchronization
import Testing

/// A service on the loopback that gives every request the same answer, and the command that asks it.
struct Service {
  private let server: StandInServer
  let environment: [String: String]

  var connections: Int { server.connections }
  /// The paths and queries that were asked for, in order.
  var targets: [String] { server.requests.map(\.target) }

  init(_ body: String, status: String = "200 OK", headers: String = "Content-Type: text/plain\r\n") throws {
    try self.init { while $0.request() != nil { $0.answer(status: status, headers: headers, body) } }
  }

  init(_ script: @escaping @Sendable (ServerConnection) -> Void) throws {
    server = try StandInServer(script)
    environment = ["COUNTRIES_URL": "\(try server.address("/countries.json"))"]
  }

  func run(_ arguments: String...) async throws -> Binary.Outcome {
    try await InProcess.run(arguments.words, environment: environment)
  }

  /// A row as the service writes one.
  static func row(_ code: String, _ name: String, region: String = "EU", capital: String = "") -> String {
    #"{"capital":"\#(capital)","code":"\#(code)","currency":{"code":"EUR","name":"Euro","symbol":"€"},"flag":"https://example.org/x.png","#
      + #""language":{"code":"en","name":"English"},"name":"\#(name)","region":"\#(region)","demonym":"x"}"#
  }

  static func rows(_ rows: String...) -> String { "[\(rows.joined(separator: ",\n"))]" }
}
