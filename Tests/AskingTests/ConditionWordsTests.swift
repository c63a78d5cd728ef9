import AggregatorCore
import Asking
import SourceTesting
import Testing

/// Conditions by words: several values, missing ones, and times.
@Suite("Conditions in words") struct ConditionWordsTests {
  /// 23 November 2026 was a Monday.
  private static let now = Moment(iso: "2026-11-23T10:00:00Z") ?? Moment(secondsSinceEpoch: 0)
  private static let conditionForms = "write FIELD=VALUE, with =, !=, ~, !~, or in quotes <, <=, >, >= and 'FIELD in a,b'"
  private static let timeForms = "write 2w, yesterday, monday, 2026, 2026-11, 2026-11-01 or 2026-11-01T06:00:00Z"
  private static let several =
    "holds several conditions; give where=FIELD=VALUE once for each, or put the value in double quotes"
  private static let quote =
    "has a quote that does not enclose a value; write 'status in \"a, b\",c', and double a quote inside quotes"
  private static let leaves: [Leaf] = [
    Leaf(FieldPath(["status"]), .text), Leaf(FieldPath(["in"]), .text), Leaf(FieldPath(["check in"]), .text),
    Leaf(FieldPath(["check"]), .text), Leaf(FieldPath(["count"]), .integer), Leaf(FieldPath(["code"]), .text),
    Leaf(FieldPath(["placed"]), .time), Leaf(FieldPath(["day"]), .time), Leaf(FieldPath(["tags"]), .text, mayBeList: true),
    Leaf(FieldPath(["none"]), .text), Leaf(FieldPath(["empty"]), .text), Leaf(FieldPath(["surname"]), .text),
    Leaf(FieldPath(["city"]), .text), Leaf(FieldPath(["name", "first"]), .text), Leaf(FieldPath(["name", "last"]), .text),
    Leaf(FieldPath(["isNew"]), .bool), Leaf(FieldPath(["free"])), Leaf(FieldPath(["odd"]), .text), Leaf(FieldPath(["untagged"])),
  ]
  private static let record = Value.object([
    Member(name: "status", value: .text("Paid")), Member(name: "in", value: .text("x")), Member(name: "check in", value: .text("late")),
    Member(name: "check", value: .text("b")), Member(name: "count", value: .int(12)), Member(name: "code", value: .text("0470")),
    Member(name: "placed", value: .text("2026-11-22T10:00:00Z")), Member(name: "day", value: .text("2026-11-22")),
    Member(name: "tags", value: .list([.text("Red"), .text("blue")])), Member(name: "none", value: .null),
    Member(name: "empty", value: .text("")), Member(name: "surname", value: .text("Null")),
    Member(name: "city", value: .text("Paris, Texas")),
    Member(name: "name", value: .object([Member(name: "first", value: .text("Zoë")), Member(name: "last", value: .null)])),
    Member(name: "isNew", value: .bool(true)), Member(name: "free", value: .int(3)), Member(name: "odd", value: .text("\"~=\" (a)")),
    Member(name: "untagged", value: .list([])),
  ])

  private func condition(_ text: String) throws -> RecordCondition {
    try RecordCondition(text, on: Self.leaves, at: Self.now)
  }

  @Test(
    "in is met by one of several values, compared like a value after =",
    arguments: [
      ("status in open,paid", true), ("status in open", false), ("status IN open , PAID ", true), ("  status  in  paid", true),
      ("status In paid", true), ("count in 11,12.0", true), ("count in 1,2", false), ("code in 470,471", false), ("code in 0470", true),
      ("tags in green,red", true), ("tags in green", false), ("name in ada,zoe", true), ("name.first in zoë,ada", true),
      ("in in x,y", true), ("in in y", false), ("in=x", true), ("check in late", false), ("check in a,b", true),
      ("check in in late,x", true), ("check in=late", true), ("check in in b", false), ("isNew in true,false", true),
      ("placed in 2020,2026-11-22T10:00:00Z", true), ("day in today,yesterday", true), ("free in 2,3", true), ("free in 2,x", false),
      ("city in \"Paris, Texas\",Rome", true), ("city in Paris, Texas", false), ("city in \"Paris, Texas\" , x", true),
      ("odd in \"\"\"~=\"\" (a)\"", true), ("status in =x,~y,<z", false), ("status in status,IN,paid", true),
      ("status in \u{301}x,paid", true), ("status!=\u{301}x", true), ("status~\u{301}x", false), ("status=a, status, in, b", false),
      ("none in null", true), ("none in a,null", true),
      ("none in \"null\"", false), ("status in a,null", false), ("empty in \"\"", true), ("empty in null", false), ("none in \"\"", false),
      ("surname in \"null\"", true), ("surname in null,x", false), ("status in a=b", false),
    ])
  func among(text: String, isMet: Bool) throws {
    let condition = try condition(text)
    #expect(condition.isMet(by: Self.record) == isMet)
    // What is said of a condition can be typed again.
    #expect(try self.condition("\(condition)").isMet(by: Self.record) == isMet)
  }

  @Test(
    "!~ is met where no value contains the text, also by a missing value",
    arguments: [
      ("status!~pai", false), ("status!~open", true), ("tags!~lu", false), ("tags!~green", true), ("none!~x", true), ("name!~zo", false),
      ("name!~ada", true), ("count!~1", false), ("odd!~~=", false), ("status!~~", true), ("untagged!~a", true), ("surname!~null", false),
      ("odd!~\"~", false), ("status!~\"paid\"", true),
    ])
  func lacks(text: String, isMet: Bool) throws {
    #expect(try condition(text).isMet(by: Self.record) == isMet)
  }

  @Test(
    "null means a missing value, nothing at all also an empty text, and quotes take a value as it stands",
    arguments: [
      ("none=null", true), ("none=NULL", true), ("none!=null", false), ("none= null ", true), ("none=", true), ("none=\"\"", false),
      ("none!=\"\"", true), ("empty=null", false), ("empty!=null", true), ("empty=", true), ("empty=\"\"", true), ("status=null", false),
      ("status!=null", true), ("surname=null", false), ("surname!=null", true), ("surname=\"null\"", true), ("surname!=\"NULL\"", false),
      ("surname~null", true), ("untagged=null", true), ("untagged!=null", false), ("name=null", true), ("name.first=null", false),
      ("count=null", false), ("placed!=null", true), ("status=\"paid\"", true), ("status=\"paid", false), ("odd=\"\"\"~=\"\" (a)\"", true),
      ("odd=\"~=\" (a)", true), ("city=\"Paris, Texas\"", true), ("city=\"count=1 status in a,b\"", false),
    ])
  func missing(text: String, isMet: Bool) throws {
    #expect(try condition(text).isMet(by: Self.record) == isMet)
  }

  @Test(
    "a time is compared with the words that people use for times, counted from the given moment",
    arguments: [
      ("placed>=yesterday", true), ("placed>=today", false), ("placed<Monday", true), ("placed>=sunday", true), ("placed>2w", true),
      ("placed>24h", false), ("placed>=24h", true), ("placed>1d", false), ("placed<1h30m", true), ("placed>2026-11", true),
      ("placed<2026", false),
      ("placed> yesterday ", true), ("day=yesterday", true), ("day=2026-11-22", true), ("day!=yesterday", false), ("day=today", false),
    ])
  func times(text: String, isMet: Bool) throws {
    #expect(try condition(text).isMet(by: Self.record) == isMet)
  }

  @Test(
    "what cannot be read says what was probably meant",
    arguments: [
      ("status in", "\"status in\" names no values; write 'status in a,b'"),
      ("status in  ", "\"status in\" names no values; write 'status in a,b'"),
      ("status in a,,b", "\"status in a,,b\" has an empty value; write null for a missing value, or \"\" for an empty text"),
      ("status in a,", "\"status in a,\" has an empty value; write null for a missing value, or \"\" for an empty text"),
      ("status in \"a", "\"status in \"a\" \(Self.quote)"),
      ("status in \"a\"b", "\"status in \"a\"b\" \(Self.quote)"),
      ("status in (open, paid)", "a list of values has no parentheses; did you mean 'status in open,paid'?"),
      ("status in [open,\"a,b\"]", "a list of values has no parentheses; did you mean 'status in open,\"a,b\"'?"),
      ("status not in a,b", "\"status not in a,b\" is not a condition; write status!=VALUE, once for each value"),
      ("stauts in a,b", "unknown field \"stauts\"; did you mean \"status\"?"),
      ("stauts in a=b", "unknown field \"stauts\"; did you mean \"status\"?"),
      ("status in a,b count=1", "\"status in a,b count=1\" \(Self.several)"),
      ("count!=1 status in a", "\"count!=1 status in a\" \(Self.several)"),
      ("count=1 city=\"x\"", "\"count=1 city=\"x\"\" \(Self.several)"),
      ("status!~", "\"status!~\" is not a condition; \(Self.conditionForms)"),
      (" in a,b", "\" in a,b\" is not a condition; \(Self.conditionForms)"),
      ("placed>yesterdya", "\"yesterdya\" is not a time; did you mean \"yesterday\"?"),
      ("placed>20", "\"20\" is not a time; \(Self.timeForms)"),
      ("placed>-1d", "\"-1d\" is not a time; \(Self.timeForms)"),
      ("count>null", "\"null\" is not a number; count compares with one, such as 19.90"),
      ("free>yesterday", "\"yesterday\" is not a number; free compares with one, such as 19.90"),
    ])
  func refused(text: String, message: String) {
    #expect { try condition(text) } throws: { "\($0)" == message }
  }

  private func answer(
    _ values: [String?], where conditions: String...
  ) async throws -> (found: [String?], notices: [String]) {
    var world = World(settings: Settings(declared: []), transport: StubTransport())
    (world.clock, world.store, world.patience) = (TestClock(), StoreInMemory(), Patience(retries: 0))
    let source = try Source<Piece>("pieces", "Pieces", live: { _ in Pieces(values: values) }).open(in: world)
    var ask = Ask(of: "pieces")
    ask.conditions = try conditions.map { try RecordCondition($0, on: Piece.schema.outline.leaves, at: Self.now) }
    var answer = source.answer(to: ask)
    var found: [String?] = []
    while let page = try await answer.nextPage() { found += page.map(\.state) }
    return (found, answer.notices.map { $0.text(of: "pieces", at: Self.now) })
  }

  @Test(
    "where no record meets a condition, the notice says what was probably meant",
    arguments: [
      ("state=open,paid", "no record meets state=open,paid; did you mean state in open,paid?"),
      ("state=Open | shipped", "no record meets state=Open | shipped; did you mean state in Open,shipped?"),
      ("state in opn,shiped", "no record meets state in opn,shiped; state is one of open, paid, void"),
      ("state=x,y", "no record meets state=x,y; state is one of open, paid, void"),
      ("state!~o", "no record meets state!~o; state is one of open"),
      ("state=null", "no record meets state=null; state is one of open, paid, void"),
      ("state in null,opne", "no record meets state in null,opne; state is one of open, paid, void"),
    ])
  func shortage(text: String, notice: String) async throws {
    let values = text.contains("!") ? ["open"] : ["open", "paid", "void"]
    let (found, notices) = try await answer(values, where: text)
    #expect(found == [] && notices == [notice])
  }

  @Test(
    "where many values exist, each value after in gets the nearest one",
    arguments: [
      ("state in valuno 5,nothing", "no record meets state in valuno 5,nothing; did you mean state in Value no 5,nothing?"),
      ("state in null,valuno 5", "no record meets state in null,valuno 5; did you mean state in null,Value no 5?"),
      ("state in far,away", "no record meets state in far,away; state is one of 20, such as Value no 0, Value no 1, Value no 10"),
      ("state=valuno 5", "no record meets state=valuno 5; did you mean state=Value no 5?"),
      ("state=Value no 5,Value no 6", "no record meets state=Value no 5,Value no 6; did you mean state in Value no 5,Value no 6?"),
      ("state!~val", "no record meets state!~val; state is one of 20, such as Value no 0, Value no 1, Value no 10"),
    ])
  func nearest(text: String, notice: String) async throws {
    let (found, notices) = try await answer((0..<20).map { "Value no \($0)" }, where: text)
    #expect(found == [] && notices == [notice])
  }

  @Test("where a field has the text null, a condition that means a missing value says so")
  func nullTexts() async throws {
    let values = ["Null", nil, "NULL", "nullable"]
    let missing = try await answer(values, where: "state=null")
    #expect(missing.found == [nil])
    let notice = "state is the text \"null\" in 2 records, and state=null means a missing value"
    #expect(missing.notices == ["\(notice); write state=\"null\" for the text"])
    let rest = try await answer(values, where: "state!=null")
    #expect(rest.found == ["Null", "NULL", "nullable"] && rest.notices.count == 1)
    let texts = try await answer(values, where: "state=\"null\"")
    #expect(texts.found == ["Null", "NULL"] && texts.notices.isEmpty)
    #expect(try await answer(["a", nil], where: "state=null").notices.isEmpty)
  }
}

/// A piece in a state, which may be missing.
private struct Piece: Record {
  var id = ""
  var state: String?

  static let fields: [Field<Piece>] = [Field("id", \.id, width: .whole), Field("state", \.state)]
}

/// The service of these pieces, which gives all at once.
private struct Pieces: DataSource {
  let values: [String?]
  var profile: Profile { Profile("pieces", paging: .offset(size: 100, end: .emptyPage)) }

  func page(_ request: PageRequest) async throws -> Page<Piece> {
    let pieces = values.enumerated().map { index, state in copy(of: Piece()) { ($0.id, $0.state) = ("\(index)", state) } }
    return try RecordList(pieces).page(of: self, request, origin: .live)
  }
}
