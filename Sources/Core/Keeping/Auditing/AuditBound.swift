import Platform

/// The greatest share that a random sample leaves possible.
public enum AuditBound {
  /// The share of samples in which the bound holds.
  static let confidence = 0.95

  /// Returns the share of a list that at most has a fault, if `found` of `drawn` random elements have it. In 95 of 100 samples the true
  /// share is not greater (Clopper and Pearson). Nil without a sample.
  public static func share(found: Int, of drawn: Int) -> Double? {
    guard drawn > 0 else { return nil }
    guard found < drawn else { return 1 }
    if found <= 0 { return 1 - pow(1 - confidence, 1 / Double(drawn)) }
    var (low, high) = (Double(found) / Double(drawn), 1.0)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if chance(ofAtMost: found, of: drawn, at: middle) > 1 - confidence { low = middle } else { high = middle }
    }
    return high
  }

  /// Returns the chance of at most `found` faults among `drawn` elements if `share` of all have one.
  private static func chance(ofAtMost found: Int, of drawn: Int, at share: Double) -> Double {
    guard share < 1 else { return found >= drawn ? 1 : 0 }
    // The terms are added as logarithms, because the first ones can be too small for a number.
    var term = Double(drawn) * log1p(-share)
    var sum = term
    for count in 0..<found {
      term += log(Double(drawn - count)) - log(Double(count + 1)) + log(share) - log1p(-share)
      let (large, small) = (max(sum, term), min(sum, term))
      sum = large + log1p(exp(small - large))
    }
    return exp(sum)
  }
}
