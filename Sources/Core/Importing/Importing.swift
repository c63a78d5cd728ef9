package import Platform

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
  private let header: HeaderNames
  private var intake: Intake<Item>
  private var imported = Imported()
  /// Rows that were read and not handed over yet.
  private var items: [Item] = []
  /// The line that the first of them began at.
  private var firstLine = 1
  /// Since when something that was read has waited for more to come; nil while nothing waits.
  private var waiting: Moment?

  package init(
    into archive: Archive<Item>, from stream: some ByteStream, called name: String, mapping mappings: [HeaderMapping] = [],
    clock: some Timekeeper = SystemTime()
  ) {
    self.init(
      of: archive.kind.name, into: archive.intake(rule: .imported(since: clock.now)), from: stream, called: name, mapping: mappings,
      clock: clock)
  }

  init(
    of source: String, into intake: Intake<Item>, from stream: some ByteStream, called name: String, mapping mappings: [HeaderMapping] = [],
    clock: some Timekeeper = SystemTime()
  ) {
    header = HeaderNames(of: intake.schema.outline, id: intake.schema.idPath, mapping: mappings)
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
    checking check: @escaping () throws -> Void = Deadline.check, noting note: (Imported) -> Void = { _ in }
  ) async throws -> Imported {
    do {
      var buffer = FileBuffer(stream, checking: check)
      try buffer.takeMark()
      let schema = intake.schema
      let head = EnvelopeHead(of: source, fields: Set(schema.fields.map { $0.name }))
      switch try FileFormat(of: name, &buffer, head, header) {
      case .ndjson: try await readLines(of: buffer, head, check, note)
      case .document: try await readDocuments(in: buffer, head, check, note)
      case .csv(let separator):
        let shape = TableShape(lineBreak: try buffer.lineBreak(isTable: true), separator: separator)
        try await readTable(FileRows(buffer, of: shape), check, note)
      case .tsv:
        let shape = TabShape(lineBreak: try buffer.lineBreak(isTable: false))
        try await readTable(FileRows(buffer, of: shape), check, note)
      }
      return imported
    } catch {
      try? await storeRead()
      note(imported)
      if let error = error as? SourceError, error.kind == .timedOut, imported.received > 0 {
        imported.landed = try await intake.finish()
        imported.shortfall = Shortfall.deadline.description
        return imported
      }
      if let refusal = error as? EnvelopeHead.Refusal { throw refusal.error }
      if let problem = error as? FileProblem { throw SourceError(.unreadableFile, "cannot read \(name): \(problem.reason)") }
      throw error
    }
  }

  private mutating func readLines(
    of buffer: consuming FileBuffer, _ head: EnvelopeHead, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    var reader = JSON.Reader()
    var members = MemberNames(header)
    var isFirst = true
    let schema = intake.schema
    let shape = LineShape(lineBreak: try buffer.lineBreak(isTable: false))
    _ = try await readAll(FileRows(buffer, of: shape), check, note) { line, shape in
      let row = try reader.read(line, fromLine: shape.line)
      if isFirst { try head.check(line: row) }
      isFirst = false
      return try schema.read(members.renamed(row))
    }
    try take(members)
  }

  private mutating func readDocuments(
    in buffer: consuming FileBuffer, _ head: EnvelopeHead, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    var reader = JSON.Reader()
    var members = MemberNames(header)
    let schema = intake.schema
    let shape = try await readAll(FileRows(buffer, of: DocumentShape(head)), check, note) { bytes, shape in
      try schema.read(members.renamed(reader.read(bytes, fromLine: shape.line)))
    }
    imported.shortfall = shape.shortfall.map { "\(name):\(shape.shortfallLine): \($0)" }
    imported.shortage = shape.head.shortage
    try take(members)
  }

  /// What the members of all rows were taken for.
  private mutating func take(_ members: MemberNames) throws {
    (imported.unknown, imported.guesses) = (members.unknown, members.guesses)
    if let missing = members.missing?.first { throw UnknownHeader(name: missing, known: members.first) }
    if members.lacksID, imported.received == imported.skipped { throw header.noID(among: members.first, at: "\(name):1") }
  }

  private mutating func readTable<Shape: ValueShape>(
    _ rows: consuming FileRows<Shape>, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    let schema = intake.schema
    var found: (names: [String], reading: HeaderNames.Reading)?
    do {
      while found == nil, !rows.isOver {
        found = try rows.next { bytes, shape in
          let names = try shape.values(bytes).map(FieldPath.trimmed)
          return (names, try header.read(names))
        }
        if found == nil, try !rows.waitForMore(atMost: Self.glance) { try check() }
      }
      if let found, Shape.self == TabShape.self { try header.refuseLists(in: found.reading, of: source) }
    } catch let error as SourceError where error.kind == .malformed {
      throw SourceError(.malformed, "\(name):\(rows.rowLine): \(error.message)", remedy: error.remedy)
    }
    guard let (names, reading) = found else { return }
    let place = "\(name):\(rows.rowLine)"
    if let missing = reading.missing.first { throw UnknownHeader(name: missing, known: names) }
    let noID = header.hasID(reading) ? nil : EnvelopeHead.Refusal(error: header.noID(among: names, at: place))
    if let noID, reading.isEmpty {
      var error = noID.error
      if Shape.self == TabShape.self { error.message += "; tsv needs a header" }
      throw error
    }
    (imported.unknown, imported.guesses) = (reading.unknown, reading.guesses)
    var table = CSVRow(reading)
    var isFirst = true
    _ = try await readAll(rows, check, note) {
      defer { isFirst = false }
      do { return try schema.read(table.read($1.values($0))) } catch {
        // A record may do without what seems to be its ID; then its first row can be read.
        if isFirst, let noID { throw noID }
        throw error
      }
    }
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
          skip(RowFault("\(name):\(rows.rowLine): \(error.message)", digest: UInt64(rows.rowLine)))
        } catch var refusal as EnvelopeHead.Refusal where refusal.error.kind == .malformed {
          refusal.error.message = "\(name):\(rows.rowLine): \(refusal.error.message)"
          throw refusal
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
