/// What the records of a short list are called in other languages: names that are compiled in, and read where something is searched.
///
/// They are letters as a search has them (``SearchText``), sorted, in sections; `Scripts/make-country-names.py` writes the format:
///
/// - how many ids there are, and each id in two characters;
/// - sections: what they hold (`Kind`), the page of Unicode in which all their letters lie (their scalars without the last byte, which is
///   what a name has of each; `FF` where there are several pages: then names are in UTF-8), how many bytes follow in two bytes, the lower
///   one first, and the names;
/// - a name: how many bytes it shares with the one before it, how many follow, these, and whose name it is. Where the highest bit of the
///   second number is set, a number stands before the ids.
public struct NameTable: Sendable {
  private let bytes: @Sendable () -> UnsafeBufferPointer<UInt8>

  /// A table that is there for good.
  public init(_ bytes: @escaping @Sendable () -> UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  var count: Int { bytes().count }

  enum Kind: UInt8 {
    case names = 0
    /// Names from their second word on, or a later one.
    case ends = 1
    /// Other names that lead to a record and are not its own: of a country's capital.
    case others = 2
  }

  /// The records that have a name which is `text`, and those that have one which begins so, or a word of one, or another name.
  func find(_ text: [UInt8]) -> Matches {
    var found = Matches()
    let isLong = text.count >= SearchText.leastBeginning
    let reader = Reader(bytes: bytes())
    let scalars = String(decoding: text, as: UTF8.self).unicodeScalars
    let page = scalars.first.map { $0.value >> 8 } ?? 0
    let letters = scalars.allSatisfy { $0.value >> 8 == page } ? scalars.map { UInt8(truncatingIfNeeded: $0.value) } : nil
    for section in reader.sections where isLong || section.kind != .ends {
      // A text of one page may be the beginning of a name of several.
      guard let text = section.page == Self.severalPages ? text : section.page == page ? letters : nil else { continue }
      reader.forEachName(in: section, beginningWith: text) { isWhole, ids in
        if isWhole, section.kind == .names {
          found.whole += ids
        } else if isLong || isWhole && section.kind == .others {
          found.begun += ids
          if isWhole, section.kind == .ends { found.tails += ids }
        }
      }
    }
    return found
  }

  /// Every name in full, as letters, and whose it is.
  func forEachName(_ take: (_ letters: [Unicode.Scalar], _ ids: @escaping () -> [String]) -> Void) {
    let reader = Reader(bytes: bytes())
    for section in reader.sections where section.kind == .names {
      reader.forEachName(in: section) { name, ids in
        let isText = section.page == Self.severalPages
        let letters = isText ? Array(String(decoding: name, as: UTF8.self).unicodeScalars) : []
        take(isText ? letters : name.compactMap { Unicode.Scalar(section.page << 8 | UInt32($0)) }, ids)
      }
    }
  }

  private static let severalPages: UInt32 = 0xFF

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

extension NameTable {
  /// Reads the format. Safe because the table is part of the program, and a test reads all of it.
  private struct Reader {
    struct Section {
      let kind: Kind
      let page: UInt32
      let names: Range<Int>
    }

    let bytes: UnsafeBufferPointer<UInt8>

    private func id(_ number: UInt8) -> String {
      let start = 1 + 2 * Int(number)
      return String(decoding: bytes[start..<start + 2], as: UTF8.self)
    }

    var sections: [Section] {
      var sections: [Section] = []
      var at = 1 + 2 * Int(bytes.first ?? 0)
      while at + 4 <= bytes.count, let kind = Kind(rawValue: bytes[at]) {
        let start = at + 4
        let end = start + (Int(bytes[at + 2]) | Int(bytes[at + 3]) << 8)
        sections.append(Section(kind: kind, page: UInt32(bytes[at + 1]), names: start..<end))
        at = end
      }
      return sections
    }

    /// A name's own bytes, and the numbers of its ids.
    private func name(at start: Int) -> (shared: Int, rest: Range<Int>, ids: Range<Int>) {
      let length = Int(bytes[start + 1] & 0x7F)
      let end = start + 2 + length
      let ids = bytes[start + 1] < 0x80 ? end..<end + 1 : end + 1..<end + 1 + Int(bytes[end])
      return (Int(bytes[start]), start + 2..<end, ids)
    }

    func forEachName(in section: Section, _ take: (_ name: [UInt8], _ ids: @escaping () -> [String]) -> Void) {
      var (at, name): (Int, [UInt8]) = (section.names.lowerBound, [])
      while at < section.names.upperBound {
        let next = self.name(at: at)
        name.removeLast(name.count - next.shared)
        name += bytes[next.rest]
        take(name) { bytes[next.ids].map(id) }
        at = next.ids.upperBound
      }
    }

    /// The names that begin with `text`, without putting the others together.
    func forEachName(in section: Section, beginningWith text: [UInt8], _ take: (_ isWhole: Bool, _ ids: [String]) -> Void) {
      var at = section.names.lowerBound
      /// How many bytes of the text the name before had.
      var known = 0
      while at < section.names.upperBound {
        let next = name(at: at)
        at = next.ids.upperBound
        // What is sorted behind the text comes behind all that begin with it.
        if next.shared < known { return }
        // It differs from the text where the one before it did.
        if next.shared > known, known < text.count { continue }
        var length = known
        for byte in bytes[next.rest] where length < text.count {
          guard byte == text[length] else {
            if byte > text[length] { return }
            break
          }
          length += 1
        }
        known = length
        if length == text.count { take(next.shared + next.rest.count == length, bytes[next.ids].map(id)) }
      }
    }
  }
}
