import SourceTesting
import Synchronization
import TestServers
import Testing

@testable import AggregatorCore
@testable import Store

/// The notes of a store about syncs that fail.
@Suite("failures of syncs") final class SyncFailuresTests: StoreSuite {
  /// Three pages of ten rows; the page at each place of `refusals` fails.
  private struct Friends: DataSource {
    let profile = Profile("friends", paging: .offset(size: 10, end: .emptyPage))
    var refusals: [Int: any Error] = [:]

    func page(_ request: PageRequest) async throws -> Page<Friend> {
      let place = try request.place(in: self).number
      if let refusal = refusals[place] { throw refusal }
      return Page(of: self, (place..<max(place, min(30, place + 10))).map { Friend(id: "\($0)", name: "Friend \($0)") })
    }
  }

  /// Syncs at that second, and returns what is noted after it. `refusals` fail the pages at their places.
  @discardableResult
  private func sync(_ refusals: [Int: any Error] = [:], at second: Int, in store: (any RecordStore)? = nil) async throws
    -> SyncFailures?
  {
    let archive = (store ?? self.store).friends
    let clock = TestClock(at: Moment(secondsSinceEpoch: second))
    _ = try? await Syncing(Friends(refusals: refusals), into: archive, clock: clock).run()
    return try await archive.failures()
  }

  private let down = SourceError(.unavailable, "the service failed (HTTP 503)")

  @Test("failures that follow each other are counted from the first one on, until a sync reaches the service", arguments: [true, false])
  func series(isInMemory: Bool) async throws {
    let store = isInMemory ? StoreInMemory() : self.store
    #expect(try await sync(at: 1, in: store) == nil)
    for second in 2...4 { try await sync([0: down], at: second, in: store) }
    // An error half-way fails a sync too.
    let failures = try #require(try await sync([18: SourceError(.unreachable, "no route", remedy: .checkDescription)], at: 5, in: store))
    #expect(failures.count == 4 && failures.since.seconds == 2 && failures.last.seconds == 5)
    let error = failures.error(at: Moment(secondsSinceEpoch: 6))
    #expect(error.kind == .unreachable && error.message == "no route" && error.remedy == .checkDescription)
    // The rows of before are those of the sync that was complete.
    #expect(try await sync(at: 100_000, in: store) == nil)
    #expect(try await sync([0: down], at: 100_001, in: store)?.count == 1)
    _ = try await store.friends.forget(importedOnly: false)
    #expect(try await store.friends.failures() == nil)
  }

  @Test("a source that was never synced has failures too")
  func never() async throws {
    #expect(try await store.friends.failures() == nil)
    #expect(try await sync([0: SourceError(.refusedKey, "the key was refused", remedy: .set(["A", "B"]))], at: 9)?.count == 1)
    let failures = try #require(try await store.friends.failures())
    #expect(failures.error(at: failures.last).remedy == .set(["A", "B"]))
  }

  @Test(
    "an interruption, another sync, requests that are spent, a store that fails and settings of this machine do not count",
    arguments: [
      CancellationError(), Claim.isTaken, SourceError(.requestsSpent, "enough"), SourceError(ofStore: "the disk is full"),
      SourceError(.planned, "only planned"), SourceError(.settings, "no leave"), SourceError(.missingKey, "no key is set"),
    ] as [any Error])
  func others(error: any Error) async throws {
    #expect(try await sync([0: error], at: 1) == nil)
    try await sync([0: down], at: 2)
    #expect(try await sync([0: error], at: 3)?.count == 1)
  }

  @Test("a pause after some rows ends a series, and a pause before the first row is a failure; it is told until it is over")
  func pauses() async throws {
    let wait = SourceError.throttled("rate-limited (HTTP 429)", for: .seconds(600))
    let failures = try #require(try await sync([0: wait], at: 1_000))
    #expect(failures.error(at: Moment(secondsSinceEpoch: 1_300)).description == "rate-limited (HTTP 429); try again in 5 min")
    #expect(failures.error(at: Moment(secondsSinceEpoch: 2_000)).description == "rate-limited (HTTP 429)")
    #expect(try await sync([18: wait], at: 2_000) == nil)
  }

  @Test("a clock that was ahead, an endless pause and a long message do no harm")
  func hostile() async throws {
    let far = 250_000_000_000
    let endless = SourceError.throttled(String(repeating: "x", count: 100_000), for: .seconds(Int64.max / 2))
    #expect(try await sync([0: endless], at: far)?.count == 1)
    let failures = try #require(try await sync([0: endless], at: 1_000))
    #expect(failures.count == 2 && failures.since.seconds == 1_000)
    #expect(try await sync([0: endless], at: 500)?.since.seconds == 500)
    #expect(failures.text.utf8.count < 2_000)
    for text in ["", "{}", "null", "[]", #"{"count":-1}"#, #"{"count":1e99}"#, "\u{0}", #"{"since":"soon","count":3}"#] {
      try await store.note(text, as: .failures, of: friends.kind)
      #expect(try await store.friends.failures() == nil, "\(text)")
      #expect(try await sync([0: down], at: 7)?.count == 1)
    }
    let time = "2023-01-01T00:00:00Z"
    try await store.note(
      #"{"since":"\#(time)","last":"\#(time)","count":9223372036854775807,"kind":"","message":""}"#, as: .failures, of: friends.kind)
    #expect(try await sync([0: down], at: 1_700_000_000)?.count == .max)
  }

  @Test("each way to deal with an error comes back, a choice as a choice")
  func remedies() async throws {
    let call = Remedy.Call("sync", of: "others", with: [.init("timeout", "9"), .init("wait")])
    let remedies: [Remedy] = [
      .ask(call, "to wait"), .checkDescription, .allow("a b"), .give([.init("config", "/a=b c")], "if you trust it"), .set(["A"]),
      "say \"x\"", .startAgain,
    ]
    for remedy in remedies + [.either(Array(remedies.prefix(2)))] {
      let failures = try #require(try await sync([0: SourceError(.badRequest, "no", remedy: remedy)], at: 1))
      #expect(failures.error(at: failures.last).remedy == remedy)
    }
  }

  @Test("while another sync runs, whose end says more, a failure is not noted")
  func atOnce() async throws {
    let claim = Claim()
    try await store.claim(claim, of: friends.kind)
    await store.note(failure: down, of: friends.kind, at: Moment(secondsSinceEpoch: 1))
    #expect(try await store.friends.failures() == nil)
    await store.release(claim, of: friends.kind)
    await store.note(failure: down, of: friends.kind, at: Moment(secondsSinceEpoch: 1))
    #expect(try await store.friends.failures()?.count == 1)
  }
}
