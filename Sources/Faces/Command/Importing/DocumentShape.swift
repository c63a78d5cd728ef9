import AggregatorCore
import Asking
import Bodies

/// Rows in JSON documents: in a list, in the list of an envelope, or each alone; on one line or on several.
///
/// The bytes between rows are passed piece by piece, so that a document may have any length. After a broken row the reading ends, because
/// nothing shows where the next row begins.
struct DocumentShape: RowShape {
  /// The position in a document; the tail is everything after the list of an envelope.
  private enum Part { case outside, list, items, tail }

  var hasLines: Bool { false }

  private(set) var envelope: EnvelopeReader
  private var start = TextLocation()
  private var part = Part.outside
  private var scan = JSONScan()

  init(_ envelope: EnvelopeReader) { self.envelope = envelope }

  mutating func begin(at start: TextLocation) { (self.start, scan) = (start, JSONScan(isInside: part == .tail)) }

  mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd? {
    let gap = bytes.prefix { $0 <= Byte.space || $0 == Byte.comma && part != .outside }.count
    if gap > 0 { return RowEnd(total: gap, isRow: false) }
    switch (part, bytes.first) {
    case (_, nil):
      if isLast, part != .outside { throw SourceError(.truncated, "the file is cut short") }
      return nil
    case (.outside, Byte.openBracket): part = .list
    case (.list, Byte.closeBracket): part = .outside
    case (.items, Byte.closeBracket): part = .tail
    default:
      while let stop = scan.next(in: bytes) {
        switch stop {
        case .end(let end): return try ended(in: bytes[..<end])
        case .list(let list, let name):
          guard part == .outside, try envelope.takeHead(bytes[..<list], list: bytes[name]) else { continue }
          part = .items
          return RowEnd(total: list + 1, isRow: false)
        }
      }
      // The row's reader says what is missing.
      return isLast ? try ended(in: bytes[...]) : nil
    }
    return RowEnd(total: 1, isRow: false)
  }

  private mutating func ended(in bytes: Slice<Bytes>) throws -> RowEnd {
    guard part == .tail else { return RowEnd(total: bytes.count) }
    part = .outside
    start.column -= 1
    var reader = JSON.Reader()
    try envelope.take((Array("{".utf8) + bytes).withUnsafeBufferPointer { try reader.read($0, from: start) })
    return RowEnd(total: bytes.count, isRow: false)
  }
}

/// Finds the end of a JSON value by quotes and brackets alone. The value's reader finds mistakes inside it.
struct JSONScan {
  enum Stop {
    /// The value ends before this.
    case end(Int)
    /// A list begins here, the value of a member of the outermost object. The next call continues inside it.
    case list(at: Int, name: Range<Int>)
  }

  private var at = 0
  private var depth: Int
  private var isInText = false
  private var text = 0..<0

  /// Scans a value that begins with the first byte, or with `isInside` the rest of an object.
  init(isInside: Bool = false) { depth = isInside ? 1 : 0 }

  /// Returns the end of the value, or a list that begins before it; nil if more bytes are needed. The next call
  /// gets the same bytes and some more.
  mutating func next(in bytes: Bytes) -> Stop? {
    while at < bytes.count {
      let byte = bytes[at]
      if depth == 0, at > 0, !isInText, byte <= Byte.space || ",\"{}[]".utf8.contains(byte) { return .end(at) }
      at += 1
      switch byte {
      case Byte.backslash where isInText: at += 1
      // A text does not continue on the next line.
      case Byte.newline where isInText: return .end(at)
      case Byte.quote:
        isInText.toggle()
        text = isInText ? at..<at : text.lowerBound..<at - 1
        if !isInText, depth == 0 { return .end(at) }
      case _ where isInText: break
      case Byte.openBrace: depth += 1
      case Byte.openBracket:
        depth += 1
        if depth == 2, bytes[0] == Byte.openBrace { return .list(at: at - 1, name: text) }
      case Byte.closeBrace, Byte.closeBracket:
        depth -= 1
        if depth <= 0 { return .end(at) }
      default: break
      }
    }
    return nil
  }
}

/// The members of a document around its rows: those of an envelope, before the rows or after them.
struct EnvelopeReader {
  private let source: String
  /// The names of the fields of the records that are wanted.
  private let fields: Set<String>
  /// A text about missing records, if the answer says that it is incomplete; nil otherwise.
  private(set) var shortage: String?

  init(of source: String, fields: Set<String>) { (self.source, self.fields) = (source, fields) }

  private static let names: Set = [
    "source", "query", "items", "origin", "total", "skipped", "duplicates", "misfits", "verdict",
  ]

  /// Takes the members before a list if they belong to an envelope; returns false if not, because a record may have a list of that name
  /// too. Throws if the file must not be read further.
  mutating func takeHead(_ members: Slice<Bytes>, list name: Slice<Bytes>) throws -> Bool {
    let list = String(decoding: name, as: UTF8.self)
    guard list == "items" || list == "sources", let head = try? JSON(Array(members) + "null}".utf8) else { return false }
    let names = Set(head.members.map { $0.key })
    if names == ["query", "sources"] { throw refusalOfAll }
    guard names.isSubset(of: Self.names), !fields.contains(list) || names.isSuperset(of: ["source", "query"]) else {
      return false
    }
    try take(head)
    return true
  }

  /// Takes members before the list or after it.
  mutating func take(_ members: JSON) throws {
    if let name = try? members.string("source"), name != source {
      // The name becomes part of a command to type.
      let isPlain = 1...64 ~= name.utf8.count && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      let what = isPlain ? "these are \(name), not \(source)" : "these are the records of another source"
      throw Refusal(error: SourceError(.malformed, what, remedy: isPlain ? .importInto(name) : nil))
    }
    if let verdict = members["verdict"], (try? verdict.string("kind")) == "partial" {
      let reason = (try? verdict.string("reason")).map { Printable.clean($0) } ?? "it does not say why"
      shortage = Shortfall.recorded(reason).sentence
    }
  }

  /// Throws for a row from a search over all sources.
  func check(_ row: JSON) throws {
    if row.members.map({ $0.key }) == ["source", "item"], !fields.contains("item") { throw refusalOfAll }
  }

  private var refusalOfAll: Refusal {
    Refusal(
      error: SourceError(
        .malformed, "this is the answer of a search over all sources",
        remedy: .ask(.init("search", "TEXT", of: source, with: [.init("format", "json")]), "for the answer of one")))
  }
}
