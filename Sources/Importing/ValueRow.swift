import AggregatorCore

/// Makes the record's own JSON of values by the names above them: nothing for null, lists as JSON text.
struct ValueRow {
  /// The columns that are read, sorted so that those of one part stand together.
  private let columns: [(index: Int, path: [String], isText: Bool)]
  private let width: Int
  private var reader = JSON.Reader()

  /// Reads rows by their header; `areJSON` where their values are JSON, whatever they are for.
  init(_ header: HeaderNames.Reading, areJSON: Bool = false) {
    width = header.fields.count
    let found = header.fields.enumerated().compactMap { index, leaf in
      leaf.map { (index: index, path: $0.path.names, isText: $0.isText && !areJSON) }
    }
    columns = found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  mutating func read(_ values: [String]) throws -> JSON {
    guard values.count == width else { throw SourceError(.malformed, "\(values.count) values instead of \(width)") }
    var writer = JSONWriter()
    var open: ArraySlice<String> = []
    writer.beginObject()
    for (index, path, isText) in columns where !values[index].isEmpty {
      while !path.dropLast().starts(with: open) {
        writer.endObject()
        open.removeLast()
      }
      for name in path[open.count...].dropLast() {
        writer.key(name)
        writer.beginObject()
        open.append(name)
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
  let header: HeaderNames
  let areJSON: Bool
  private var isForeign = true
  /// The names in the last row, and what reads such rows.
  private var last: (names: [String], row: ValueRow)?
  /// The names in the first row, and what was made of them.
  private(set) var first: (names: [String], reading: HeaderNames.Reading)?
  private(set) var unknown: [String] = []
  private(set) var guesses: [String] = []
  private(set) var computed: [String] = []
  /// What a person gave for a name, and stands in no row so far.
  private(set) var missing: [String] = []

  init(_ header: HeaderNames, areJSON: Bool) { (self.header, self.areJSON) = (header, areJSON) }

  /// The row by the names of the record's fields.
  mutating func renamed(_ row: JSON) throws -> JSON {
    guard isForeign else { return row }
    var (names, values): ([String], [String]) = ([], [])
    add(row, FieldPath(), to: &names, &values)
    guard !names.isEmpty else { return row }
    if names != last?.names { try look(at: names) }
    return isForeign ? try self.row(values) ?? row : row
  }

  /// The row of a table, by the header that was looked at.
  mutating func row(_ values: [String]) throws -> JSON? { try last?.row.read(values) }

  mutating func look(at names: [String]) throws {
    let reading = try header.read(names)
    if first == nil {
      (first, missing) = ((names, reading), reading.missing)
      isForeign = !reading.isExact || !reading.unknown.isEmpty || !reading.missing.isEmpty
    }
    missing.removeAll { !reading.missing.contains($0) }
    // Of a file that names its members after its data, the first ones tell enough.
    unknown += reading.unknown.filter { !unknown.contains($0) }.prefix(100 - unknown.count)
    guesses += reading.guesses.filter { !guesses.contains($0) }.prefix(100 - guesses.count)
    computed += reading.computed.filter { !computed.contains($0) }
    last = (names, ValueRow(reading, areJSON: areJSON))
  }

  /// The values of a row with the ways to them, as far into its parts as fields lie there.
  private func add(_ part: JSON, _ path: FieldPath, to names: inout [String], _ values: inout [String]) {
    for member in part.members {
      let inner = path.appending(member.key)
      if member.value.kind == .object || member.value.isNull, header.knows(part: inner) {
        add(member.value, inner, to: &names, &values)
      } else {
        names.append(inner.text)
        values.append(String(decoding: member.value.raw, as: UTF8.self))
      }
    }
  }
}
