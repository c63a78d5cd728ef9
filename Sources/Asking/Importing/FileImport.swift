public import AggregatorCore
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
  private var imported = ImportResult()
  /// Rows that were read and not handed over yet.
  private var items: [Item] = []
  /// The fields of them of which the file says that they have no value, by their places.
  private var emptied: [Int: [FieldPath]] = [:]
  /// What the file said of each record so far, where its values are stored as edits: a store cannot tell which of them came from this file.
  private var said: [UInt64: UInt64] = [:]
  /// The line that the first of them began at.
  private var firstLine = 1

  package init(
    of source: String, into intake: Intake<Item>, from stream: some ByteStream, called name: String,
    mapping mappings: [String: FieldPath] = [:], clock: some Timekeeper = SystemTime()
  ) {
    header = HeaderNames(of: intake.schema.outline, id: intake.schema.idPath, mapping: mappings)
    (self.source, self.intake, self.stream, self.name, self.clock) = (source, intake, stream, name, clock)
  }

  /// Reads everything; `note` hears from time to time how far it is, and of every row that is skipped an event tells.
  ///
  /// What it is written in is told by how it begins. `check` is asked now and then; what it throws ends the reading, once what was read
  /// is stored.
  package mutating func run(
    checking check: @escaping () throws -> Void = Deadline.check, noting note: (ImportResult) async -> Void = { _ in }
  ) async throws -> ImportResult {
    do {
      var buffer = FileBuffer(stream, checking: check)
      let envelope = EnvelopeReader(of: source, fields: Set(intake.schema.fields.map { $0.name }))
      let shape = try buffer.shape(of: name, envelope)
      let reader = RowReader(of: source, in: name, header, envelope, shape)
      try await readAll(FileRows(buffer, of: shape), reader, check, note)
      return imported
    } catch {
      try? await storeRead()
      await note(imported)
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

  /// Hands over all rows, in groups.
  private mutating func readAll(
    _ rows: consuming FileRows, _ reader: consuming RowReader, _ check: () throws -> Void, _ note: (ImportResult) async -> Void
  ) async throws {
    let (schema, group) = (intake.schema, 2_000)
    // An empty cell of a table is left alone, for there is no other way to leave a value out.
    let leaves = intake.isReplacing && !reader.isOfTable ? intake.kind.leaves : []
    var (isOver, stored) = (false, clock.now)
    while !isOver {
      if items.isEmpty { firstLine = rows.place.line }
      var isWaiting = false
      let end = imported.received + group
      while imported.received < end, !isOver, !isWaiting {
        do {
          let item = try rows.next { bytes, end, start in
            do {
              return try reader.row(in: bytes, end, from: start, telling: &imported).map { row in
                (record: try schema.read(row), emptied: leaves.filter { row.isNull(at: $0) })
              }
            } catch {
              if imported.encoding == nil { imported.encoding = Self.encoding(of: bytes) }
              throw error
            }
          }
          if let item {
            if item.record.id.isEmpty { throw SourceError(.malformed, "record without an ID") }
            imported.received += 1
            if isRepetition(item.record, item.emptied) {
              imported.repeated += 1
            } else {
              if !item.emptied.isEmpty { emptied[items.count] = item.emptied }
              items.append(item.record)
            }
          } else if rows.isOver {
            isOver = true
          } else {
            if clock.now - stored >= .seconds(1) {
              try await storeRead()
              (stored, firstLine) = (clock.now, rows.place.line)
            }
            isWaiting = try !rows.buffer.fill()
          }
        } catch let error as SourceError where error.kind == .malformed || error.kind == .truncated {
          imported.received += 1
          imported.skipped += 1
          let fault = RowFault("\(name):\(rows.rowLine): \(error.message)", digest: UInt64(rows.rowLine))
          if imported.faults.count < 5 { imported.faults.append(fault) }
          Event.emit(.rowSkipped(source: source, fault))
        } catch let refusal as Refusal {
          var error = refusal.error
          error.message = "\(name):\(rows.rowLine): \(error.message)"
          guard imported.received > 0 else {
            if let encoding = imported.encoding { error.remedy = .convert(name, from: encoding) }
            throw error
          }
          (imported.shortfall, isOver) = (error.message, true)
        }
      }
      if !isWaiting { try await handOver() }
      imported.bytes = rows.buffer.taken
      imported.landed = intake.landed
      await note(imported)
      try Task.checkCancellation()
      try check()
    }
    imported.landed = try await intake.finish()
    imported.shortage = (rows.shape as? DocumentShape)?.envelope.shortage
    try reader.checkNames(imported)
  }

  /// What a row that is not UTF-8 seems to be encoded as; nil where it is UTF-8.
  private static func encoding(of bytes: Bytes) -> String? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    // No text in Latin-1 begins with a mark of UTF-16.
    return [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(bytes.prefix(2))) ? "utf-16" : "latin1"
  }

  /// True when the file has said something else of this record before, which stays.
  private mutating func isRepetition(_ item: Item, _ emptied: [FieldPath]) -> Bool {
    guard intake.isReplacing else { return false }
    let (id, values) = intake.digests(of: item, emptied: emptied)
    guard let first = said[id] else {
      said[id] = values
      return false
    }
    return first != values
  }

  private mutating func handOver() async throws {
    guard !items.isEmpty else { return }
    defer {
      items.removeAll(keepingCapacity: true)
      emptied.removeAll(keepingCapacity: true)
    }
    try await intake.add(
      items, emptied: emptied, from: Fetch(at: clock.now, request: Fetch.importing, place: "line \(firstLine)"))
  }

  private mutating func storeRead() async throws {
    try await handOver()
    try await intake.land()
    imported.landed = intake.landed
  }
}

extension JSON {
  /// True when the row says that there is no value there, and does not merely leave it out.
  fileprivate func isNull(at path: FieldPath) -> Bool {
    var part: JSON? = self
    for name in path.names where part?.isNull == false { part = part?[name] }
    return part?.isNull ?? false
  }
}

/// What came of reading a file of records.
public struct ImportResult: Sendable, Hashable {
  /// How many rows came out of the file, broken ones included.
  public internal(set) var received = 0
  /// How many of them could not be read.
  public internal(set) var skipped = 0
  /// What was wrong with the first of the skipped rows.
  public internal(set) var faults: [RowFault] = []
  /// How much of the file has been read.
  public internal(set) var bytes = 0
  /// What became of those that are stored by now.
  public internal(set) var landed = LandingResult()
  /// How many of them are stored by now, or were before.
  public var stored: Int { landed.new + landed.updated + landed.duplicates + landed.differing + landed.deleted }
  /// How many were left out since the file has their IDs before, with other values.
  public var repetitions: Int { repeated + landed.repeated }
  /// Those of them that no store was asked about.
  var repeated = 0
  /// Unknown fields: columns of a table, or members of the first line.
  public internal(set) var unknown: [String] = []
  /// Names that were taken for a field an edit away: `frist name as name.first`.
  public internal(set) var guesses: [String] = []
  /// Fields that are computed, and so were left out.
  public internal(set) var computed: [String] = []
  /// What the file seems to be encoded as, by the name that `iconv` has for it; nil where no row shows that it is not UTF-8.
  public internal(set) var encoding: String?
  /// What is missing of the file, for a person; nil where nothing shows that anything is.
  public internal(set) var shortfall: String?
  /// What the file says that its rows lack, being an incomplete answer; nil where it says nothing of the kind.
  public internal(set) var shortage: String?

  package init() {}

  /// What a file is called that came through a pipe.
  package static let standardInput = "standard input"
}

extension SourceError.Kind {
  /// A file that was named cannot be read.
  package static let unreadableFile = custom("unreadable-file")
  /// A file has no name for a field that every record needs.
  package static let missingField = custom("missing-field")
}

extension Remedy {
  /// Make UTF-8 of a file that seems to be encoded otherwise.
  package static func convert(_ file: String, from encoding: String) -> Remedy {
    if file == ImportResult.standardInput { return "pipe it through iconv -f \(encoding) -t utf-8" }
    let copy = Paths.quoted(Paths.named(file, "-utf8"))
    return "convert it: iconv -f \(encoding) -t utf-8 \(Paths.quoted(file)) > \(copy)"
  }
}
