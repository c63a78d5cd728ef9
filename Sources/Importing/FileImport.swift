package import AggregatorCore
package import Platform

/// Reads a file of records, in their source's own fields, into a store.
///
///     let imported = try await FileImport(of: "heroes", into: archive.intake(), from: FileStream(path: path), called: path).run { … }
///
/// It takes as much memory as a batch does, however long the file is. A row that cannot be read is skipped and counted. Rows that come
/// slowly are stored a second later at most, and what was read is stored whatever ends it.
package struct FileImport<Item: SourceItem> {
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
    of source: String, into intake: Intake<Item>, from stream: some ByteStream, called name: String,
    mapping mappings: [String: FieldPath] = [:],
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
      let envelope = EnvelopeReader(of: source, fields: Set(intake.schema.fields.map { $0.name }))
      switch try FileFormat(of: name, &buffer, envelope, header) {
      case .ndjson:
        _ = try await readJSON(FileRows(buffer, of: LineShape()), envelope, check, note)
      case .document:
        let shape = try await readJSON(FileRows(buffer, of: DocumentShape(envelope)), envelope, check, note)
        imported.shortage = shape.envelope.shortage
      case .table(let separator):
        let shape = TableShape(lineBreak: try buffer.lineBreak(hasQuotes: separator != .tab), separator: separator)
        try await readTable(FileRows(buffer, of: shape), check, note)
      }
      return imported
    } catch {
      try? await storeRead()
      note(imported)
      switch error {
      case let error as SourceError where error.kind == .timedOut && imported.received > 0:
        imported.landed = try await intake.finish()
        imported.shortfall = Shortfall.deadline.description
        return imported
      case let problem as FileProblem: throw SourceError(.unreadableFile, "cannot read \(name): \(problem.reason)")
      default: throw error
      }
    }
  }

  private mutating func readJSON<Shape: RowShape>(
    _ rows: consuming FileRows<Shape>, _ envelope: EnvelopeReader, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws -> Shape {
    var reader = JSON.Reader()
    var names = RowNames(header)
    var isFirst = true
    let schema = intake.schema
    let shape = try await readAll(rows, check, note) { bytes, shape, start in
      let row: JSON
      do { row = try reader.read(bytes, from: start) } catch let error as SourceError {
        if shape.lineBreak == nil { throw Refusal(error: error, isBreak: true) }
        throw error
      }
      if isFirst { try envelope.check(row) }
      isFirst = false
      return try schema.read(names.renamed(row))
    }
    try take(names)
    return shape
  }

  private mutating func readTable(
    _ rows: consuming FileRows<TableShape>, _ check: () throws -> Void, _ note: (Imported) -> Void
  ) async throws {
    let (header, schema, source, file) = (header, intake.schema, source, name)
    var names = RowNames(header)
    _ = try await readAll(rows, check, note) { bytes, shape, start in
      let values = try shape.values(bytes)
      if names.first != nil { return try names.row(values).map(schema.read) }
      do { try names.look(at: values.map(FieldPath.trimmed), areJSON: false) } catch let error as SourceError {
        throw Refusal(error: error)
      }
      guard let (given, reading) = names.first else { return nil }
      let isTSV = shape.separator == .tab
      if isTSV, let list = reading.fields.compactMap({ $0 }).first(where: { $0.mayBeList }) {
        throw Refusal(
          error: SourceError(
            .malformed, "this is tsv with lists (\(list.path.text)), whose values are joined by commas and cannot be told apart",
            remedy: .exportWhole(of: source)))
      }
      if let missing = reading.missing.first { throw UnknownHeader(name: missing, known: given) }
      if reading.fields.allSatisfy({ $0 == nil }), var error = header.noID(in: reading, of: given, at: "\(file):\(start.line)") {
        if isTSV { error.message += "; tsv needs a header" }
        throw error
      }
      return nil
    }
    try take(names)
  }

  /// What was made of the names in the file.
  private mutating func take(_ names: RowNames) throws {
    (imported.unknown, imported.guesses) = (names.unknown, names.guesses)
    guard let (given, reading) = names.first else { return }
    if let missing = names.missing?.first { throw UnknownHeader(name: missing, known: given) }
    // A record may do without what seems to be its ID: then some rows were read.
    guard imported.received > 0, imported.received == imported.skipped else { return }
    if let error = header.noID(in: reading, of: given, at: "\(name):1") { throw error }
  }

  private mutating func readAll<Shape>(
    _ rows: consuming FileRows<Shape>, _ check: () throws -> Void, _ note: (Imported) -> Void,
    _ read: (Bytes, Shape, TextLocation) throws -> Item?
  ) async throws -> Shape {
    items.reserveCapacity(Self.group)
    var isOver = false
    while !isOver {
      if items.isEmpty { firstLine = rows.place.line }
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
            isWaiting = try await !readMore(of: &rows)
          }
        } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
          imported.received += 1
          imported.skipped += 1
          let fault = RowFault(placed(error, at: rows.rowLine).message, digest: UInt64(rows.rowLine))
          if imported.faults.count < 5 { imported.faults.append(fault) }
          Event.emit(.rowSkipped(source: source, fault))
        } catch let refusal as Refusal {
          let error = placed(refusal.error, at: rows.rowLine)
          guard refusal.isBreak, imported.received > 0 else { throw error }
          (imported.shortfall, isOver) = (error.message, true)
        }
      }
      if !isWaiting { try await handOver() }
      imported.bytes = rows.buffer.taken
      imported.landed = intake.landed
      note(imported)
      try Task.checkCancellation()
      try check()
    }
    imported.landed = try await intake.finish()
    return rows.shape
  }

  private func placed(_ error: SourceError, at line: Int) -> SourceError {
    var placed = error
    placed.message = "\(name):\(line): \(error.message)"
    return placed
  }

  private mutating func handOver() async throws {
    guard !items.isEmpty else { return }
    defer { items.removeAll(keepingCapacity: true) }
    try await intake.add(items, from: Fetch(at: clock.now, request: Fetch.importing, place: "line \(firstLine)"))
  }

  private mutating func storeRead() async throws {
    try await handOver()
    try await intake.land()
    imported.landed = intake.landed
  }

  /// Stores what has waited for a second, and reads on; false where nothing comes for a moment.
  private mutating func readMore(of rows: inout FileRows<some RowShape>) async throws -> Bool {
    let since = waiting ?? clock.now
    waiting = since
    if clock.now - since >= .seconds(1) {
      try await storeRead()
      (waiting, firstLine) = (nil, rows.place.line)
    }
    return try rows.readMore(atMost: .milliseconds(250))
  }

  private static var group: Int { 2_000 }
}
