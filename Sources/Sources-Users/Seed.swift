public import AggregatorCore

/// The seed of a list of people: whoever keeps it gets the same list again.
public enum Seed {
  /// A new seed: letters only, since page 12 of seed `a` is page 2 of seed `a1`, and 16 of them, since 18 mean something else to
  /// the service.
  public static func make(_ dice: some Dice) -> String {
    let letters = Array("abcdefghijklmnopqrstuvwxyz")
    return String((0..<16).map { _ in letters[dice.index(below: letters.count)] })
  }
}
