import Platform
import SourceTesting
import Testing

@testable import Feed

@Suite("The laws of a feed") struct FeedLawsTests {
  /// The number of events in all, after each of which each law is checked; `AGGREGATOR_FEED_EVENTS=10000000` tries more.
  static let events = getenv("AGGREGATOR_FEED_EVENTS").flatMap { Int(String(cString: $0)) } ?? 500_000
  private static let length = 500

  @Test("the laws of a feed hold for any events in any order")
  func random() {
    var steps = 0
    var seed: UInt64 = 0
    while steps < Self.events {
      var feed = RandomFeed(FeedMachine<Row>(canDelete: true), seed: seed)
      feed.run(Self.length)
      #expect(feed.breaches.isEmpty, "seed \(seed): \(feed.breaches.map { "\($0.key.rawValue), \($0.value)" })")
      guard feed.breaches.isEmpty else { return }
      steps += feed.steps
      seed += 1
    }
    #expect(steps >= Self.events)
  }

  @Test("a saboteur of each law of a feed is found", arguments: FeedLaw.allCases)
  func sabotaged(law: FeedLaw) {
    for seed in 0..<200 as Range<UInt64> {
      var feed = RandomFeed(SabotagedRules(breaking: law), seed: seed)
      feed.run(Self.length)
      if feed.breaches[law] != nil { return }
    }
    Issue.record("no check found this law broken: \(law.rawValue)")
  }
}
