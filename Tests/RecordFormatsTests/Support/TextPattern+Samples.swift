import RecordFormats

/// Numbers that seem random, and are the same in every run.
struct Chance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension TextPattern {
  /// Characters that break a careless reader, and some that do not.
  private static let characters = Array(
    "inIN abcxyz019-+*/|\\'`\"%#$@^_()[]{}<>=!~,;&.:?\u{301}\u{200D}\u{0903}\u{600}é東🪨🇩🇰א\u{202E}\u{FE0F}\u{85}\u{A0}\u{1}ſK".unicodeScalars)

  /// A text that matches the pattern. Each choice is as likely as the others.
  func sample(by chance: inout Chance) -> String {
    switch self {
    case .exactly(let text): return text
    case .character(let ranges):
      let range = ranges[Int.random(in: ranges.indices, using: &chance)]
      return Unicode.Scalar(UInt32.random(in: range.lowerBound.value...range.upperBound.value, using: &chance)).map { "\($0)" } ?? ""
    case .otherCharacter(let ranges):
      let others = Self.characters.filter { scalar in !ranges.contains { $0.contains(scalar) } }
      return "\(others[Int.random(in: others.indices, using: &chance)])"
    case .sequence(let parts): return parts.map { $0.sample(by: &chance) }.joined()
    case .choice(let parts): return parts[Int.random(in: parts.indices, using: &chance)].sample(by: &chance)
    case .repeated(let part, let least, let most):
      let count = Int.random(in: least...max(least, min(most ?? .max, least + 3)), using: &chance)
      // The longest is a bound that is reached too.
      let isLongest = most != nil && Int.random(in: 0..<4, using: &chance) == 0
      return (0..<(isLongest ? most ?? count : count)).map { _ in part.sample(by: &chance) }.joined()
    }
  }
}
