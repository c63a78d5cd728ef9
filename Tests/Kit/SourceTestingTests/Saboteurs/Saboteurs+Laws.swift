import AggregatorCore
import Ports
import SourceTesting
import Synchronization

extension Saboteurs {
  /// Saboteurs that break one law under every hazard that shows it.
  static var ofLaws: [Saboteur] {
    [
      Saboteur("never ends", breaks: .law(.pagesEnd), in: PortsFixtures.whole) { source, request in
        var page = try await PortsFixtures.whole.page(source, request)
        // It asks until it has more than the list has.
        while (2..<10_000).contains(page.items.count) { page.items += try await PortsFixtures.whole.page(source, request).items }
        return page
      },
      Saboteur("takes what it cannot read for nothing", breaks: .law(.emptyIsNotFailed), in: PortsFixtures.offset) { source, request in
        let response = try await source.client.send(source.asking(source.client, request))
        if let trouble = source.client.trouble(in: response) { throw trouble }
        guard let body = try? response.json(), let rows = try? body.array("ports") else { return Page(of: source, [], total: 0) }
        return try Page(of: source, rows: rows, total: body["total"]?.asInt())
      },
      Saboteur("gives a row twice", breaks: .law(.noIdTwice), spoiling: PortsFixtures.whole) { page, _, _ in
        // As if two parts of one answer overlapped.
        if page.items.count > 1 { page.items.append(page.items[0]) }
      },
      Saboteur("cannot tell rows apart", breaks: .law(.noIdTwice), spoiling: PortsFixtures.whole) { page, _, _ in
        for index in page.items.indices where ["p1", "p2"].contains(page.items[index].id) { page.items[index].id = "p0" }
      },
      Saboteur("loses the last row of a page", breaks: .law(.nothingLost), spoiling: PortsFixtures.whole) { page, source, _ in
        let misfits = page.misfits
        page = Page(of: source, page.items.count > 1 ? page.items.dropLast() : page.items, faults: page.faults)
        page.misfits = misfits
      },
      Saboteur("does not tell which values were masked", breaks: .law(.echoes), spoiling: PortsFixtures.offset) { page, _, _ in
        page.misfits = [:]
      },
      Saboteur("declares a total and announces none", breaks: .law(.verdict), spoiling: PortsFixtures.offset) { page, _, _ in
        page.total = nil
      },
      Saboteur("passes broken rows over in silence", breaks: .law(.counts), spoiling: PortsFixtures.whole) { page, _, _ in
        if !page.items.isEmpty { (page.faults, page.total) = ([], nil) }
      },
      Saboteur(
        "takes the first page that was kept for the whole list", breaks: .law(.kept),
        PortsFixtures.offset.descriptor.readingBack { page in
          (page.maker.paging, page.next, page.total, page.more) = (.whole, .end, nil, nil)
        }, PortsFixtures.offset.fixture),
      Saboteur(
        "throws errors of its own", breaks: .law(.errors), in: PortsFixtures.offset,
        catching: { error, _, _ in
          struct PortsClosed: Error {}
          if [.foreignCursor, .refusedKey, .badRequest, .unsafeRedirect].contains(error.kind) { throw error }
          throw PortsClosed()
        }),
      Saboteur(
        "lets others stand in for a refused key", breaks: .law(.fallback), in: PortsFixtures.offset,
        catching: { error, _, _ in
          throw error.kind == .refusedKey ? SourceError(.missingKey, "no key that works") : error
        }),
      Saboteur("tries a hundred times", breaks: .law(.patience), in: PortsFixtures.offset) { source, request in
        for _ in 0..<5 {
          do {
            return try await PortsFixtures.offset.page(source, request)
          } catch let error as SourceError where [.interrupted, .unavailable].contains(error.kind) {
            try await source.clock.sleep(for: .seconds(1))
          }
        }
        return try await PortsFixtures.offset.page(source, request)
      },
      Saboteur("takes a gigabyte", breaks: .law(.bodies), in: PortsFixtures.offset) { source, request in
        var get = try source.asking(source.client, request)
        get.limits.bodyBytes = 1 << 30
        return try await source.page(source.client.send(get), from: source.client)
      },
      Saboteur(
        "tells the key in its errors", breaks: .law(.secrets), in: PortsFixtures.offset,
        catching: { error, source, _ in
          var error = error
          error.message += " with the key \(source.key.reveal())"
          throw error
        }),
      // A list without a total: a larger page that is announced as the whole list would be believed.
      Saboteur("gives a larger page than it declares", breaks: .law(.limits), in: PortsFixtures.posted) { source, request in
        let place = try request.place(in: source)
        var post = source.client.request(.post, "ports")
        post.body = Array(#"{"skip":\#(place.number),"take":\#(2 * place.size)}"#.utf8)
        return try await Page(of: source, rows: source.document(post).array("ports"))
      },
      finding("minds case and marks") { $0.utf8.elementsEqual($1.utf8) },
      finding("minds joints") { Needle($1).matches($0) },
      asking("a mirror that only lists to search") { $0.text != nil },
      asking("a mirror that only lists to look up") { if case .record = $0 { true } else { false } },
      Saboteur(
        "gives what is compiled in for what was found in it", breaks: .law(.declared),
        PortsFixtures.whole.descriptor.answering { source, request in
          let page = try await source.page(request)
          return page.origin.reason?.kind == .unavailable && request.query.text != nil ? try await source.page(PageRequest()) : page
        }, PortsFixtures.whole.fixture),
      Saboteur("takes any cursor for its own", breaks: .law(.cursors), in: PortsFixtures.offset) { source, request in
        let own = try? request.place(in: source)
        return try await PortsFixtures.offset.page(source, own == nil ? PageRequest(request.query) : request)
      },
      Saboteur("works on when nobody waits", breaks: .law(.cancellation), in: PortsFixtures.offset) { source, request in
        try await Task { try await PortsFixtures.offset.page(source, request) }.value
      },
      Saboteur("begins again when its time is up", breaks: .law(.deadline), in: PortsFixtures.offset) { source, request in
        do {
          return try await PortsFixtures.offset.page(source, request)
        } catch is CancellationError where Deadline.current.map({ $0 <= source.clock.now }) ?? false {
          return try await Task.detached { try await PortsFixtures.offset.page(source, request) }.value
        }
      },
      forgetful, misnamed, nameless, ambiguous,
    ]
  }

  /// A source that finds the ports whose name and the text satisfy `has`, whatever the law says.
  private static func finding(_ name: String, where has: @escaping @Sendable (_ name: String, _ text: String) -> Bool) -> Saboteur {
    Saboteur(name, breaks: .law(.search), in: PortsFixtures.whole) { source, request in
      guard case .matching(let text) = request.query else { return try await PortsFixtures.whole.page(source, request) }
      let page = try await PortsFixtures.whole.page(source, PageRequest(at: request.cursor))
      return Page(of: source, page.items.filter { has($0.name, text) }, faults: page.faults)
    }
  }

  /// A source that hands a failed query to a mirror as it is, if `isHanded` says so.
  private static func asking(_ name: String, handing isHanded: @escaping @Sendable (Query) -> Bool) -> Saboteur {
    Saboteur("asks \(name)", breaks: .law(.declared), in: PortsFixtures.whole) { source, request in
      do {
        return try await PortsFixtures.whole.page(source, request)
      } catch let error as SourceError where error.kind.mayFallBack && isHanded(request.query) {
        return Page(of: source, try PortsFixtures.bundled())
      }
    }
  }

  /// A record that cannot be read back from its own fields.
  private struct Forgetful: Record {
    var port = Port()
    var note: String?

    var id: String { port.id }

    static let fields: [Field<Forgetful>] = [
      Field("id", \.port.id), Field("name", \.port.name, .title, searchable: true),
      Field("berths", \.port.berths), Field("note") { $0.note },
    ]

    init() {}
    init(_ port: Port) {
      self.port = port
      note = "seen"
    }
  }

  private static var forgetful: Saboteur {
    Saboteur("forgets a field", breaks: .law(.roundTrip), in: PortsFixtures.whole, telling: { Forgetful($0) })
  }

  private static var nameless: Saboteur {
    Saboteur(
      "says nothing about itself", breaks: .law(.description),
      PortsSource.descriptor(of: PortsFixtures.whole, summary: "", page: PortsFixtures.whole.page), PortsFixtures.whole.fixture)
  }

  private static var ambiguous: Saboteur {
    let ports = PortsFixtures.whole
    return Saboteur(
      "says of its records what its pages do not", breaks: .law(.description),
      Source(
        ports.name, "Ports of the world", of: Schema(Port.fields.dropLast(), read: { try Port($0, as: $1) }),
        settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
        live: { try PortsSource(ports, in: $0, fetch: ports.page) },
        bundled: { RecordList(try PortsFixtures.bundled()) }
      ).descriptor, ports.fixture)
  }
}

extension Saboteurs {
  /// A record that is not found by its ID, because `identity` changes it.
  private struct Misnamed: Record {
    var port = Port()

    var id: String { port.id }

    static let fields: [Field<Misnamed>] = [
      Field("id", \.port.id), Field("name", \.port.name, .title, searchable: true), Field("berths", \.port.berths),
    ]
    static let schema = Schema<Misnamed>(fields, identity: { $0.uppercased() }) { try Misnamed($0, as: $1) }

    init() {}
    init(_ port: Port) { self.port = port }
  }

  static var misnamed: Saboteur {
    Saboteur("calls its records by names that are not theirs", breaks: .law(.roundTrip), in: PortsFixtures.whole, telling: { Misnamed($0) })
  }
}

extension Saboteurs {
  /// A source that repeats the service's words, which it reads beside its client. The client would have masked the key.
  static var talkative: Saboteur {
    let ports = PortsFixtures.offset
    return Saboteur(
      "repeats the service's own words", breaks: .law(.echoes),
      Source(
        ports.name, "Ports of the world", settings: [PortsSource.url, PortsSource.keySetting], searches: "name",
        live: { world in
          let ear = ListeningMiddleware()
          var world = world
          world.transport = world.transport.through([ear])
          return try PortsSource(ports, in: world) { source, request in
            do {
              return try await ports.page(source, request)
            } catch var error as SourceError {
              error.message += ear.words
              throw error
            }
          }
        },
        bundled: { RecordList(try PortsFixtures.bundled()) }
      ).descriptor,
      ports.fixture)
  }

  /// The last words of a service.
  private final class ListeningMiddleware: Middleware {
    private let heard = Mutex("")
    var words: String { heard.withLock { $0 } }

    func send(_ request: HTTPRequest, through next: any Transport) async throws -> HTTPResponse {
      let response = try await next.send(request)
      heard.withLock { $0 = ": " + String(decoding: response.body.prefix(200), as: UTF8.self) }
      return response
    }
  }
}
