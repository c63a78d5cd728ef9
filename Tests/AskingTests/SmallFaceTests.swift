import AggregatorCore
import Asking
import SourceTesting
import TestServices
import Testing

/// Faces over the library alone can do what the command does.
struct SmallFaceTests {
  private let services = TestServices()

  private func ask(_ address: String) async throws -> QueryFace.Reply { try await QueryFace(face: services.face()).reply(to: address) }

  @Test("a list comes in pieces, and its cursors lead through all of it")
  func cursors() async throws {
    let first = try await ask("/ports/list?limit=4")
    #expect(try ids(in: first.body) == ["p0", "p1", "p2", "p3"])
    #expect(first.body.contains(#""verdict":{"kind":"bounded","reason":null}"#) && first.names == ["limited"])
    var (seen, next) = (4, first.next)
    for _ in 0..<9 {
      guard let address = next else { break }
      let page = try await ask(address)
      seen += try ids(in: page.body).count
      next = page.next
    }
    #expect(seen == 10)
    let foreign = try await ask(#require(first.next) + "&where=depth%3D1")
    #expect(foreign.status == 400 && foreign.body == "the cursor belongs to another ask")
  }

  @Test("conditions choose, a search finds, and one record is shown")
  func choosing() async throws {
    #expect(try await ids(in: ask("/ports/list?where=depth%3D3").body) == ["p3"])
    #expect(try await ids(in: ask("/ports/search?text=port+7").body) == ["p7"])
    #expect(try await ask("/ports/show?id=p5").body == #"{"id":"p5","name":"Port 5","depth":5}"# + "\n")
    let none = try await ask("/ports/list?where=depth%3D99&require=found,live")
    #expect(none.names == ["none-meets", "found"])
  }

  @Test("all sources are searched at once, the best first, and one that fails does not delay the others")
  func everywhere() async throws {
    services.break("piers")
    #expect(try await ask("/search?text=port+1").body == "ports p1\n")
    services.mend("piers")
    #expect(try await ask("/search?text=1").body == "ports p1\npiers q1\n")
  }

  @Test("an error has a class and a remedy, which the face puts into its own words")
  func remedy() async throws {
    services.break("ports")
    let reply = try await ask("/ports/list?live")
    #expect(reply.status == 502 && reply.names == ["unreachable"])
    #expect(reply.body == "ports: the service failed; leave out live to use cached or bundled data")
    #expect(try await ask("/port/list").body == #"unknown source "port"; did you mean "ports"?"#)
    services.mend("ports")
    #expect(try await ask("/ports/show?id=p99").status == 404)
    #expect(try await ask("/ports/open").status == 404)
    let wrong = try await ask("/ports/list?limt=3")
    #expect(wrong.status == 400 && wrong.body.hasSuffix(#"did you mean "limit"?"#))
    #expect(try await ask("/ports/list?limit=101").body == "limit must be at most 100")
  }

  @Test("without a stand-in, as for a sync, the remedy does not suggest one")
  func syncing() async throws {
    let face = try services.face(store: StoreInMemory())
    services.break("ports")
    var ask = Ask(of: "ports")
    ask.terms.reach = .live
    let error = await #expect(throws: SourceError.self) { try await face.reply(to: .sync, ask) }
    #expect(error?.kind == .unavailable && error?.remedy == "try again later")
  }

  @Test("records are stored and deleted, and sources are reported")
  func storing() async throws {
    let face = try services.endlessFace()
    let synced = try JSON(Array(try await face.reply(to: .sync, Ask(of: "ports")).body.utf8))
    #expect(try synced.int("received") == 10 && synced.int("new") == 10)
    // An endless list is stored as it is read.
    _ = await QueryFace(face: face).reply(to: "/buoys/list")
    #expect(try await face.reply(to: .delete, Ask(.record("b1"), of: "buoys")).body == "b1 deleted")
    #expect(await QueryFace(face: face).reply(to: "/buoys/show?id=b1").status == 404)
    let lines = try face.reports().split(separator: "\n").map { try JSON(Array($0.utf8)) }
    #expect(try lines.map { try $0.string("name") } == ["ports", "piers", "buoys"])
    #expect(try lines[2].array("verbs").map { try $0.asString() }.contains("delete"))
  }

  @Test("a client that leaves cancels the work for it")
  func cancelled() async throws {
    let (gate, cancellations) = services.hold("ports")
    let face = QueryFace(face: try services.face())
    let client = Task { await face.reply(to: "/ports/list?live") }
    try await gate.arrivals(atLeast: 1)
    client.cancel()
    #expect(await client.value.status == 499)
    #expect(cancellations.count == 1)
  }

  private func ids(in body: String) throws -> [String] { try JSON(Array(body.utf8)).array("items").map { try $0.string("id") } }
}
