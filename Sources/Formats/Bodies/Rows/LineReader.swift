import AggregatorCore

/// Reads the rows of csv, tsv or ndjson into one list of JSON.
///
/// A row that cannot be read is null in that list, and counted. It ends with its line, as it does in a file to import. A body that ends
/// inside a row is cut short, because a connection that ended early would otherwise look like a shorter list.
struct LineReader {
  private let format: BodyFormat
  private var header: TableHeader?
  private var writer = JSONWriter()
  private var reader = JSON.Reader()
  private var broken: [Int: BodyDocument.BrokenRow] = [:]
  private var count = 0

  init(_ format: BodyFormat) { self.format = format }

  mutating func read(_ bytes: Bytes) throws -> BodyDocument {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    var rest = bytes.starts(with: mark) ? Bytes(rebasing: bytes[mark.count...]) : bytes
    var (shape, location) = (shape(of: rest), TextLocation())
    writer.beginArray()
    while !rest.isEmpty {
      if count & 1023 == 1023 { try Deadline.check() }
      guard writer.bytes.count <= BodyFormat.most else { throw format.isTooLarge }
      shape.begin(at: location)
      var total: Int
      do {
        let end = try shape.end(in: rest, isLast: false) ?? lastEnd(of: rest, by: &shape)
        total = end.total
        try add(Bytes(rebasing: rest[..<total]), end, isLast: total == rest.count)
      } catch let error as SourceError where error.kind == .malformed && (header != nil || format.kind == .ndjson) {
        let line = rest.firstIndex { $0.isLineBreak }.map { $0 + 1 } ?? rest.count
        total = line
        addBroken(rest[..<line], error.message, on: location.line)
      }
      location.pass(Bytes(rebasing: rest[..<total]))
      rest = Bytes(rebasing: rest[total...])
    }
    writer.endArray()
    if format.kind.isTable, header == nil { return BodyDocument(json: try JSON(Array("null".utf8))) }
    return BodyDocument(json: try format.json(writer.take()), broken: broken)
  }

  private func shape(of bytes: Bytes) -> any RowShape {
    switch format.kind {
    case .tsv: return TableShape(separator: Byte.tab)
    case .csv: return TableShape(of: Bytes(rebasing: bytes.drop { $0.isLineBreak || $0 == Byte.space }))
    case .ndjson, .json, .xml: return LineShape()
    }
  }

  /// Returns the end of the last row, which has no line break after it.
  private func lastEnd(of bytes: Bytes, by shape: inout any RowShape) throws -> RowEnd {
    do {
      return try shape.end(in: bytes, isLast: true) ?? RowEnd(total: bytes.count)
    } catch is SourceError {
      throw SourceError(.truncated, "the \(format.kind.name) ends inside quotes")
    }
  }

  private mutating func add(_ row: Bytes, _ end: RowEnd, isLast: Bool) throws {
    guard row.contains(where: { !$0.isBlank }) else { return }
    guard format.kind.isTable else { return try add(json: row) }
    let values = try end.texts(in: row)
    guard let header else {
      header = try TableHeader(values, of: format)
      return
    }
    guard values.count == header.names.count else {
      if isLast, values.count < header.names.count, !(row.last?.isLineBreak ?? true) {
        throw SourceError(.truncated, "the \(format.kind.name) ends inside a row")
      }
      throw SourceError(.malformed, "\(values.count) values in place of \(header.names.count)")
    }
    header.write(values, into: &writer)
    count += 1
  }

  private mutating func add(json row: Bytes) throws {
    do {
      _ = try reader.read(row, from: TextLocation())
    } catch let error as SourceError where error.kind == .truncated && row.last?.isLineBreak == true {
      throw SourceError(.malformed, error.message)
    }
    writer.write(raw: row)
    count += 1
  }

  private mutating func addBroken(_ row: Slice<Bytes>, _ reason: String, on line: Int) {
    writer.write(.null)
    broken[count] = BodyDocument.BrokenRow(reason: "line \(line): \(reason)", digest: Fingerprint.of(row))
    count += 1
  }
}
