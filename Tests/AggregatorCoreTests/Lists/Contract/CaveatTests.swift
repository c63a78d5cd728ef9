import AggregatorCore
import SourceTesting
import Testing

@Suite("What an answer says of itself")
struct CaveatTests {
  private static let said: [(String, Verdict, String)] = [
    (#"{"incomplete_results": true}"#, .partial(.said("")), "incomplete_results: true"),
    (#"{"_shards": {"total": 13, "failed": 1}}"#, .partial(.said("")), "_shards.failed: 1"),
    (#"{"timed_out": true}"#, .partial(.said("")), "timed_out: true"),
    (#"{"responseHeader": {"partialResults": true}}"#, .partial(.said("")), "responseHeader.partialResults: true"),
    (#"{"meta": {"partial": "true"}}"#, .partial(.said("")), #"meta.partial: "true""#),
    (#"{"meta": {"warnings": ["region eu-2 did not answer"]}}"#, .partial(.said("")), #"meta.warnings: ["region eu-2 did not answer"]"#),
    (#"{"remark": "runtime error: Query timed out"}"#, .partial(.said("")), #"remark: "runtime error: Query timed out""#),
    (#"{"partial": 1}"#, .partial(.said("")), "partial: 1"),
    (#"{"warnings": ["Only the first 60 results are shown"]}"#, .partial(.said("")), "Only the first 60"),
    (#"{"error": "db down"}"#, .partial(.said("")), #"error: "db down""#),
    (#"{"errors": [{"message": "shard down"}]}"#, .partial(.said("")), "errors: "),
    (#"{"meta": {"success": false}}"#, .partial(.said("")), "meta.success: false"),
    (#"{"exceededTransferLimit": true}"#, .partial(.more), ""),
    (#"{"result": {"truncated": true}}"#, .partial(.more), ""),
    (#"{"hits": {"total": {"value": 2, "relation": "gte"}}}"#, .unverifiable, #"hits.total.relation: "gte""#),
    (#"{"numFoundExact": false}"#, .unverifiable, "numFoundExact: false"),
  ]

  private static func page(_ body: String, ignoring: Set<ValuePath> = []) throws -> ModelSource {
    let answer = try JSON(Array(body.utf8))
    return ModelSource(paging: .whole) { asked in
      var page = asked.page(0..<2, total: 2)
      page.hear(answer, ignoring: ignoring)
      return page
    }
  }

  @Test("an answer that says that it is not everything is never complete, and the member is named", arguments: said)
  func heard(body: String, verdict: Verdict, member: String) async throws {
    let walk = try await Walked(Self.page(body))
    #expect(walk.verdict?.kind == verdict.kind)
    let told = [walk.verdict?.reason ?? ""] + walk.summary.notices
    #expect(told.contains { $0.contains(member) }, "\(told)")
    if verdict == .partial(.more) { #expect(walk.verdict == verdict) }
  }

  @Test(
    "an answer that says that nothing is wrong is complete",
    arguments: [
      #"{"incomplete_results": false}"#, #"{"_shards": {"failed": 0}}"#, #"{"timed_out": false}"#, #"{"meta": {"warnings": []}}"#,
      #"{"hits": {"total": {"relation": "eq"}}}"#, #"{"partial": {"name": "a"}}"#, #"{"rows": [{"truncated": true, "partial": true}]}"#,
      #"{"remark": "all is well"}"#, #"{"remark": "No errors"}"#, #"{"partial": 0}"#, #"{"warnings": null}"#, #"[{"partial": true}]"#,
      #""partial""#, #"{"error": null}"#, #"{"errors": []}"#, #"{"error": 0, "success": true}"#, #"{"error": "none"}"#,
      #"{"errors": {"count": 0, "list": []}}"#, #"{"success": 0}"#,
      #"{"a": {"b": {"c": {"d": {"partial": true}}}}}"#,
    ])
  func unsaid(body: String) async throws {
    let walk = try await Walked(Self.page(body))
    #expect(walk.verdict == .complete && walk.summary.notices.isEmpty)
  }

  @Test("a warning that tells of no missing row is told once, and takes nothing from the verdict")
  func warned() async throws {
    let answer = try JSON(Array(#"{"warnings": ["this version ends in May"]}"#.utf8))
    let source = ModelSource { asked in
      var page = asked.page((0..<12).dropFirst(asked.place.number).prefix(5), total: 12)
      page.hear(answer)
      return page
    }
    let recorder = EventRecorder()
    let walk = try await recorder.listen { try await Walked(source) }
    let notice = #"the service warns: warnings: ["this version ends in May"]"#
    #expect(walk.verdict == .complete && walk.summary.notices == [notice])
    #expect(recorder.events.filter { $0 == .noticed(source: "model", notice) }.count == 1)
  }

  @Test("a member that the source ignores is not heard")
  func ignored() async throws {
    let body = #"{"meta": {"partial": true, "warnings": ["x"]}}"#
    let walk = try await Walked(Self.page(body, ignoring: ["meta.partial", "meta.warnings"]))
    #expect(walk.verdict == .complete && walk.summary.notices.isEmpty)
  }

  @Test("rows that are members of an object are not taken for statements")
  func keyed() throws {
    let answer = try JSON(Array(#"{"rows": {"partial": true, "timed_out": true}, "meta": {"timed_out": true}}"#.utf8))
    #expect(Caveat.all(in: answer, besides: "rows").map(\.path) == ["meta.timed_out"])
    #expect(Caveat.all(in: answer, besides: ValuePath()).isEmpty)
  }

  @Test("a statement on one page holds for the whole walk, also for one that continues later")
  func onePage() async throws {
    let source = ModelSource { asked in
      var page = asked.page((0..<30).dropFirst(asked.place.number).prefix(5), total: 30)
      page.hear(try JSON(Array((asked.place.number == 4 ? #"{"partial": true}"# : "{}").utf8)))
      return page
    }
    let reason = "said: the service says that rows are missing (partial: true)"
    let whole = try await Walked(source)
    #expect(whole.verdict?.reason == reason)
    let part = try await Walked(source, bounds: Bounds(pages: 3))
    #expect(part.verdict == .bounded && part.summary.notices == [reason.replacing("said: ", with: "")])
    let rest = try await Walked(source, from: Cursor(text: try #require(part.cursor?.text)))
    #expect(rest.verdict?.reason == reason)
  }

  @Test("a walk by token or address that ends at just the size that was asked for has not proved its end")
  func sizeAsked() async throws {
    func walk(_ rows: Int, more: Bool? = nil, total: Int? = nil, size: Int = 10, pages: Int = 5) async throws -> Verdict? {
      let source = ModelSource(paging: .tokens(size: size)) { asked in
        let start = Int(asked.place.token ?? "0") ?? 0
        let end = min(rows, start + pages)
        var page = asked.page(start..<end, total: total, next: end < rows ? .token("\(end)") : .end)
        page.more = end < rows ? nil : more
        return page
      }
      return try await Walked(source).verdict
    }
    for (verdict, due) in try await [
      (walk(10), .unverifiable), (walk(10, pages: 10), .unverifiable), (walk(9), .complete), (walk(11), .complete),
      (walk(10, size: .max), .complete), (walk(10, more: false), .complete), (walk(10, total: 10), .complete),
    ] as [(Verdict?, Verdict)] { #expect(verdict == due) }
  }
}
