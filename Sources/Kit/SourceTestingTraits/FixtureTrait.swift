public import AggregatorCore
public import SourceTesting
public import Testing

/// Runs a test over recordings. Each request must have been recorded, and each recorded request must be made.
public struct FixtureTrait: TestTrait, SuiteTrait, TestScoping {
  let paths: [String]
  let secrets: [Secret]
  let mayLeave: Bool

  /// A trait of a suite applies to each of its tests, and every test and every case starts with fresh recordings.
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    let replay = Replay(try paths.map(read), hiding: secrets)
    defer {
      for error in replay.report.unmatched.map({ $0.worded(Self.words) }) {
        Issue.record(Comment(rawValue: "\(error)"), sourceLocation: test.sourceLocation)
      }
    }
    try await Fixture.$replaying.withValue(replay) { try await function() }
    guard !mayLeave else { return }
    for entry in replay.report.unused {
      Issue.record("never asked for: \(entry); remove it, or say mayLeave: true", sourceLocation: test.sourceLocation)
    }
  }

  /// An author records with the command.
  private static let words: Remedy.Wording = { remedy, _ in
    guard case .give(let parameters, _) = remedy, let folder = parameters.first?.value else { return "\(remedy)" }
    return "record it with --record '\(folder)'"
  }

  private func read(_ path: String) throws -> Fixture {
    do {
      return try Fixture(contentsOf: path)
    } catch var error as SourceError where error.kind == .settings {
      error.remedy = "record it with --record '\(Fixture.folder(of: path))'"
      throw error
    }
  }
}

extension Trait where Self == FixtureTrait {
  /// The recording `Fixtures/NAME.har` beside the test's own file, for ``SourceTesting/Fixture/current``.
  ///
  /// ```swift
  /// @Test(.fixture("spider")) func search() async throws {
  ///   let source = try SourceDescriptor.heroes.source(replaying: Fixture.current)
  ///   …
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - folder: The folder of the recordings, if not `Fixtures`; for example the resources of a bundle, if the
  ///     sources have moved since they were compiled.
  ///   - secrets: Secrets that were removed from the recording, besides those that requests mark.
  ///   - mayLeave: True when a part of the recording may remain unused.
  public static func fixture(
    _ names: String..., in folder: String? = nil, hiding secrets: [Secret] = [], mayLeave: Bool = false,
    file: String = #filePath
  ) -> Self {
    FixtureTrait(paths: Fixture.paths(of: names, in: folder, beside: file), secrets: secrets, mayLeave: mayLeave)
  }
}

extension Fixture {
  @TaskLocal static var replaying: Replay?

  /// The replay of the running test's `.fixture` trait; throws if the test has none.
  public static var current: Replay {
    get throws {
      guard let replaying else {
        throw SourceError(.settings, "this test has no fixture", remedy: "write @Test(.fixture(\"NAME\"))")
      }
      return replaying
    }
  }
  /// Returns the recordings `Fixtures/NAME.har` beside the test's own file, one after the other.
  ///
  /// ```swift
  /// let report = await Conformance(of: .ports, fixture: try .beside("ports")).report()
  /// ```
  public static func beside(_ names: String..., file: String = #filePath) throws -> Fixture {
    let fixtures = try paths(of: names, beside: file).map { try Fixture(contentsOf: $0) }
    return Fixture(fixtures.map(\.name).joined(separator: ", "), exchanges: fixtures.flatMap(\.exchanges))
  }

  fileprivate static func paths(of names: [String], in folder: String? = nil, beside file: String) -> [String] {
    names.map { "\(folder ?? Self.folder(of: file) + "/Fixtures")/\($0.hasSuffix(".har") ? $0 : "\($0).har")" }
  }

  fileprivate static func folder(of path: String) -> String {
    path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
  }
}
