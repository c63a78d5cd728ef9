package import AggregatorCore

/// Rows of values as in RFC 4180. A row ends with a line break outside quotes, and its values are found on the way to that end.
///
/// A quote opens only at the beginning of a value; elsewhere it is a character: `19" monitor`. After a closing quote the value must end.
/// If it does not, an earlier quote is missing, and nothing shows where the row ends. In tsv quotes are ordinary characters.
package struct TableShape: RowShape {
  private enum State {
    case value, plain, quoted
    /// After a quote in a quoted value; it closes the value unless another quote follows.
    case quote
  }

  package var hasLines: Bool { true }

  /// The byte between values: a comma, a semicolon, or a tab.
  package let separator: UInt8
  /// True when texts have a guard against formulas, which is removed.
  private let isGuarded: Bool
  /// Another separator by which each of the first rows has as many values as the header too; nil if only one was found to fit them.
  package private(set) var rival: UInt8?
  /// True when a row was found that has as many values as the header, so that more rows need not be looked at.
  package private(set) var fitsRows = false
  // Made anew for each row, because the row keeps it.
  private var values: [(bytes: Range<Int>, hasQuotes: Bool)] = []
  private var state = State.value
  private var at = 0
  private var start = 0
  private var hasQuotes = false

  package init(separator: UInt8 = Byte.comma, isGuarded: Bool = false) {
    (self.separator, self.isGuarded) = (separator, isGuarded)
  }

  package mutating func begin(at start: TextLocation) { (values, state, at) = ([], .value, 0) }

  package mutating func end(in bytes: Bytes, isLast: Bool) throws -> RowEnd? {
    while at < bytes.count {
      let byte = bytes[at]
      switch state {
      case .value:
        let isQuoted = byte == Byte.quote && separator != Byte.tab
        if isQuoted { at += 1 }
        (hasQuotes, state, start) = (false, isQuoted ? .quoted : .plain, at)
      case .plain where byte == separator || byte.isLineBreak:
        if close(before: at, by: byte) { return RowEnd(total: at, isGuarded: isGuarded, values: values) }
      case .plain: while at < bytes.count, bytes[at] != separator, !bytes[at].isLineBreak { at += 1 }
      case .quoted:
        let quote = bytes.index(of: Byte.quote, from: at)
        if quote != nil { state = .quote }
        at = quote.map { $0 + 1 } ?? bytes.count
      case .quote where byte == Byte.quote:
        (hasQuotes, state) = (true, .quoted)
        at += 1
      case .quote where byte == separator || byte.isLineBreak:
        if close(before: at - 1, by: byte) { return RowEnd(total: at, isGuarded: isGuarded, values: values) }
      case .quote:
        // A quote closed the value, but text follows. If a line break lies between, that quote was probably meant
        // to open a value of the next row.
        let isOneLine = !bytes[start..<at].contains(Byte.newline)
        throw SourceError(.malformed, isOneLine ? "there is text after a closing quote" : "a quote is never closed")
      }
    }
    guard isLast, at > 0 else { return nil }
    if state == .quoted { throw SourceError(.malformed, "a quote is never closed") }
    // After a last separator the value is empty.
    if state == .value { (start, hasQuotes) = (at, false) }
    values.append((start..<(state == .quote ? at - 1 : at), hasQuotes))
    return RowEnd(total: at, isGuarded: isGuarded, values: values)
  }

  /// Ends a value; returns true if the row ends with it.
  private mutating func close(before end: Int, by byte: UInt8) -> Bool {
    values.append((start..<end, hasQuotes))
    (at, state) = (at + 1, .value)
    return byte != separator
  }
}

extension TableShape {
  /// Makes the shape of a table by its first rows, which are complete. The separator is the one that comes most often in rows with as many
  /// values as the header. If no row has as many, the header alone decides, and at last the order of `separators`.
  package init(of text: Bytes, among separators: [UInt8] = [Byte.comma, Byte.semicolon], isGuarded: Bool = false) {
    let fits = separators.map { Fit(of: $0, to: text) }
    let best = fits.max { ($0.inRows, $0.inHeader) < ($1.inRows, $1.inHeader) }?.separator ?? Byte.comma
    self.init(separator: best, isGuarded: isGuarded)
    fitsRows = fits.contains { $0.inRows > 0 }
    rival = fits.first { $0.separator != best && $0.inRows > 0 && $0.fitting == $0.rows }?.separator
  }

  /// The count of the first rows of a table that a separator fits.
  private struct Fit {
    let separator: UInt8
    /// The number of separators in the header.
    private(set) var inHeader = 0
    /// The number of rows below the header that were looked at.
    private(set) var rows = 0
    /// The number of these rows that have as many values as the header.
    private(set) var fitting = 0

    var inRows: Int { fitting * inHeader }

    init(of separator: UInt8, to text: Bytes) {
      self.separator = separator
      var (shape, rest) = (TableShape(separator: separator), Bytes(rebasing: text.prefix(1 << 16)))
      let isCut = rest.count < text.count
      var hasHeader = false
      while rows < 20, !rest.isEmpty {
        shape.begin(at: TextLocation())
        let end = try? shape.end(in: rest, isLast: true)
        // A broken row ends with its line.
        let total = end?.total ?? (rest.firstIndex { $0.isLineBreak } ?? rest.count - 1) + 1
        let row = Bytes(rebasing: rest[..<total])
        rest = Bytes(rebasing: rest[total...])
        guard row.contains(where: { !$0.isBlank }) else { continue }
        if !hasHeader {
          (hasHeader, inHeader) = (true, end.map { $0.values.count - 1 } ?? row.count { $0 == separator })
        } else if !isCut || !rest.isEmpty {
          rows += 1
          if let end, end.values.count == inHeader + 1, !end.hasStrayQuote(in: row, between: separator) { fitting += 1 }
        }
      }
    }
  }
}

extension RowEnd {
  /// True when a value without quotes around it has a quote in it, as parts of a quoted value have that was cut at a wrong separator.
  fileprivate func hasStrayQuote(in row: Bytes, between separator: UInt8) -> Bool {
    separator != Byte.tab && values.contains { !$0.hasQuotes && row[$0.bytes].contains(Byte.quote) }
  }

  /// Returns the values of a table's row. Throws if one of them is not UTF-8.
  package func texts(in bytes: Bytes) throws -> [String] {
    try values.map { value in
      let part = Bytes(rebasing: bytes[value.bytes])
      guard let text = String(validating: part, as: UTF8.self) else {
        let at = value.bytes.lowerBound + part.validPrefix
        throw SourceError(
          .malformed, "it is not valid UTF-8: byte \(at + 1) is 0x\(String(bytes[at], radix: 16, uppercase: true))")
      }
      return value.hasQuotes ? text.replacingEach("\"\"", with: "\"") : text
    }
  }
}

extension Bytes {
  /// The number of bytes before the first one that is not UTF-8.
  fileprivate var validPrefix: Int {
    var (parser, rest, count) = (Unicode.UTF8.ForwardParser(), makeIterator(), 0)
    while case .valid(let scalar) = parser.parseScalar(from: &rest) { count += scalar.count }
    return count
  }
}
