import AggregatorCore
import Ports
import SourceTesting
import SourceTestingTraits
import Testing

@Suite struct FixtureTraitTests {
  @Test("a fixture trait plays the recording beside the test", .fixture("ports"))
  func plays() async throws {
    let replay = try Fixture.current
    #expect(try await replay.send(.to("http://ports.example/ports")).text == "first")
    #expect(try await replay.send(.to("http://ports.example/ports")).text == "second")
  }

  @Test("every case of a test over a fixture begins at the start of the recording", .fixture("ports.har", mayLeave: true), arguments: 0..<3)
  func cases(number: Int) async throws {
    #expect(try await Fixture.current.send(.to("http://ports.example/ports")).text == "first")
  }

  @Suite(.fixture("ports", mayLeave: true)) struct OfASuite {
    @Test("a suite's fixture is each test's own", arguments: 0..<2)
    func inherits(number: Int) async throws {
      #expect(try await Fixture.current.send(.to("http://ports.example/ports")).text == "first")
    }
  }

  @Test("a test without a fixture trait has nothing to replay")
  func none() {
    let error = #expect(throws: SourceError.self) { try Fixture.current }
    #expect(error?.remedy == "write @Test(.fixture(\"NAME\"))")
  }

  @Test("an unused exchange is an issue, and so is an unrecorded request, even if the test ignores its error")
  func issues() async throws {
    let said = try await issues(of: .fixture("ports")) {
      _ = try await Fixture.current.send(.to("http://ports.example/ports"))
      _ = try? await Fixture.current.send(.to("http://ports.example/harbours"))
    }
    try #require(said.count == 2)
    #expect(said[0].contains("never asked for: GET http://ports.example/ports (2026-01-02T03:04:06.000Z"))
    #expect(
      said[1].contains("GET http://ports.example/harbours was not recorded; the closest in ports.har has /ports instead of /harbours"))
    #expect(said[1].contains("; record it with --record "))
  }

  @Test("a test that fails by itself is not also told of unused exchanges")
  func failing() async throws {
    let said = try await issues(of: .fixture("ports")) { throw CancellationError() }
    #expect(said == [])
  }

  @Test("a missing recording is an error with its place and how to make it")
  func missing() async throws {
    let trait: FixtureTrait = .fixture("nowhere")
    let test = try #require(Test.current)
    let error = try #require(await #expect(throws: SourceError.self) { try await trait.provideScope(for: test, testCase: nil) {} })
    #expect(error.message.hasSuffix("/Traits/Fixtures/nowhere.har: no such file"))
    #expect(error.remedy?.description.hasPrefix("record it with --record '/") == true)
  }

  /// The issues that a test over this fixture would report.
  private func issues(of trait: FixtureTrait, _ body: @escaping @Sendable @concurrent () async throws -> Void) async throws -> [String] {
    let test = try #require(Test.current)
    let said = Memory<[String]>([])
    await withKnownIssue(isIntermittent: true) {
      try? await trait.provideScope(for: test, testCase: nil, performing: body)
    } matching: { issue in
      said.value.append(issue.comments.map(\.rawValue).joined())
      return true
    }
    return said.value
  }
}
