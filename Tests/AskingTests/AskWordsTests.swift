import AggregatorCore
import Asking
import TestServices
import Testing

/// An ask in words, whether these are options, the query of an address or JSON.
@Suite struct AskWordsTests {
  private let ports: SourceDescriptor
  private let now = Moment(secondsSinceEpoch: 1_000_000)

  init() throws { ports = try #require(try TestServices().face().catalogue["ports"]) }

  private func ask(_ verb: Verb, _ words: AskWords, most: Int? = nil) throws(AskError) -> Ask {
    try Ask(verb, of: ports, reading: words, mostRecords: most, at: now)
  }

  @Test("options, a query and JSON are read alike")
  func alike() throws {
    let words = [
      AskWords(["text": ["port", "7"], "limit": ["5"], "where": ["depth<9"], "live": [], "max-age": ["10m"], "timeout": ["2"]]),
      AskWords(query: "text=port+7&limit=5&where=depth%3C9&live&max-age=10m&timeout=2"),
      try AskWords(
        #require(
          JSON(Array(#"{"text":"port 7","limit":5,"where":["depth<9"],"live":true,"max-age":"10m","timeout":2}"#.utf8)).value.members)),
    ]
    for words in words {
      let ask = try ask(.search, words)
      #expect(ask.query == .matching("port 7") && ask.limit == 5 && ask.conditions.count == 1, "\(words)")
      #expect(ask.terms.reach == .live && ask.terms.maxAge == .seconds(600) && ask.deadline == now + .seconds(2), "\(words)")
    }
  }

  @Test("a whole number in JSON is one however it is written")
  func wholeNumbers() throws {
    for number in ["5", "5.0", "5e0", "50E-1", "\"5\""] {
      let object = try #require(JSON(Array("{\"limit\":\(number)}".utf8)).value.members)
      #expect(try ask(.list, AskWords(object)).limit == 5)
    }
    let fraction: AskWords = AskWords([Member(name: "limit", value: 5.5)])
    #expect(throws: AskError.invalid("limit", expected: Ask.Parameter.limit.expected)) { try ask(.list, fraction) }
  }

  @Test("blanks around a time or a length of time do not matter")
  func blanks() throws {
    let words = AskWords(["since": [" last:mail\n"], "timeout": [" 2m "]])
    #expect(try ask(.changes, words).deadline == now + .seconds(120))
    #expect(try ChangesWishes(reading: words, at: now).since == .last(reader: "mail"))
  }

  @Test("changes may end before 1970 when no beginning is given, and never before the one that is")
  func until() throws {
    #expect(try ChangesWishes(reading: AskWords(query: "until=1960"), at: now).until == Moment(iso: "1960-01-01T00:00:00Z"))
    let error = AskError.mismatch("until", with: "since", expected: "a time after since")
    for query in ["until=1960&since=1961", "until=1970-01-02&since=1970-01-02"] {
      #expect(throws: error) { try ask(.changes, AskWords(query: query)) }
    }
  }

  @Test("what only one verb wants is read apart, and its mistakes are found with those of the ask")
  func wishes() throws {
    let count = try CountWishes(reading: AskWords(query: "count&by=name&sum=depth"), of: ports)
    #expect(count == CountWishes(by: FieldPath(["name"]), sum: FieldPath(["depth"])))
    #expect(try AuditWishes(reading: AskWords(query: "requests=5&seed=-7")) == AuditWishes(requests: 5, seed: -7))
    #expect(try AuditWishes(reading: AskWords()) == AuditWishes())
    #expect(try SyncWishes(reading: AskWords(query: "accept-gone&freeze")) == SyncWishes(full: true, acceptingGone: true, freezing: true))
    let words = AskWords(query: "seed=7")
    #expect(try words.dice.roll() == SeededDice(seed: 7).roll())
    #expect(try ask(.audit, AskWords(query: "requests=5")).terms.maxRequests == 5)
    let mistakes: [(Verb, String)] = [
      (.list, "count&by=nam"), (.audit, "seed=x"), (.sync, "full=perhaps"), (.sync, "wait=perhaps"), (.changes, "since=never"),
      (.changes, "since=last&until=1d"), (.changes, "new=perhaps"),
    ]
    for (verb, query) in mistakes { #expect(throws: AskError.self, "\(query)") { try ask(verb, AskWords(query: query)) } }
  }

  static let limits: [(query: String, most: Int?, limit: Int?)] = [
    ("", nil, 20), ("all", nil, nil), ("pages=2", nil, nil), ("all&sort=name&limit=3", nil, 3), ("all", 100, 100), ("", 10, 10),
    ("limit=7", 10, 7), ("all=false", nil, 20),
  ]

  @Test("the number of records has one rule, and a face may limit it", arguments: limits)
  func bounds(query: String, most: Int?, limit: Int?) throws {
    #expect(try ask(.list, AskWords(query: query), most: most).limit == limit)
  }

  static let refusals: [(verb: Verb, query: String, error: AskError)] = [
    (.list, "limit=0", .invalid("limit", expected: "a positive whole number, such as 20")),
    (.list, "limit=-9223372036854775808", .invalid("limit", expected: "a positive whole number, such as 20")),
    (.list, "offset=99999999999999999999", .invalid("offset", expected: "a whole number, such as 0 or 20")),
    (.list, "live=perhaps", .invalid("live", expected: "true or false")),
    (.list, "timeout=0", .invalid("timeout", expected: "a length of time, such as 5, 500ms or 2m")),
    (.list, "limit=1&limit=2", .repeated("limit")),
    (.list, "require", .invalid("require", expected: "a text")),
    (.list, "limit", .invalid("limit", expected: "a positive whole number, such as 20")),
    (.why, "id=p1&id=p2", .repeated("id")), (.show, "id=&id=p1", .missing("id")),
    (.compare, "id=p1", .invalid("id", expected: "the ids of two records")), (.list, "offline&refresh", .conflict("offline", "refresh")),
    (.list, "count&sort=name", .conflict("count", "sort")),
    (.search, "", .missing("text")), (.search, "text=", .missing("text")),
    (.show, "limit=2", .unknown(Unknown("parameter", "limit", among: known(.show)))),
    (.list, "limt=2", .unknown(Unknown("parameter", "limt", among: known(.list)))),
    // The list has an end.
    (.list, "deleted", .unknown(Unknown("parameter", "deleted", among: known(.list)))),
  ]

  private static func known(_ verb: Verb) -> [String] {
    (verb.subjectParameters + verb.parameters).filter { $0.need != .endlessList }.map(\.name)
  }

  @Test("an unknown word is an error that names the known ones", arguments: refusals)
  func refused(verb: Verb, query: String, error: AskError) {
    #expect(throws: error) { try ask(verb, AskWords(query: query)) }
  }

  @Test("an unreadable condition is an error with its remedy", arguments: ["where=dept%3D3", "sort=nam", "require=whole"])
  func unreadable(query: String) {
    #expect {
      try ask(.list, AskWords(query: query))
    } throws: { error in
      if case .unreadable(let name, _) = error as? AskError { query.hasPrefix(name) } else { false }
    }
  }

  @Test("the words do not decide whom a verb asks")
  func partners() throws {
    #expect(try ask(.sync, AskWords(query: "full&wait")).terms.reach == .live)
    #expect(try ask(.why, AskWords(query: "id=p1")).terms.reach == .offline)
    #expect(try ask(.read, AskWords()).terms.reach == .live)
    #expect(try ask(.partitions, AskWords(query: "offline")).terms.reach == .offline)
  }

  @Test("a verb with a usual number of records uses it if the ask names no number")
  func usualLimit() throws {
    for verb in [Verb.list, .next] { #expect(try ask(verb, AskWords()).limit == 20) }
    for verb in [Verb.read, .partitions, .changes, .sync] { #expect(try ask(verb, AskWords()).limit == nil) }
    #expect(try ask(.changes, AskWords(query: "limit=3")).limit == 3)
    #expect(try ask(.list, AskWords(query: "pages=2")).limit == nil)
  }

  @Test("a place where an answer ended is accepted with the same ask, and with no other")
  func places() throws {
    let ask = try ask(.search, AskWords(query: "text=port&where=depth%3C9&limit=5"))
    let place = AnswerPlace(Ask.Start(try #require(Cursor(text: "ports offset 4 row=9f3a"))), in: ask)
    #expect(place.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    let again = "&cursor=\(place.text)"
    #expect(try self.ask(.search, AskWords(query: "text=port&where=depth%3C9&limit=7\(again)")).start?.cursor == place.cursor)
    for query in ["text=port", "text=ports&where=depth%3C9", "text=port&where=depth%3C9&sort=name"] {
      #expect(throws: AskError.foreignCursor) { try self.ask(.search, AskWords(query: query + again)) }
    }
    #expect(throws: AskError.foreignCursor) { try self.ask(.list, AskWords(query: "where=depth%3C9\(again)")) }
    for text in ["", "x", "MSBhIGI", "%FF", String(place.text.dropLast(3))] {
      #expect(throws: AskError.self) { try self.ask(.list, AskWords(query: "cursor=\(text)")) }
    }
  }

  @Test("a source has only the verbs that it can answer")
  func verbs() {
    let names = ports.verbs.map(\.name)
    #expect(names.contains("search") && names.contains("sync") && !names.contains("image") && !names.contains("delete"))
    #expect(Set(Verb.all).count == Verb.all.count)
  }

  @Test("a verb that reads changes nothing, and each name is that of one parameter of a verb")
  func table() {
    #expect(Verb.all.filter { $0.effect != .nothing }.map(\.name) == ["next", "reset", "sync", "delete", "restore", "forget"])
    for verb in Verb.all {
      let names = (verb.subjectParameters + verb.parameters).map(\.name)
      #expect(Set(names).count == names.count, "\(verb.name)")
    }
  }
}
