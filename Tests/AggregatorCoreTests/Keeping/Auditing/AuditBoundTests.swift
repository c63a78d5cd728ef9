import AggregatorCore
import Testing

/// The bound of a random sample, against figures of the statistics tables.
struct AuditBoundTests {
  @Test(
    "the bound is that of Clopper and Pearson at 95 %",
    arguments: [
      (0, 20, 0.1391), (0, 2_000, 0.001497), (1, 10, 0.3942), (5, 50, 0.1988), (10, 10, 1), (0, 1, 0.95), (300, 1_000, 0.3248),
    ])
  func values(found: Int, drawn: Int, bound: Double) throws {
    let share = try #require(AuditBound.share(found: found, of: drawn))
    #expect(abs(share - bound) < 0.0005)
  }

  @Test("without a sample the bound is not known, and impossible numbers do no harm")
  func none() {
    #expect(AuditBound.share(found: 0, of: 0) == nil && AuditBound.share(found: 0, of: .min) == nil)
    #expect(AuditBound.share(found: .max, of: 3) == 1 && AuditBound.share(found: -1, of: 3) == AuditBound.share(found: 0, of: 3))
  }
}
