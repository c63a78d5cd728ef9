/// One text in any of the spellings in which a URL, a form, JSON or HTML may hold it, mixed as they come.
///
/// Each character may stand as it is, percent-encoded (`%2F`, also twice: `%252F`), behind backslashes (`\/`, `\u002f`, any
/// number of times), as a reference of HTML (`&amp;`, `&#38;`), and a space as `+`; and before each but the first may lie a ``Gap``.
struct Spelling: Sendable {
  /// The characters that HTML has names for, as far as keys hold them.
  static let references: [Unicode.Scalar: String] = ["&": "amp", "<": "lt", ">": "gt", "\"": "quot", "'": "apos"]

  private let units: [Unit]
  /// A short text is not looked for across gaps: `1<br>2` is no `12`.
  let mayHaveGaps: Bool

  /// One character and its plain bytes, which may be several: `+` or `-` of two base64 alphabets.
  private struct Unit: Sendable {
    let scalar: Unicode.Scalar
    let plain: [[UInt8]]
  }

  init(_ text: String, mayHaveGaps: Bool = true) {
    self.init(text.unicodeScalars.map { Unit(scalar: $0, plain: [Array(String($0).utf8)]) }, mayHaveGaps: mayHaveGaps)
  }

  /// Text in base64, where either alphabet may have been used.
  init(base64 text: String) {
    self.init(
      text.unicodeScalars.map { scalar in
        let other: [Unicode.Scalar: UInt8] = ["+": UInt8(ascii: "-"), "/": UInt8(ascii: "_")]
        return Unit(scalar: scalar, plain: [Array(String(scalar).utf8)] + (other[scalar].map { [[$0]] } ?? []))
      }, mayHaveGaps: true)
  }

  private init(_ units: [Unit], mayHaveGaps: Bool) { (self.units, self.mayHaveGaps) = (units, mayHaveGaps) }

  /// Where an occurrence that begins at `start` ends; nil if none does.
  func end(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    // Texts made to be read in many ways at once, as of a key that is one letter over and over, must not take forever.
    var patience = 2048
    return end(of: 0, Reading(bytes: bytes, at: start), &patience)
  }

  private func end(of index: Int, _ place: Reading, _ patience: inout Int) -> Int? {
    guard index < units.count else { return place.at }
    if let end = end(spelling: index, place, &patience) { return end }
    guard mayHaveGaps, index > 0, place.mayBeGap else { return nil }
    return end(of: index, behindGapAt: place, &patience)
  }

  /// The same where one or more gaps lie before that character.
  private func end(of index: Int, behindGapAt place: Reading, _ patience: inout Int) -> Int? {
    let gap = Gap(in: place.bytes, upTo: place.at + Gap.longest)
    // Nothing is allocated where none begins.
    var ends: Set<Int> = []
    gap.forEachEnd(at: place.at) { ends.insert($0) }
    // One gap may follow another, and each has its ends behind its beginning.
    while let next = ends.min(), patience > 0 {
      ends.remove(next)
      patience -= 1
      let reading = Reading(bytes: place.bytes, at: next)
      if let end = end(spelling: index, reading, &patience) { return end }
      if reading.mayBeGap { gap.forEachEnd(at: next) { ends.insert($0) } }
    }
    return nil
  }

  private func end(spelling index: Int, _ place: Reading, _ patience: inout Int) -> Int? {
    let unit = units[index]
    for plain in unit.plain {
      if let next = place.skipping(plain), let end = end(of: index + 1, next, &patience) { return end }
      var encoded = place.skippingPercent(plain)
      while let next = encoded {
        if let end = end(of: index + 1, next, &patience) { return end }
        // A percent sign is spelled %25, %2525 and so on, and digits of the secret's own may follow.
        encoded = unit.scalar == "%" ? next.skippingTwentyFive() : nil
      }
    }
    if let next = place.skippingEscape(of: unit.scalar, unit.plain[0]), let end = end(of: index + 1, next, &patience) { return end }
    if let next = place.skippingReference(to: unit.scalar), let end = end(of: index + 1, next, &patience) { return end }
    if unit.scalar == " ", let next = place.skipping([UInt8(ascii: "+")]) { return end(of: index + 1, next, &patience) }
    return nil
  }
}

// MARK: - For the search

extension Spelling {
  var hasSpace: Bool { units.contains { $0.scalar == " " } }

  /// The text without any escape; in base64 in either alphabet.
  var plain: [[UInt8]] {
    let usual = units.flatMap { $0.plain.first ?? [] }
    let other = units.flatMap { $0.plain.last ?? [] }
    return usual == other ? [usual] : [usual, other]
  }

  /// A character that an escape may stand for.
  struct Turn: Sendable {
    let unit: Int
    /// The first byte of the character.
    let byte: UInt8
    /// The last plain byte of the character before it; nil for the first.
    let before: UInt8?
  }

  /// Every character, with each way in which the one before it may stand there plain.
  var turns: [Turn] {
    var turns: [Turn] = []
    for (index, unit) in units.enumerated() {
      for plain in unit.plain {
        guard let byte = plain.first else { continue }
        guard index > 0 else {
          turns.append(Turn(unit: index, byte: byte, before: nil))
          continue
        }
        for before in units[index - 1].plain { turns.append(Turn(unit: index, byte: byte, before: before.last)) }
      }
    }
    return turns
  }

  /// A character before which a gap may lie.
  struct Split: Sendable {
    let unit: Int
    /// The last two plain bytes before it; the first is nil where there is but one.
    let before: (UInt8?, UInt8)
  }

  /// Every character but the first, with each way in which those before it may stand there plain; none where there may be no gaps.
  var splits: [Split] {
    guard mayHaveGaps else { return [] }
    var splits: [Split] = []
    for index in units.indices.dropFirst() {
      for plain in units[index - 1].plain {
        guard let last = plain.last else { continue }
        if plain.count > 1 || index == 1 {
          splits.append(Split(unit: index, before: (plain.dropLast().last, last)))
        } else {
          for earlier in units[index - 2].plain { splits.append(Split(unit: index, before: (earlier.last, last))) }
        }
      }
    }
    return splits
  }

  /// Where an occurrence begins of which all up to the character number `unit` stands plain before `end`; nil if it does not.
  func start(of unit: Int, before end: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var at = end
    for unit in units[..<unit].reversed() {
      let plain = unit.plain.first { plain in
        at >= plain.count && plain.indices.allSatisfy { bytes[at - plain.count + $0] == plain[$0] }
      }
      guard let plain else { return nil }
      at -= plain.count
    }
    return at
  }
}

/// A place in some bytes, and the ways to go on from it.
private struct Reading {
  let bytes: UnsafeBufferPointer<UInt8>
  var at: Int

  private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

  var mayBeGap: Bool { at < bytes.count && Gap.mayBegin(at: at, in: bytes) }

  func skipping(_ expected: [UInt8]) -> Reading? {
    guard bytes.count - at >= expected.count, expected.indices.allSatisfy({ bytes[at + $0] == expected[$0] }) else { return nil }
    return Reading(bytes: bytes, at: at + expected.count)
  }

  /// Every byte as `%2F`, `%2f` or `%252F`.
  func skippingPercent(_ expected: [UInt8]) -> Reading? {
    var place = self
    for byte in expected {
      guard place.byte == UInt8(ascii: "%") else { return nil }
      place.at += 1
      if place.hex(2) != UInt32(byte) {
        while let next = place.skippingTwentyFive() { place = next }
      }
      guard place.hex(2) == UInt32(byte) else { return nil }
      place.at += 2
    }
    return place
  }

  /// Behind any number of backslashes: the character's code, in UTF-16, or itself.
  func skippingEscape(of scalar: Unicode.Scalar, _ plain: [UInt8]) -> Reading? {
    guard byte == UInt8(ascii: "\\") else { return nil }
    if let next = skippingCode(of: scalar) { return next }
    var place = self
    place.skipBackslashes()
    // A backslash is all that it takes to escape one.
    return scalar == "\\" ? place : place.skipping(plain)
  }

  private func skippingCode(of scalar: Unicode.Scalar) -> Reading? {
    var place = self
    for unit in UTF16.encode(scalar) ?? .init() {
      place.skipBackslashes()
      guard place.byte == UInt8(ascii: "u") else { return nil }
      place.at += 1
      guard place.hex(4) == UInt32(unit) else { return nil }
      place.at += 4
    }
    return place
  }

  private static let percent = Array("25".utf8)

  /// Over what is left of an encoded percent sign.
  func skippingTwentyFive() -> Reading? { skipping(Self.percent) }

  func skippingReference(to scalar: Unicode.Scalar) -> Reading? {
    guard byte == UInt8(ascii: "&") else { return nil }
    let code = String(scalar.value, radix: 16)
    let forms = ["#\(scalar.value)", "#x\(code)", "#x\(code.uppercased())"] + (Spelling.references[scalar].map { [$0] } ?? [])
    return forms.lazy.compactMap { skipping(Array("&\($0);".utf8)) }.first
  }

  private mutating func skipBackslashes() {
    while byte == UInt8(ascii: "\\") { at += 1 }
  }

  private func hex(_ count: Int) -> UInt32? {
    guard bytes.count - at >= count else { return nil }
    let digits = bytes[at..<at + count]
    guard digits.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) }) else { return nil }
    return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
