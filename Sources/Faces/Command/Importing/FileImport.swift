import AggregatorCore
import Asking
import Bodies
import Platform

/// Reads a file of records, in their source's own fields, into a store.
///
///     let imported = try await FileImport(of: "heroes", into: archive.intake(), from: FileStream(path: path), called: path).run { … }
///
/// It takes as much memory as one batch, however long the file is. A row that cannot be read is skipped and counted. Rows that come
/// slowly are stored at most a second later, and what was read is stored in any case, however the import ends.
struct FileImport<Item: SourceItem> {
  private let source: String
  private let stream: any ByteStream
  private let name: String
  private let clock: any Timekeeper
  private let header: HeaderNames
  private var intake: Intake<Item>
  private var imported = ImportResult()
  /// The records that were read but not handed over yet.
  private var group = Group()
  /// The digest of each record so far, used when its values are stored as edits, because a store cannot tell
  /// which edits came from this file.
  private var said: [UInt64: UInt64] = [:]
  /// The form of the rows; nil until a row shows it, because both readings of the rows so far were equal.
  private var form: RowForm?
  /// The number of rows that were read in both forms.
  private var compared = 0

  /// Records that are handed over together.
  private struct Group {
    /// The line on which the first of them begins.
    var firstLine = 1
    var items: [Item] = []
    /// The fields that the file sets to null, by the indices of their records in `items`.
    var emptied: [Int: [FieldPath]] = [:]
    /// The values that do not fit their fields, by the ids of the records in `items`.
    var misfits: [String: [Misfit]] = [:]

    /// The number of rows after which a group is handed over.
    static var rows: Int { 2_000 }
  }

  init(
    of source: String, into intake: Intake<Item>, from stream: some ByteStream, called name: String,
    mapping mappings: [String: FieldPath] = [:], clock: some Timekeeper = SystemTime()
  ) {
    header = HeaderNames(of: intake.schema.outline, id: intake.schema.idPath, mapping: mappings)
    (self.source, self.intake, self.stream, self.name, self.clock) = (source, intake, stream, name, clock)
    form = mappings.isEmpty ? nil : .own
  }

  /// Reads everything. `note` receives the progress from time to time, and every skipped row is told by an event.
  ///
  /// The ending of the file's name or its first bytes decide which format it has. `check` is called now and then; an error from it ends
  /// the reading after what was read is stored.
  mutating func run(
    checking check: @escaping () throws -> Void = Deadline.check, noting note: (ImportResult) async -> Void = { _ in }
  ) async throws -> ImportResult {
    do {
      var buffer = FileBuffer(stream, checking: check)
      let envelope = EnvelopeReader(of: source, fields: Set(intake.schema.fields.map { $0.name }))
      let shape = try buffer.shape(of: name, envelope)
      if let table = shape as? TableShape, let rival = table.rival {
        imported.separators = [table.separator, rival].map(Self.name(ofSeparator:))
      }
      let reader = FileRowReader(of: source, in: name, header, envelope, shape)
      try await readAll(FileRows(buffer, of: shape), reader, check, note)
      return imported
    } catch {
      try? await storeRead()
      await note(imported)
      switch error {
      case let error as SourceError where error.kind == .timedOut && imported.counts.received > 0:
        count(try await intake.finish())
        imported.shortfall = Shortfall.deadline.description
        return imported
      case let problem as FileProblem: throw SourceError(.unreadableFile, "cannot read \(name): \(problem.reason)")
      default: throw error
      }
    }
  }

  private static func name(ofSeparator byte: UInt8) -> String {
    switch byte {
    case Byte.comma: "commas"
    case Byte.semicolon: "semicolons"
    default: "tabs"
    }
  }

  /// Reads all rows, and hands them over in groups.
  private mutating func readAll(
    _ rows: consuming FileRows, _ reader: consuming FileRowReader, _ check: () throws -> Void,
    _ note: (ImportResult) async -> Void
  ) async throws {
    // An empty cell of a table is left alone, because a table cannot leave out a value in any other way.
    var nulls = NullFinder(reader.isOfTable ? [] : intake.kind.leaves)
    var (isOver, stored) = (false, clock.now)
    while !isOver {
      if group.items.isEmpty { group.firstLine = rows.location.line }
      let isWaiting = try await readGroup(&rows, &reader, &nulls, since: &stored, until: &isOver)
      if !isWaiting { try await handOver() }
      imported.bytes = rows.buffer.taken
      count(intake.landed)
      await note(imported)
      try Task.checkCancellation()
      try check()
    }
    count(try await intake.finish())
    imported.isEmpty = rows.isBlank
    imported.shortage = (rows.shape as? DocumentShape)?.envelope.shortage
    try reader.checkNames(imported)
  }

  /// Reads rows up to the end of a group or of the file, which sets `isOver`. Returns true if the next row has not come yet. Then rows
  /// that were read more than a second after `stored` are stored.
  private mutating func readGroup(
    _ rows: inout FileRows, _ reader: inout FileRowReader, _ nulls: inout NullFinder, since stored: inout Moment,
    until isOver: inout Bool
  ) async throws -> Bool {
    let end = imported.counts.received + Group.rows
    while imported.counts.received < end, !isOver {
      do {
        if let read = try next(of: &rows, &reader, &nulls) {
          try take(read)
        } else if rows.isOver {
          isOver = true
        } else {
          if clock.now - stored >= .seconds(1) {
            try await storeRead()
            (stored, group.firstLine) = (clock.now, rows.location.line)
          }
          if try !rows.buffer.fill() { return true }
        }
      } catch let error as SourceError where error.isOfContent {
        skip(error, at: rows.rowLine)
      } catch let refusal as Refusal {
        try stop(at: rows.rowLine, for: refusal.error)
        isOver = true
      }
    }
    return false
  }

  /// Returns the next row; nil if it has not come yet, or after the last one.
  private mutating func next(
    of rows: inout FileRows, _ reader: inout FileRowReader, _ nulls: inout NullFinder
  ) throws -> Read? {
    let schema = intake.schema
    return try rows.next { bytes, end, start in
      do {
        let own = Result { () throws -> Read? in
          try reader.row(in: bytes, end, from: start, telling: &imported).map { row in
            let read = try schema.readWithMisfits(row, as: form ?? .own)
            return (read.item, read.misfits, form == .service ? [] : nulls.fields(in: row))
          }
        }
        // Where a table has the service's values, only fields that did not move can show it.
        let mayBeOfService = !reader.isOfTable || !schema.unmoved.isEmpty
        return try chosen(own, or: mayBeOfService ? reader.asWritten : nil, schema, &reader)
      } catch {
        if imported.encoding == nil { imported.encoding = Self.encoding(of: bytes) }
        throw error
      }
    }
  }

  private mutating func take(_ read: Read) throws {
    if read.record.id.isEmpty { throw SourceError(.malformed, "record without an ID") }
    imported.counts.received += 1
    if isRepetition(read.record, read.emptied) {
      imported.counts.repeated += 1
    } else {
      if !read.emptied.isEmpty { group.emptied[group.items.count] = read.emptied }
      if !read.misfits.isEmpty { group.misfits[read.record.id] = read.misfits }
      group.items.append(read.record)
    }
  }

  /// Counts a row that cannot be read.
  private mutating func skip(_ error: SourceError, at line: Int) {
    imported.counts.received += 1
    imported.counts.skipped += 1
    let fault = RowFault("\(name):\(line): \(error.message)", digest: UInt64(line))
    if imported.faults.count < 5 { imported.faults.append(fault) }
    Event.emit(.rowSkipped(source: source, fault))
  }

  /// Notes that the rest of the file cannot be read. Throws the error if no row came before.
  private mutating func stop(at line: Int, for error: SourceError) throws {
    var error = error
    error.message = "\(name):\(line): \(error.message)"
    guard imported.counts.received > 0 else {
      if let encoding = imported.encoding { error.remedy = .convert(name, from: encoding) }
      throw error
    }
    imported.shortfall = error.message
  }

  /// A record as it was read, the values that do not fit, and the fields that the file sets to null.
  private typealias Read = (record: Item, misfits: [Misfit], emptied: [FieldPath])

  /// Returns the row as it was read by the record's own fields, or as the service writes it. The first row that one reading reads better
  /// decides for the whole file; until then both readings are equal, so no file is read in both ways.
  private mutating func chosen(
    _ own: Result<Read?, any Error>, or row: JSON?, _ schema: Schema<Item>, _ reader: inout FileRowReader
  ) throws -> Read? {
    guard form == nil, let row, compared < 100 else { return try own.get() }
    if case .failure(let error) = own, (error as? SourceError)?.isOfContent != true { throw error }
    let read = try? own.get()
    compared += 1
    let service = try? schema.readWithMisfits(row, as: .service)
    // Misfits of a row that could not be read are not those of the next one.
    _ = schema.misfits(of: row, as: .service)
    guard let service, !service.item.id.isEmpty else {
      if read != nil { form = .own }
      return try own.get()
    }
    if let read {
      // Only records that we wrote have the mark of an edit.
      let isMarked = row[Edit.mark]?.kind == .array && !schema.fields.contains { $0.name == Edit.mark }
      guard let isServiceBetter = isMarked ? false : isBetter(service, than: read, schema) else { return read }
      guard isServiceBetter else {
        form = .own
        return read
      }
    }
    (form, reader.isOfService, imported.isOfService) = (.service, true, true)
    if !reader.isOfTable { (imported.unknown, imported.unknownCount, imported.guesses, imported.computed) = ([], 0, [], []) }
    return (service.item, service.misfits, [])
  }

  /// True when the service's reading of a row is better than that by the record's own fields; nil if both are equal.
  private func isBetter(_ service: (item: Item, misfits: [Misfit]), than own: Read, _ schema: Schema<Item>) -> Bool? {
    let (mine, theirs) = (schema.value(of: own.record), schema.value(of: service.item))
    if mine == theirs, own.misfits.count == service.misfits.count { return nil }
    let found = Self.found(mine, own.misfits, schema)
    let theirsFound = Self.found(theirs, service.misfits, schema)
    if found != theirsFound { return theirsFound > found }
    if own.misfits.count != service.misfits.count { return service.misfits.count < own.misfits.count }
    // Both readings leave a time, a day and an address of our own as they are, so another value is not our own.
    return schema.fields.contains { field in
      guard schema.unmoved.contains(field.name), let leaf = field.outline.leaves.first else { return false }
      let (value, theirValue) = (mine[field.name], theirs[field.name])
      if value == theirValue { return false }
      // A text of ours may look like markup, but our records have no further members.
      let isMarkup = leaf.kind == .text && imported.unknownCount > 0 && (value?.text?.contains("</") ?? false)
      return leaf.kind == .time || leaf.kind == .address || isMarkup
    }
  }

  /// The number of fields that a reading found. A field that lies in one place for both readings is found by both or by none.
  private static func found(_ value: Value, _ misfits: [Misfit], _ schema: Schema<Item>) -> Int {
    // A typed record leaves out a value that does not fit, which was found all the same.
    guard Item.self == LooseRecord.self else { return value.filledLeaves + misfits.count }
    return schema.fields.count { !schema.unmoved.contains($0.name) && value[$0.name].map { $0.filledLeaves > 0 } ?? false }
  }

  /// Returns the encoding that a row seems to have; nil if it is UTF-8.
  private static func encoding(of bytes: Bytes) -> String? {
    guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
    // A text in Latin-1 does not begin with a byte-order mark of UTF-16.
    return [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(bytes.prefix(2))) ? "utf-16" : "latin1"
  }

  /// True when the file already has other values for this record; the first ones stay.
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
    guard !group.items.isEmpty else { return }
    defer {
      group.items.removeAll(keepingCapacity: true)
      (group.emptied, group.misfits) = ([:], [:])
    }
    try await intake.add(
      group.items, emptied: group.emptied, misfits: group.misfits,
      from: Fetch(at: clock.now, request: Fetch.importing, place: "line \(group.firstLine)"))
    imported.counts.misfits = intake.misfits
  }

  /// Notes what became of the records so far.
  private mutating func count(_ landed: LandingResult) {
    (imported.counts.landed, imported.counts.gone) = (landed, landed.gone)
  }

  private mutating func storeRead() async throws {
    try await handOver()
    try await intake.land()
    count(intake.landed)
  }
}

extension Value {
  /// The number of values in it that are not null.
  fileprivate var filledLeaves: Int {
    switch self {
    case .null: 0
    case .object(let members): members.reduce(0) { $0 + $1.value.filledLeaves }
    case .list(let values): values.reduce(0) { $0 + $1.filledLeaves }
    case .bool, .int, .double, .decimal, .text: 1
    }
  }
}

/// Finds the fields that a row of JSON sets to null, and does not merely leave out.
private struct NullFinder {
  private let leaves: [FieldPath]
  /// The fields that were found last. Most rows of a file have the same ones, so that the fields need not be looked up in each row.
  private var last: [FieldPath] = []

  init(_ leaves: [FieldPath]) { self.leaves = leaves }

  mutating func fields(in row: JSON) -> [FieldPath] {
    let count = leaves.isEmpty ? 0 : row.nullCount
    guard count > 0 else { return [] }
    // Each of them has a null of its own, so no other field has one.
    if last.count == count, last.allSatisfy({ row.hasNull(at: $0) }) { return last }
    last = leaves.filter { row.isNull(at: $0) }
    return last
  }
}

extension JSON {
  /// True when the row has a null there, or in place of a part on the way.
  fileprivate func isNull(at path: FieldPath) -> Bool {
    var part: JSON? = self
    for name in path.names where part?.isNull == false { part = part?[name] }
    return part?.isNull ?? false
  }

  /// True when the row has a null at the end of the path.
  fileprivate func hasNull(at path: FieldPath) -> Bool { path.names.reduce(Optional(self)) { $0?[$1] }?.isNull ?? false }
}

/// The result of reading a file of records.
struct ImportResult: Sendable, Hashable {
  /// The counts of its rows so far.
  var counts = StoringCounts()
  /// The faults of the first skipped rows, at most five.
  var faults: [RowFault] = []
  /// The number of bytes that were read from the file.
  var bytes = 0
  /// True when the file has nothing but blanks after its byte-order mark, if it has one.
  var isEmpty = false
  /// The number of records that are stored by now, or were stored before.
  var stored: Int { counts.new + counts.landed.updated + counts.unchanged + counts.landed.differing }
  /// True when rows came, but none of them can be read.
  var isUnreadable: Bool { counts.received > 0 && counts.received == counts.skipped }
  /// Names of unknown fields: columns of a table, or members of rows; at most a hundred.
  var unknown: [String] = []
  /// The number of unknown fields; no more than a hundred thousand are counted.
  var unknownCount = 0
  /// Names that were taken for a field an edit away: `frist name as name.first`.
  var guesses: [String] = []
  /// The signs between the values of a table, and others that would fit its first rows as well; empty if only one fits.
  var separators: [String] = []
  /// The number of texts that lost the apostrophe which keeps a spreadsheet from taking them for formulas.
  var unguarded = 0
  /// True when the rows were read as the service writes them, not by the record's own fields.
  var isOfService = false
  /// Computed fields, which were left out.
  var computed: [String] = []
  /// The encoding that the file seems to have, by the name that `iconv` uses; nil if no row shows that it is not UTF-8.
  var encoding: String?
  /// A text for a person about the part of the file that was not read; nil if nothing seems to be missing.
  var shortfall: String?
  /// A text about the rows that are missing because the file says that it is an incomplete answer; nil if it does not say so.
  var shortage: String?

  init() {}

  /// The number of unknown fields from which no further ones are counted, because a file may use its data as names.
  static let mostUnknown = 100_000
}
