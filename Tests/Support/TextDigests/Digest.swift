import AggregatorCore

/// FNV-1a in 64 bits, as in Scripts/make-text-tables.py.
package struct Digest {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}

extension TextDigests {
  /// The first scalar of each block, as in the script.
  package static let blocks: [UInt32] = (0..<0x40).map { $0 * 0x1000 } + [0xE0000]

  package static func scalars(ofBlock block: Int) -> [Unicode.Scalar] {
    (blocks[block]..<blocks[block] + 0x1000).compactMap { Unicode.Scalar($0) }
  }

  /// Returns the same texts as `random_texts` in the script.
  package static func randomTexts() -> [String] {
    let dice = SeededDice(seed: 7)
    let spans: [UInt64] = [0x80, 0x250, 0x3000, 0xD7FF, 0x1F000]
    return (0..<4000).map { _ in
      var text = String.UnicodeScalarView()
      for _ in 0..<Int(dice.roll() % 24) {
        let span = spans[Int(dice.roll() % 5)]
        let value = span == 0x1F000 ? 0x1D000 + dice.roll() % 0x2C00 : dice.roll() % span
        text.append(Unicode.Scalar(UInt32(value)) ?? "?")
      }
      return String(text)
    }
  }
}
