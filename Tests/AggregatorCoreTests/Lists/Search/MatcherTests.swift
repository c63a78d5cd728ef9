import Testing

@testable import AggregatorCore

@Suite("Of the records that match a text") struct MatcherTests {
  /// A record with everything that a search looks at.
  struct Hero: Record {
    var id = ""
    var name = ""
    var realName: String?
    var issues: Int?
    var others: [String] = []

    static let fields: [Field<Hero>] = [
      Field("id", \.id, width: .whole), Field("name", \.name, .title, searchable: true),
      Field("realName", \.realName, searchable: true), Field("issues", \.issues, .weight),
    ]
    static let schema = Schema<Hero>(fields, searchOnly: [Field("others", \.others, .title)]) { try Hero($0, as: $1) }

    init() {}
    init(_ id: String, _ name: String, _ realName: String? = nil, issues: Int? = nil, others: [String] = []) {
      (self.id, self.name, self.realName, self.issues, self.others) = (id, name, realName, issues, others)
    }
  }

  /// Heroes from the worst match for "spider" to the best, so that the list's order decides nothing.
  static let heroes = [
    Hero("1", "Peter", "A Spider"), Hero("2", "Cowspider"), Hero("3", "The Spider"), Hero("4", "Spider-Man"), Hero("5", "Spider"),
    Hero("SPIDER", "Nobody"), Hero("7", "Bat-Man"),
  ]

  /// Searches the records, and the rows that a store would keep of them.
  private func found(_ text: String, among heroes: [Hero]) async throws -> [String] {
    let rows = try RecordList(rows: heroes.map { try JSON(Hero.schema.body(of: $0)) }, of: Hero.schema)
    let (inRecords, inRows) = (try await found(text, in: RecordList(heroes)), try await found(text, in: rows))
    #expect(inRecords == inRows)
    return inRecords
  }

  private func found(_ text: String, in heroes: RecordList<Hero>) async throws -> [String] {
    var walk = Walk(BundledRecords("heroes") { heroes }, .matching(text))
    var ids: [String] = []
    while let page = try await walk.nextPage() { ids += page.map(\.id) }
    return ids
  }

  @Test("a match of the exact id comes first, then the title, its beginning, a word's beginning, a word's inside, and another field")
  func places() async throws {
    #expect(try await found("spider", among: Self.heroes) == ["SPIDER", "5", "4", "3", "2", "1"])
    #expect(try await found("SPIDER", among: Self.heroes.reversed()) == ["SPIDER", "5", "4", "3", "2", "1"])
  }

  @Test("the heavier record comes first among equal matches, and the first of the list among equal weights")
  func weights() async throws {
    let heroes = [
      Hero("a", "Spider-Ham", issues: 3), Hero("b", "Spider-Man", issues: 900), Hero("c", "Spider-Girl"), Hero("d", "Spider", issues: nil),
      Hero("e", "Spider-Boy", issues: 3), Hero("f", "Spider-Ape", issues: .min),
    ]
    #expect(try await found("spider", among: heroes) == ["d", "b", "a", "e", "f", "c"])
  }

  @Test("another name of a record counts as a title, and is not among the fields")
  func otherNames() async throws {
    let heroes = [Hero("1", "Ukulele"), Hero("2", "United", others: ["Britain", "UK"])]
    #expect(try await found("uk", among: heroes) == ["2", "1"])
    #expect(try await found("united britain", among: heroes) == ["2"])
    #expect(Hero.schema.value(of: heroes[1])["others"] == nil)
    #expect(!Hero.schema.outline.contains { $0.name == "others" })
  }

  @Test("words that are apart in the title come after words in one piece, and before words of several fields")
  func words() async throws {
    let heroes = [Hero("1", "Spider", "The Man"), Hero("2", "Man of Spiders"), Hero("3", "Spider-Man"), Hero("4", "Spider-Man Noir")]
    #expect(try await found("spider man", among: heroes) == ["3", "4", "2", "1"])
    #expect(try await found("man 1", among: heroes) == ["1"])
  }

  @Test("an article before other words need not be found, but one alone or after them must be")
  func articles() async throws {
    let heroes = [Hero("1", "Flash"), Hero("2", "The Flash"), Hero("3", "Theflash Boy"), Hero("4", "La")]
    #expect(try await found("the flash", among: heroes) == ["1", "2", "3"])
    #expect(try await found("the", among: heroes) == ["2", "3"])
    #expect(try await found("la flash", among: heroes) == ["1", "2", "3"])
    #expect(try await found("flash the", among: heroes) == ["2", "3"])
  }

  @Test("fields that are searched last are found by whole words, or four letters, and rank after everything else")
  func last() async throws {
    struct Book: Record {
      var (id, title, note) = ("", "", "")
      static let fields: [Field<Book>] = [
        Field("id", \.id), Field("title", \.title, .title, searchable: true),
        Field("author", searchable: true) { String($0.note.prefix { $0 != " " }) },
        Field("note", \.note).searchedLast,
      ]
      init() {}
      init(_ id: String, _ title: String, _ note: String) { (self.id, self.title, self.note) = (id, title, note) }
    }
    let books = [Book("1", "Ships", "Ada: about Sea-Dogs"), Book("2", "Boats", "Dogs by the dozen"), Book("3", "Dogs", "Bea: none")]
    func found(_ text: String) -> [String] { Matcher<Book>(text).ranked(books).map(\.id) }
    #expect(found("dogs") == ["3", "2", "1"])
    #expect(found("ea") == ["3"] && found("abo").isEmpty && found("abou") == ["1"])
    #expect(found("seadogs") == ["1"] && found("by") == ["2"])
    #expect(found("ships dogs") == ["1"] && found("dozen boats") == ["2"])
  }

  @Test("the first thousand matches are ranked and the others follow in the list's order, each once")
  func thousand() async throws {
    var heroes = (0..<1_500).map { Hero("h\($0)", "A Spider \($0)") }
    heroes[999].name = "Spider"
    heroes[1_000].name = "Spider"
    let ids = try await found("spider", among: heroes)
    #expect(ids.first == "h999")
    #expect(ids[1_000] == "h1000")
    #expect(Set(ids).count == 1_500 && ids.count == 1_500)
  }

  @Test("a whole list that cannot search also gives the best first, within the limit")
  func whole() async throws {
    let source = ModelSource(Profile("model", paging: .whole)) {
      Page(of: $0.source, [Row("a", "Big Row"), Row("b", "Nothing"), Row("c", "Row")])
    }
    var walk = Walk(source, .matching("row"), bounds: Bounds(limit: 1))
    #expect(try await walk.nextPage()?.map(\.id) == ["c"])
    try await Walked(source, .matching("row")).expect(ids: ["c", "a"], .complete)
  }

  @Test("a stand-in that can search ranks for a walk that searches by itself")
  func standIn() async throws {
    let live = ModelSource.failing(SourceError(.unreachable, "gone"))
    let list = BundledRecords<Row>("rows") { [Row("a", "Big Row"), Row("b", "Nothing"), Row("c", "Row")] }
    try await Walked(live.fallback(to: list), .matching("row")).expect(ids: ["c", "a"], .complete)
  }

  @Test("a list that is stored during a search is stored whole")
  func cachedWhole() async throws {
    let store = StoreInMemory()
    let source = ModelSource(Profile("model", paging: .whole)) {
      try RecordList([Row](0..<5)).page(of: $0.source, $0.request, origin: .live)
    }
    #expect(try await Walked(source.cached(in: store), .matching("row 3")).ids == ["3"])
    #expect(try await Walked(LastAnswers(of: source, in: store, scope: "")).ids == ids(0..<5))
  }

  @Test(
    "the titles near a text that nothing matches",
    arguments: [
      ("spidrman", ["Spider-Man"]), ("SPIDER-MNA", ["Spider-Man"]), ("batmn", ["Bat-Man"]), ("nobdy", ["Nobody"]), ("xx", []),
      ("quite another thing", []), ("bitmun", []), ("the spidrman", ["Spider-Man"]), ("hollnd", ["Netherlands"]),
      ("wattel", ["Mia Wattle"]), ("wattle mai", []), ("wattel mia", ["Mia Wattle"]), ("pan batm", []), ("mia hollnd", []),
      ("paker petre", ["Peter Parker"]), ("petre paker", ["Peter Parker"]), ("jurgne", ["Jürgen"]),
      ("me@hmoe", ["Me@Home"]),
      ("bat mna", ["Bat-Man"]), ("parkre web", ["Parker Web"]), ("web wattel", []),
      ("pet parkr", ["Peter Parker"]), ("web quite", []),
    ])
  func nearest(text: String, titles: [String]) {
    let heroes =
      Self.heroes + [Hero("8", "Netherlands", others: ["Holland"]), Hero("9", "Mia Wattle")]
      + [Hero("10", "Web", "Peter Parker"), Hero("11", "Jürgen"), Hero("12", "Me@Home")]
    #expect(TitleGuesser(text, in: Hero.schema, among: heroes).nearest.titles == titles)
  }

  /// A record whose fields have names which say that their values are found by parts.
  struct Order: Record {
    var id = ""
    var title = ""
    var email: String?
    var phoneNumber: String?
    var orderNo: Int?
    var note: String?
    var postcode: String?

    static let fields: [Field<Order>] = [
      Field("id", \.id, width: .whole), Field("title", \.title, .title, searchable: true), Field("email", \.email),
      Field("phoneNumber", \.phoneNumber), Field("orderNo", \.orderNo), Field("note", \.note), Field("postcode", \.postcode),
    ]
  }

  private static var orders: [Order] {
    func order(_ id: String, _ title: String, _ change: (inout Order) -> Void) -> Order {
      var order = Order()
      (order.id, order.title) = (id, title)
      change(&order)
      return order
    }
    return [
      order("SO-0010", "Lamp") { ($0.email, $0.phoneNumber) = ("mia@corp1.example", "+1 (555) 052-1234") },
      order("SO-0211", "Desk 52") { ($0.orderNo, $0.note, $0.postcode) = (70_364, "corp1", "12345") },
      order("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "Chair") { _ in },
    ]
  }

  @Test(
    "parts of ids, addresses, numbers and phones are found from three letters or digits on, wherever the record is",
    arguments: [
      ("SO-0010", ["SO-0010"]), ("0010", ["SO-0010"]), ("so-00", ["SO-0010"]), ("O-02", ["SO-0211"]), ("11", []), ("so", []),
      ("@corp1.example", ["SO-0010"]), ("corp1", ["SO-0010"]), ("052", ["SO-0010"]), ("555-052", ["SO-0010"]),
      ("(555) 052-12", ["SO-0010"]), ("5550521234", ["SO-0010"]), ("70364", ["SO-0211"]), ("703", ["SO-0211"]), ("12345", []),
      ("lamp 0010", ["SO-0010"]), ("desk 0010", []), ("dad", []), ("9dad11", ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"]),
      ("00c04fd430c8", ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"]), ("@@@", []),
    ])
  func parts(text: String, ids: [String]) throws {
    let matcher = Matcher<Order>(text)
    #expect(matcher.ranked(Self.orders).map(\.id) == ids)
    let kind = RecordKind("orders", of: Order.schema)
    for order in Self.orders {
      let body = Order.schema.body(of: order)
      var sight = matcher.sight
      let rank = try sight.rank(body: body, id: order.id)
      #expect((rank != nil) == ids.contains(order.id))
      // Every record that is found must also be in the index, whose text has no joints.
      let indexed = String(decoding: kind.searchText(of: try JSON(body), id: order.id), as: UTF8.self)
      let words = SearchText(text).words.map { String(decoding: $0, as: UTF8.self) }
      if ids.contains(order.id) { #expect(words.allSatisfy(indexed.contains)) }
    }
  }

  @Test(
    "a stored record is ranked alike, however its JSON is written",
    arguments: ["lämp", "lamp two", "mia", "corp1", "555", "70364", "note", "SO-1", "\"a\"", "b", "absent"])
  func stored(text: String) throws {
    var order = Order()
    (order.id, order.title, order.email, order.orderNo) = ("SO-1", "Lämp two", "mia@corp1.example", 70_364)
    (order.phoneNumber, order.note) = ("+1 555", "a note {[, \"a\" \\ b")
    let matcher = Matcher<Order>(text)
    var sight = matcher.sight
    let compact = String(decoding: Order.schema.body(of: order), as: UTF8.self)
    let plain = compact.replacingEach("ä", with: "a")
    let writings = [
      compact, compact.replacingEach("ä", with: "\\u00e4"), compact.replacingEach("\":", with: "\" : "),
      compact.replacingEach("{\"id", with: "{ \"id"), plain, compact.replacingEach("\"title\"", with: "\"\\u0074itle\""),
      compact.replacingEach("{\"id", with: "{\"\\u0001edits\":{\"title\":\"x\"},\"id"),
      compact.replacingEach("{\"id", with: "{\"title\":\"absent\",\"id"),
    ]
    for writing in writings {
      let rank = try sight.rank(body: Array(writing.utf8), id: order.id)
      #expect(rank == matcher.rank(try Order(JSON(Array(writing.utf8)), as: .own)), "\(writing)")
    }
    let broken = ["", "{", "{\"title\":\"Shelf", "{\"title\":}", "{\"title\":\"Shelf\",}", "[]x", "[]", "1", "null"].map { Array($0.utf8) }
    for body in broken + [Array("{\"title\":\"".utf8) + [0xFF] + Array("\"}".utf8)] {
      #expect(throws: SourceError.self, "\(body)") { try sight.rank(body: body, id: "1") }
    }
  }

  @Test(
    "a search without a match suggests an id or a code if it alone is near",
    arguments: [
      ("S0-0010", ["SO-0010"]), ("SO-010", ["SO-0010"]), ("so-0100", ["SO-0010"]), ("SO-0110", []), ("0212", []), ("70346", ["70364"]),
      ("mai@corp1.example", ["mia@corp1.example"]), ("+1(555)052-1243", ["+1 (555) 052-1234"]), ("lamq1", []), ("70 346", []),
      ("70942", []),
    ])
  func nearestCode(text: String, titles: [String]) async throws {
    var orders = Self.orders
    orders[1].id = "SO-0111"
    orders[2].orderNo = 7_092
    #expect(TitleGuesser(text, in: Order.schema, among: orders).nearest.titles == titles)
  }

  @Test("a part of an e-mail address is also found if the field is searched")
  func partOfSearchedCode() {
    struct Person: Record {
      var id = ""
      var email = ""
      static let fields: [Field<Person>] = [Field("id", \.id), Field("email", \.email, searchable: true)]
    }
    var person = Person()
    (person.id, person.email) = ("1", "u52@corp2.example")
    #expect(Matcher<Person>("52@corp").matches(person) && !Matcher<Person>("53@corp").matches(person))
  }

  @Test("an index says which fields it has, and which of them it has the numbers of")
  func indexed() {
    #expect(
      RecordKind("orders", of: Order.schema).indexed == "letters 1: title, email, phoneNumber, orderNo; numbers of orderNo")
    #expect(RecordKind("heroes", of: Hero.schema).indexed.hasPrefix("letters 1: name, realName, others"))
  }

  @Test("a title with the text comes before an id with it")
  func partsComeLast() {
    var orders = Self.orders
    orders[0].title = "Desk 0211"
    #expect(Matcher<Order>("0211").ranked(orders).map(\.id) == ["SO-0010", "SO-0211"])
  }

  @Test(
    "the name of a field says that its values are found by their parts",
    arguments: [
      ("email", true), ("e_mail_address", true), ("phone", true), ("phoneNumber", true), ("mobile_phone", true), ("number", true),
      ("orderNo", true), ("order-number", true), ("SKU", true), ("customerID", true), ("customerId", true), ("isbn", true),
      ("id", false), ("name", false), ("numberOfPages", false), ("idle", false), ("phones", true), ("ip", true), ("ipv4", true),
      ("status", false), ("hostname", true), ("postcode", false), ("note", false), ("codec", false),
      ("", false), ("Kunden–Nr", true), ("order\u{A0}no", true), ("tel№", true), ("ref·no", true), ("email²", true), ("téléphone", false),
      ("te\u{301}le\u{301}phone", false), ("КОДID", false), ("ÄNr", false),
    ])
  func codeNames(name: String, isCode: Bool) { #expect(CodeName.isCode(name) == isCode) }
}

@Suite("Several that answer to one name")
struct NamesakesTests {
  private let schema: Schema<LooseRecord>

  init() throws { schema = try Schema<LooseRecord>([LooseField("id")], id: "id") }

  private func chosen(_ ids: [String], _ name: String) -> String? {
    let items = ids.map { LooseRecord(id: $0, value: .object([Member(name: "id", value: .text($0))])) }
    return Namesakes.choose(among: items, called: name, by: schema, of: "things")?.id
  }

  @Test("an id wins over a name; otherwise the first is meant, because lists begin with the best known")
  func choice() {
    #expect(chosen(["1", "2", "3"], "2") == "2")
    #expect(chosen(["1", "2", "3"], "x") == "1")
    #expect(chosen(["1"], "x") == "1")
    #expect(chosen([], "x") == nil)
  }
}

extension MatchSight {
  fileprivate mutating func rank(body: [UInt8], id: String) throws -> MatchRank? {
    try body.withUnsafeBufferPointer { body in
      try Array(id.utf8).withUnsafeBufferPointer { try rank(body: body, id: $0) }
    }
  }
}
