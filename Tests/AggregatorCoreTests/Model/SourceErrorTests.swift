import AggregatorCore
import Testing

@Suite("What an error says")
struct SourceErrorTests {
  @Test("the source, what happened, how often, what the others said, and what to do")
  func description() {
    var error = SourceError(.unavailable, "the service failed (HTTP 500)", remedy: "try later").from("live")
    error.attempts = 3
    error.others = [SourceError(.malformed, "no list").from("copy")]
    #expect(error.description == "live: the service failed (HTTP 500) (tried 3 times); fallback failed: copy: no list; try later")
  }

  @Test("a source's name is given once")
  func from() { #expect(SourceError(.unavailable, "x").from("inner").from("outer").source == "inner") }

  @Test("kinds are told apart by their names")
  func kinds() {
    #expect(SourceError.Kind.custom("a") == .custom("a", isTransient: true))
    #expect(SourceError.Kind.custom("a") != .custom("b"))
  }
}
