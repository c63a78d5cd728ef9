import AggregatorCore
import Testing

@testable import Authoring

@Suite struct RecordTests {
  @Test("fields have the types of the recorded values")
  func types() async throws {
    let record = try await EjectedPackage("offset").record
    for line in [
      "public var number = 0", "public var name: String?", "public var countryCode: String?", "public var depth: Double?",
      "public var opened: CalendarDay?", "public var note: String?", "public var isFree: Bool?", "public var tags: [String] = []",
      "public var id: String { String(number) }", #"Field("countryCode", \.countryCode, searchable: true)"#,
    ] {
      #expect(record.contains(line), "\(line) is missing in\n\(record)")
    }
  }

  @Test("an id may be a number, a text, or have another name")
  func ids() async throws {
    #expect(try await EjectedPackage("number").record.contains("public var id: String { isbn }"))
    #expect(try await EjectedPackage("next").record.contains("public var id: String { String(episodeId) }"))
    #expect(try await EjectedPackage("posted").record.contains(#"Field("id", \.id, width: .whole"#))
    #expect(try await EjectedPackage("single").record.contains("public var id: String { sku }"))
  }

  @Test("words of the language, doubles, blanks and names without a letter are turned into names")
  func names() async throws {
    let written = try await EjectedPackage("hostile")
    for line in [
      "public var `class`: String?", "public var initField: Int?", "public var field: String?", "public var aB: String?",
      "public var aB2: Int?", "public var aB3: Bool?", "public var field12Months: Int?", "public var mixed: String?",
      "public var valueString: String?", "public var fieldsField = Value.null", #"Field("a_b", \.aB, searchable: true)"#,
    ] {
      #expect(written.record.contains(line), "\(line) is missing in\n\(written.record)")
    }
  }

  @Test("pictures and links are recognized")
  func addresses() async throws {
    #expect(try await EjectedPackage("number").record.contains(#"Field("cover_url", \.coverUrl, .picture, width: .extra)"#))
    #expect(try await EjectedPackage("next").record.contains(#"Field("url", \.url, .link, width: .extra).holding(.address)"#))
  }

  @Test("an id beside a number has another name, and the id of a post is not a secret key")
  func shop() async throws {
    let written = try await EjectedPackage("shop")
    for line in ["public var idNumber = 0", "public var number: Int?", "public var id: String { String(idNumber) }"] {
      #expect(written.record.contains(line), "\(line) is missing in\n\(written.record)")
    }
    #expect(!written.description.contains(#""keys""#))
  }
}
