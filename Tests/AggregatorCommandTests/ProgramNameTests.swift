import Testing

/// The modules are other people's commands too, which are not called `aggregator`.
struct ProgramNameTests {
  @Test("no text tells anybody to type aggregator", .enabled(if: Tool.checkout != nil, "the checkout is not beside the tests"))
  func remedies() throws {
    let verbs = "(sources?|config|help|search|import|cache|SOURCE|[a-z]+ (list|search|next|sync|show|reset))"
    let found = try Binary.shell(
      "grep -rnE \"\\\"[^\\\"]*\\\\baggregator $VERBS\\\\b\" Sources --include='*.swift' | grep -vE '^[^:]*:[0-9]+: *///'",
      environment: ["VERBS": verbs], in: Tool.checkout ?? "/")
    #expect(found.lines == [])
    #expect(found.code == 1)
  }
}
