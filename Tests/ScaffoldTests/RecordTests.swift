import AggregatorCore
import Testing

@testable import Scaffold

@Suite struct RecordTests {
  @Test("fields have the types that were seen, and are optional where one was missing")
  func types() throws {
    let record = try Written("offset").record
    for line in [
      "public let number: Int", "public let name: String", "public let country: Country", "public let depth: Double",
      "public let opened: String", "public let note: String?", "public let isFree: Bool", "public let tags: [String]",
      "public var id: String { String(number) }", "public struct Country: Part {",
      #"Field<Thing>("name", .title, searchable: true) { $0.name }"#,
    ] {
      #expect(record.contains(line), "\(line) is missing in\n\(record)")
    }
  }

  @Test("an id may lie deeper, be of two types, or have another name")
  func ids() throws {
    #expect(try Written("number").record.contains("public var id: String { isbn }"))
    #expect(try Written("next").record.contains("public var id: String { String(episodeId) }"))
    #expect(try Written("posted").record.contains("public var id: String { idField }"))
    #expect(try Written("single").record.contains("public var id: String { sku }"))
  }

  @Test("words of the language, doubles, blanks and names without a letter are made into names")
  func names() throws {
    let written = try Written("hostile")
    for line in [
      "public let `class`: String", "public let initField: Int", "public let field6: String?", "public let aB: String?",
      "public let aB2: Int?", "public let aB3: Bool", "public let n12Months: Int?", "public let mixed: String?",
      "public let valueField: ValuePart", "public let fieldsField: [Int]",
    ] {
      #expect(written.record.contains(line), "\(line) is missing in\n\(written.record)")
    }
    // What nobody could type has a name of our own, and is read back by it.
    #expect(written.text("Thing+JSON.swift").contains(#"aB = try row.stringIfPresent("a b") ?? row.stringIfPresent("aB2")"#))
    #expect(written.package.guesses.omissions.contains("self: only null was recorded"))
  }

  @Test("pictures and links are known as such")
  func addresses() throws {
    #expect(try Written("number").record.contains(#"Field<Thing>("cover_url", .picture, width: .hidden)"#))
    #expect(try Written("next").record.contains(#"Field<Thing>("url", .link, width: .hidden)"#))
  }
}
