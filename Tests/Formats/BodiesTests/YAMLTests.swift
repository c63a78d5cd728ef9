import AggregatorCore
import Testing

@testable import Bodies

/// YAML as JSON.
struct YAMLTests {
  private func read(_ text: String) throws -> Value { try YAMLDocument.value(of: Array(text.utf8)) }

  private func error(_ text: String) -> SourceError? {
    do {
      _ = try read(text)
      return nil
    } catch { return error as? SourceError }
  }

  @Test("a document is its JSON, with names as they are written")
  func document() throws {
    let text = """
      %YAML 1.1
      ---
      openapi: 3.0.0   # a version
      paths:
        /a: {get: {responses: {200: !thing {x: [1, -2, "3", true, null, ~, 007, 2024-01-01, yes]}}}}
      long: |
        two
        lines
      """
    let json =
      #"{"openapi":"3.0.0","paths":{"/a":{"get":{"responses":{"200":{"x":[1,-2,"3",true,null,null,"007","2024-01-01","yes"]}}}}},"long":"two\nlines"}"#
    #expect(String(decoding: try read(text).bytes, as: UTF8.self) == json)
    #expect(try read("- a\n---\n- b") == ["a"])
  }

  @Test("an alias repeats a value, and merged members give way to own ones")
  func aliases() throws {
    #expect(
      try read("a: &x {k: 1, l: 2}\nb: *x\nc:\n  <<: *x\n  l: 3") == [
        "a": ["k": 1, "l": 2], "b": ["k": 1, "l": 2], "c": ["k": 1, "l": 3],
      ])
    #expect(error("a: *x")?.message == "the YAML repeats *x, which it does not have")
    #expect(error("a: &x [*x]")?.message == "the YAML repeats *x, which it does not have")
  }

  @Test("what is too large, too deep or broken is malformed")
  func bounds() {
    var laughs = "a0: &a0 [x, x]\n"
    for level in 1..<40 { laughs += "a\(level): &a\(level) [\(String(repeating: "*a\(level - 1), ", count: 9))]\n" }
    #expect(error(laughs)?.message == "the YAML has more than 1000000 values")
    var tower = "a0: &a0 [x]\n"
    for level in 1..<300 { tower += "a\(level): &a\(level) [*a\(level - 1)]\n" }
    #expect(error(tower)?.message == "the YAML is more than 200 values deep")
    #expect(error(String(repeating: "[", count: 100_000))?.kind == .malformed)
    for text in ["", "# nothing", "a: [1", "a: b: c", "\"", "a: \0b", "{[a]: 1}"] { #expect(error(text)?.kind == .malformed, "\(text)") }
    #expect((try? YAMLDocument.value(of: [0x61, 0xFF])) == nil)
  }

  @Test("a description is told by its version", arguments: ["openapi: 3.0.0", "# x\nswagger: '2.0'", "\"openapi\": \"3.1.0\""])
  func description(text: String) { #expect(Array(text.utf8).isDescription) }
}
