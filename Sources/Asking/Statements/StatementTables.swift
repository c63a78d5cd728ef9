import AggregatorCore
import StoreTables
import Synchronization

/// The tables that a statement may read, all as they were at one moment.
struct StatementTables {
  /// The tables of one source.
  struct List {
    let tables: [QueryTable]
    let list: ReadList
    /// The drifts that last.
    var drift: [ShapeDrift] = []
    /// The values that do not fit their fields, and the fields.
    var misfits = Misfits()
    var fields: [FieldOutline] = []
    /// True when changes of the list may have been noted.
    var isNoted = false
    /// The columns whose values come with the next sync.
    var unknown: Set<String> = []
    /// Facts about the list that a person should know.
    var notices: [String] = []
    /// The number of rows that the last sync could not read.
    var skipped = 0
    /// True when changes of the list are no longer stored.
    var isCut = false
    /// The error for a source that cannot be read; its tables have no rows.
    var failure: SourceError?
  }

  /// The name of the table with the changes of all sources.
  static let changes = "changes"

  private(set) var lists: [List] = []
  private var changes: QueryTable?

  var all: [QueryTable] { lists.flatMap(\.tables) + [changes].compactMap(\.self) }

  /// Makes the tables of the sources that the statement may mean, or of all.
  init(for statement: Statement?, of catalogue: Catalogue, in world: World) async throws {
    guard let store = world.store else {
      throw SourceError(ofStore: "nothing is stored without a folder for it", remedy: .useAnotherStore)
    }
    var sessions: [any SourceSession] = []
    let text = statement.map { Fold.fold($0.text) }
    let namesChanges = text.map { $0.contains(Self.changes) } ?? true
    var opened: [(source: SourceDescriptor, ask: Ask, session: Result<any SourceSession, any Error>)] = []
    for source in catalogue.sources where namesChanges || text?.contains(Fold.fold(source.name)) ?? true {
      var ask = Ask(of: source.name)
      ask.terms = copy(of: world.terms) { ($0.reach, $0.asOf) = (.offline, statement?.asOf) }
      let session = await Result { [ask] in
        let session = try source.open(ask, in: world)
        try await session.readAnew()
        return session
      }
      opened.append((source, ask, session))
    }
    // Every list was read by its present description before the moment of all of them.
    let snapshot = try await store.snapshot()
    for (source, ask, session) in opened {
      do {
        let session = try session.get()
        let heard = Mutex<[String]>([])
        var list = try await Event.intercepting({ event in
          guard case .noticed(_, let text) = event else { return false }
          heard.withLock { $0.append(text) }
          return true
        }) { try await session.tables(at: snapshot) }
        list.notices = (list.notices + heard.withLock(\.self)).inGroups { $0 }.map(\.key)
        if text?.contains("history") == true || namesChanges, !source.isEndless {
          list.isCut = try await session.isCut()
        }
        lists.append(list)
        sessions.append(session)
      } catch let error as SourceError where !error.isOfStore {
        lists.append(.refused(source, error.advised(for: ask, of: source)))
      }
    }
    guard namesChanges else { return }
    changes = .changes(of: sessions, until: statement?.asOf)
  }
}

extension StatementTables.List {
  /// The tables of a source that cannot be read.
  fileprivate static func refused(_ source: SourceDescriptor, _ error: SourceError) -> Self {
    let columns = source.fields.filter { !$0.isComputed && !$0.isTextOnly }.leaves.map(QueryTable.Column.init)
    let tables = ["", "_all", "_history"].map { suffix in
      QueryTable(source.name + suffix, of: [source.name], columns, count: 0) { _ in throw error }
    }
    let list = ReadList(source: source.name, records: 0, verdict: .partial(.failed(error)), change: nil, age: nil)
    // Its changes are missing among those of all sources.
    return Self(tables: tables, list: list, isNoted: true, failure: error)
  }
}

extension QueryTable.Column {
  /// The column of a value in records.
  fileprivate init(_ leaf: Leaf) {
    self.init(leaf.path.text, at: .path(leaf.path), leaf.mayBeList ? .any : leaf.kind)
  }
}

extension QueryTable.Column.Part {
  /// True for the values that do not fit the type of another column.
  var isOfOthers: Bool { if case .others = self { true } else { false } }
}

extension FieldOutline {
  /// Returns the columns of the field. If some values do not fit, a second column has these, so that sums and comparisons use none of them.
  fileprivate func columns(hasMisfits: Bool, isUnknown: Bool) -> [QueryTable.Column] {
    [self].leaves.flatMap { leaf in
      var column = QueryTable.Column(leaf)
      (column.isDetail, column.isUnknown) = (isDetail, isUnknown)
      guard hasMisfits, column.kind != .any else { return [column] }
      let kind = column.kind
      column.part = .fitting(kind)
      var others = QueryTable.Column("\(column.name) (other)", at: column.place, .any)
      (others.part, others.isUnknown) = (.others(than: kind), isUnknown)
      return [column, others]
    }
  }
}

/// Returns columns of notes, each a time or a text.
private func notes(_ names: String...) -> [QueryTable.Column] {
  names.enumerated().map { QueryTable.Column($1, at: .note($0), .time) }
}

extension SourceSession {
  /// Reads the stored records by the present description of their fields.
  fileprivate func readAnew() async throws { try await stored.readAnewIfWritable() }

  /// Makes the tables of what is stored: what is there, everything with what became of it, every state of each record, and a search.
  fileprivate func tables(at snapshot: any RecordSnapshot) async throws -> StatementTables.List {
    let archive = try stored
    let (records, status) = try await archive.list(at: snapshot)
    if let foreign = status.foreign { throw foreign }
    let (now, name) = (world.clock.now, name)
    let fields = schema.outline.filter { !$0.isComputed }.flatMap {
      $0.columns(hasMisfits: status.misfits?.fields[$0.name] != nil, isUnknown: status.unknown.contains($0.name))
    }
    let id = fields.first { $0.place == .path(schema.idPath) && [.text, .integer, .address].contains($0.kind) }?.name
    let count = status.census.count
    let made = TablesOfSource(name: name, archive: archive, records: records, fields: fields, id: id, count: count)
    var tables = [made.present, made.all(gone: status.removals.gone)]
    if !descriptor.isEndless { tables.append(made.history) }
    if descriptor.searches != nil {
      tables.append(made.search(in: archive.records(endless: descriptor.isEndless, clock: world.clock)))
    }
    let verdict = status.verdict ?? .partial(.recorded("nothing is stored"))
    let list = ReadList(
      source: name, records: count, verdict: verdict, change: status.change, age: status.asOf.map { max(.zero, now - $0) })
    let skipped = status.sync?.counts.skipped ?? 0
    let notices = [
      skipped > 0 ? Notice.skipped(skipped).text(of: name, at: now) : nil, verdict.reason == nil ? status.sync?.change : nil,
      status.edited > 0 ? "\(status.edited) \(status.edited == 1 ? "record has" : "records have") edits, which are shown" : nil,
    ].compactMap(\.self)
    return StatementTables.List(
      tables: tables, list: list, drift: status.drift, misfits: status.misfits ?? Misfits(), fields: schema.outline,
      isNoted: status.sync != nil, unknown: Set(fields.filter(\.isUnknown).map(\.name)), notices: notices, skipped: skipped)
  }
}

/// The tables of one source, over its stored records.
private struct TablesOfSource<Item: SourceItem>: Sendable {
  let name: String
  let archive: Archive<Item>
  let records: any RecordSnapshot
  let fields: [QueryTable.Column]
  /// The column by which a record is found fast; nil without one.
  let id: String?
  let count: Int

  /// The records that are there.
  var present: QueryTable {
    QueryTable(name, of: [name], fields + notes("fetched_at"), id: id, count: count) { wish in
      let query = StoredQuery(wish.selection)
      guard wish.wantsNotes else {
        let rows = try await records.rows(of: archive.kind, query, after: wish.after, count: wish.count)
        return .init(rows.rows.map { .init($0.body, number: $0.row) }, next: rows.next)
      }
      let traces = try await records.traces(of: archive.kind, query, after: wish.after, count: wish.count)
      let rows = traces.rows.filter(\.isThere)
      return .init(rows.map { .init($0.stored.body, notes: [$0.fetchedAt], number: $0.stored.row) }, next: traces.next)
    }
  }

  /// All records, with what became of each.
  func all(gone: Int) -> QueryTable {
    let columns = fields + notes("fetched_at", "deleted_at", "gone_at")
    return QueryTable("\(name)_all", of: [name], columns, id: id, count: count.adding(gone)) { wish in
      let traces = try await records.traces(of: archive.kind, StoredQuery(wish.selection), after: wish.after, count: wish.count)
      let rows = traces.rows.filter { $0.gone != .outdated }
      let found = rows.map { row in
        let notes = [row.fetchedAt, row.deletedAt.sqlTime, row.gone.sqlTime]
        return QueryTable.Row(row.stored.body, notes: notes, number: row.stored.row)
      }
      return .init(found, next: traces.next)
    }
  }

  /// Every state of each record.
  var history: QueryTable {
    let versions = RecordVersions(of: archive)
    let columns = fields + notes("since", "until", "change", "deleted_at")
    return QueryTable("\(name)_history", of: [name], columns, id: id, count: count) { try await versions.rows(for: $0) }
  }

  /// The records that a text finds, with their places in the answer.
  func search(in stored: StoredRecords<Item>) -> QueryTable {
    let (place, name) = (QueryTable.Column("place", at: .note(0), .integer), "\(name)_search")
    return QueryTable(name, of: [self.name], fields + [place], takesText: true, count: count) {
      try await stored.found(by: $0, in: name)
    }
  }
}

extension StoredQuery {
  fileprivate init(_ selection: QueryTable.Wish.Selection) {
    if case .id(let id) = selection { self = .id(id) } else { self = .everything }
  }
}

extension TracedRow {
  fileprivate var fetchedAt: Value { (fetch?.at).sqlTime }
}

extension Moment? {
  /// The time as SQL compares it, in whole seconds: `2026-11-22T04:15:00Z`; null without one.
  var sqlTime: Value { map { .text("\($0.iso.prefix(19))Z") } ?? .null }
}

extension StoredRecords {
  /// Returns the records that a search finds, the best first, each with its place. All of them come at once.
  fileprivate func found(by wish: QueryTable.Wish, in table: String) async throws -> QueryTable.Rows {
    guard case .text(let text) = wish.selection else { return .init([], next: nil) }
    guard !Matcher(text, in: schema).isEmpty else {
      throw SourceError(.settings, QueryTable.missingText(in: table))
    }
    var (rows, cursor): ([QueryTable.Row], Cursor?) = ([], nil)
    repeat {
      let page = try await page(PageRequest(.matching(text), at: cursor, wanted: 500))
      for item in page.items {
        rows.append(.init(schema.body(of: item), notes: [.int(rows.count + 1)], number: Int64(rows.count)))
      }
      if case .token(let token) = page.next { cursor = Cursor(maker: profile.name, place: .token(token)) } else { cursor = nil }
    } while cursor != nil
    return .init(rows, next: nil)
  }
}

extension QueryTable {
  /// The changes that syncs found in these sources, the latest first.
  fileprivate static func changes(of sessions: [any SourceSession], until moment: Moment?) -> QueryTable {
    let columns = FoundChange.fieldsOfSeveral.map { field in
      let name = field.outline.name
      return Column(
        name, at: .path(FieldPath([name])), name == "at" ? .time : ["before", "after"].contains(name) ? .any : .text)
    }
    return QueryTable(StatementTables.changes, of: sessions.map(\.name), columns, count: 1_000) { wish in
      // One source after the other: the place is the number of the source.
      let index = Int(wish.after)
      guard index < sessions.count else { return .init([], next: nil) }
      let found = try await sessions[index].foundChanges().filter { change in moment.map { change.at <= $0 } ?? true }
      let rows = found.enumerated().map { place, change in
        var row = Value.object(FoundChange.fieldsOfSeveral.map { Member(name: $0.outline.name, value: $0.value(change)) })
        row["at"] = Optional(change.at).sqlTime
        return Row(row.bytes, number: Int64(index) << 32 + Int64(place))
      }
      return .init(rows, next: index + 1 < sessions.count ? Int64(index + 1) : nil)
    }
  }
}

extension SourceSession {
  /// True when older changes are no longer stored.
  fileprivate func isCut() async throws -> Bool { try await stored.noted().known.isCut }

  fileprivate func foundChanges() async throws -> [FoundChange] {
    guard !descriptor.isEndless else { return [] }
    return try await stored.changes(since: Moment(nanoseconds: 0)).flatMap { try found($0) }
  }
}
