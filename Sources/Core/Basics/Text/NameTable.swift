/// The names of a short list's records in other languages. They are compiled in and read during a search.
///
/// Each line of the text is a name, a tab, and the ids of the records with that name, separated by spaces: `ukraina`, `UA`. Names are
/// letters as a search has them (``SearchText``), and the lines are sorted by the bytes of their names. A sign before the ids (`Kind`)
/// marks a name that is only a part, or not the record's own. `Scripts/make-country-names.py` writes such a text.
public struct NameTable: Sendable {
  private let text: @Sendable () -> UnsafeBufferPointer<UInt8>

  /// Makes a table of a text that is never freed.
  public init(_ text: @escaping @Sendable () -> UnsafeBufferPointer<UInt8>) { self.text = text }

  enum Kind {
    case name
    /// The last words of a name of several words, such as `newguinea` of Papua New Guinea: `-`.
    case end
    /// Another name that leads to a record without being its own, such as a former name of a country's capital: `+`.
    case other
  }

  /// Finds the records with a name equal to `text`, and those with a name, the end of a name or another name that begins with it.
  func find(_ text: [UInt8]) -> Matches {
    var found = Matches()
    let isLong = text.count >= SearchText.leastBeginning
    var lines = lines
    lines.skip(to: text)
    for line in lines {
      let isWhole = line.name.count == text.count
      // Names that are equal to the text come before names that begin with it.
      guard line.name.starts(with: text), isWhole || isLong else { break }
      switch line.kind {
      case .name: if isWhole { found.whole += line.ids } else { found.begun += line.ids }
      case .end where isLong:
        found.begun += line.ids
        if isWhole { found.tails += line.ids }
      case .end: break
      case .other: found.begun += line.ids
      }
    }
    return found
  }

  /// Calls `take` with the letters of every full name and the ids of its records.
  func forEachName(_ take: (_ letters: [Unicode.Scalar], _ ids: () -> [String]) -> Void) {
    for line in lines where line.kind == .name {
      take(Array(String(decoding: line.name, as: UTF8.self).unicodeScalars)) { line.ids }
    }
  }

  private var lines: Lines { Lines(rest: text()[...]) }

  struct Matches {
    var whole: [String] = []
    /// Records with a name, or a word of a name, that begins with the text.
    var begun: [String] = []
    /// Records with a name whose last words are the text.
    var tails: [String] = []

    var isEmpty: Bool { whole.isEmpty && begun.isEmpty }
  }
}

private struct Line {
  let name: Slice<UnsafeBufferPointer<UInt8>>
  let kind: NameTable.Kind
  private let owners: Slice<UnsafeBufferPointer<UInt8>>

  init(name: Slice<UnsafeBufferPointer<UInt8>>, owners: Slice<UnsafeBufferPointer<UInt8>>) {
    self.name = name
    switch owners.first {
    case Byte.minus: (kind, self.owners) = (.end, owners.dropFirst())
    case Byte.plus: (kind, self.owners) = (.other, owners.dropFirst())
    default: (kind, self.owners) = (.name, owners)
    }
  }

  var ids: [String] { owners.split(separator: Byte.space).map { String(decoding: $0, as: UTF8.self) } }
}

/// The lines of a table from one of them to the end.
private struct Lines: Sequence, IteratorProtocol {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  mutating func next() -> Line? {
    guard let tab = rest.firstIndex(of: Byte.tab), let end = rest[tab...].firstIndex(of: Byte.newline) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return Line(name: rest[..<tab], owners: rest[(tab + 1)..<end])
  }

  /// Skips the names before `text` in the order of the table.
  mutating func skip(to text: [UInt8]) {
    var (low, high) = (rest.startIndex, rest.endIndex)
    while low < high {
      let middle = (low + high) / 2
      let start = rest[low..<middle].lastIndex(of: Byte.newline).map { $0 + 1 } ?? low
      var after = Lines(rest: rest[start...])
      if let line = after.next(), line.name.lexicographicallyPrecedes(text) {
        low = after.rest.startIndex
      } else {
        high = start
      }
    }
    rest = rest[low...]
  }
}
