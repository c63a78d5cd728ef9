/// Finds where a value of JSON ends, by its quotes and brackets alone: whether it is right in between, its reader tells.
///
/// A row on lines of its own that is never closed ends where another line begins as it did.
struct JSONScan {
  enum Stop {
    /// The value ends before this.
    case end(Int)
    /// A list begins here, the value of a member of the outermost object; the next call goes on into it.
    case list(at: Int, name: Range<Int>)
  }

  /// How many blanks stand before the value on its line; nil where something else does.
  let indentation: Int?
  /// How far it has looked.
  private(set) var at = 0
  /// The first line break in the value, or the one that broke it.
  private(set) var firstBreak: Int?
  /// The brackets that are open; true for an object.
  private var open: [Bool]
  private var isInString = false
  private var isInWord = false
  /// The last byte that is not blank; of a text its quote.
  private var last: UInt8 = 0
  private var text = 0..<0
  /// The list that was told of.
  private var told = -1
  /// How many blanks the line begins with so far; nil behind them.
  private var blanks: Int?
  /// How many the second line begins with.
  private var innerBlanks: Int?

  /// A scan of a value that begins with the first byte, or with `isInside` of the rest of an object.
  init(indentation: Int? = nil, isInside: Bool = false) {
    self.indentation = indentation
    open = isInside ? [true] : []
  }

  /// Whether the value ends with the bytes, if no more come.
  var isWord: Bool { isInWord && open.isEmpty }

  /// Where the value ends, or what there is to tell before; nil when more bytes are needed. The next call gets the same bytes and some more.
  mutating func next(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws -> Stop? {
    while at < bytes.count {
      if isInString {
        guard try passText(in: bytes, isLast) else { return nil }
        if open.isEmpty { return .end(at) }
        continue
      }
      let byte = bytes[at]
      if isInWord, Self.endsWord(byte) {
        isInWord = false
        if open.isEmpty { return .end(at) }
      }
      switch byte {
      case Byte.newline, Byte.carriageReturn:
        guard noteBreak(in: bytes, isLast) else { return nil }
        blanks = 0
      case Byte.space, Byte.tab: blanks = blanks.map { $0 + 1 }
      default:
        try beginLine(with: byte)
        if byte == Byte.openBracket, open.count == 1, open[0], last == Byte.colon, told != at {
          told = at
          return .list(at: at, name: text)
        }
        if try !step(over: byte) { return .end(at) }
        continue
      }
      at += 1
    }
    return nil
  }

  /// Takes one byte of the grammar; false where the value ends with it.
  private mutating func step(over byte: UInt8) throws -> Bool {
    switch byte {
    case Byte.quote:
      isInString = true
      text = at + 1..<at + 1
    case Byte.openBrace, Byte.openBracket:
      guard open.count < Parser.depthLimit else { throw SourceError(.malformed, "it has more than \(Parser.depthLimit) levels") }
      open.append(byte == Byte.openBrace)
    case Byte.closeBrace, Byte.closeBracket:
      guard open.popLast() == (byte == Byte.closeBrace) else { throw SourceError(.malformed, "a bracket is never closed") }
      if open.isEmpty {
        at += 1
        return false
      }
    case Byte.comma, Byte.colon: break
    default: isInWord = true
    }
    last = byte
    at += 1
    return true
  }

  /// Looks for the end of a text; false when more bytes are needed.
  private mutating func passText(in bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) throws -> Bool {
    var index = at
    defer { at = index }
    while index < bytes.count {
      switch bytes[index] {
      case Byte.quote:
        text = text.lowerBound..<index
        (isInString, last) = (false, Byte.quote)
        index += 1
        return true
      case Byte.backslash:
        guard index + 1 < bytes.count else { return false }
        // What stands behind it is looked at where it ends a line.
        index += bytes[index + 1] < Byte.space ? 1 : 2
      case Byte.newline, Byte.carriageReturn:
        at = index
        guard noteBreak(in: bytes, isLast) else { return false }
        throw SourceError(.malformed, "a quote is never closed")
      default: index += 1
      }
    }
    return false
  }

  /// Notes the first line break; false where it is not known yet whether a line feed follows a return.
  private mutating func noteBreak(in bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) -> Bool {
    guard bytes[at] == Byte.newline || at + 1 < bytes.count || isLast else { return false }
    if firstBreak == nil { firstBreak = at }
    return true
  }

  /// A line that begins as the row did, and deeper than which the row's own lines stand, is another row's.
  private mutating func beginLine(with byte: UInt8) throws {
    guard let blanks else { return }
    self.blanks = nil
    if byte == Byte.openBrace, let indentation, blanks == indentation {
      let mayFollow = last == Byte.colon || last == Byte.openBracket || last == Byte.comma && open.last == false
      if !mayFollow || (innerBlanks ?? 0) > indentation { throw SourceError(.malformed, "a bracket is never closed") }
    }
    if innerBlanks == nil { innerBlanks = blanks }
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case Byte.comma, Byte.colon, Byte.quote, Byte.openBrace, Byte.closeBrace, Byte.openBracket, Byte.closeBracket: true
    default: Byte.isSpace(byte)
    }
  }
}

extension JSONScan {
  /// Whether the object that `bytes` begin with ends on its first line, and is a row; nil when more of them are needed.
  mutating func isRowOnOneLine(
    in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool, isEnvelope: (UnsafeBufferPointer<UInt8>, Range<Int>) -> Bool
  ) -> Bool? {
    var isBroken = false
    do {
      while let stop = try next(in: bytes, isLast: isLast) {
        switch stop {
        case .list(let list, let name): if isEnvelope(UnsafeBufferPointer(rebasing: bytes[..<list]), name) { return false }
        case .end(let end):
          let isFollowed = bytes[end...].first { $0 != Byte.space && $0 != Byte.tab } == Byte.openBrace
          return firstBreak == nil && !isFollowed
        }
      }
    } catch {
      isBroken = true
    }
    guard let firstBreak else { return isBroken ? true : nil }
    guard let second = bytes[firstBreak...].firstIndex(where: { $0 > Byte.space }) else { return isBroken ? true : nil }
    // A second line that goes on with the object shows that it is laid out.
    return at > second ? false : isBroken ? true : nil
  }
}
