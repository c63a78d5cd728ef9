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

  private let archive: Archive<Item>
  private let name: String
  private let clock: any Timekeeper
  private var rows: FileRows
  private var imported = Imported()

  package init(into archive: Archive<Item>, from stream: FileStream, called name: String, clock: some Timekeeper = SystemTime()) {
    self.archive = archive
    self.name = name
    self.clock = clock
    rows = FileRows(stream)
  }

  /// Reads everything; `note` hears from time to time how far it is, and of every row that is skipped an event tells.
  ///
  /// Without a `format` the name's ending tells it, else the first byte: JSON's rows begin with a brace.
  package mutating func run(_ format: Format? = nil, noting note: (Imported) -> Void = { _ in }) async throws -> Imported {
    do {
      let start = try rows.peek()
      if start.starts(with: [0xEF, 0xBB, 0xBF]) { rows.skip(3) }
      switch try format ?? Self.format(of: name, beginning: rows.peek()) {
      case .ndjson: try await readLines(note)
      case .csv: try await readTable(note)
      }
      return imported
    } catch let problem as FileProblem {
      throw SourceError(.unreadableFile, "\(name) cannot be read: \(problem.reason)")
    }
  }

  private static func format(of name: String, beginning bytes: ArraySlice<UInt8>) -> Format {
    let name = name.lowercased()
    if name.hasSuffix(".csv") { return .csv }
    if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") { return .ndjson }
    return bytes.first { $0 > 0x20 } == UInt8(ascii: "{") ? .ndjson : .csv
  }

  private mutating func readLines(_ note: (Imported) -> Void) async throws {
    var reader = JSON.Reader()
    try await readAll(.line, note) { try Item(reader.read($0)) }
  }

  private mutating func readTable(_ note: (Imported) -> Void) async throws {
    guard var row = try rows.next(.quotedLine, { try CSVRow<Item>(header: $0) }) else { return }
    try await readAll(.quotedLine, note) { try Item(row.read($0)) }
  }

  private mutating func readAll(
    _ shape: FileRows.Shape, _ note: (Imported) -> Void, _ read: (UnsafeBufferPointer<UInt8>) throws -> Item
  ) async throws {
    var intake = archive.intake()
    var items: [Item] = []
    items.reserveCapacity(Self.group)
    var isOver = false
    while !isOver {
      items.removeAll(keepingCapacity: true)
      let first = rows.rowLine + 1
      while items.count < Self.group {
        guard let row = try rows.next(shape, { try Row($0, read) }) else {
          isOver = true
          break
        }
        switch row {
        case .item(let item): items.append(item)
        case .blank: continue
        case .fault(let reason): imported.note(RowFault("line \(rows.rowLine): \(reason)", digest: UInt64(rows.rowLine)))
        }
        imported.received += 1
      }
      if !items.isEmpty {
        try await intake.add(items, from: Fetch(at: clock.now, question: "import", place: "line \(first)"))
      }
      imported.bytes = rows.consumed
      note(imported)
      try Task.checkCancellation()
    }
    imported.landed = try await intake.finish()
  }

  /// How many rows are handed over at once.
  private static var group: Int { 2_000 }

  /// What a row of the file turned out to be.
  private enum Row {
    case item(Item)
    case blank
    case fault(String)

    init(_ row: UnsafeBufferPointer<UInt8>, _ read: (UnsafeBufferPointer<UInt8>) throws -> Item) throws {
      if !row.contains(where: { $0 > 0x20 }) {
        self = .blank
        return
      }
      do {
        let item = try read(row)
        self = item.id.isEmpty ? .fault("a record without an identity") : .item(item)
      } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
        self = .fault(error.message)
      }
    }
  }
}

/// What came of reading a file of records.
package struct Imported: Sendable, Hashable {
  package var received = 0
  package var skipped = 0
  /// What was wrong with the first of the skipped rows.
  package var faults: [RowFault] = []
  /// How much of the file has been read.
  package var bytes = 0
  package var landed = Landed()

  package init() {}

  fileprivate mutating func note(_ fault: RowFault) {
    skipped += 1
    if faults.count < 5 { faults.append(fault) }
    Event.emit(.rowSkipped(source: "import", fault))
  }
}

extension SourceError.Kind {
  /// A file that was named cannot be read.
  package static let unreadableFile = Self("unreadable-file", isTransient: false, mayFallBack: false)
}
