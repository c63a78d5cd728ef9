import AggregatorCore
import Platform
import SourceTesting
import Testing

@testable import Services

/// Manifests and answers with random changes. The result must be an error or an answer with a verdict, and never a crash.
/// `AGGREGATOR_FUZZ=1000000` tries that many of each.
@Suite struct FuzzTests {
  private static let tries = getenv("AGGREGATOR_FUZZ").flatMap { Int(String(cString: $0)) } ?? 2_000

  private static let manifest = #"""
    {"aggregator": 1, "address": {"setting": "SHIPS_URL", "default": "https://ships.example/"}, "headers": {"X-Fleet": "{FLEET}"},
     "settings": [{"setting": "FLEET", "default": "north"}], "budget": "10/1s each, 100/1h",
     "errors": [{"path": "error.code", "is": 7, "kind": "throttled", "message": "error.text", "until": {"header": "X-Reset", "as": "unix"}},
      {"status": 404, "header": "X-None", "present": true, "kind": "nothing"}],
     "sources": {
      "fleets": {"summary": "Fleets", "list": {"path": "fleets", "query": {"page": "{page}"}}, "rows": "fleets", "keyed": "code", "key": "code",
       "paging": {"by": "page", "first": 0, "pages": "pages", "end": "pages"}, "fields": [{"name": "code"}, {"name": "ships", "type": "integer"}]},
      "ships": {"summary": "Ships", "list": {"method": "POST", "path": "{FLEET}/ships", "body": {"first": "{size}", "after": "{token}", "of": ["{FLEET}"]}},
       "rows": "data.edges", "unwrap": "node", "rowsMayBeMissing": true, "key": ["id", "port"],
       "paging": {"by": "token", "size": 2, "next": "data.next", "more": "not data.last", "total": "data.total", "end": "more"},
       "fields": [{"name": "id", "type": "integer", "role": "badge"}, {"name": "port", "path": "home.port"}, {"name": "title", "text": "{id}, {port}", "role": "title", "searchable": true},
        {"name": "launched", "type": "time"}, {"name": "paid", "type": "date"}, {"name": "at", "type": "unix"}, {"name": "tons", "type": "decimal"},
        {"name": "length", "type": "number", "null": ["none"]}, {"name": "afloat", "type": "boolean"}, {"name": "crew", "path": "crew[*].name", "type": "texts"},
        {"name": "page", "type": "address", "role": "link"}, {"name": "about", "type": "html"}, {"name": "rest", "path": "", "type": "json"}],
       "detail": {"request": {"path": "ships/{port}/{id}"}, "row": "data[0]"}, "search": {"request": {"query": {"q": "{text}"}}, "rows": "hits"},
       "changes": {"field": "launched", "request": {"query": {"since": "{since}"}}, "overlap": "1m"}},
      "decks": {"summary": "Decks", "parent": "fleets", "list": {"path": "fleets/{fleets.code}/decks", "query": {"skip": "{offset}"}}, "rows": "", "key": "n",
       "paging": {"by": "offset", "size": 2, "total": "header X-Total", "end": "total"}, "fields": [{"name": "n", "type": "integer"}, {"name": "of", "text": "{fleets.code}"}]}}}
    """#

  private static let answers = [
    #"{"fleets":{"a":{"ships":2},"b":{"ships":"3"},"c":null},"pages":2}"#,
    #"{"data":{"edges":[{"node":{"id":1,"home":{"port":"Oslo"},"launched":"2024-02-29T10:00:00Z","paid":"2024-02-29","at":1700000000,"tons":1.50,"length":"none","afloat":"yes","crew":[{"name":"x"},{}],"page":"/s/1","about":"<p>b</p>"}},{"node":{"id":2,"home":{"port":"B/ø"}}}],"next":"n1","last":false,"total":4}}"#,
    #"{"data":[{"node":{"id":1,"home":{"port":"Oslo"}}}],"hits":[{"id":1,"home":{"port":"Oslo"}}],"last":true}"#,
    #"[{"n":1},{"n":2}]"#, #"{"error":{"code":7,"text":"slow down"}}"#, "<html>", "",
  ]

  @Test func noManifestTraps() async throws {
    let chance = Chance(seed: 1)
    var read = 0
    for _ in 0..<Self.tries {
      let bytes = chance.changed(Self.manifest)
      guard let manifest = try? Manifest(bytes, file: "fuzz.json") else { continue }
      read += 1
      await Self.ask(manifest, answering: Self.answers, chance)
    }
    #expect(read > 0)
  }

  @Test func noAnswerTraps() async throws {
    let manifest = try Manifest(Array(Self.manifest.utf8), file: "fuzz.json")
    let chance = Chance(seed: 2)
    for _ in 0..<Self.tries {
      var answers = Self.answers
      for index in answers.indices { answers[index] = String(decoding: chance.changed(answers[index]), as: UTF8.self) }
      await Self.ask(manifest, answering: answers, chance)
    }
  }

  /// Asks one of the sources every query, of a service that gives any of `answers`.
  private static func ask(_ manifest: Manifest, answering answers: [String], _ chance: Chance) async {
    let picks = (0..<16).map { _ in chance.below(answers.count) }
    let statuses = (0..<16).map { _ in [200, 200, 200, 200, 404, 500, 429][chance.below(7)] }
    let transport = StubTransport { _, index in
      let headers = [
        ["Date", "Sun, 22 Nov 2026 10:00:00 GMT"], ["X-Total", "\(index)"], ["X-None", ""], ["X-Reset", "9e300"], ["RateLimit", "r=0;t=0"],
        ["Link", #"<../x?page=2>; rel="next""#],
      ]
      return HTTPResponse(
        status: statuses[index % 16], headers: headers.map { .init($0[0], $0[1]) }, body: Array(answers[picks[index % 16]].utf8))
    }
    var world = World(settings: Settings(declared: manifest.settings), transport: transport)
    (world.terms.reach, world.patience, world.clock) = (.live, .none, TestClock.leaping)
    world.requests = RequestCap(16)
    guard let described = manifest.sources.dropFirst(chance.below(manifest.sources.count)).first,
      let source = try? manifest.source(described.name).open(in: world).live
    else { return }
    for query in [Query.everything, .matching("a"), .record("1/Oslo"), .changed(since: Moment(sinceEpoch: .seconds(Int.max))), .latest] {
      var walk = Walk(source, query, bounds: Bounds(limit: 50))
      while let records = try? await walk.nextPage() { for record in records { _ = source.schema.value(of: record) } }
    }
  }
}

/// Random changes, the same for the same seed.
private struct Chance {
  private let dice: SeededDice

  init(seed: UInt64) { dice = SeededDice(seed: seed) }

  func below(_ count: Int) -> Int { dice.index(below: count) }

  /// The document with a few values replaced, members renamed or left out, or bytes changed.
  func changed(_ text: String) -> [UInt8] {
    guard below(4) > 0, var value = try? JSON(Array(text.utf8)).value else {
      var bytes = Array(text.utf8)
      for _ in 0...below(3) where !bytes.isEmpty {
        let place = below(bytes.count)
        switch below(4) {
        case 0: bytes[place] = UInt8(below(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: Array("{[\":,\\0e-".utf8).shuffledOnce(below(9)), at: place)
        default: bytes = Array(bytes.prefix(place))
        }
      }
      return bytes
    }
    for _ in 0...below(3) { value = changed(value) }
    return value.bytes
  }

  private func changed(_ value: Value) -> Value {
    switch value {
    case .object(var members) where !members.isEmpty && below(8) > 0:
      let place = below(members.count)
      switch below(8) {
      case 0: members.remove(at: place)
      case 1: members[place].name = word()
      case 2: members.append(Member(name: word(), value: odd()))
      default: members[place].value = changed(members[place].value)
      }
      return .object(members)
    case .list(var elements) where !elements.isEmpty && below(8) > 0:
      let place = below(elements.count)
      switch below(8) {
      case 0: elements.remove(at: place)
      case 1: elements.append(elements[place])
      default: elements[place] = changed(elements[place])
      }
      return .list(elements)
    default: return odd()
    }
  }

  private func word() -> String {
    [
      "", "id", "path", "size", "next", "{id}", "{size}", "{fleets.code}", "a[*].b", "a[-1]", "[\"x\"]", "a..b", "header X", "not a", "..",
      "é\u{301}", "\u{0}",
    ][
      below(17)]
  }

  private func odd() -> Value {
    [
      .null, true, .int(.min), .int(.max), -1, 0, 1, .double(1e308), .double(-0.0), [], [:], [[]], .text(word()), .text(word()),
      .text(String(repeating: "ab/", count: 400)), "2024-13-45T99:99:99Z", "http://127.0.0.1:1/", "//x", [["a": 1], "b", .null], "1e999",
    ][below(20)]
  }
}

extension [UInt8] {
  fileprivate func shuffledOnce(_ place: Int) -> [UInt8] { Array(self[(place % count)...] + self[..<(place % count)]) }
}
