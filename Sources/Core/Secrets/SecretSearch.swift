/// Finds secrets in bytes, and costs next to nothing where there are none.
///
/// An occurrence either is plain throughout, and is looked for as plain texts are (after Wu and Manber, by pairs of bytes: most of the
/// bytes are never looked at); or it has a first escape or ``Gap`` in it, and only where one stands is anything else compared.
struct SecretSearch: Sendable {
  private let forms: [SecretForm]

  /// The texts to look for, one behind the other.
  private let letters: [UInt8]
  private let needles: [Needle]
  /// The length of the shortest needle.
  private let window: Int
  /// By the last two bytes of a window: how far the next place is at which a needle may begin.
  private let shifts: [UInt8]

  /// The characters that an escape may stand for, ordered by their first bytes; those of a byte begin at its entry in `turnStarts`.
  private let turns: [Turn]
  private let turnStarts: [Int]
  /// Whether a `+` may stand for a space.
  private let isPlusSpace: Bool

  /// The characters before which a gap may lie, ordered by the byte before it; those of a byte begin at its entry in `splitStarts`.
  private let splits: [(form: Int, unit: Int)]
  private let splitStarts: [Int]
  /// By two bytes, and by one: whether a gap behind them may lie in a secret.
  private let splitPairs: [Bool]
  private let splitFirsts: [Bool]

  private struct Needle: Sendable {
    let start: Int
    let count: Int
    let form: Int
  }

  private struct Turn: Sendable {
    let form: Int
    let turn: Spelling.Turn
  }

  init(_ forms: [SecretForm]) {
    self.forms = forms
    var letters: [UInt8] = []
    var needles: [Needle] = []
    for (index, form) in forms.enumerated() {
      for text in form.spelling.plain {
        needles.append(Needle(start: letters.count, count: text.count, form: index))
        letters += text
      }
    }
    let window = needles.map(\.count).min() ?? 1
    var shifts = [UInt8](repeating: UInt8(clamping: window - 1), count: 4096)
    for needle in needles where window > 1 {
      for index in 1..<window {
        let hash = Self.hash(letters[needle.start + index - 1], letters[needle.start + index])
        shifts[hash] = min(shifts[hash], UInt8(clamping: window - 1 - index))
      }
    }
    (self.letters, self.needles, self.window, self.shifts) = (letters, needles, window, shifts)
    let turns = forms.indices.flatMap { index in forms[index].spelling.turns.map { Turn(form: index, turn: $0) } }
      .sorted { ($0.turn.byte, $0.form, $0.turn.unit) < ($1.turn.byte, $1.form, $1.turn.unit) }
    var counts = [Int](repeating: 0, count: 257)
    for turn in turns { counts[Int(turn.turn.byte) + 1] += 1 }
    for index in 1...256 { counts[index] += counts[index - 1] }
    (self.turns, turnStarts) = (turns, counts)
    isPlusSpace = forms.contains(where: \.spelling.hasSpace)

    let splits = forms.map(\.spelling.splits)
    var starts = [Int](repeating: 0, count: 257)
    var pairs = [Bool](repeating: false, count: 4096)
    var firsts = [Bool](repeating: false, count: 256)
    for split in splits.joined() {
      let (earlier, last) = split.before
      starts[Int(last) + 1] += 1
      if let earlier { pairs[Self.hash(earlier, last)] = true } else { firsts[Int(last)] = true }
    }
    for index in 1...256 { starts[index] += starts[index - 1] }
    var ordered = [(form: Int, unit: Int)](repeating: (0, 0), count: starts[256])
    var places = starts
    for (form, splits) in splits.enumerated() {
      for split in splits {
        ordered[places[Int(split.before.1)]] = (form, split.unit)
        places[Int(split.before.1)] += 1
      }
    }
    (self.splits, splitStarts, splitPairs, splitFirsts) = (ordered, starts, pairs, firsts)
  }

  private static func hash(_ first: UInt8, _ second: UInt8) -> Int { (Int(first) &<< 5 ^ Int(second)) & 4095 }

  func finds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool { plain(in: bytes, from: 0) != nil || escaped(in: bytes, from: 0) != nil }

  /// Calls `body` with every occurrence, from the first to the last.
  func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (FoundSecret) -> Void) {
    var plain = plain(in: bytes, from: 0)
    var escaped = escaped(in: bytes, from: 0)
    while let found = [plain, escaped].compactMap({ $0 }).min(by: { $0.start < $1.start }) {
      body(found)
      let end = found.range.upperBound
      if let old = plain, old.start < end { plain = self.plain(in: bytes, from: end) }
      if let old = escaped, old.start < end { escaped = self.escaped(in: bytes, from: end) }
    }
  }
}

// MARK: - Plain

extension SecretSearch {
  private func plain(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> FoundSecret? {
    var end = start + window
    while end <= bytes.count {
      let shift = window > 1 ? Int(shifts[Self.hash(bytes[end - 2], bytes[end - 1])]) : 0
      guard shift == 0 else {
        end += shift
        continue
      }
      if let found = needle(in: bytes, at: end - window) { return found }
      end += 1
    }
    return nil
  }

  private func needle(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> FoundSecret? {
    for index in needles.indices {
      let needle = needles[index]
      guard needle.count <= bytes.count - start, letters[needle.start] == bytes[start] else { continue }
      var length = 1
      while length < needle.count, letters[needle.start + length] == bytes[start + length] { length += 1 }
      guard length == needle.count else { continue }
      if let found = forms[needle.form].found(start..<start + length, in: bytes) { return found }
    }
    return nil
  }
}

// MARK: - Escaped, and with gaps

extension SecretSearch {
  private func escaped(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> FoundSecret? {
    var at = start
    while let place = mark(in: bytes, from: at, behind: start) {
      var first: FoundSecret?
      at = place + 1
      if isEscape(bytes[place]) {
        let escape = Escape(in: bytes, at: place)
        let (one, two, three) = escape.meanings
        if one >= 0 { first = occurrence(withEscapeAt: place, for: one, in: bytes, from: start, before: first) }
        if two >= 0 { first = occurrence(withEscapeAt: place, for: two, in: bytes, from: start, before: first) }
        if three >= 0 { first = occurrence(withEscapeAt: place, for: three, in: bytes, from: start, before: first) }
        at = escape.end
      }
      if Gap.mayBegin(at: place, in: bytes), mayGoOn(behind: place, in: bytes, from: start) {
        first = occurrence(withGapAt: place, in: bytes, from: start, before: first)
      }
      if let first { return first }
    }
    return nil
  }

  /// The occurrence whose first escape stands for `byte` at `place`, if it begins before `known`; else that.
  private func occurrence(
    withEscapeAt place: Int, for byte: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, before known: FoundSecret?
  ) -> FoundSecret? {
    var first = known
    for index in turnStarts[byte]..<turnStarts[byte + 1] {
      let turn = turns[index].turn
      if let before = turn.before, place == start || bytes[place - 1] != before { continue }
      first = occurrence(of: turns[index].form, turn.unit, at: place, in: bytes, from: start, before: first)
    }
    return first
  }

  /// The same for a gap.
  private func occurrence(
    withGapAt place: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, before known: FoundSecret?
  ) -> FoundSecret? {
    let before = Int(bytes[place - 1])
    var first = known
    for (form, unit) in splits[splitStarts[before]..<splitStarts[before + 1]] {
      first = occurrence(of: form, unit, at: place, in: bytes, from: start, before: first)
    }
    return first
  }

  /// The occurrence that is plain up to the character number `unit`, which or whose gap begins at `place`.
  private func occurrence(
    of form: Int, _ unit: Int, at place: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, before known: FoundSecret?
  ) -> FoundSecret? {
    guard let begin = forms[form].spelling.start(of: unit, before: place, in: bytes), begin >= start,
      known.map({ begin < $0.start }) ?? true, let end = forms[form].spelling.end(in: bytes, at: begin)
    else { return known }
    return forms[form].found(begin..<end, in: bytes) ?? known
  }

  private func isEscape(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "%") || byte == UInt8(ascii: "&") || byte == UInt8(ascii: "+") && isPlusSpace
  }

  /// Whether the bytes before `place` are such as a secret has before one of its characters.
  private func mayGoOn(behind place: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    guard place > start else { return false }
    let last = bytes[place - 1]
    return splitFirsts[Int(last)] || place > start + 1 && splitPairs[Self.hash(bytes[place - 2], last)]
  }

  /// The next byte that may begin an escape, or a gap in a secret.
  private func mark(in bytes: UnsafeBufferPointer<UInt8>, from first: Int, behind start: Int) -> Int? {
    typealias Block = SIMD16<UInt8>
    let (one, two, space) = (Block(repeating: 1), Block(repeating: 2), Block(repeating: 0x20))
    let percent = Block(repeating: UInt8(ascii: "%"))
    let (backslash, bits) = (Block(repeating: UInt8(ascii: "\\") | 0x60), Block(repeating: 0x60))
    let plus = Block(repeating: isPlusSpace ? UInt8(ascii: "+") : UInt8(ascii: "&"))
    let raw = UnsafeRawBufferPointer(bytes)
    var at = first
    while at + 16 <= bytes.count {
      let block = raw.loadUnaligned(fromByteOffset: at, as: Block.self)
      // What is zero, and nothing else, has a high bit where one is taken from it and it has none itself. So `%` and `&` are found
      // at once, and `\` and `<`, which differ in two bits, with a `|` now and then.
      let (a, b, c) = (block &- percent, (block | bits) ^ backslash, block ^ plus)
      let escapes = ((a &- two) & ~a) | ((b &- one) & ~b) | ((c &- one) & ~c)
      // Control characters, and the first bytes of those beyond ASCII.
      let marks = escapes | (((block &- space) | (block &+ one)) & ~block) | (block & (block &+ block))
      let words = unsafeBitCast(marks, to: SIMD2<UInt64>.self)
      var low = UInt64(littleEndian: words[0]) & 0x8080_8080_8080_8080
      var high = UInt64(littleEndian: words[1]) & 0x8080_8080_8080_8080
      while low != 0 {
        let place = at + low.trailingZeroBitCount &>> 3
        if matters(place, in: bytes, from: start) { return place }
        low &= low - 1
      }
      while high != 0 {
        let place = at + 8 + high.trailingZeroBitCount &>> 3
        if matters(place, in: bytes, from: start) { return place }
        high &= high - 1
      }
      at += 16
    }
    while at < bytes.count {
      if matters(at, in: bytes, from: start) { return at }
      at += 1
    }
    return nil
  }

  private func matters(_ place: Int, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
    let byte = bytes[place]
    return isEscape(byte) || Gap.mayBegin(at: place, in: bytes) && mayGoOn(behind: place, in: bytes, from: start)
  }
}
