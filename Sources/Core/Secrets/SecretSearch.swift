/// Finds secrets in bytes, and costs next to nothing where there are none.
///
/// An occurrence either is plain throughout, and is looked for as plain texts are (after Wu and Manber, by pairs of bytes: most of the
/// bytes are never looked at); or it has a first escape in it, and only where one stands is anything else compared.
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

// MARK: - Escaped

extension SecretSearch {
  private func escaped(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> FoundSecret? {
    var at = start
    while let place = escape(in: bytes, from: at) {
      let escape = Escape(in: bytes, at: place)
      var first: FoundSecret?
      let (one, two, three) = escape.meanings
      if one >= 0 { first = occurrence(withEscapeAt: place, for: one, in: bytes, from: start, before: first) }
      if two >= 0 { first = occurrence(withEscapeAt: place, for: two, in: bytes, from: start, before: first) }
      if three >= 0 { first = occurrence(withEscapeAt: place, for: three, in: bytes, from: start, before: first) }
      if let first { return first }
      at = escape.end
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
      let form = forms[turns[index].form]
      guard let begin = form.spelling.start(of: turn.unit, before: place, in: bytes), begin >= start,
        first.map({ begin < $0.start }) ?? true, let end = form.spelling.end(in: bytes, at: begin)
      else { continue }
      first = form.found(begin..<end, in: bytes) ?? first
    }
    return first
  }

  /// The next byte that may begin an escape.
  private func escape(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    typealias Block = SIMD16<UInt8>
    let one = Block(repeating: 1)
    let percent = Block(repeating: UInt8(ascii: "%"))
    let backslash = Block(repeating: UInt8(ascii: "\\"))
    let ampersand = Block(repeating: UInt8(ascii: "&"))
    let plus = Block(repeating: isPlusSpace ? UInt8(ascii: "+") : UInt8(ascii: "&"))
    let raw = UnsafeRawBufferPointer(bytes)
    var at = start
    while at + 16 <= bytes.count {
      let block = raw.loadUnaligned(fromByteOffset: at, as: Block.self)
      // What is zero, and nothing else, has a high bit where one is taken from it and it has none itself.
      let (a, b, c, d) = (block ^ percent, block ^ backslash, block ^ ampersand, block ^ plus)
      let marks = ((a &- one) & ~a) | ((b &- one) & ~b) | ((c &- one) & ~c) | ((d &- one) & ~d)
      if let count = PlainText.count(before: marks) { return at + count }
      at += 16
    }
    while at < bytes.count {
      if "%\\&".utf8.contains(bytes[at]) || (isPlusSpace && bytes[at] == UInt8(ascii: "+")) { return at }
      at += 1
    }
    return nil
  }
}
