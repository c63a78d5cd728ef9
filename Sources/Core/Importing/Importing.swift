/// Reads a file of records, in their source's own fields, into a store.
///
///     let imported = try await Importing(into: archive, from: FileStream(path: path), called: path).run { … }
///
/// It takes as much memory as a batch does, however long the file is. Of a repeated identity the first stays, and
/// takes the place of what an earlier file brought; a row that cannot be
/// read is skipped and counted. Rows that come slowly are stored a second later at most, and what was read is stored whatever ends it.
package struct Importing<Item: SourceItem> {
  private let source: String
  private let stream: any ByteStream
  private let name: String
  private let clock: any Timekeeper
  private var intake: Intake<Item>
  private var imported = Imported()
  /// Rows that were read and not handed over yet.
  private var items: [Item] = []
  /// The line that the first of them began at.
  private var firstLine = 1
  /// Since when something that was read has waited for more to come; nil while nothing waits.
  private var waiting: Moment?

  package init(
    into archive: Archive<Item>, from stream: some ByteStream, called name: String, clock: some Timekeeper = SystemTime()
  ) {
    self.init(of: archive.kind.name, into: archive.intake(rule: .imported(since: clock.now)), from: stream, called: name, clock: clock)
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
  /// What it is written in is told by how it begins. `check` is asked now and then; what it throws ends the reading, once what was read
  /// is stored.
  package mutating func run(
    checking check: @escaping () throws -> Void = {}, noting note: (Imported) -> Void = { _ in }
  ) async throws -> Imported {
    do {
      var buffer = FileBuffer(stream, checking: check)
      try buffer.takeMark()
      let schema = intake.schema
      let head = EnvelopeHead(of: source, fields: Set(schema.fields.map { $0.name }), file: name)
      switch try FileFormat(of: name, &buffer, head, columns: schema.outline.leaves) {
      case .ndjson: try await readLines(of: buffer, head, check, note)
      case .document: try await readDocuments(in: buffer, head, check, note)
      case .csv:
        let shape = TableShape(lineBreak: try buffer.lineBreak(isTable: true))
        try await readTable(FileRows(buffer, of: shape), check, note) { try CSVRow(header: $0, of: schema.outline) }
      case .tsv:
        let shape = TabShape(lineBreak: try buffer.lineBreak(isTable: false))
        let (source, name) = (source, name)
        try await readTable(FileRows(buffer, of: shape), check, note) {
          try CSVRow(tabbedHeader: $0, of: schema.outline, in: name, of: source)
        }
      }
      return imported
    } catch {
      try? await storeRead()
      note(imported)
      if let refusal = error as? EnvelopeHead.Refusal { throw refusal.error }
      if let problem = error as? FileProblem { throw SourceError(.unreadableFile, "cannot read \(name): \(problem.reason)") }
      throw error
    }
  }

  private mutating func readLines(
    of buffer: consuming FileBuffer, _ head: EnvelopeHead, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    var reader = JSON.Reader()
    var unknown: [String]?
    var isFirst = true
    let schema = intake.schema
    let shape = LineShape(lineBreak: try buffer.lineBreak(isTable: false))
    _ = try await readAll(FileRows(buffer, of: shape), check, note) { line, _ in
      let row = try reader.read(line)
      if isFirst { try head.check(line: row) }
      isFirst = false
      let item = try schema.read(row)
      // One look tells whether the file is of another make.
      if unknown == nil { unknown = row.members.map { $0.key }.filter { !head.fields.contains($0) } }
      return item
    }
    imported.unknown = unknown ?? []
  }

  private mutating func readDocuments(
    in buffer: consuming FileBuffer, _ head: EnvelopeHead, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    var reader = JSON.Reader()
    var unknown: [String]?
    let schema = intake.schema
    let shape = try await readAll(FileRows(buffer, of: DocumentShape(head)), check, note) { bytes, shape in
      let row = try reader.read(bytes, fromLine: shape.line)
      let item = try schema.read(row)
      if unknown == nil { unknown = row.members.map { $0.key }.filter { !head.fields.contains($0) } }
      return item
    }
    imported.unknown = unknown ?? []
    (imported.shortfall, imported.shortage) = (shape.shortfall, shape.head.shortage)
  }

  private mutating func readTable<Shape: ValueShape>(
    _ rows: consuming FileRows<Shape>, _ check: () throws -> Void, _ note: (Imported) -> Void, header: ([String]) throws -> CSVRow
  ) async throws {
    let schema = intake.schema
    var table: CSVRow?
    while table == nil {
      table = try rows.next { try header($1.values($0)) }
      if rows.isOver { break }
      if table == nil, try !rows.waitForMore(atMost: Self.glance) { try check() }
    }
    guard var table else { return }
    imported.unknown = table.unknown
    _ = try await readAll(rows, check, note) { try schema.read(table.read($1.values($0))) }
  }

  private mutating func readAll<Shape>(
    _ rows: consuming FileRows<Shape>, _ check: () throws -> Void, _ note: (Imported) -> Void,
    _ read: (UnsafeBufferPointer<UInt8>, Shape) throws -> Item
  ) async throws -> Shape {
    items.reserveCapacity(Self.group)
    var isOver = false
    while !isOver {
      if items.isEmpty { firstLine = rows.line }
      var isWaiting = false
      let end = imported.received + Self.group
      while imported.received < end, !isOver, !isWaiting {
        do {
          if let item = try rows.next(read) {
            if item.id.isEmpty { throw SourceError(.malformed, "record without an ID") }
            items.append(item)
            imported.received += 1
          } else if rows.isOver {
            isOver = true
          } else {
            isWaiting = try await !hasMore(in: rows)
          }
        } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
          imported.received += 1
          skip(RowFault("line \(rows.rowLine): \(error.message)", digest: UInt64(rows.rowLine)))
        }
      }
      if !isWaiting { try await handOver() }
      imported.bytes = rows.consumed
      imported.landed = intake.landed
      note(imported)
      try Task.checkCancellation()
      try check()
    }
    imported.landed = try await intake.finish()
    return rows.shape
  }

  private mutating func handOver() async throws {
    guard !items.isEmpty else { return }
    defer { items.removeAll(keepingCapacity: true) }
    try await intake.add(items, from: Fetch(at: clock.now, request: Fetch.importing, place: "line \(firstLine)"))
  }

  /// Stores what was read so far.
  private mutating func storeRead() async throws {
    try await handOver()
    try await intake.land()
    imported.landed = intake.landed
  }

  /// Waits for a moment, and stores what has waited for long; false where there is still nothing.
  private mutating func hasMore(in rows: FileRows<some RowShape>) async throws -> Bool {
    let since = waiting ?? clock.now
    waiting = since
    if clock.now - since >= Self.patience {
      try await storeRead()
      (waiting, firstLine) = (nil, rows.line)
    }
    return try rows.waitForMore(atMost: Self.glance)
  }

  private mutating func skip(_ fault: RowFault) {
    imported.note(fault)
    Event.emit(.rowSkipped(source: source, fault))
  }

  /// How many rows are handed over at once.
  private static var group: Int { 2_000 }
  /// How long rows wait for others to be stored with.
  private static var patience: Duration { .seconds(1) }
  /// How long it goes without checking for cancellation.
  private static var glance: Duration { .milliseconds(250) }
}
