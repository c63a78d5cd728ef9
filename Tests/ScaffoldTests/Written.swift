import AggregatorCore
import Manifests

@testable import Scaffold

/// What is written from one of the recordings beside this file.
struct Written {
  let package: SourcePackage

  /// The key and the cookie that the recordings hold.
  static let secrets = ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "0123456789abcdef01234567"]

  init(_ recording: String?, as name: String = "things") throws {
    let here = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let fixture = try recording.map { try Fixture(contentsOf: "\(here)/Recordings/\($0).har") }
    package = try SourcePackage(SourceName(name), from: fixture, core: "/core")
  }

  /// The text of the file that ends so.
  func text(_ suffix: String) -> String {
    package.files.first { $0.path.hasSuffix(suffix) }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }

  var service: String { text("Service.swift") }
  var descriptor: String {
    package.files.first { $0.path.contains("/Source+") }.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
  }
  var record: String { text("/Thing.swift") }
  var tests: String { text("ThingsTests.swift") }

  func guess(_ subject: String) -> GuessReport.Line? { package.guesses.lines.first { $0.subject == subject } }

  /// The recording that is written with it.
  func fixture(_ name: String = "things") throws -> Fixture { try Fixture(har: Array(text("/\(name).har").utf8), name: "\(name).har") }
}
