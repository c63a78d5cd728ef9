import AggregatorCore
import Testing

@Suite("What a field can hold")
struct FieldValueTests {
  enum State: String, FieldValue { case open, paid }

  struct Line: Part {
    var item = ""
    var count = 1

    static let fields: [Field<Line>] = [Field("item", \.item, from: "product.name"), Field("count", \.count, from: "qty")]
  }

  struct Order: Record {
    var id = ""
    var state = State.open
    var last: State?
    var tags: Set<String> = []
    var lines: [Line] = []
    var first: Line?
    var price: Money?
    var total = DecimalNumber(0)
    var paid: Moment?
    var day: CalendarDay?
    var isGift: Bool?

    static let fields: [Field<Order>] = [
      Field("id", \.id, width: .whole), Field("state", \.state, from: "status.code"), Field("last", \.last), Field("tags", \.tags),
      Field("lines", \.lines), Field("first", \.first),
      Field("price", \.price, reading: { try Money(minorUnits: $0.read("price.cents"), currency: $0.read("price.currency")) }),
      Field("total", \.total), Field("paid", \.paid), Field("day", \.day), Field("isGift", \.isGift),
      Field("isOpen") { $0.state == .open },
    ]
  }

  static let row = #"""
    {"id":"7","status":{"code":"paid"},"last":"","tags":["b","a","b",null],"lines":[{"product":{"name":"Tea"},"qty":2}],
     "price":{"cents":1990,"currency":"JPY"},"total":19.90,"paid":1700000000,"day":"2024-02-29T10:00:00Z","isGift":"yes"}
    """#

  private func order(_ text: String, as form: RowForm = .service) throws -> Order { try Order(JSON(Array(text.utf8)), as: form) }

  @Test("one declaration reads a row of the service, and reads back what was written of it")
  func once() throws {
    let order = try order(Self.row)
    #expect(order.state == .paid && order.last == nil && order.tags == ["a", "b"])
    #expect(order.lines == [Line(item: "Tea", count: 2)] && order.first == nil)
    #expect(order.price == Money(DecimalNumber(1990), "JPY"))
    #expect(order.paid == Moment(secondsSinceEpoch: 1_700_000_000) && order.day == CalendarDay(iso: "2024-02-29"))
    #expect(order.isGift == true)
    let written = String(decoding: order.value.bytes, as: UTF8.self)
    #expect(
      written == #"{"id":"7","state":"paid","last":null,"tags":["a","b"],"lines":[{"item":"Tea","count":2}],"first":null,"#
        + #""price":{"amount":1990,"currency":"JPY"},"total":19.90,"paid":"2023-11-14T22:13:20.000Z","day":"2024-02-29","#
        + #""isGift":true,"isOpen":false}"#)
    #expect(try self.order(written, as: .own) == order)
  }

  @Test(
    "a value that cannot be read is an error with its place and what was expected",
    arguments: [
      (#"{"status":{"code":"paid"}}"#, "the member id is missing"),
      (#"{"id":"1"}"#, "the member status is missing"),
      (#"{"id":"1","status":{}}"#, "status: the member code is missing"),
      (#"{"id":"1","status":"paid"}"#, "status: expected an object, found a string"),
      (#"{"id":"1","status":{"code":"lost"}}"#, #"status.code: "lost" is not a value of State"#),
      (
        #"{"id":"1","status":{"code":"paid"},"price":{"cents":1,"currency":"EUR"},"total":"1,5"}"#,
        "total: expected a number, found a string"
      ),
      ("[]", "expected an object, found an empty array"),
    ])
  func errors(row: String, text: String) {
    let error = #expect(throws: SourceError.self) { try order(row) }
    #expect(error?.message == text)
  }

  @Test(
    "an optional value that cannot be read is an error in a record's own form",
    arguments: [
      (#"{"id":"1","state":"paid","total":1,"lines":[{"count":"x"}]}"#, "lines[0]: the member item is missing"),
      (#"{"id":"1","state":"paid","total":1,"paid":"soon"}"#, "paid: expected a time such as 2024-02-29T10:00:00Z, found a string"),
    ])
  func ownForm(row: String, text: String) {
    let error = #expect(throws: SourceError.self) { try order(row, as: .own) }
    #expect(error?.message == text)
  }

  @Test(
    "a time is read in the ways in which services write one",
    arguments: [
      ("1700000000", "2023-11-14T22:13:20.000Z"), ("1700000000123", "2023-11-14T22:13:20.123Z"),
      (#""1700000000""#, "2023-11-14T22:13:20.000Z"),
      ("-1.5", "1969-12-31T23:59:58.500Z"), (#""2024-02-29T10:00:00+02:00""#, "2024-02-29T08:00:00.000Z"),
      (#""2024-02-29""#, "2024-02-29T00:00:00.000Z"), (#""Thu, 29 Feb 2024 10:00:00 +0200""#, "2024-02-29T08:00:00.000Z"),
      (#""29 Feb 2024 10:00:00 GMT""#, "2024-02-29T10:00:00.000Z"),
      (#""2024-02-29 10:00:00 +02:00""#, "2024-02-29T08:00:00.000Z"), (#""2024-02-29 10:00:00-12""#, "2024-02-29T22:00:00.000Z"),
      (#""2024-02-29T10:00:00.123456789Z""#, "2024-02-29T10:00:00.123Z"), ("-0.0005", "1969-12-31T23:59:59.999Z"),
    ])
  func times(text: String, iso: String) throws {
    let moment = try Moment(JSON(Array(text.utf8)), as: .service)
    #expect(try moment.iso == iso && Moment(JSON(moment.fieldValue.bytes), as: .own) == moment)
  }

  @Test(
    "a time keeps every digit of its fraction as a text",
    arguments: [
      ("1700000000.123456", "2023-11-14T22:13:20.123456Z"), ("1700000000123.4", "2023-11-14T22:13:20.1234Z"),
      ("1700000000.99999999", "2023-11-14T22:13:20.99999999Z"), ("1700000000.5", "2023-11-14T22:13:20.500Z"),
      ("1700000000.1", "2023-11-14T22:13:20.100Z"), ("1.005", "1970-01-01T00:00:01.005Z"), ("-1.0004", "1969-12-31T23:59:58.9996Z"),
      ("253402300799", "9999-12-31T23:59:59.000Z"), ("99999999999.0", "5138-11-16T09:46:39.000Z"),
      ("-0.0005", "1969-12-31T23:59:59.9995Z"),
      (#""2024-02-29 10:00:00.123456+02""#, "2024-02-29T08:00:00.123456Z"), (#""2024-02-29""#, "2024-02-29T00:00:00.000Z"),
    ])
  func fractions(text: String, iso: String) throws {
    #expect(try Moment.text(JSON(Array(text.utf8))) == iso)
  }

  @Test(
    "a text that is not a time, or has a date without a four-digit year, cannot be read and is kept whole",
    arguments: [
      "1e300", "-1e300", "9223372036854775807", "-9223372036854775808", #""20240229""#, #""2024""#, #""2024-02-29Trubbish""#,
      #""2024-02-29T24:00:00Z""#, #""2024-02-29T10:00:00+15:00""#,
    ])
  func noTimes(text: String) throws {
    let error = #expect(throws: SourceError.self) { try Moment(JSON(Array(text.utf8)), as: .service) }
    #expect(error?.message.hasPrefix("expected a time such as 2024-02-29T10:00:00Z") == true)
  }

  @Test(
    "a document keeps every digit of its numbers",
    arguments: ["19.90", "0.10", "12345678901234567890.12", "12345678901234567890", "-9223372036854775809", "1e400", "1.5"])
  func digits(number: String) throws {
    #expect(try String(decoding: JSON(Array(number.utf8)).value.bytes, as: UTF8.self) == number)
  }

  @Test(
    "a number fits a field of 64 bits if these keep its digits",
    arguments: [
      ("19.90", true), ("0.30000000000000004", true), ("0.10000000000000001", true), ("2.2000000000000002", true),
      ("-1234.5678901234567", true), ("1.7976931348623157e308", true), ("2.2250738585072014e-308", true), ("5e-324", true), ("1e23", true),
      ("123456789.12345679", true), ("12345678901234.566", true), ("0.000012345678901234568", true), ("9007199254740992.0", true),
      ("50474069033423.812", true), ("50474069033423.813", false), ("12345678901234.567", false), ("-12345678901234.567", false),
      ("1234567890123.4567", false), ("20261129150405.123", false),
      ("9007199254740993.5", false), ("4503599627370497.5", false), ("9007199254740993", false), ("9007199254740993.0", false),
      ("0.1234567890123456789", false), ("1.00000000000000005", false), ("100000000000000000000001", false),
    ])
  func exactDouble(number: String, fits: Bool) throws {
    for text in [number, "\"\(number)\""] {
      let json = try JSON(Array(text.utf8))
      #expect(((try? json.asExactDouble(as: .service)) != nil) == fits, "\(text)")
    }
  }

  @Test(
    "yes and no are read in the ways in which services write them",
    arguments: [
      ("true", true), ("1", true), (#""1""#, true), (#""YES""#, true), (#""true""#, true), ("false", false), ("0", false),
      (#""No""#, false),
    ])
  func yesAndNo(text: String, isTrue: Bool) throws {
    #expect(try Bool(JSON(Array(text.utf8)), as: .service) == isTrue)
    #expect(throws: SourceError.self) { try Bool(JSON(Array("2".utf8)), as: .service) }
  }

  @Test("a row that is keyed by its id has that id, and other rows have no name")
  func keyed() throws {
    let rows = try JSON(Array(#"{"a\u0062":[{"x":1},"y",[]],"c":{}}"#.utf8))
    #expect(rows.members.map { $0.value.name } == ["ab", "c"] && rows.name == nil)
    #expect(rows["ab"]?.elements.compactMap(\.name).isEmpty == true)
  }

  @Test("a path to a missing member finds nothing, and an empty path is the value itself")
  func paths() throws {
    let row = try JSON(Array(Self.row.utf8))
    #expect(try row.value(at: "status.code")?.asString() == "paid")
    #expect(try row.value(at: "status.text.long") == nil && row.value(at: FieldPath())?.kind == .object)
    #expect(try row.read("lines") == [Line(item: "Tea", count: 2)])
    #expect(throws: SourceError.self) { try row.value(at: "id.more") }
  }
}

@Suite("A page whose rows lead on")
struct BrokenKeyTests {
  private struct Rows: DataSource {
    let profile = Profile("rows", paging: .keyset(size: 3))
    func page(_ request: PageRequest) async throws -> Page<FieldValueTests.Order> { Page(of: self, []) }
  }

  @Test(
    "a page whose last row is broken leads on by the id of that row",
    arguments: [
      (#"[{"id":"1","status":{"code":"paid"},"price":{"cents":1,"currency":"EUR"},"total":1},{"id":"2"}]"#, Continuation.token("2")),
      (#"[{"id":"1"},{"id":2}]"#, .token("2")), (#"[{"id":"1"},{}]"#, .advance), ("[]", .advance),
      (#"[{"id":"1"},{"id":"2","status":{"code":"paid"},"price":{"cents":1,"currency":"EUR"},"total":1}]"#, .advance),
    ])
  func brokenLast(rows: String, next: Continuation) throws {
    #expect(try Page(of: Rows(), rows: JSON(Array(rows.utf8)).asArray()).next == next)
  }
}

@Suite("A decimal number")
struct DecimalNumberTests {
  @Test(
    "a decimal number is written as it was read, whatever its length",
    arguments: ["19.90", "0.00", "-0.05", "1990", "123456789012345678901234567890.123456789", "1.20e3", "-9223372036854775808"])
  func same(text: String) { #expect(DecimalNumber(text)?.description == text) }

  @Test(
    "a decimal number in another spelling is refused",
    arguments: ["", "-", "1.", ".5", "1e", "0x1", "1,5", "1 ", "+1", "nan", "1e99999999999"])
  func none(text: String) { #expect(DecimalNumber(text) == nil) }

  @Test("decimal numbers are equal and ordered as numbers are")
  func order() {
    let numbers = ["-10", "-9.99", "-0.5", "0", "0.05", "0.5", "9.99", "10", "1e1000", "1.5e1000"].compactMap { DecimalNumber($0) }
    #expect(numbers.shuffled().sorted() == numbers)
    #expect(DecimalNumber("19.9") == DecimalNumber("1.990e1") && Set([DecimalNumber("19.9"), DecimalNumber("19.900")]).count == 1)
  }

  @Test("an amount of money is written in the units of its currency", arguments: [("EUR", "19.90"), ("jpy", "1990"), ("KWD", "1.990")])
  func money(currency: String, amount: String) {
    #expect(Money(minorUnits: 1990, currency: currency).amount.description == amount)
    #expect(Money(minorUnits: -5, currency: "EUR").amount.description == "-0.05")
    #expect(Money(minorUnits: .min, currency: "EUR").amount.description == "-92233720368547758.08")
  }
}
