import AggregatorCore

/// The healthy sources: every one passes every check.
public enum PortsFixtures {
  public static let all: [PortsFixture] = [whole, offset, changing, posted, numbered, addressed, tokens, keyset, endless]

  /// One answer holds everything.
  public static let whole = PortsFixture(
    name: "whole", profile: Profile("whole", paging: .whole, search: .native, lookup: .native),
    page: { quay, request in
      _ = try request.place(in: quay)
      let page = try await Page(of: quay, rows: quay.client.json("ports").array("ports"))
      var found = try RecordList(page.items, faults: page.faults).page(of: quay, request, origin: .live)
      found.faults = page.faults
      return found
    },
    recording: record { service in service.answer("ports", rows: 0..<7, #"{"ports":ROWS}"#) })

  /// `offset` and `limit` in the query, a total in the answer.
  public static let offset = PortsFixture(
    name: "offset", profile: Profile("offset", paging: .offset(size: 4, end: .total)),
    page: { quay, request in
      let place = try request.place(in: quay)
      let body = try await quay.client.json("ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
      return try Page(of: quay, rows: body.array("ports"), total: body.int("total"))
    },
    recording: record { service in
      service.answer("ports?offset=0&limit=4", rows: 0..<4, #"{"ports":ROWS,"total":7}"#)
      service.answer("ports?offset=4&limit=4", rows: 4..<7, #"{"ports":ROWS,"total":7}"#)
    })

  /// The same, and it tells what changed since when.
  public static let changing = PortsFixture(
    name: "changing", profile: Profile("changing", paging: .offset(size: 4, end: .total), tellsChanges: true),
    page: { quay, request in
      let place = try request.place(in: quay)
      var get = quay.client.request(.get, "ports", ["offset": "\(place.number)", "limit": "\(place.size)"])
      switch request.query {
      case .changed(let mark): get.query.append(HTTPRequest.Item("since", .plain(mark.iso)))
      case .latest: get.query.append(HTTPRequest.Item("order", .plain("changed desc")))
      case .everything, .matching, .record: break
      }
      let body = try await quay.document(get)
      let rows = try body.array("ports")
      var page = try Page(of: quay, rows: rows, total: body.int("total"))
      page.mark = rows.compactMap { try? $0.stringIfPresent("changed").flatMap { Moment(iso: $0) } }.max()
      return page
    },
    recording: record { service in
      service.answer("ports?offset=0&limit=4", rows: 0..<4, dated: true, #"{"ports":ROWS,"total":7}"#)
      service.answer("ports?offset=4&limit=4", rows: 4..<7, dated: true, #"{"ports":ROWS,"total":7}"#)
    })

  /// `skip` and `take` in a body that is posted once and never twice; an empty page ends it.
  public static let posted = PortsFixture(
    name: "posted", profile: Profile("posted", paging: .offset(size: 4, end: .emptyPage)),
    page: { quay, request in
      let place = try request.place(in: quay)
      var post = quay.client.request(.post, "ports")
      post.body = Array(#"{"skip":\#(place.number),"take":\#(place.size)}"#.utf8)
      return try await Page(of: quay, rows: quay.document(post).array("ports"))
    },
    recording: record { service in
      service.answer("ports", posting: #"{"skip":0,"take":4}"#, rows: 0..<4, #"{"ports":ROWS}"#)
      service.answer("ports", posting: #"{"skip":4,"take":4}"#, rows: 4..<7, #"{"ports":ROWS}"#)
    })

  /// Numbered pages, and a total among other things.
  public static let numbered = PortsFixture(
    name: "numbered", profile: Profile("numbered", paging: .numbered(size: 4, end: .total)),
    page: { quay, request in
      let place = try request.place(in: quay)
      let body = try await quay.client.json("ports", ["page": "\(place.number)", "per_page": "\(place.size)"])
      return try Page(of: quay, rows: body.object("data").array("ports"), total: body.object("meta").int("total"))
    },
    recording: record { service in
      service.answer("ports?page=1&per_page=4", rows: 0..<4, #"{"data":{"ports":ROWS},"meta":{"total":7,"page":1}}"#)
      service.answer("ports?page=2&per_page=4", rows: 4..<7, #"{"data":{"ports":ROWS},"meta":{"total":7,"page":2}}"#)
    })

  /// Every page holds the address of the next one.
  public static let addressed = PortsFixture(
    name: "addressed", profile: Profile("addressed", paging: .tokens(size: 4)),
    page: { quay, request in
      let place = try request.place(in: quay)
      let get =
        try place.token.map { try quay.client.request(following: $0) } ?? quay.client.request(.get, "ports", ["limit": "\(place.size)"])
      let body = try await quay.document(get)
      return try Page(of: quay, rows: body.array("ports"), next: quay.client.next(body.stringIfPresent("next")))
    },
    recording: record { service in
      service.answer("ports?limit=4", rows: 0..<4, #"{"ports":ROWS,"next":"https://harbour.example/api/ports?after=p3&limit=4"}"#)
      service.answer("ports?after=p3&limit=4", rows: 4..<7, #"{"ports":ROWS,"next":null}"#)
    })

  /// Every page holds a token for the next one, and a total.
  public static let tokens = PortsFixture(
    name: "tokens", profile: Profile("tokens", paging: .tokens(size: 4)),
    page: { quay, request in
      let place = try request.place(in: quay)
      let cursor = place.token.map { ["cursor": $0] } ?? [:]
      var get = quay.client.request(.get, "ports", ["limit": "\(place.size)"])
      get.query += cursor.map { HTTPRequest.Item($0.key, .plain($0.value)) }
      let body = try await quay.document(get)
      return try Page(of: quay, rows: body.array("ports"), total: body.int("total"), next: .token(ifAny: body.stringIfPresent("cursor")))
    },
    recording: record { service in
      service.answer("ports?limit=4", rows: 0..<4, #"{"ports":ROWS,"total":7,"cursor":"p3"}"#)
      service.answer("ports?cursor=p3&limit=4", rows: 4..<7, #"{"ports":ROWS,"total":7,"cursor":null}"#)
    })

  /// Every page begins behind the last row of the one before, and says whether there is more.
  public static let keyset = PortsFixture(
    name: "keyset", profile: Profile("keyset", paging: .keyset(size: 4)),
    page: { quay, request in
      let place = try request.place(in: quay)
      var get = quay.client.request(.get, "ports", ["limit": "\(place.size)"])
      if let key = place.key { get.query.append(HTTPRequest.Item("after", .plain(key))) }
      let body = try await quay.document(get)
      var page = try Page(of: quay, rows: body.array("ports"))
      page.more = try body.bool("has_more")
      return page
    },
    recording: record { service in
      service.answer("ports?limit=4", rows: 0..<4, #"{"ports":ROWS,"has_more":true}"#)
      service.answer("ports?after=p3&limit=4", rows: 4..<7, #"{"ports":ROWS,"has_more":false}"#)
    })

  /// Numbered pages without an end.
  public static let endless = PortsFixture(
    name: "endless", profile: Profile("endless", paging: .numbered(size: 4, end: .never)),
    page: { quay, request in
      let place = try request.place(in: quay)
      return try await Page(
        of: quay, rows: quay.client.json("ports", ["page": "\(place.number)", "results": "\(place.size)"]).array("results"))
    },
    recording: record { service in
      service.answer("ports?page=1&results=4", rows: 0..<4, #"{"results":ROWS}"#)
      service.answer("ports?page=2&results=4", rows: 4..<8, #"{"results":ROWS}"#)
    })
}

extension PortsFixtures {
  private static let names = ["Århus", "Brest", "Cádiz", "Dún Laoghaire", "Esbjerg", "Fiume", "Gdańsk", "Haifa"]

  static func rows(_ range: Range<Int>, dated isDated: Bool = false) -> String {
    let rows = range.map { number in
      let date = isDated ? #","changed":"2023-05-0\#(number + 1) 10:00:00""# : ""
      return #"{"id":"p\#(number)","name":"\#(names[number])","berths":\#(number % 3 == 0 ? "null" : "\(number)")\#(date)}"#
    }
    return "[" + rows.joined(separator: ",") + "]"
  }

  static func bundled() throws -> [Port] { try JSON(Array(rows(0..<8).utf8)).elements.map { try Port($0) } }

  struct Scribe {
    var exchanges: [Exchange] = []

    mutating func answer(
      _ path: String, posting body: String? = nil, rows: Range<Int>, dated isDated: Bool = false, _ envelope: String
    ) {
      guard let address = WebAddress("https://harbour.example/api/\(path)\(path.contains("?") ? "&" : "?")key=•••") else { return }
      let rows = PortsFixtures.rows(rows, dated: isDated)
      let text = envelope.split(separator: "ROWS", omittingEmptySubsequences: false).joined(separator: rows)
      exchanges.append(
        Exchange(
          RecordedRequest(body == nil ? "GET" : "POST", address, body: body.map { Array($0.utf8) }), .json(text), startedAt: TestClock.start
        ))
    }
  }

  static func record(_ write: (inout Scribe) -> Void) -> Fixture {
    var scribe = Scribe()
    write(&scribe)
    return Fixture("harbour.har", exchanges: scribe.exchanges)
  }
}
