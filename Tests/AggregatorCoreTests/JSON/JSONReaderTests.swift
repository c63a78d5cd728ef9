import AggregatorCore
import Testing

@Suite struct JSONReaderTests {
  @Test("reads one document after the other, longer and shorter, good and bad")
  func sequence() throws {
    var reader = JSON.Reader()
    for round in 0..<3 {
      for count in [0, 1, 1_000, 3] {
        let text = "[" + Array(repeating: "\(round)", count: count).joined(separator: ",") + "]"
        #expect(try reader.read(Array(text.utf8)[...]).elements.map { try $0.asInt() } == Array(repeating: round, count: count))
        #expect(throws: SourceError.self) { try reader.read(Array("[1,".utf8)[...]) }
        #expect(throws: SourceError.self) { try reader.read([]) }
      }
    }
  }

  @Test("a view that is kept does not change when the next document is read")
  func keptViews() throws {
    var reader = JSON.Reader()
    let kept = try (0..<100).map { try reader.read(Array(#"{"n":\#($0),"s":"text \#($0)"}"#.utf8)[...]) }
    for (number, json) in kept.enumerated() {
      #expect(try json.int("n") == number)
      #expect(try json.string("s") == "text \(number)")
    }
  }

  @Test("a document whose path was asked for leaves nothing to the next one")
  func pathsAfterward() throws {
    var reader = JSON.Reader()
    #expect(try reader.read(Array("[[1]]".utf8)).elements.first?.elements.first?.path == "[0][0]")
    #expect(try reader.read(Array(#"{"a":{"b":1}}"#.utf8))["a"]?["b"]?.path == "a.b")
  }

  @Test("copies of a reader do not disturb each other")
  func copies() throws {
    var first = JSON.Reader()
    _ = try first.read(Array("[1]".utf8))
    var second = first
    let one = try first.read(Array("[2]".utf8))
    let other = try second.read(Array("[3]".utf8))
    #expect(one.value == .list([.int(2)]))
    #expect(other.value == .list([.int(3)]))
  }
}
