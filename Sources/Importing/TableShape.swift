import AggregatorCore

/// A row of values by RFC 4180: it ends with a line break outside quotes, and its values are found on the way there.
///
/// A quote opens only where a value begins; elsewhere it is a character: `19" monitor`. Behind a closing quote the value must end:
/// where it does not, a quote is missing before, and nothing tells how far the row goes. In tsv no quote means anything.
struct TableShape: RowShape {
  private enum State {
    case value
    case plain, quoted
    /// Behind a quote in a quoted value, which closes it unless another one follows.
    case quote
  }

  let lineBreak: UInt8?
  private let newline: UInt8
  /// What stands between values: a comma, a semicolon, or a tab.
  let separator: UInt8
  /// Where the values lie, without the quotes around them, and whether quotes are in them.
  private var spans: [(bytes: Range<Int>, hasQuotes: Bool)] = []
  private var state = State.value
  private var at = 0
  private var start = 0
  private var hasQuotes = false

  init(lineBreak: UInt8 = .newline, separator: UInt8 = .comma) {
    (self.lineBreak, newline, self.separator) = (lineBreak, lineBreak, separator)
  }

  mutating func begin(at start: TextLocation) {
    spans.removeAll(keepingCapacity: true)
    (state, at) = (.value, 0)
  }

  mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd? {
    while at < bytes.count {
      let byte = bytes[at]
      switch state {
      case .value:
        let isQuoted = byte == .quote && separator != .tab
        if isQuoted { at += 1 }
        (hasQuotes, state, start) = (false, isQuoted ? .quoted : .plain, at)
      case .plain where byte == newline: return finish(bytes, at: at)
      case .plain where byte == separator: close(before: at)
      case .plain: while at < bytes.count, bytes[at] != separator, bytes[at] != newline { at += 1 }
      case .quoted:
        let quote = bytes.index(of: .quote, from: at)
        if quote != nil { state = .quote }
        at = quote.map { $0 + 1 } ?? bytes.count
      case .quote where byte == .quote:
        (hasQuotes, state) = (true, .quoted)
        at += 1
      case .quote where byte == separator: close(before: at - 1)
      case .quote:
        let end = byte == .carriageReturn && byte != newline ? at + 1 : at
        if end == bytes.count { return isLast ? finish(bytes, at: nil) : nil }
        if bytes[end] == newline { return finish(bytes, at: end) }
        // A quote closed a value that goes on: on another line it was rather the next row's.
        let isOneLine = !bytes[start..<at].contains(newline)
        throw SourceError(.malformed, isOneLine ? "there is text after a closing quote" : "a quote is never closed")
      }
    }
    guard isLast, !bytes.isEmpty else { return nil }
    if state == .quoted { throw SourceError(.malformed, "a quote is never closed") }
    return finish(bytes, at: nil)
  }

  /// The value ends, and behind the separator another one begins.
  private mutating func close(before end: Int) {
    spans.append((start..<end, hasQuotes))
    at += 1
    state = .value
  }

  private mutating func finish(_ bytes: Bytes, at newline: Int?) -> RowEnd {
    let end = RowEnd(bytes, at: newline)
    let length = end.length ?? 0
    // Nothing stands behind a last separator.
    spans.append(state == .value ? (length..<length, false) : (start..<(state == .quote ? at - 1 : length), hasQuotes))
    return end
  }

  func values(_ bytes: Bytes) throws -> [String] {
    try spans.map { span in
      let value = Bytes(rebasing: bytes[span.bytes])
      guard let text = String(validating: value, as: UTF8.self) else { throw SourceError(.malformed, "it is not valid UTF-8") }
      return span.hasQuotes ? text.replacingEach("\"\"", with: "\"") : text
    }
  }
}
