import AggregatorCore
import SourceTesting
import Testing

/// Four lists of 250 rows; `answer` may answer a request itself.
struct FourServices {
  let server: StandInServer
  let folder: String
  static let names = ["ada", "bob", "cleo", "dora"]

  init(_ answer: @escaping @Sendable (_ path: String, ServerConnection) -> Bool = { _, _ in false }) async throws {
    server = try StandInServer { connection in
      while let request = connection.request() {
        if !answer(request.target, connection) { connection.answer(FakePokemonService.answer(request.target)) }
      }
    }
    folder = try Folder.fresh()
    for name in Self.names {
      let manifest = FakePokemonService.manifest(name, at: "\(try server.address("/\(name)/"))").replacingEach(
        "POKEMON_URL", with: "\(name.uppercased())_URL")
      try Folder.write(manifest, to: "\(folder)/\(name).json")
      try await expect(run("add \(name).json"), 0)
    }
  }

  var environment: [String: String] { Folder.homes(folder) + ["HOME": folder] }

  func run(_ line: String) async throws -> Binary.Outcome {
    try #require(await InProcess.run(typed: "aggregator \(line)", environment: environment, in: folder))
  }

  /// The same service, in which `name` never gives its second page; `reached` is sent when that page is asked for.
  static func stopping(_ name: String, reached: Signal) async throws -> FourServices {
    try await FourServices { path, connection in
      guard path.hasPrefix("/\(name)"), !path.contains("offset=0") else { return false }
      reached.send()
      connection.untilClosed()
      return true
    }
  }

  /// The same service, with one list in numbered pages of one size without a total, which prove nothing.
  static func numbered(_ name: String) async throws -> FourServices {
    let services = try await FourServices { path, connection in
      guard let page = path.firstMatch(of: /page=(\d+)/).flatMap({ Int($0.1) }) else { return false }
      connection.answer(FakePokemonService.answer("/?limit=100&offset=\(page * 100)"))
      return true
    }
    let text = try Folder.read("\(services.folder)/\(name).json")
      .replacingEach(#""limit": "{size}", "offset": "{offset}""#, with: #""page": "{page}""#)
      .replacingEach(
        #""by": "offset", "size": 100, "total": "count", "end": "total""#,
        with: #""by": "page", "first": 0, "size": 100, "end": "empty""#)
    try await expect(services.run("remove \(name)"), 0)
    try Folder.write(text, to: "\(services.folder)/\(name).json")
    try await expect(services.run("add \(name).json"), 0)
    return services
  }
}
