/// Rows of JSON documents: in a list, in the list of an envelope, or each alone; on one line or on several.
///
/// What stands between the rows is passed piece by piece, so that a document may be of any length. Where the end of a broken row cannot be
/// found, the next one is a line that begins as the rows before did; where there is none, that is a shortfall.
struct DocumentShape: RowShape {
  private enum Place {
    case outside, list, envelopeList
    /// Behind the list of an envelope.
    case tail
  }

  private(set) var lineBreak = Byte.newline
  private(set) var head: EnvelopeHead
  /// The line that the row begins at.
  private(set) var line = 1
  private var knowsLineBreak = false
  private var place = Place.outside
  private var scan: JSONScan?
  /// How many blanks the line begins with so far; nil behind them.
  private var blanks: Int? = 0
  /// How many stand before a row that begins a line.
  private var rowBlanks: Int?
  /// What is missing unless another row is found.
  private var loss: Loss?
  private var isTailBroken = false
  private var brokenLine = 1

  private enum Loss {
    case cut, rest
  }

  init(_ head: EnvelopeHead) { self.head = head }

  /// What is missing, for a person, where nothing more comes.
  var shortfall: String? {
    switch loss {
    case .cut: "the file is cut short"
    case .rest where place != .outside || rowBlanks == nil: "the rows behind a broken one cannot be told apart"
    case nil where place != .outside: "the file is cut short"
    case nil where isTailBroken: "what stands behind the rows cannot be read"
    default: nil
    }
  }

  /// The line from which on it is.
  var shortfallLine: Int { loss == .rest ? brokenLine : line }

  mutating func begin(at line: Int) {
    self.line = line
    scan = nil
  }

  mutating func end(in bytes: UnsafeBufferPointer<UInt8>, isLast: Bool) throws -> RowEnd? {
    do {
      if loss != nil {
        let passed = search(bytes, isLast)
        if passed > 0 { return gap(passed, bytes) }
        if loss != nil { return nil }
      }
      if scan == nil {
        let passed = try passGap(bytes, isLast)
        if passed > 0 { return gap(passed, bytes) }
        if scan == nil { return nil }
      }
      return try place == .tail ? tail(bytes, isLast) : row(bytes, isLast)
    } catch let error as SourceError {
      noteLineBreak(scan?.firstBreak, in: bytes)
      if place == .tail { place = .outside } else { rowBlanks = scan?.indentation ?? rowBlanks }
      // The rest of the first line is passed over.
      (loss, blanks, brokenLine) = (.rest, 0, line)
      throw error
    }
  }

  /// Passes what stands before a row, and begins a scan of the row where that is nothing.
  private mutating func passGap(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) throws -> Int {
    var index = 0
    loop: while index < bytes.count {
      switch bytes[index] {
      case Byte.carriageReturn where index + 1 == bytes.count && !isLast: return index
      case Byte.newline, Byte.carriageReturn:
        noteLineBreak(index, in: bytes)
        blanks = 0
      case Byte.space, Byte.tab: blanks = blanks.map { $0 + 1 }
      case Byte.comma where place != .outside: blanks = nil
      default: break loop
      }
      index += 1
    }
    guard index == 0, let byte = bytes.first else { return index }
    switch (place, byte) {
    case (.outside, Byte.openBracket): place = .list
    case (.list, Byte.closeBracket): place = .outside
    case (.envelopeList, Byte.closeBracket): place = .tail
    case (.outside, Byte.comma), (_, Byte.colon), (.outside, Byte.closeBracket), (.outside, Byte.closeBrace), (.list, Byte.closeBrace),
      (.envelopeList, Byte.closeBrace):
      throw SourceError(.malformed, "expected a record, found '\(Character(UnicodeScalar(byte)))'")
    default:
      scan = JSONScan(indentation: place == .tail ? nil : blanks ?? rowBlanks, isInside: place == .tail)
      return 0
    }
    blanks = nil
    return 1
  }

  private mutating func row(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) throws -> RowEnd? {
    while let stop = try scan?.next(in: bytes, isLast: isLast) {
      switch stop {
      case .end(let end): return row(of: end, bytes)
      case .list(let list, let name):
        let members = UnsafeBufferPointer(rebasing: bytes[..<list])
        guard place == .outside, head.isEnvelope(members, list: name) else { continue }
        noteLineBreak(scan?.firstBreak, in: bytes)
        try head.take(members, before: name)
        (place, blanks) = (.envelopeList, nil)
        return gap(list + 1, bytes)
      }
    }
    guard isLast else { return nil }
    if scan?.isWord == true { return row(of: bytes.count, bytes) }
    loss = .cut
    return RowEnd(length: bytes.count, total: bytes.count, lines: lines(bytes), isWhole: false)
  }

  private mutating func row(of length: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> RowEnd {
    noteLineBreak(scan?.firstBreak, in: bytes)
    rowBlanks = scan?.indentation ?? rowBlanks
    blanks = nil
    return RowEnd(length: length, total: length, lines: lines(bytes[..<length]), isWhole: true)
  }

  private mutating func tail(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) throws -> RowEnd? {
    while let stop = try scan?.next(in: bytes, isLast: isLast) {
      guard case .end(let end) = stop else { continue }
      noteLineBreak(scan?.firstBreak, in: bytes)
      do {
        try head.take(tail: UnsafeBufferPointer(rebasing: bytes[..<end]))
      } catch is SourceError {
        isTailBroken = true
      }
      (place, blanks) = (.outside, nil)
      return gap(end, bytes)
    }
    guard isLast else { return nil }
    loss = .cut
    return gap(bytes.count, bytes)
  }

  /// How far to go on in search of a line that begins as the rows did, or that closes their list.
  private mutating func search(_ bytes: UnsafeBufferPointer<UInt8>, _ isLast: Bool) -> Int {
    var index = 0
    while index < bytes.count {
      guard let blanks else {
        guard let end = bytes.index(of: lineBreak, from: index) else { return bytes.count }
        index = end + 1
        self.blanks = 0
        continue
      }
      switch bytes[index] {
      case Byte.space, Byte.tab: self.blanks = blanks + 1
      case Byte.newline, Byte.carriageReturn: self.blanks = 0
      case let byte:
        if beginsRow(byte, behind: blanks) || closesList(byte, behind: blanks) {
          loss = nil
          return index
        }
        loss = .rest
        self.blanks = nil
        continue
      }
      index += 1
    }
    return index
  }

  private func beginsRow(_ byte: UInt8, behind blanks: Int) -> Bool { byte == Byte.openBrace && blanks == rowBlanks }

  private func closesList(_ byte: UInt8, behind blanks: Int) -> Bool {
    guard byte == Byte.closeBracket, place == .list || place == .envelopeList, let rowBlanks else { return false }
    return blanks < max(1, rowBlanks)
  }

  /// No row, but something to pass over.
  private func gap(_ length: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> RowEnd {
    RowEnd(length: 0, total: length, lines: lines(bytes[..<length]), isWhole: true)
  }

  private func lines(_ bytes: some Sequence<UInt8>) -> Int { knowsLineBreak ? bytes.count { $0 == lineBreak } : 0 }

  /// The first line break of all shows what ends the lines.
  private mutating func noteLineBreak(_ index: Int?, in bytes: UnsafeBufferPointer<UInt8>) {
    guard !knowsLineBreak, let index, index < bytes.count else { return }
    let isReturn = bytes[index] == Byte.carriageReturn && (index + 1 == bytes.count || bytes[index + 1] != Byte.newline)
    (lineBreak, knowsLineBreak) = (isReturn ? Byte.carriageReturn : Byte.newline, true)
  }
}
