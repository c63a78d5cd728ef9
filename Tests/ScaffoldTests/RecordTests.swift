import AggregatorCore
import Testing

@testable import Scaffold

@Suite struct RecordTests {
  @Test("fields have the types that were seen, and are optional where one was missing")
  func types() throws {
    let record = try Written("offset").record
    for line in [
      "public var number = 0", "public var name = \"\"", "public var country = Country()", "public var depth = 0.0",
      "public var opened = \"\"", "public var note: String?", "public var isFree = false", "public var tags: [String] = []",
      "public var id: String { String(number) }", "public struct Country: Part {",
      #"Field("name", \.name, .title, searchable: true)"#,
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
      "public var `class` = \"\"", "public var initField = 0", "public var field6: String?", "public var aB: String?",
      "public var aB2: Int?", "public var aB3 = false", "public var n12Months: Int?", "public var mixed: String?",
      "public var valueField = ValuePart()", "public var fieldsField: [Int] = []",
    ] {
      #expect(written.record.contains(line), "\(line) is missing in\n\(written.record)")
    }
    // What nobody could type has a name of our own, and is read back by it.
    #expect(written.record.contains(#"Field("aB2", \.aB, from: "a b")"#), "\(written.record)")
    #expect(written.package.guesses.omissions.contains("self: only null was recorded"))
  }

  @Test("pictures and links are known as such")
  func addresses() throws {
    #expect(try Written("number").record.contains(#"Field("cover_url", \.coverUrl, .picture, width: .hidden)"#))
    #expect(try Written("next").record.contains(#"Field("url", \.url, .link, width: .hidden)"#))
  }

  @Test("equal parts are one type, an id beside a number has another name, and what makes a post unique is no key")
  func shop() throws {
    let written = try Written("shop")
    #expect(written.record.split(separator: "\n").count { $0.hasSuffix(": Part {") } == 1, "\(written.record)")
    for line in ["public var total = Total()", "public var price = Total()", "public var idNumber = 0", "public var number = 0"] {
      #expect(written.record.contains(line), "\(line) is missing in\n\(written.record)")
    }
    #expect(!written.descriptor.contains(".secret"))
    #expect(
      written.service.contains(#"["skip": place.number.fieldValue, "take": place.size.fieldValue, "note": "COMPUTED 0"]"#),
      "\(written.service)")
  }
}
