import AggregatorCore

/// Makes the record's own JSON of values by the names above them: nothing for null, lists as JSON text.
struct ValueRow {
  /// A column, and where the values of one part do not stand together, in the place of its first.
  private let columns: [(index: Int, path: [String], isText: Bool)]
  private let width: Int
  private var reader = JSON.Reader()

  /// Reads rows by their header; `areJSON` where their values are JSON, whatever they are for.
  init(_ header: HeaderNames.Reading, areJSON: Bool = false) {
    width = header.fields.count
    let found = header.fields.enumerated().compactMap { index, leaf in
      leaf.map { (index: index, path: $0.path.names, isText: $0.isText && !areJSON) }
    }
    func places(_ path: [String]) -> [Int] {
      path.indices.map { depth in found.firstIndex { $0.path.starts(with: path[...depth]) } ?? 0 }
    }
    columns = found.map { ($0, places($0.path)) }.sorted { $0.1.lexicographicallyPrecedes($1.1) }.map { $0.0 }
  }

  mutating func read(_ values: [String]) throws -> JSON {
    guard values.count == width else { throw SourceError(.malformed, "\(values.count) values instead of \(width)") }
    var writer = JSONWriter()
    var open: ArraySlice<String> = []
    writer.beginObject()
    for (index, path, isText) in columns where !values[index].isEmpty {
      if path.count > 1 || !open.isEmpty {
        while !path.dropLast().starts(with: open) {
          writer.endObject()
          open.removeLast()
        }
        for name in path[open.count...].dropLast() {
          writer.key(name)
          writer.beginObject()
          open.append(name)
        }
      }
      writer.key(path[path.count - 1])
      if !isText, (try? JSON(Array(values[index].utf8))) != nil {
        writer.write(raw: values[index].utf8)
      } else {
        writer.write(string: values[index])
      }
    }
    for _ in open { writer.endObject() }
    writer.endObject()
    return try reader.read(writer.bytes)
  }
}

/// What was made of the names in a file: those of a table's header, or of the members in each row of JSON.
///
/// One look at the first row of JSON tells whether the file is of another make: rows as we write them are read as they stand.
struct RowNames {
  private let header: HeaderNames
  private var isForeign: Bool?
  /// The names in the last row, and what reads such rows; nil where they are read as they stand.
  private var last: (names: [String], row: ValueRow?)?
  /// The names in the first row, and what was made of them.
  private(set) var first: (names: [String], reading: HeaderNames.Reading)?
  private(set) var unknown: [String] = []
  private(set) var guesses: [String] = []
  /// What a person gave for a name, and stands in no row so far.
  private(set) var missing: [String]?

  init(_ header: HeaderNames) { self.header = header }

  /// The row by the names of the record's fields.
  mutating func renamed(_ row: JSON) throws -> JSON {
    if isForeign == false { return row }
    var (names, values): ([String], [String]) = ([], [])
    add(row, FieldPath(), to: &names, &values)
    guard !names.isEmpty else { return row }
    if names != last?.names { try look(at: names, areJSON: true) }
    return try last?.row?.read(values) ?? row
  }

  /// The row of a table, by the header that was looked at.
  mutating func row(_ values: [String]) throws -> JSON? { try last?.row?.read(values) }

  mutating func look(at names: [String], areJSON: Bool) throws {
    let reading = try header.read(names)
    if first == nil {
      first = (names, reading)
      isForeign = !reading.isExact || !reading.unknown.isEmpty || !reading.missing.isEmpty
    }
    missing = missing?.filter(reading.missing.contains) ?? reading.missing
    // Of a file that names its members after its data, the first ones tell enough.
    for name in reading.unknown where unknown.count < 100 && !unknown.contains(name) { unknown.append(name) }
    for guess in reading.guesses where guesses.count < 100 && !guesses.contains(guess) { guesses.append(guess) }
    last = (names, areJSON && reading.isExact ? nil : ValueRow(reading, areJSON: areJSON))
  }

  /// The values of a row with the ways to them, as far into its parts as fields lie there.
  private func add(_ part: JSON, _ path: FieldPath, to names: inout [String], _ values: inout [String]) {
    for member in part.members {
      let inner = path.appending(member.key)
      if member.value.kind == .object, header.knows(part: inner) {
        add(member.value, inner, to: &names, &values)
      } else if !member.value.isNull || !header.isPart(inner.text) {
        names.append(inner.text)
        values.append(String(decoding: member.value.raw, as: UTF8.self))
      }
    }
  }
}
