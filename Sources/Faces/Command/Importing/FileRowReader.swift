import AggregatorCore
import Asking
import Bodies
import RecordFormats

/// Turns the rows of a file into rows of its source, by the names in the file: those of a table's header, or those of
/// the members in each row of JSON.
///
/// Rows of JSON as we write them are read as they are, until a row has other names.
struct FileRowReader {
  private let names: HeaderNames
  private let envelope: EnvelopeReader
  private let source, file: String
  /// The byte between the values of a table; nil for JSON.
  private let separator: UInt8?
  private let hasLines: Bool
  private var reader = JSON.Reader()
  /// True when a row has other names than we write, and before the first row.
  private var isForeign = true
  /// The hashes of the names in rows of JSON that are read as they are.
  private var knownNames: Set<UInt64> = []
  /// The names in the last row.
  private var last: Header?
  /// The names in the first row.
  private(set) var first: Header?
  /// The last row as it is in the file, a table's by the names of the fields; nil if it is broken.
  private(set) var asWritten: JSON?
  /// True when rows of JSON are passed as they are in the file: they are the service's own.
  var isOfService = false
  /// The names that a person mapped and that no row has had so far.
  private var missing: [String] = []
  /// The hashes of the names that no field has.
  private var unknownNames: Set<UInt64> = []

  init(of source: String, in file: String, _ names: HeaderNames, _ envelope: EnvelopeReader, _ shape: any RowShape) {
    (self.source, self.file, self.names, self.envelope) = (source, file, names, envelope)
    (separator, hasLines) = ((shape as? TableShape)?.separator, shape.hasLines)
  }

  var isOfTable: Bool { separator != nil }

  /// Reads the next row, and notes what its names tell about the file; nil for a header.
  mutating func row(in bytes: Bytes, _ end: RowEnd, from start: TextLocation, telling imported: inout ImportResult) throws
    -> JSON?
  {
    asWritten = nil
    guard isOfTable else {
      let row = try readJSON(bytes, from: start)
      asWritten = row
      return isOfService ? row : try self.row(row, &imported)
    }
    if first != nil {
      let texts = try end.texts(in: bytes, unguarded: &imported.unguarded)
      // Files that were put together have the header once more.
      if texts.first == last?.names.first, texts == last?.names { throw SourceError(.malformed, "the header once more") }
      asWritten = try last?.row(texts)
      return asWritten
    }
    do {
      let names = try end.texts(in: bytes, unguarded: &imported.unguarded).map(FieldPath.trimmed)
      try look(at: names, &imported)
    } catch let error as SourceError {
      throw Refusal(error: error)
    }
    try checkHeader(isTSV: separator == Byte.tab, at: start.line)
    return nil
  }

  /// Throws if a name that a person mapped is in no row, or if no row had an id.
  func checkNames(_ imported: ImportResult) throws {
    guard let first else { return }
    if let missing = missing.first { throw UnknownHeader(name: missing, known: first.names) }
    // Records may do without the field that seems to be the ID; in that case some rows were read.
    let isNothingRead = imported.isUnreadable
    if isNothingRead, let error = names.noID(in: first, at: "\(file):1") { throw error }
  }

  private func checkHeader(isTSV: Bool, at line: Int) throws {
    guard let header = first else { return }
    if isTSV, let list = header.fields.compactMap(\.self).first(where: { $0.mayBeList }) {
      let lists = "lists (\(list.path.text)), whose values are joined by commas and cannot be told apart"
      let remedy = Remedy.ask(.init("list", of: source, with: [.init("format", "ndjson")]), "to write them whole")
      throw Refusal(error: SourceError(.malformed, "this is tsv with \(lists)", remedy: remedy))
    }
    if let missing = header.missing.first { throw UnknownHeader(name: missing, known: header.names) }
    if header.fields.allSatisfy({ $0 == nil }), var error = names.noID(in: header, at: "\(file):\(line)") {
      if isTSV { error.message += "; tsv needs a header" }
      throw error
    }
  }

  private mutating func readJSON(_ bytes: Bytes, from start: TextLocation) throws -> JSON {
    let row: JSON
    do { row = try reader.read(bytes, from: start) } catch let error as SourceError where !hasLines {
      throw Refusal(error: error)
    }
    if first == nil { try envelope.check(row) }
    return row
  }

  /// Returns the row with the names of the record's fields.
  private mutating func row(_ row: JSON, _ imported: inout ImportResult) throws -> JSON {
    guard isForeign || isNew(row.nameHash) else { return row }
    var (names, values): ([String], [String]) = ([], [])
    add(row, FieldPath(), to: &names, &values)
    guard !names.isEmpty else { return row }
    if names != last?.names { try look(at: names, &imported) }
    return isForeign ? try last?.row(values) ?? row : row
  }

  /// True when no row with the same names was read. A file that uses its data as names has any number of them.
  private mutating func isNew(_ names: UInt64) -> Bool {
    if knownNames.count == 1_000 { knownNames = [] }
    return knownNames.insert(names).inserted
  }

  private mutating func look(at given: [String], _ imported: inout ImportResult) throws {
    let header = try names.read(given, areJSON: !isOfTable)
    if first == nil {
      (first, missing) = (header, header.missing)
      isForeign = !header.missing.isEmpty
    }
    isForeign = isForeign || !header.isExact || !header.unknown.isEmpty
    missing.removeAll { !header.missing.contains($0) }
    imported.tell(of: header)
    for name in header.unknown where unknownNames.count < ImportResult.mostUnknown { unknownNames.insert(Fingerprint.of(name)) }
    imported.unknownCount = unknownNames.count
    last = header
  }

  /// Collects the values of a row with their paths, going into parts as far as they contain fields.
  private func add(_ part: JSON, _ path: FieldPath, to names: inout [String], _ values: inout [String]) {
    for member in part.members {
      let inner = path.appending(member.key)
      if member.value.kind == .object || member.value.isNull, self.names.knows(part: inner) {
        add(member.value, inner, to: &names, &values)
      } else {
        names.append(inner.text)
        values.append(String(decoding: member.value.raw, as: UTF8.self))
      }
    }
  }
}

extension ImportResult {
  /// Notes the meaning of the names in a row. At most a hundred of a kind are noted, because a file may use its data as names.
  fileprivate mutating func tell(of header: Header) {
    unknown += header.unknown.filter { !unknown.contains($0) }.prefix(100 - unknown.count)
    guesses += header.guesses.filter { !guesses.contains($0) }.prefix(100 - guesses.count)
    computed += header.computed.filter { !computed.contains($0) }
  }
}

extension RowEnd {
  /// Returns the values of a table's row, and adds to `unguarded` how many of them lost a guard against formulas. Throws if one of them is
  /// not UTF-8.
  fileprivate func texts(in bytes: Bytes, unguarded: inout Int) throws -> [String] {
    let texts = try texts(in: bytes)
    guard isGuarded else { return texts }
    return texts.map { text in
      guard let bare = FormulaGuard.removed(from: text) else { return text }
      unguarded += 1
      return bare
    }
  }
}
