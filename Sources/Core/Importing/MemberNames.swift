/// Reads rows of JSON whose members may be called otherwise than the record's fields.
///
/// One look at the first row tells whether the file is of another make: rows as we write them are read as they stand.
struct MemberNames {
  private let header: HeaderNames
  private var isForeign: Bool?
  /// The names in the last row, and what reads such rows; nil where they are read as they stand.
  private var last: (names: [String], shape: CSVRow?)?
  /// The names in the first row.
  private(set) var first: [String] = []
  private(set) var lacksID = false
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
    if names != last?.names { try look(at: names) }
    return try last?.shape?.read(values) ?? row
  }

  private mutating func look(at names: [String]) throws {
    let reading = try header.read(names)
    if isForeign == nil {
      (first, lacksID) = (names, !header.hasID(reading))
      isForeign = !reading.isExact || !reading.unknown.isEmpty || !reading.missing.isEmpty
    }
    missing = missing?.filter(reading.missing.contains) ?? reading.missing
    // Of a file that names its members after its data, the first ones tell enough.
    for name in reading.unknown where unknown.count < 100 && !unknown.contains(name) { unknown.append(name) }
    for guess in reading.guesses where guesses.count < 100 && !guesses.contains(guess) { guesses.append(guess) }
    last = (names, reading.isExact ? nil : CSVRow(reading, areJSON: true))
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
