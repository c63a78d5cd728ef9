import Synchronization

/// A source of random numbers, as a parameter so that a test, or `--seed`, can repeat them.
public protocol Dice: Sendable {
  /// Returns the next 64 random bits.
  func roll() -> UInt64
}

extension Dice {
  /// Returns a number from 0 up to, not including, 1.
  public func fraction() -> Double { Double(roll() >> 11) * 0x1p-53 }

  /// Returns a number from 0 up to, not including, `bound`; `bound` is positive.
  public func index(below bound: Int) -> Int {
    // The high half of the product is uniform to one part in 2⁶⁴; no list here is long enough to show the difference.
    Int(roll().multipliedFullWidth(by: UInt64(bound)).high)
  }
}

/// The random numbers of the system.
public struct SystemDice: Dice {
  /// Makes dice that give other numbers in every process.
  public init() {}

  public func roll() -> UInt64 { .random(in: .min ... .max) }
}

/// Random numbers that are the same for the same seed, on every machine (SplitMix64).
public final class SeededDice: Dice {
  private let state: Mutex<UInt64>

  /// Begins with the first roll of that seed.
  public init(seed: UInt64) { state = Mutex(seed) }

  public func roll() -> UInt64 {
    state.withLock { state in
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = state
      bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }
  }
}
