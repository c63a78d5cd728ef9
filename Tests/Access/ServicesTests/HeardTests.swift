import AggregatorCore
import SourceTesting
import Testing

@testable import Services

/// The statements of an answer about itself, and the members that a manifest ignores.
@Suite struct HeardTests {
  private static let ignoring = #""ignores": ["meta.partial"]"#

  private func walked(_ paging: String, _ more: String = "") async throws -> Verdict? {
    try await OneList(paging, more) { _ in .rows(["a"], ["total": 1, "meta": ["partial": true]]) }.walked().summary.verdict
  }

  @Test("an answer that says that it is not everything is partial, by the member that says so, unless that is ignored")
  func ignored() async throws {
    let paging = #""by": "whole", "total": "total", "end": "total""#
    let said = "the service says that rows are missing (meta.partial: true)"
    #expect(try await walked(paging) == .partial(.said(said)))
    #expect(try await walked(paging, Self.ignoring) == .complete)
    #expect(try await walked(paging, #""ignores": ["partial"]"#) == .partial(.said(said)))
  }

  @Test("the member by which a list pages is not heard once more")
  func more() async throws {
    let paging = #""by": "token", "next": "next", "more": "partial", "end": "more""#
    let pages = try OneList(paging) { request in
      let isFirst = request.query["after"] == nil
      return .rows([isFirst ? "a" : "b"], ["partial": .bool(isFirst), "next": isFirst ? "t" : .null])
    }
    #expect(try await pages.walked().summary.verdict == .complete)
  }

  @Test("members that are ignored do not make it another list")
  func rules() throws {
    func rules(_ more: String) throws -> ReadingRules {
      let manifest = try OneList(#""by": "whole""#, more) { _ in .rows([]) }.manifest
      return manifest.rules(of: manifest.sources[0])
    }
    #expect(try rules("") == rules(Self.ignoring))
  }
}
