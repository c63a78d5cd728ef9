import AggregatorCore
import Recordings

// The answers of a walk are cached, and read again when the service cannot be asked or need not be asked.
extension SourceUnderTest {
  func checkKept() async throws -> LawOutcome {
    if isEndless { return .notApplicable("its list has no end") }
    for hazard in Hazard.allCases where !hazard.befallsSyncs {
      if let seen = try await claimsMore(under: hazard) { return .failed("under \(hazard), \(seen)") }
    }
    return .passed
  }

  /// Returns a complaint if the cached answers of a walk claim more than the walk did; nil otherwise.
  private func claimsMore(under hazard: Hazard) async throws -> String? {
    let opened = try open(hazard: hazard, reach: .anywhere, store: StoreInMemory())
    let live = await ObservedWalk(over: opened, bounds: bounds)
    guard live.error == nil, live.origin?.kind == .live, let verdict = live.verdict else { return nil }
    for (way, change) in Self.waysBack {
      var (again, world) = (opened, opened.parts.world)
      change(&world)
      again.parts = try descriptor.open(in: world)
      let cached = await ObservedWalk(over: again, bounds: bounds)
      guard cached.error == nil, cached.origin?.kind == .cache, let claimed = cached.verdict else { continue }
      if claimed.claimsMore(than: verdict) {
        return "a walk ended \(live.ending), and what was kept of it ended \(cached.ending) \(way)"
      }
      let others = Set(cached.ids).subtracting(live.ids)
      if !others.isEmpty { return "\(others.count) records came \(way) that the walk did not give" }
      if claimed == .complete, cached.ids.count < live.ids.count {
        return "a walk gave \(live.ids.count) records, and what was kept of it is complete with \(cached.ids.count) \(way)"
      }
    }
    return nil
  }

  private static var waysBack: [(way: String, change: @Sendable (inout World) -> Void)] {
    [
      ("offline", { $0.terms.reach = .offline }),
      (
        "where the service failed",
        { $0.transport = FixedAnswer(answer: .failure(SourceError(.unavailable, "the service is down"))) }
      ),
      // An answer that is too old or incomplete is asked for again. It is not cached then, so it is not compared.
      ("by its age", { $0.terms.maxAge = .seconds(86_400) }),
    ]
  }
}
