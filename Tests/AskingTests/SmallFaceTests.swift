import AggregatorCore
import Asking
import SourceTesting
import Testing

/// A face over the library alone can do what the command does.
struct SmallFaceTests {
  private let services = TestServices()

  private func ask(_ words: [String: String]) async throws -> SmallFace.Reply { try await services.face().reply(to: words) }

  @Test("a list comes in pieces, and its cursors lead through all of it")
  func cursors() async throws {
    let first = try await ask(["source": "ports", "limit": "4"])
    #expect(try ids(in: first.body) == ["p0", "p1", "p2", "p3"])
    #expect(first.body.contains(#""verdict":{"kind":"bounded","reason":null}"#))
    #expect(first.warnings == ["showing the first 4 of 10"])
    var (seen, next) = (4, first.next)
    for _ in 0..<9 {
      guard let cursor = next else { break }
      let page = try await ask(["source": "ports", "limit": "4", "cursor": cursor])
      seen += try ids(in: page.body).count
      next = page.next
    }
    #expect(seen == 10)
  }

  @Test("conditions choose, a search finds, and one record is shown")
  func choosing() async throws {
    #expect(try await ids(in: ask(["source": "ports", "where": "depth=3"]).body) == ["p3"])
    #expect(try await ids(in: ask(["source": "ports", "text": "port 7"]).body) == ["p7"])
    #expect(try await ask(["source": "ports", "show": "p5"]).body == #"{"id":"p5","name":"Port 5","depth":5}"# + "\n")
    let none = try await ask(["source": "ports", "where": "depth=99"])
    #expect(none.warnings == ["no record meets depth=99; did you mean depth=9?"])
  }

  @Test("all sources are searched at once, the best first, and one that fails holds no other")
  func everywhere() async throws {
    services.break("piers")
    #expect(try await ask(["text": "port 1"]).body == "ports p1\n")
    services.mend("piers")
    #expect(try await ask(["text": "1"]).body == "ports p1\npiers q1\n")
  }

  @Test("an error carries its remedy, which the face says in its own words")
  func remedy() async throws {
    services.break("ports")
    let reply = try await ask(["source": "ports", "from": "service"])
    #expect(reply.status == 502)
    #expect(reply.body == "the service failed; leave out from=service")
    let unknown = try await ask(["source": "port"])
    #expect(unknown.body == #"unknown source "port"; did you mean "ports"?"#)
    services.mend("ports")
    #expect(try await ask(["source": "ports", "show": "p99"]).status == 404)
  }

  @Test("where nothing can stand in, as for a sync, nobody is told to allow it")
  func syncing() async throws {
    let face = try services.face(store: StoreInMemory())
    services.break("ports")
    var ask = Ask(of: "ports")
    ask.terms.reach = .live
    let source = try face.catalogue.open(ask, in: face.world)
    let error = await #expect(throws: SourceError.self) { try await source.sync(ask) }
    #expect(error?.kind == .unavailable && error?.remedy == nil)
  }

  @Test("a client that goes away ends what was under way for it")
  func cancelled() async throws {
    let (gate, cancellations) = services.hold("ports")
    let face = try services.face()
    let client = Task { await face.reply(to: ["source": "ports", "from": "service"]) }
    try await gate.arrivals(atLeast: 1)
    client.cancel()
    #expect(await client.value.status == 499)
    #expect(cancellations.count == 1)
  }

  private func ids(in body: String) throws -> [String] { try JSON(Array(body.utf8)).array("items").map { try $0.string("id") } }
}
