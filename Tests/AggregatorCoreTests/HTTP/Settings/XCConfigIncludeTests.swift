import Platform
import Testing

@testable import AggregatorCore

@Suite struct XCConfigIncludeTests {
  @Test("an included file is found beside the one that includes it, in a folder, above it and anywhere")
  func places() throws {
    let others: ListedFiles = [
      "/k/Beside.xcconfig": "A = beside", "/k/in/Deep.xcconfig": "#include \"Deeper.xcconfig\"", "/k/in/Deeper.xcconfig": "B = deeper",
      "/k/../Above.xcconfig": "C = above", "/etc/All.xcconfig": "D = all",
    ]
    let text = """
      #include "Beside.xcconfig"
      #include? "in/Deep.xcconfig" // a comment
      # include\t"../Above.xcconfig"
      #include "/etc/All.xcconfig"
      """
    let config = try config(text, beside: others)
    #expect(try ["A", "B", "C", "D"].map { try config.value(of: $0)?.text.reveal() } == ["beside", "deeper", "above", "all"])
    #expect(try config.value(of: "B")?.location.description == "/k/in/Deeper.xcconfig:1")
  }

  @Test(
    "an include has the effect of its lines at that place", arguments: [("A = 1\n#include \"B\"", "12"), ("#include \"B\"\nA = 1", "1")])
  func order(text: String, expected: String) throws {
    #expect(try config(text, beside: ["/k/B": "A = $(inherited)2"]).value(of: "A")?.text.reveal() == expected)
  }

  @Test("a value inherits through the includes")
  func inherited() throws {
    let others: ListedFiles = ["/k/B": "A = 1\n#include \"C\"", "/k/C": "A = $(inherited)2"]
    #expect(try config("#include \"B\"\nA = $(inherited)3", beside: others).value(of: "A")?.text.reveal() == "123")
  }

  @Test("a missing include is an error that names file and line, unless the include says it may be missing")
  func missing() throws {
    let error = try #require(throws: SourceError.self) { try config("\n#include \"No.xcconfig\"") }
    #expect(error.message == "/k/Main.xcconfig:2: the included file /k/No.xcconfig does not exist")
    #expect(try config("#include? \"No.xcconfig\"\nA = 1").value(of: "A")?.text.reveal() == "1")
  }

  @Test("an include that exists but cannot be read is an error with both directives", arguments: ["#include", "#include?"])
  func unreadable(directive: String) throws {
    var others: ListedFiles = [:]
    others["/k/No.xcconfig"] = .failure(.failed("Permission denied"))
    let error = try #require(throws: SourceError.self) { try config("\(directive) \"No.xcconfig\"", beside: others) }
    #expect(error.message.contains("Permission denied"))
    #expect(error.message.hasPrefix("/k/Main.xcconfig:1: "))
  }

  @Test("a fault in an included file names that file")
  func faultInside() throws {
    let error = try #require(throws: SourceError.self) { try config("#include \"B\"", beside: ["/k/B": "\n\n?"]) }
    #expect(error.message.hasPrefix("/k/B:3: "))
  }

  @Test("a file that includes itself, directly or through others, is an error that shows the circle")
  func circle() throws {
    let itself = try #require(throws: SourceError.self) {
      try config("#include \"Main.xcconfig\"", beside: ["/k/Main.xcconfig": "#include \"Main.xcconfig\""])
    }
    #expect(itself.message.hasSuffix("/k/Main.xcconfig → /k/Main.xcconfig"))
    let others: ListedFiles = ["/k/B": "#include \"C\"", "/k/C": "\n#include? \"B\""]
    let through = try #require(throws: SourceError.self) { try config("#include \"B\"", beside: others) }
    #expect(through.message.hasPrefix("/k/C:2: "))
    #expect(through.message.hasSuffix("/k/B → /k/C → /k/B"))
  }

  @Test("the same file included twice in succession is not a circle")
  func twice() throws {
    #expect(try config("#include \"B\"\n#include \"B\"", beside: ["/k/B": "A = $(inherited)1"]).value(of: "A")?.text.reveal() == "11")
  }

  @Test(
    "includes are followed up to a limit: in depth, in breadth, or round a circle by other names",
    arguments: [
      ["/k/F0": "#include \"../k/F0\""], wide, deep,
    ])
  func bounds(files: [String: String]) throws {
    var others: ListedFiles = [:]
    for (path, text) in files { others[path] = .success(FileContents(Array(text.utf8))) }
    if files.count == 1 { for count in 1..<200 { others["/k/" + String(repeating: "../k/", count: count) + "F0"] = others["/k/F0"] } }
    #expect(try #require(throws: SourceError.self) { try config("#include \"F0\"", beside: others) }.message.contains("more than"))
  }

  private static let deep = Dictionary(uniqueKeysWithValues: (0..<200).map { ("/k/F\($0)", "#include \"F\($0 + 1)\"") })
  private static let wide = deep.mapValues { "\($0)\n\($0)" }.merging(["/k/F8": ""]) { $1 }
}
