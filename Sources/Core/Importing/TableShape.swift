/// A row of values by RFC 4180: it ends with a line break outside quotes, and its values are found on the way there.
///
/// A quote opens only where a value begins; elsewhere it is a character: `19" monitor`. Behind a closing quote the value must end:
/// where it does not, a quote is missing before, and nothing tells how far the row goes.
struct TableShape: RowShape {
  private enum State {
    /// A value begins.
    case value
    case plain
    case quoted
    /// Behind a quote in a quoted value, which closes it unless another one follows.
    case quote
  }

  /// Where a value lies, without the quotes around it.
  private struct Span {
    let bytes: Range<Int>
    let hasQuotes: Bool
  }

  let lineBreak: UInt8
  /// What stands between values: a comma, or a semicolon.
  private let separator: UInt8
  private var spans: [Span] = []
  private var state = State.value
  private var at = 0
  private var start = 0
  private var hasQuotes = false
  /// Whether a value of the row is quoted, so that line breaks may be in it.
  private var isQuoted = false

  init(lineBreak: UInt8 = Byte.newline, separator: UInt8 = Byte.comma) { (self.lineBreak, self.separator) = (lineBreak, separator) }

  mutating func begin(at line: Int) {
    spans.removeAll(keepingCapacity: true)
    (state, at, isQuoted) = (.value, 0, false)
  }

  mutating func end(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws -> RowEnd? {
    while at < bytes.count {
      let byte = bytes[at]
      switch state {
      case .value:
        hasQuotes = false
        if byte == Byte.quote {
          at += 1
          (state, isQuoted) = (.quoted, true)
        } else {
          state = .plain
        }
        start = at
      case .plain where byte == lineBreak: return finish(bytes, at: at)
      case .plain where byte == separator: close(before: at)
      case .plain: at = bytes.endOfPlain(from: at, separator, lineBreak)
      case .quoted:
        let quote = bytes.index(of: Byte.quote, from: at)
        if quote != nil { state = .quote }
        at = quote.map { $0 + 1 } ?? bytes.count
      case .quote where byte == Byte.quote:
        hasQuotes = true
        at += 1
        state = .quoted
      case .quote where byte == separator: close(before: at - 1)
      case .quote:
        let newline = byte == Byte.carriageReturn && byte != lineBreak ? at + 1 : at
        if newline == bytes.count {
          guard isLast else { return nil }
          return finish(bytes, at: nil)
        }
        guard bytes[newline] == lineBreak else { throw misplaced(in: bytes) }
        return finish(bytes, at: newline)
      }
    }
    guard isLast else { return nil }
    if state == .quoted { throw SourceError(.malformed, "a quote is never closed") }
    return finish(bytes, at: nil)
  }

  /// A quote closed a value that goes on: on another line it was rather the next row's.
  private func misplaced(in bytes: UnsafeBufferPointer<UInt8>) -> SourceError {
    let isOneLine = bytes[start..<at].allSatisfy { $0 != lineBreak }
    return SourceError(.malformed, isOneLine ? "there is text after a closing quote" : "a quote is never closed")
  }

  /// The value ends, and behind the separator another one begins.
  private mutating func close(before end: Int) {
    spans.append(Span(bytes: start..<end, hasQuotes: hasQuotes))
    at += 1
    state = .value
  }

  private mutating func finish(_ bytes: UnsafeBufferPointer<UInt8>, at newline: Int?) -> RowEnd {
    let row = UnsafeBufferPointer(rebasing: bytes[..<(newline ?? bytes.count)])
    let end = RowEnd(bytes, at: newline, inner: isQuoted ? row.count { $0 == lineBreak } : 0)
    // Nothing stands behind a last separator.
    if state == .value { (start, hasQuotes) = (end.length, false) }
    spans.append(Span(bytes: start..<(state == .quote ? at - 1 : end.length), hasQuotes: hasQuotes))
    return end
  }

  /// The values of the row that was found in `bytes`.
  func values(_ bytes: UnsafeBufferPointer<UInt8>) throws -> [String] {
    try spans.map { span in
      let value = UnsafeBufferPointer(rebasing: bytes[span.bytes])
      let text = span.hasQuotes ? String(validating: Self.unpaired(value), as: UTF8.self) : String(validating: value, as: UTF8.self)
      guard let text else { throw SourceError(.malformed, "it is not valid UTF-8") }
      return text
    }
  }

  /// Of two quotes, one.
  private static func unpaired(_ value: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(value.count)
    var from = 0
    while let quote = value.index(of: Byte.quote, from: from) {
      bytes.append(contentsOf: value[from...quote])
      from = quote + 2
    }
    bytes.append(contentsOf: value[from...])
    return bytes
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The first separator or line break at or behind `start`, or the end.
  fileprivate func endOfPlain(from start: Int, _ separator: UInt8, _ lineBreak: UInt8) -> Int {
    var at = start
    while at < count, self[at] != separator, self[at] != lineBreak { at += 1 }
    return at
  }
}
