import Testing

@testable import AggregatorCore

struct RecordAddressesTests {
  struct Poster: Record {
    let id = "1"
    var held = Value.null

    init() {}
    init(_ held: Value) { self.held = held }

    static let fields: [Field<Poster>] = [Field<Poster>("id") { $0.id }, Field<Poster>("art", .picture) { Held(fieldValue: $0.held) }]
  }

  struct Held: FieldValue {
    let fieldValue: Value

    init(fieldValue: Value) { self.fieldValue = fieldValue }
    init(_ json: JSON, as form: RowForm) { fieldValue = json.value }
  }

  struct Plain: Record {
    let id = "1"
    static let fields: [Field<Plain>] = [Field<Plain>("id") { $0.id }]
  }

  static func sizes(_ sizes: KeyValuePairs<String, String>) -> Value {
    .object(sizes.map { Member(name: $0.key, value: .text("https://x.example/\($0.value)")) })
  }

  static let cases: [(Value, [String])] = [
    (.text("https://x.example/a.png"), ["https://x.example/a.png"]),
    (.text(" //x.example/a.png\n"), ["https://x.example/a.png"]),
    (.text("/a.png"), []), (.text(""), []), (.text("none"), []), (.text("javascript:alert(1)"), []), (.text("file:///etc/passwd"), []),
    (.text("data:image/png;base64,AAAA"), []), (.text("https://user:pw@x.example/a"), []), (.null, []), (.int(7), []),
    (
      .list([.text("https://x.example/b"), .null, .text("https://x.example/a"), .text("https://x.example/b")]),
      ["https://x.example/b", "https://x.example/a"]
    ),
    (sizes(["thumbnail": "t", "large": "l", "medium": "m"]), ["https://x.example/l"]),
    (sizes(["icon_url": "i", "screen_large_url": "s", "small_url": "m", "original_url": "o"]), ["https://x.example/o"]),
    (sizes(["w92": "a", "w1280": "b", "w500": "c"]), ["https://x.example/b"]),
    (sizes(["640x480": "a", "320x240": "b"]), ["https://x.example/a"]),
    (sizes(["front": "a", "back": "b"]), ["https://x.example/a"]),
    (.object([Member(name: "large", value: .null), Member(name: "small", value: .text("https://x.example/s"))]), ["https://x.example/s"]),
    (
      .object([Member(name: "large", value: .text("nonsense")), Member(name: "small", value: .text("https://x.example/s"))]),
      ["https://x.example/s"]
    ),
    (.list([sizes(["small": "1s", "large": "1l"]), sizes(["large": "2l"])]), ["https://x.example/1l", "https://x.example/2l"]),
  ]

  @Test("a schema finds the addresses of a record's pictures", arguments: cases)
  func addresses(value: Value, expected: [String]) { #expect(Poster.schema.pictures(of: Poster(value)).map(\.shown) == expected) }

  @Test("a schema knows whether its records have pictures")
  func has() {
    #expect(Poster.schema.outline.hasPictures)
    #expect(!Plain.schema.outline.hasPictures)
  }
}
