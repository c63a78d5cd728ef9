/// Reads a file of records, in their source's own fields, into a store.
///
///     let imported = try await Importing(into: archive, from: FileStream(path: path), called: path).run { … }
///
/// It takes as much memory as a batch does, however long the file is. Of a repeated identity the first stays; a row that cannot be
/// read is skipped and counted.
package struct Importing<Item: Record> {
  /// How the file is written.
  package enum Format: String, Sendable {
    case ndjson, csv
  }

  private let source: String
  private let stream: any ByteStream
  private let name: String
  private let clock: any Timekeeper
  private var intake: Intake<Item>
  private var imported = Imported()

  package init(
    into archive: Archive<Item>, from stream: some ByteStream, called name: String, clock: some Timekeeper = SystemTime()
  ) {
    self.init(of: archive.kind.name, into: archive.intake(), from: stream, called: name, clock: clock)
  }

  init(
    of source: String, into intake: Intake<Item>, from stream: some ByteStream, called name: String, clock: some Timekeeper = SystemTime()
  ) {
    self.source = source
    self.intake = intake
    self.stream = stream
    self.name = name
    self.clock = clock
  }

  /// Reads everything; `note` hears from time to time how far it is, and of every row that is skipped an event tells.
  ///
  /// Without a `format` the name's ending tells it, else the first byte that is not blank: JSON's rows begin with a brace.
  package mutating func run(_ format: Format? = nil, noting note: (Imported) -> Void = { _ in }) async throws -> Imported {
    do {
      var buffer = FileBuffer(stream)
      try buffer.takeMark()
      switch try format ?? Self.format(of: name, &buffer) {
      case .ndjson: try await readLines(of: buffer, note)
      case .csv: try await readTable(in: buffer, note)
      }
      return imported
    } catch let problem as FileProblem {
      throw SourceError(.unreadableFile, "\(name) cannot be read: \(problem.reason)")
    }
  }

  private static func format(of file: String, _ buffer: inout FileBuffer) throws -> Format {
    let name = file.lowercased()
    if name.hasSuffix(".csv") { return .csv }
    if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") { return .ndjson }
    switch try buffer.firstVisible() {
    case Byte.openBrace: return .ndjson
    case Byte.openBracket:
      throw SourceError(.malformed, "\(file) holds a JSON array", remedy: "'jq -c .[]' makes lines of it, one for each record")
    default: return .csv
    }
  }

  private mutating func readLines(of buffer: consuming FileBuffer, _ note: (Imported) -> Void) async throws {
    var reader = JSON.Reader()
    var unknown: [String]?
    try await readAll(FileRows(buffer, of: LineShape()), note) { line, _ in
      let row = try reader.read(line)
      let item = try Item(row)
      // One look tells whether the file is of another make.
      if unknown == nil { unknown = Item.unknownMembers(of: row) }
      return item
    }
    imported.unknown = unknown ?? []
  }

  private mutating func readTable(in buffer: consuming FileBuffer, _ note: (Imported) -> Void) async throws {
    var rows = FileRows(buffer, of: TableShape())
    guard var table = try rows.next({ try CSVRow<Item>(header: $1.values($0)) }) else { return }
    imported.unknown = table.unknown
    try await readAll(rows, note) { try Item(table.read($1.values($0))) }
  }

  private mutating func readAll<Shape>(
    _ rows: consuming FileRows<Shape>, _ note: (Imported) -> Void, _ read: (UnsafeBufferPointer<UInt8>, Shape) throws -> Item
  ) async throws {
    var items: [Item] = []
    items.reserveCapacity(Self.group)
    var isOver = false
    while !isOver {
      items.removeAll(keepingCapacity: true)
      let first = rows.line
      for _ in 0..<Self.group {
        do {
          guard let item = try rows.next(read) else {
            isOver = true
            break
          }
          if item.id.isEmpty { throw SourceError(.malformed, "a record without an identity") }
          items.append(item)
        } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
          skip(RowFault("line \(rows.rowLine): \(error.message)", digest: UInt64(rows.rowLine)))
        }
        imported.received += 1
      }
      if !items.isEmpty {
        try await intake.add(items, from: Fetch(at: clock.now, question: Fetch.importing, place: "line \(first)"))
      }
      imported.bytes = rows.consumed
      note(imported)
      try Task.checkCancellation()
    }
    imported.landed = try await intake.finish()
  }

  private mutating func skip(_ fault: RowFault) {
    imported.note(fault)
    Event.emit(.rowSkipped(source: source, fault))
  }

  /// How many rows are handed over at once.
  private static var group: Int { 2_000 }
}

extension Record {
  /// What a row says that is no field of such a record.
  fileprivate static func unknownMembers(of row: JSON) -> [String] {
    let known = Set(fields.map { $0.name })
    return row.members.map { $0.key }.filter { !known.contains($0) }
  }
}
