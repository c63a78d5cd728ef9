/// Finds secrets in bytes, and costs next to nothing where there are none.
///
/// An occurrence either is plain throughout, and is looked for as plain texts are (after Wu and Manber, by pairs of bytes: most of the
/// bytes are never looked at); or it has a first escape in it, and only where one stands is anything else compared.
struct SecretSearch: Sendable {
  private let forms: [SecretForm]

  private let needles: [(bytes: [UInt8], form: Int)]
  /// The length of the shortest needle.
  private let window: Int
  /// By the last two bytes of a window: how far the next place is at which a needle may begin.
  private let shifts: [UInt8]

  /// By the byte that an escape stands for: the characters of the forms that begin with it.
  private let turns: [[(form: Int, turn: Spelling.Turn)]]
  /// Whether a `+` may stand for a space.
  private let isPlusSpace: Bool

  init(_ forms: [SecretForm]) {
    self.forms = forms
    needles = forms.indices.flatMap { form in forms[form].spelling.plain.map { ($0, form) } }
    let window = needles.map(\.bytes.count).min() ?? 1
    var shifts = [UInt8](repeating: UInt8(clamping: window - 1), count: 4096)
    for needle in needles.map(\.bytes) where window > 1 {
      for index in 1..<window {
        let hash = Self.hash(needle[index - 1], needle[index])
        shifts[hash] = min(shifts[hash], UInt8(clamping: window - 1 - index))
      }
    }
    self.window = window
    self.shifts = shifts
    var turns = [[(form: Int, turn: Spelling.Turn)]](repeating: [], count: 256)
    for (index, form) in forms.enumerated() {
      for turn in form.spelling.turns { turns[Int(turn.byte)].append((index, turn)) }
    }
    self.turns = turns
    isPlusSpace = forms.contains(where: \.spelling.hasSpace)
  }

  private static func hash(_ first: UInt8, _ second: UInt8) -> Int { (Int(first) &<< 5 ^ Int(second)) & 4095 }

  func finds(in bytes: UnsafeBufferPointer<UInt8>) -> Bool { plain(in: bytes, from: 0) != nil || escaped(in: bytes, from: 0) != nil }

  /// Calls `body` with every occurrence, from the first to the last.
  func forEach(in bytes: UnsafeBufferPointer<UInt8>, _ body: (FoundSecret) -> Void) {
    var plain = plain(in: bytes, from: 0)
    var escaped = escaped(in: bytes, from: 0)
    while let found = [plain, escaped].compactMap({ $0 }).min(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      body(found)
      let end = found.range.upperBound
      if let old = plain, old.range.lowerBound < end { plain = self.plain(in: bytes, from: end) }
      if let old = escaped, old.range.lowerBound < end { escaped = self.escaped(in: bytes, from: end) }
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
    for (needle, form) in needles where needle.count <= bytes.count - start && needle[0] == bytes[start] {
      guard needle.indices.allSatisfy({ bytes[start + $0] == needle[$0] }) else { continue }
      if let found = forms[form].found(start..<start + needle.count, in: bytes) { return found }
    }
    return nil
  }
}

// MARK: - Escaped

extension SecretSearch {
  private func escaped(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> FoundSecret? {
    var at = start
    while let place = escape(in: bytes, from: at) {
      var first: FoundSecret?
      let escape = Escape(in: bytes, at: place)
      escape.forEachByte { byte in
        for (form, turn) in turns[Int(byte)] {
          if let before = turn.before, place == start || bytes[place - 1] != before { continue }
          let spelling = forms[form].spelling
          guard let begin = spelling.start(of: turn.unit, before: place, in: bytes), begin >= start,
            first.map({ begin < $0.range.lowerBound }) ?? true, let end = spelling.end(in: bytes, at: begin)
          else { continue }
          first = forms[form].found(begin..<end, in: bytes) ?? first
        }
      }
      if let first { return first }
      at = escape.end
    }
    return nil
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
