/// A text that a person looks for, with the one rule by which it is found.
///
///     SearchText("spider man")  // finds "Spider-Man", "SPIDERMAN" and "The Man of Spiders"
///     SearchText("Spider-Man")  // finds the first two
///
/// Texts are compared folded (``Fold``). Joints are the characters that are not letters, digits or marks; they only separate words. Blanks
/// separate the words to look for. Each of these must be found, in any order, in any searched value: inside a single word, or from the
/// beginning of a word on across the joints after it. `spiderman` and `iderm` are in "Spiderman", `spiderman` is in "Spider-Man", `iderm`
/// is not. All words in one piece are found in the same way. An id is found by a part of at least three letters or digits; so are e-mail
/// addresses, numbers and phone numbers, which people know by a part. An article before other words need not be found.
///
/// A text of joints alone (`%`, an emoji) is looked for as it is. A text of which folding leaves nothing is found everywhere.
public struct SearchText: Sendable, Hashable {
  /// The folded words to look for, without their joints, each once.
  package let words: [[UInt8]]
  /// All the words in one piece.
  package let whole: [UInt8]
  /// All the words in one piece, without an article at the beginning.
  let core: [UInt8]
  /// True when the text has no words, so that its joints are looked for.
  package let isOfJoints: Bool

  /// Splits a typed text into its words.
  public init(_ text: String) {
    let pieces = text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
    let letters = pieces.map { SearchedText.bytes(of: $0, as: .letters) }.filter { !$0.isEmpty }
    isOfJoints = letters.isEmpty && !pieces.isEmpty
    if isOfJoints {
      whole = SearchedText.bytes(of: pieces.joined(separator: " "), as: .joints)
      core = whole
      words = whole.isEmpty ? [] : [whole]
    } else {
      whole = Array(letters.joined())
      let counted =
        letters.count > 1 && Self.articles.contains { letters[0].elementsEqual($0.utf8) } ? letters.dropFirst() : letters[...]
      core = Array(counted.joined())
      // A set takes more time than all else here, and most texts have one word.
      var known: Set<[UInt8]> = []
      words = counted.count == 1 ? letters.suffix(1) : counted.filter { known.insert($0).inserted }
    }
  }

  /// The articles that people write before names without one: in English, German, French and Spanish.
  private static let articles = ["the", "der", "die", "das", "le", "la", "les", "el", "los", "las"]

  /// The least number of bytes of a word's beginning that may stand for the whole word: a shorter one would begin too many words.
  static var leastBeginning: Int { 4 }

  /// True when every text matches.
  public var isEmpty: Bool { words.isEmpty }

  /// True when the text is found in `texts`, the values of one record.
  public func isFound(in texts: some Sequence<String>) -> Bool {
    var values = emptyValues
    for text in texts {
      values.append(text)
      values.endValue()
    }
    return isEmpty || quality(in: values) != nil || !isOneWord && words.allSatisfy { values.quality(of: $0) != nil }
  }

  var emptyValues: SearchedText { SearchedText(isOfJoints ? .markedJoints : .markedLetters) }

  /// Returns the quality of the best match of the whole text in the values; nil if they do not have it in one piece.
  func quality(in values: SearchedText) -> MatchQuality? {
    guard let quality = values.quality(of: core) else { return nil }
    // With its article the text may be a whole value, of which it would otherwise be only the second word.
    return core.count == whole.count ? quality : values.quality(of: whole).map { min($0, quality) } ?? quality
  }

  /// True when an id consists of exactly that word.
  func isWhole(_ word: [UInt8], of id: [UInt8]) -> Bool {
    if !isOfJoints {
      var length = 0
      var isASCII = true
      for byte in id {
        if byte >= 0x80 {
          isASCII = false
          break
        }
        let letter = byte &- 0x41 < 26 ? byte | 0x20 : byte
        guard letter &- 0x61 < 26 || letter &- 0x30 < 10 else { continue }
        // Nearly every id differs in its first letter.
        guard length < word.count, word[length] == letter else { return false }
        length += 1
      }
      if isASCII { return length == word.count }
    }
    return SearchedText.bytes(of: String(decoding: id, as: UTF8.self), as: isOfJoints ? .joints : .letters) == word
  }

  var isOneWord: Bool { words.count == 1 && words[0].count == core.count }
}

/// The quality of a match in a value; the best is the smallest.
enum MatchQuality: Comparable {
  case exact, beginning, wordBeginning, inside
}

/// The values that a search looks at, one after the other: folded, without joints.
struct SearchedText: Sendable {
  enum Form {
    /// Letters alone, as an index has them, and as a text to look for has them.
    case letters
    /// Letters with a mark before each word.
    case markedLetters
    /// Everything but control characters.
    case joints
    /// Everything but control characters, with a mark at the beginning.
    case markedJoints

    var isMarked: Bool { self == .markedLetters || self == .markedJoints }
    var isOfLetters: Bool { self == .letters || self == .markedLetters }
  }

  /// The byte before each word; a control character never remains in a text.
  private static let mark: UInt8 = 1
  private static let end = Byte.newline

  let form: Form
  /// Room for the values, which are its first `count` bytes. It is written in place, and used again for the next record.
  private var buffer: [UInt8] = []
  private(set) var count = 0
  /// The index at which the current value begins.
  private var start = 0

  init(_ form: Form) { self.form = form }

  static func bytes(of text: String, as form: Form) -> [UInt8] {
    var searched = SearchedText(form)
    searched.append(text)
    return Array(searched.bytes)
  }

  /// The values, each with its end.
  var bytes: ArraySlice<UInt8> { buffer[..<count] }

  @inline(__always) private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    buffer.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[..<count])) }
  }

  mutating func removeAll() { (count, start) = (0, 0) }

  private mutating func makeRoom(for length: Int) {
    let missing = count + length - buffer.count
    if missing > 0 { buffer.append(contentsOf: repeatElement(0, count: max(missing, buffer.count, 64))) }
  }

  private mutating func append(_ byte: UInt8) {
    makeRoom(for: 1)
    buffer[count] = byte
    count += 1
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(utf8: $0) }
  }

  /// Appends to the current value; the new words do not join the ones before them.
  mutating func append(utf8 text: UnsafeBufferPointer<UInt8>) {
    if form.isOfLetters, appendASCII(text) { return }
    // Every mark but the first takes the place of a joint.
    if form.isMarked { append(Self.mark) }
    let (first, form) = (count, form)
    buffer.removeLast(buffer.count - count)
    Fold.fold(utf8: text, into: &buffer)
    count = buffer.withUnsafeMutableBufferPointer { Self.removeJoints(of: $0, from: first, form) }
  }

  /// Appends a text in ASCII, as nearly all are, in one pass. Returns false, with nothing appended, if another character occurs.
  private mutating func appendASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    // Every mark but the first takes the place of a joint.
    makeRoom(for: text.count + 1)
    let (isMarked, first) = (form.isMarked, count)
    let end = buffer.withUnsafeMutableBufferPointer { buffer -> Int? in
      var (write, isInWord) = (first, !isMarked)
      for byte in text {
        let letter = byte &- 0x41 < 26 ? byte | 0x20 : byte
        if letter &- 0x61 < 26 || letter &- 0x30 < 10 {
          if !isInWord {
            buffer[write] = Self.mark
            write &+= 1
            isInWord = true
          }
          buffer[write] = letter
          write &+= 1
        } else if letter < 0x80 {
          isInWord = !isMarked
        } else {
          return nil
        }
      }
      return write
    }
    count = end ?? first
    return end != nil
  }

  /// Ends the current value; a value without characters does not count.
  mutating func endValue() {
    guard count > start else { return }
    append(Self.end)
    start = count
  }

  /// The words of all values; needs marked letters.
  var words: [ArraySlice<UInt8>] { bytes.split { $0 == Self.mark || $0 == Self.end } }

  /// Returns the words of a text as they are written.
  static func pieces(of text: String) -> [String] {
    text.unicodeScalars.split { scalar in
      scalar.isASCII ? !(scalar.properties.isAlphabetic || scalar.properties.numericType != nil) : !isInWords(scalar.value)
    }.map { String($0) }
  }

  /// True when `line`, a single value, is one of the values.
  func hasLine(_ line: SearchedText) -> Bool {
    guard line.count <= count else { return false }
    return withBytes { bytes in
      line.withBytes { line in
        var start = 0
        while start + line.count <= bytes.count {
          var length = 0
          while length < line.count, bytes[start + length] == line[length] { length += 1 }
          if length == line.count { return true }
          start += length
          while start < bytes.count, bytes[start] != Self.end { start += 1 }
          start += 1
        }
        return false
      }
    }
  }

  /// Removes the joints from `first` on, adds the marks, and returns the new end.
  private static func removeJoints(of bytes: UnsafeMutableBufferPointer<UInt8>, from first: Int, _ form: Form) -> Int {
    var read = first
    var write = form.isMarked ? first - 1 : first
    var isInWord = false
    while read < bytes.count {
      let byte = bytes[read]
      var count = 1
      let stays: Bool
      if byte < 0x80 {
        stays = byte &- 0x61 < 26 || byte &- 0x30 < 10 || !form.isOfLetters && byte >= 0x20 && byte != 0x7F
      } else {
        let scalar = UnsafeBufferPointer(bytes).scalar(at: read)
        count = scalar.count
        stays = !form.isOfLetters || isInWords(scalar.value)
      }
      if stays {
        if !isInWord, form.isMarked {
          bytes[write] = mark
          write += 1
        }
        for offset in 0..<count { bytes[write + offset] = bytes[read + offset] }
        write += count
      }
      isInWord = stays
      read += count
    }
    return write
  }

  /// True when a character beyond ASCII is part of a word. Many scripts write vowels as marks, and folding keeps some of these.
  private static func isInWords(_ value: UInt32) -> Bool {
    guard let scalar = Unicode.Scalar(value) else { return false }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
      .spacingMark, .enclosingMark, .decimalNumber, .letterNumber, .otherNumber, .privateUse, .unassigned:
      // An unassigned character will most likely become a letter; an index made before that has it already.
      return true
    default: return false
    }
  }

  /// Returns the quality of the best match of the word, nil if no value has it; needs marked values.
  func quality(of word: [UInt8]) -> MatchQuality? {
    guard let first = word.first else { return .inside }
    return withBytes { bytes in
      word.withUnsafeBufferPointer { word in
        var best: MatchQuality?
        for start in bytes.indices where bytes[start] == first {
          // A mark is before every word, so that a byte is before every letter.
          let isAtWord = bytes[start - 1] == Self.mark
          if !isAtWord, best != nil { continue }
          guard let end = Self.end(of: word, in: bytes, from: start, acrossWords: isAtWord) else { continue }
          guard isAtWord else {
            best = .inside
            continue
          }
          let quality: MatchQuality =
            start > 1 && bytes[start - 2] != Self.end ? .wordBeginning : bytes[end] == Self.end ? .exact : .beginning
          if quality == .exact { return .exact }
          best = min(best ?? .inside, quality)
        }
        return best
      }
    }
  }

  /// The least number of bytes in a part of an id: a shorter part would be in too many ids.
  static var leastPart: Int { 3 }
  /// The least number of bytes in a part of a long hexadecimal value: three letters of a name occur in many of those by chance.
  private static var leastHexadecimalPart: Int { 6 }
  /// The number of digits from which on a hexadecimal value is long.
  private static var longHexadecimal: Int { 24 }

  /// True when a value has that word anywhere and the word is long enough for a part of an id; needs letters without marks.
  func hasPart(_ word: [UInt8]) -> Bool {
    guard let first = word.first, word.count >= Self.leastPart else { return false }
    return withBytes { bytes in
      var start = 0
      while start + word.count <= bytes.count {
        if bytes[start] == first, bytes[start..<start + word.count].elementsEqual(word) {
          if word.count >= Self.leastHexadecimalPart || !Self.isHexadecimal(bytes, around: start) { return true }
        }
        start += 1
      }
      return false
    }
  }

  /// True when the value around that index is a long hexadecimal number.
  private static func isHexadecimal(_ bytes: UnsafeBufferPointer<UInt8>, around index: Int) -> Bool {
    let start = bytes[..<index].lastIndex(of: end).map { $0 + 1 } ?? 0
    let value = bytes[start...].prefix { $0 != end }
    return value.count >= longHexadecimal && value.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 6 }
  }

  /// True when a value has exactly that word; needs marked values.
  func hasWholeWord(_ word: [UInt8]) -> Bool { hasWord(word, orBeginningFrom: .max) }

  /// True when a value has the word. A longer word that begins with it counts too if `word` has at least `length` bytes. Needs marked values.
  func hasWord(_ word: [UInt8], orBeginningFrom length: Int = SearchText.leastBeginning) -> Bool {
    guard let first = word.first, form.isOfLetters else { return quality(of: word) != nil }
    return withBytes { bytes in
      word.withUnsafeBufferPointer { word in
        for start in bytes.indices where bytes[start] == first && bytes[start - 1] == Self.mark {
          guard let end = Self.end(of: word, in: bytes, from: start, acrossWords: true) else { continue }
          if word.count >= length || bytes[end] == Self.mark || bytes[end] == Self.end { return true }
        }
        return false
      }
    }
  }

  /// Returns the end of a word that begins at `start`; nil if another word begins there. Every value is followed by an end.
  @inline(__always) private static func end(
    of word: UnsafeBufferPointer<UInt8>, in bytes: UnsafeBufferPointer<UInt8>, from start: Int, acrossWords: Bool
  ) -> Int? {
    var at = start + 1
    var length = 1
    while length < word.count {
      guard at < bytes.count else { return nil }
      if bytes[at] == word[length] {
        length += 1
      } else if bytes[at] != mark || !acrossWords {
        return nil
      }
      at += 1
    }
    return at < bytes.count ? at : nil
  }
}
