import AggregatorCore
package import SourceTesting

/// The correct sources: each passes every check.
package enum PortsFixtures {
  package static let all: [PortsFixture] = [whole, offset, changing, posted, numbered, sized, addressed, tokens, keyset, endless]

  /// One answer has all rows.
  package static let whole = PortsFixture(
    name: "whole", profile: Profile("whole", paging: .whole, search: .native, lookup: .native),
    page: { source, request in
      _ = try request.place(in: source)
      let page = try await Page(of: source, rows: source.client.json("ports").array("ports"))
      var found = try RecordList(page).page(of: source, request, origin: .live)
      (found.faults, found.standing) = (page.faults, page.standing)
      return found
    },
    fixture: record { service in service.answer("ports", rows: 0..<7, #"{"ports":ROWS}"#) })

  /// `offset` and `limit` in the query, a total in the answer.
  package static let offset = PortsFixture(
    name: "offset", profile: Profile("offset", paging: .offset(size: 4, end: .total)),
    page: { source, request in
      let place = try request.place(in: source)
      return try await source.ports(from: place.number, limit: place.size)
    },
    fixture: record { service in
      service.answer("ports?offset=0&limit=4", rows: 0..<4, #"{"ports":ROWS,"total":7}"#)
      service.answer("ports?offset=4&limit=4", rows: 4..<7, #"{"ports":ROWS,"total":7}"#)
    })

  /// The same, but the service also tells what changed since a mark.
  package static let changing = PortsFixture(
    name: "changing", profile: Profile("changing", paging: .offset(size: 4, end: .total), tellsChanges: true),
    page: { source, request in
      var get = try source.asking(source.client, request)
      switch request.query {
      case .changed(let mark): get.query.append(HTTPRequest.Item("since", .plain(mark.iso)))
      case .latest: get.query.append(HTTPRequest.Item("order", .plain("changed desc")))
      case .everything, .matching, .record, .following: break
      }
      let body = try await source.document(get)
      let rows = try body.array("ports")
      var page = try Page(of: source, rows: rows, total: body.int("total"))
      page.mark = rows.compactMap { try? $0.stringIfPresent("changed").flatMap { Moment(iso: $0) } }.max()
      return page
    },
    fixture: record { service in
      service.answer("ports?offset=0&limit=4", rows: 0..<4, dated: true, #"{"ports":ROWS,"total":7}"#)
      service.answer("ports?offset=4&limit=4", rows: 4..<7, dated: true, #"{"ports":ROWS,"total":7}"#)
    })

  /// `skip` and `take` in a posted body, which must not be sent twice; an empty page ends the list.
  package static let posted = PortsFixture(
    name: "posted", profile: Profile("posted", paging: .offset(size: 4, end: .emptyPage)),
    page: { source, request in
      let place = try request.place(in: source)
      var post = source.client.request(.post, "ports")
      post.body = Array(#"{"skip":\#(place.number),"take":\#(place.size)}"#.utf8)
      return try await Page(of: source, rows: source.document(post).array("ports"))
    },
    fixture: record { service in
      service.answer("ports", posting: #"{"skip":0,"take":4}"#, rows: 0..<4, #"{"ports":ROWS}"#)
      service.answer("ports", posting: #"{"skip":4,"take":4}"#, rows: 4..<7, #"{"ports":ROWS}"#)
    })

  /// Numbered pages, and a total among other things.
  package static let numbered = PortsFixture(
    name: "numbered", profile: Profile("numbered", paging: .numbered(size: 4, end: .total)),
    page: { source, request in
      let place = try request.place(in: source)
      let body = try await source.client.json("ports", ["page": "\(place.number)", "per_page": "\(place.size)"])
      return try Page(of: source, rows: body.object("data").array("ports"), total: body.object("meta").int("total"))
    },
    fixture: record { service in
      service.answer("ports?page=1&per_page=4", rows: 0..<4, #"{"data":{"ports":ROWS},"meta":{"total":7,"page":1}}"#)
      service.answer("ports?page=2&per_page=4", rows: 4..<7, #"{"data":{"ports":ROWS},"meta":{"total":7,"page":2}}"#)
    })

  /// Numbered pages of any size.
  package static let sized = PortsFixture(
    name: "sized", profile: Profile("sized", paging: .numbered(size: 40, end: .emptyPage, lookingBack: true)), page: numbered.page,
    fixture: numbered.fixture)

  /// Every page has the address of the next one.
  package static let addressed = PortsFixture(
    name: "addressed", profile: Profile("addressed", paging: .tokens(size: 4)),
    page: { source, request in
      let place = try request.place(in: source)
      let get =
        try place.token.map { try source.client.request(following: $0) } ?? source.client.request(.get, "ports", ["limit": "\(place.size)"])
      let body = try await source.document(get)
      return try Page(of: source, rows: body.array("ports"), next: source.client.next(body.stringIfPresent("next")))
    },
    fixture: pages(
      #"{"ports":ROWS,"next":"https://ports.example/api/ports?after=p3&limit=4"}"#, #"{"ports":ROWS,"next":null}"#))

  /// Every page has a token for the next one, and a total.
  package static let tokens = PortsFixture(
    name: "tokens", profile: Profile("tokens", paging: .tokens(size: 4)),
    page: { source, request in
      let place = try request.place(in: source)
      let cursor = place.token.map { ["cursor": $0] } ?? [:]
      var get = source.client.request(.get, "ports", ["limit": "\(place.size)"])
      get.query += cursor.map { HTTPRequest.Item($0.key, .plain($0.value)) }
      let body = try await source.document(get)
      return try Page(of: source, rows: body.array("ports"), total: body.int("total"), next: .token(ifAny: body.stringIfPresent("cursor")))
    },
    fixture: record { service in
      service.answer("ports?limit=4", rows: 0..<4, #"{"ports":ROWS,"total":7,"cursor":"p3"}"#)
      service.answer("ports?cursor=p3&limit=4", rows: 4..<7, #"{"ports":ROWS,"total":7,"cursor":null}"#)
    })

  /// Every page begins after the last row of the one before, and says whether there is more.
  package static let keyset = PortsFixture(
    name: "keyset", profile: Profile("keyset", paging: .keyset(size: 4)),
    page: { source, request in
      let place = try request.place(in: source)
      var get = source.client.request(.get, "ports", ["limit": "\(place.size)"])
      if let key = place.key { get.query.append(HTTPRequest.Item("after", .plain(key))) }
      let body = try await source.document(get)
      var page = try Page(of: source, rows: body.array("ports"))
      page.more = try body.bool("has_more")
      return page
    },
    fixture: pages(#"{"ports":ROWS,"has_more":true}"#, #"{"ports":ROWS,"has_more":false}"#))

  /// Numbered pages without an end.
  package static let endless = PortsFixture(
    name: "endless", profile: Profile("endless", paging: .numbered(size: 4, end: .never)),
    page: { source, request in
      let place = try request.place(in: source)
      return try await Page(
        of: source, rows: source.client.json("ports", ["page": "\(place.number)", "results": "\(place.size)"]).array("results"))
    },
    fixture: record { service in
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

  /// Records a list of seven in two pages, `ports?limit=4` and the one after its last row, each in its own envelope.
  package static func pages(_ first: String, _ second: String) -> Fixture {
    record { service in
      service.answer("ports?limit=4", rows: 0..<4, first)
      service.answer("ports?after=p3&limit=4", rows: 4..<7, second)
    }
  }

  package static func bundled() throws -> [Port] { try JSON(Array(rows(0..<8).utf8)).elements.map { try Port($0, as: .own) } }

  package struct ExchangeWriter {
    var exchanges: [Exchange] = []

    package mutating func answer(
      _ path: String, posting body: String? = nil, rows: Range<Int>, dated isDated: Bool = false, _ envelope: String
    ) {
      guard let address = WebAddress("https://ports.example/api/\(path)\(path.contains("?") ? "&" : "?")key=•••") else { return }
      let rows = PortsFixtures.rows(rows, dated: isDated)
      let text = envelope.split(separator: "ROWS", omittingEmptySubsequences: false).joined(separator: rows)
      exchanges.append(
        Exchange(
          TapedRequest(body == nil ? "GET" : "POST", address, body: body.map { Array($0.utf8) }), .json(text), startedAt: TestClock.start
        ))
    }
  }

  package static func record(_ write: (inout ExchangeWriter) -> Void) -> Fixture {
    var writer = ExchangeWriter()
    write(&writer)
    return Fixture("ports.har", exchanges: writer.exchanges)
  }
}
