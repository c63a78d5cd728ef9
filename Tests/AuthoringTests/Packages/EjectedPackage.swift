import AggregatorCore
import Recordings
import Services

@testable import Authoring

/// A package that is written from one of the recordings beside this file.
struct EjectedPackage {
  let package: SourcePackage

  /// The key and the cookie in the recordings.
  static let secrets = ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "0123456789abcdef01234567"]

  init(_ recording: String, as name: String = "things") async throws {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try await self.init(Fixture(contentsOf: "\(here)/Recordings/\(recording).har"), as: name)
  }

  init(_ fixture: Fixture, as name: String = "things") async throws {
    let draft = try await Draft(from: fixture, naming: { _ in name })
    package = try await SourcePackage(SourceName(name), from: draft, core: "/core")
  }

  /// A package from a manifest written by hand, over answers to GET: `("boats?page=1", "{…}")`.
  init(manifest: String, in folder: String = "", over answers: [(String, String)], as name: String = "things") async throws {
    let exchanges = answers.compactMap { path, body in
      WebAddress("https://api.example/\(path)").map {
        Exchange(
          TapedRequest("GET", $0), HTTPResponse(status: 200, body: Array(body.utf8)), startedAt: Moment(secondsSinceEpoch: 0))
      }
    }
    let contents = try ManifestContents(Array(manifest.utf8), at: folder.isEmpty ? "\(name).json" : "\(folder)/\(name).json")
    package = try await SourcePackage(
      SourceName(name), ejecting: contents, over: Fixture("\(name).har", exchanges: exchanges), core: "/core")
  }

  /// The text of the file whose path has this ending.
  func text(_ suffix: String) -> String {
    package.files.first { $0.path.hasSuffix(suffix) }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }

  var description: String { text("/Bundle/things.json") }
  var descriptor: String { text("/Source+Things.swift") }
  var record: String { text("/Thing.swift") }
  var tests: String { text("ThingsTests.swift") }
  var readme: String { text("README.md") }

  /// The recording that is written with the package.
  var fixture: Fixture { get throws { try Fixture(har: Array(text("/things.har").utf8), name: "things.har") } }
}
