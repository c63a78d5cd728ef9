import SourceTesting
import Synchronization
import Testing

@testable import AggregatorCore

@Suite("Waiting for a service that asks for time") struct SyncWaitingTests {
  /// Thirty names in pages of ten, which begin at 0, 9, 18 and 27. The list refuses a page before it gives it.
  private final class Names: DataSource {
    struct Name: Record {
      var id = ""
      static let fields: [Field<Name>] = [Field("id", \.id, .title)]
      init() {}
      init(_ number: Int) { id = "\(number)" }
    }

    let profile = Profile("names", paging: .offset(size: 10, end: .emptyPage))
    private let refusals: Mutex<[Int: [SourceError]]>

    init(_ refusals: [Int: [SourceError]]) { self.refusals = Mutex(refusals) }

    func page(_ request: PageRequest) async throws -> Page<Name> {
      let place = try request.place(in: self).number
      let refusal = refusals.withLock { $0[place]?.isEmpty == false ? $0[place]?.removeFirst() : nil }
      if let refusal { throw refusal }
      return Page(of: self, (place..<max(place, min(30, place + 10))).map { Name($0) })
    }
  }

  private let clock = TestClock.leaping

  private static func refusal(_ seconds: Int? = nil, _ kind: SourceError.Kind = .throttled) -> SourceError {
    SourceError(kind, "not now", retryAfter: seconds.map { .seconds($0) })
  }

  private func sync(
    _ refusals: [Int: [SourceError]], deadline: Moment? = nil, waiting: ((Duration, SourceError) -> Void)? = { _, _ in },
    beginning begin: @escaping @Sendable (SyncState) -> Void = { _ in }
  ) async throws -> SyncOutcome {
    try await Deadline.keep(until: deadline, by: clock) {
      try await Syncing(Names(refusals), into: Archive("names", in: StoreInMemory()), clock: clock)
        .run(waiting: waiting, beginning: begin)
    }
  }

  @Test("a service that names no time is left alone for five minutes, then twice as long each time up to an hour, until it gives a page")
  func unnamed() async throws {
    var told: [String] = []
    let outcome = try await sync([9: Array(repeating: Self.refusal(), count: 6), 18: [Self.refusal(0)]]) { wait, error in
      told.append("\(wait.inWords), \(error.message)")
    }
    #expect(outcome.verdict == .complete)
    #expect(outcome.state.counts.landed.new == 30)
    #expect(clock.waits == [300, 600, 1200, 2400, 3600, 3600, 300].map { .seconds($0) })
    #expect(told.prefix(2) == ["5 min, not now", "10 min, not now"])
    #expect(told.count == 7)
  }

  @Test(
    "a service that names a time is left alone for that long, from the first page on",
    arguments: [SourceError.Kind.throttled, .budgetSpent])
  func named(kind: SourceError.Kind) async throws {
    let outcome = try await sync([0: [Self.refusal(90, kind)], 18: [Self.refusal(1_800, kind), Self.refusal(40, kind)]])
    #expect(outcome.verdict == .complete)
    #expect(clock.waits == [90, 1_800, 40].map { .seconds($0) })
  }

  @Test("a wait that would end after the deadline does not start", arguments: [0, 9])
  func deadline(place: Int) async throws {
    let deadline = clock.now + .seconds(299)
    if place == 0 {
      await #expect(throws: Self.refusal()) { try await sync([place: [Self.refusal()]], deadline: deadline) }
    } else {
      #expect(try await sync([place: [Self.refusal()]], deadline: deadline).error == Self.refusal())
    }
    #expect(clock.waits == [])
  }

  @Test("a sync does not wait without permission, nor for an error that no wait can fix")
  func impatient() async throws {
    #expect(try await sync([9: [Self.refusal(1)]], waiting: nil).error == Self.refusal(1))
    let refused = Self.refusal(nil, .refusedKey)
    #expect(try await sync([9: [refused]]).error == refused)
    #expect(clock.waits == [])
  }

  @Test(
    "an error after a wait stops a sync half-way, and the stored records are told",
    arguments: [
      ([refusal(nil, .requestsSpent)], Verdict.bounded), ([refusal(nil, .refusedKey)], .partial(.failed(refusal(nil, .refusedKey)))),
      ([refusal(5), refusal(7_000)], .partial(.failed(refusal(7_000)))),
      ([refusal(3_000, .unreachable)], .partial(.failed(refusal(3_000, .unreachable)))),
    ])
  func later(refusals: [SourceError], verdict: Verdict) async throws {
    let outcome = try await sync([9: [Self.refusal(1)] + refusals], deadline: clock.now + .seconds(3_600))
    #expect(outcome.verdict == verdict)
    #expect(outcome.state.counts.landed.new == 10)
  }

  @Test("a sync tells the place where it begins once, even if it waits")
  func beginnings() async throws {
    let begun = Mutex<[Int]>([])
    _ = try await sync(
      [9: [Self.refusal(1)], 18: [Self.refusal(1)]], beginning: { state in begun.withLock { $0.append(state.counts.received) } })
    #expect(begun.withLock { $0 } == [0])
  }
}
