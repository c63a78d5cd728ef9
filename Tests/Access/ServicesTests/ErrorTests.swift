import AggregatorCore
import Platform
import Testing

@testable import Services

/// Every error that a manifest can have, in one file that is read from top to bottom and shows each fault.
///
/// Each line is a change to `full.json`, which has every member: `path = value`, or `- path` to remove a member. To add an error write its
/// line. After a change of words run this once with `AGGREGATOR_REWRITE=1`, and read what changed in the file.
@Suite struct ErrorTests {
  @Test("each error has the text of the golden file")
  func golden() throws {
    let full = try JSON(Golden.bytes("full.json")).value
    _ = try Manifest(full.bytes, file: "full.json")
    let golden = try String(decoding: Golden.bytes("errors.txt"), as: UTF8.self)
    let lines = golden.split(separator: "\n").filter { !$0.hasPrefix("    ") }
    let text = try lines.map { try entry(String($0), full) }.joined()
    if getenv("AGGREGATOR_REWRITE") != nil {
      try SystemFiles().replace(Golden.path("errors.txt"), with: Array(text.utf8))
    } else {
      #expect(text == golden, "AGGREGATOR_REWRITE=1 writes it anew")
    }
  }

  @Test("each member of another type is an error with its place and what was expected")
  func wrongTypes() throws {
    let full = try JSON(Golden.bytes("full.json")).value
    let lines = Members(of: full).wrong
    #expect(lines.count > 80)
    // A rule compares with any value, and a body is any JSON.
    let free: Set = ["errors[0].is = 7", "errors[1].isNot = \"text\"", "sources.posts.list.body = []"]
    // Nor is a program's configuration this file's business.
    for line in lines
    where !free.contains(line) && line != "sources.posts.search.request.body = []" && !line.contains(".config.")
      && !line.contains("config[")
    {
      let said = try entry(line, full)
      let path = try #require(line.split(separator: " ").first)
      #expect(["full.json: \(path): expected ", "full.json: [\"\(path)\"]: expected "].contains { said.contains($0) }, "\(said)")
    }
    for line in free { #expect(try entry(line, full).contains("nothing is wrong")) }
  }

  @Test("each misspelt member is recognized by its nearest name")
  func misspelt() throws {
    let full = try JSON(Golden.bytes("full.json")).value
    let members = Members(of: full).misspelt
    #expect(members.count > 50)
    for (line, name) in members where !line.contains(".config.") && !line.contains(".parameters.") {
      let said = try entry(line, full)
      #expect(said.contains(": unknown member; did you mean \"\(name)\"?"), "\(said)")
    }
  }

  /// The line, and its error below it.
  private func entry(_ line: String, _ full: Value) throws -> String {
    let edit = try #require(Edit(line), "\(line) is not understood")
    do {
      _ = try Manifest(edit.applied(to: full).bytes, file: "full.json")
      return "\n\(line)\n    nothing is wrong\n"
    } catch {
      #expect(error.kind == .settings && error.message.hasPrefix("full.json: "))
      return "\n\(line)\n    \(error.message)\n"
    }
  }
}

enum Golden {
  static func path(_ name: String) -> String {
    #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Golden/\(name)"
  }
  static func bytes(_ name: String) throws -> [UInt8] { try SystemFiles().read(path(name), upTo: 1 << 20).bytes }
}

/// A change to a document.
struct Edit {
  private let steps: [ValuePath.Step]
  private let value: Value?

  init?(_ line: String) {
    let isRemoval = line.hasPrefix("- ")
    let path = isRemoval ? line.dropFirst(2) : line.prefix(upTo: line.firstRange(of: " = ")?.lowerBound ?? line.endIndex)
    guard let place = ValuePath(String(path)) else { return nil }
    steps = place.steps
    value = isRemoval ? nil : try? JSON(Array(line.dropFirst(path.count + 3).utf8)).value
    if !isRemoval, value == nil { return nil }
  }

  func applied(to document: Value) -> Value { applied(to: document, steps[...]) }

  private func applied(to document: Value, _ steps: ArraySlice<ValuePath.Step>) -> Value {
    guard let step = steps.first else { return value ?? .null }
    let rest = steps.dropFirst()
    switch (step, document) {
    case (.member(let name), .object(var members)):
      if let index = members.firstIndex(where: { $0.name == name }) {
        if rest.isEmpty, value == nil { members.remove(at: index) } else { members[index].value = applied(to: members[index].value, rest) }
      } else {
        members.append(Member(name: name, value: applied(to: [:], rest)))
      }
      return .object(members)
    case (.element(let index), .list(var elements)) where elements.indices.contains(index):
      elements[index] = applied(to: elements[index], rest)
      return .list(elements)
    default: return document
    }
  }
}

/// The members of a document, each kind of them once, with a fault.
private struct Members {
  /// Lines that give a member a value of another type.
  private(set) var wrong: [String] = []
  /// Lines that add a member whose last letter is missing, and the name that was meant.
  private(set) var misspelt: [(line: String, name: String)] = []
  private var seen: Set<String> = []

  init(of document: Value) { visit(document, "", "manifest") }

  private mutating func visit(_ value: Value, _ path: String, _ kind: String) {
    switch value {
    case .object(let members):
      for member in members {
        let place = path.isEmpty ? member.name : "\(path).\(member.name)"
        if kind == "sources" {
          visit(member.value, place, "source")
        } else if seen.insert("\(kind).\(member.name)").inserted {
          wrong.append("\(place) = \(Self.other(than: member.value))")
          if member.name.count > 3 { misspelt.append(("\(place.dropLast()) = 1", member.name)) }
        }
        // The other objects have names of the service.
        if kind != "sources", !["headers", "query", "body"].contains(member.name) { visit(member.value, place, member.name) }
      }
    case .list(let elements):
      for (index, element) in elements.enumerated() { visit(element, "\(path)[\(index)]", kind) }
    default: break
    }
  }

  private static func other(than value: Value) -> String {
    switch value {
    case .object: "[]"
    case .list: "{}"
    case .text, .bool: "7"
    default: "\"text\""
    }
  }
}
