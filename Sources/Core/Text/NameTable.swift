/// What the records of a short list are called in other languages: names that are compiled in, and read where something is searched.
///
/// Each line of the text is a name, a tab and the ids of those that have it, with blanks between: `ukraina`, `UA`. Names are letters as a
/// search has them (``SearchText``), and the lines are sorted by the bytes of their names. Before the ids stands a sign (`Kind`) where the
/// name is not all that a record is called. `Scripts/make-country-names.py` writes such a text.
public struct NameTable: Sendable {
  private let text: @Sendable () -> UnsafeBufferPointer<UInt8>

  /// A table of a text that is there for good.
  public init(_ text: @escaping @Sendable () -> UnsafeBufferPointer<UInt8>) { self.text = text }

  enum Kind {
    case name
    /// A name from its second word on, or a later one: `-`.
    case end
    /// Another name that leads to a record and is not its own, such as a former name of a country's capital: `+`.
    case other
  }

  /// The records that have a name which is `text`, and those that have one which begins so, or a word of one, or another name.
  func find(_ text: [UInt8]) -> Matches {
    var found = Matches()
    let isLong = text.count >= SearchText.leastBeginning
    var lines = lines
    lines.skip(to: text)
    for line in lines {
      let isWhole = line.name.count == text.count
      // What is all of a name comes before what begins one.
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

  /// Every name in full, as letters, and whose it is.
  func forEachName(_ take: (_ letters: [Unicode.Scalar], _ ids: () -> [String]) -> Void) {
    for line in lines where line.kind == .name {
      take(Array(String(decoding: line.name, as: UTF8.self).unicodeScalars)) { line.ids }
    }
  }

  private var lines: Lines { Lines(rest: text()[...]) }

  struct Matches {
    var whole: [String] = []
    /// The same of names that only begin with it, or of which one word does.
    var begun: [String] = []
    /// The same of names whose last words are the text.
    var tails: [String] = []

    var isEmpty: Bool { whole.isEmpty && begun.isEmpty }

    func has(_ id: String) -> Bool { whole.contains(id) || begun.contains(id) }
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

/// The lines of a table, from one of them on.
private struct Lines: Sequence, IteratorProtocol {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  mutating func next() -> Line? {
    guard let tab = rest.firstIndex(of: Byte.tab), let end = rest[tab...].firstIndex(of: Byte.newline) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return Line(name: rest[..<tab], owners: rest[(tab + 1)..<end])
  }

  /// Passes over the names before `text` in their order.
  mutating func skip(to text: [UInt8]) {
    var (low, high) = (rest.startIndex, rest.endIndex)
    while low < high {
      let middle = (low + high) / 2
      let start = rest[low..<middle].lastIndex(of: Byte.newline).map { $0 + 1 } ?? low
      var behind = Lines(rest: rest[start...])
      if let line = behind.next(), line.name.lexicographicallyPrecedes(text) {
        low = behind.rest.startIndex
      } else {
        high = start
      }
    }
    rest = rest[low...]
  }
}
