import AggregatorCore
import SourceTesting
import Synchronization
import Testing

@testable import Services

/// Answers that may be less than they seem.
@Suite struct DoubtfulAnswerTests {
  @Test("an answer that is not ready yet is not an empty list")
  func notReady() async throws {
    for rows in [[], ["a"]] {
      let things = try OneList(#""by": "whole""#) { _ in
        var response = HTTPResponse.rows(rows)
        response.status = 202
        return response
      }
      #expect(await things.error()?.kind == (rows.isEmpty ? .unavailable : nil))
    }
  }

  @Test(
    "a recount of a list that may have more rows than it sends counts no stored record as gone",
    arguments: [#""by": "whole", "end": "never""#, #""by": "whole", "more": "more""#])
  func feed(paging: String) async throws {
    let sent = Mutex(["a", "b", "c"])
    let things = try OneList(paging) { _ in .rows(sent.withLock(\.self), ["more": true]) }
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: StoreInMemory())
    (world.clock, world.terms.reach, world.patience) = (things.clock, .live, .none)
    let session = try things.manifest.source("things").open(in: world)
    _ = try await Syncing(session.live, into: session.stored, clock: things.clock).run(.init(full: true))
    sent.withLock { $0 = ["c", "d"] }
    let audit = try await Auditing(session.live, of: session.stored, seed: 1, clock: things.clock).run(requests: 20)
    #expect(!audit.isWhole && audit.ghosts == 0)
  }

  @Test("a sync whose place the service no longer has begins anew, also where an answer without rows is told by its status")
  func lostPlace() async throws {
    let session = Mutex("a")
    let things = try OneList(
      #""by": "token", "next": "next", "end": "next""#, #""errors": [{"status": 404, "kind": "nothing"}]"#
    ) { request in
      let (token, name) = (request.query["after"] ?? "", session.withLock(\.self))
      guard token.isEmpty || token.hasPrefix(name) else { return HTTPResponse(status: 404) }
      let place = Int(token.dropFirst()) ?? 0
      if place == 2, name == "a" { return HTTPResponse(status: 503) }
      return .rows(["r\(place)"], ["next": place < 4 ? .text("\(name)\(place + 1)") : .null])
    }
    var world = World(settings: Settings(declared: things.manifest.settings), transport: things.transport, keepingIn: StoreInMemory())
    (world.clock, world.terms.reach, world.patience) = (things.clock, .live, .none)
    let source = try things.manifest.source("things").open(in: world)
    let first = try await Syncing(source.live, into: source.stored, clock: things.clock).run()
    #expect(first.state.verdict == nil && first.state.rowsBefore == 2)
    session.withLock { $0 = "b" }
    let second = try await Syncing(source.live, into: source.stored, clock: things.clock).run()
    #expect(second.state.verdict == .complete && second.state.counts.received == 5)
  }
}
