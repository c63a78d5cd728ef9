import AggregatorCore
import Asking
import RecordFormats

/// A note from which a reader elsewhere continues: how far it has the records of a list, and whether it has the whole list.
struct Bookmark: Sendable, Hashable {
  /// The verdict of the list; nil if some of it is missing.
  let verdict: Verdict?
  /// The moment at which the records were read.
  let at: Moment
  /// The number of the last change among those that the store notes.
  let mark: Int
  /// The digest of the list, and of what a person did to its records.
  let list: String
  /// The number that the records carry for a reader that removes the others; nil without such a reader.
  var version: Int?
  /// The fields that the reader did not want, each as its names with dots between them. Values of these alone were never given.
  var leftOut: [String] = []

  /// Reads ``value``. Nil for a note from which the list cannot be continued.
  init?(_ value: Value?) {
    guard let value, let list = value["list"]?.text, let at = value["at"]?.text.flatMap({ Moment(iso: $0) }),
      case .int(let mark) = value["mark"]
    else { return nil }
    (verdict, self.at, self.mark, self.list) = (nil, at, mark, list)
    if case .int(let version) = value["version"] { self.version = version }
    leftOut = value["left_out"]?.list?.compactMap(\.text) ?? []
  }

  fileprivate init(_ verdict: Verdict, at moment: Moment, mark: Int, of list: String) {
    (self.verdict, at, self.mark, self.list) = (verdict.whileWhole, moment, mark, list)
  }

  /// The note as JSON.
  var value: Value {
    .object(leavingOutNil: [
      "verdict": verdict?.value, "at": .text(at.iso), "mark": .int(mark), "list": .text(list),
      "version": version.map(Value.int), "left_out": leftOut.isEmpty ? nil : .list(leftOut.map(Value.text)),
    ])
  }

  /// The names of the members of ``value``.
  static let members = ["verdict", "at", "mark", "list", "version", "left_out"]
}

extension Verdict {
  /// The verdict, unless something is missing: then a reader elsewhere gets none.
  var whileWhole: Verdict? { if case .partial = self { nil } else { self } }

  /// The verdict in JSON.
  var value: Value { ["kind": .text(kind), "reason": reason.fieldValue] }
}

/// The stored records that a reader elsewhere does not have yet, page by page.
struct ListNews: Sendable {
  /// The note after all of these records.
  let bookmark: Bookmark
  /// The verdict of the list.
  let verdict: Verdict
  /// True when these are all records, and not only those that changed since the reader's note.
  let isEverything: Bool
  /// The number of records that the service has removed since the note. They are not among these.
  let gone: Int
  /// The number of stored records so far that could not be read.
  private(set) var unreadable = 0

  fileprivate typealias Page = (records: [ShownRecord], faults: Int, next: Int64?)
  private let read: @Sendable (StoredQuery, _ after: Int64) async throws -> Page
  /// The ids that are still to be read; nil when everything is.
  private var ids: ArraySlice<String>?
  private var next: Int64? = 0
  /// The number of records in a page.
  fileprivate static let pageSize = 1_000

  fileprivate init(
    _ bookmark: Bookmark, _ verdict: Verdict, changed ids: [String]?, gone: Int,
    reading read: @escaping @Sendable (StoredQuery, Int64) async throws -> Page
  ) {
    (self.bookmark, self.verdict, self.ids, self.gone, self.read) = (bookmark, verdict, ids.map { $0[...] }, gone, read)
    isEverything = ids == nil
  }

  /// Returns the next page; nil at the end.
  mutating func nextPage() async throws -> [ShownRecord]? {
    let page: Page
    if let rest = ids {
      guard !rest.isEmpty else { return nil }
      page = try await read(.ids(Array(rest.prefix(Self.pageSize))), 0)
      ids = rest.dropFirst(Self.pageSize)
    } else {
      guard let after = next else { return nil }
      page = try await read(.everything, after)
      next = page.next
    }
    unreadable += page.faults
    return page.records
  }
}

extension SourceSession {
  /// Reads the stored records for a reader elsewhere, without asking the service: those that syncs found new or changed since its note, or all.
  ///
  /// All of them come unless the store knows every change since the note: a list that was whole then, that is the same list of the same
  /// holder now, and whose records no person has edited, deleted or imported since. With `isReplacing` all come also if some are gone, since
  /// the reader removes what does not come again. Throws if nothing is stored.
  func news(after note: Bookmark?, replacing isReplacing: Bool = false) async throws -> ListNews {
    var ask = Ask(of: name)
    ask.terms.reach = .offline
    return try await advising(ask) {
      let archive = try stored
      try await archive.check()
      // Read before the records: a change that comes between is told twice rather than never.
      let (changes, known) = try await archive.noted()
      guard let snapshot = try await world.store?.snapshot() else { throw SourceError(.storage, "nothing keeps records") }
      let (records, status) = try await archive.list(at: snapshot)
      if let error = status.foreign { throw error }
      guard let verdict = status.verdict else {
        throw SourceError(
          .notStored, "nothing is stored", remedy: .ask(.init(status.isEndless ? "next" : "sync", of: name), "first"))
      }
      let digest = try await archive.digest(at: snapshot)
      let bookmark = Bookmark(verdict, at: world.clock.now, mark: changes.first?.number ?? 0, of: digest)
      var changed: [String]?
      var gone = 0
      if let note, note.list == digest, note.isContinued(by: changes, known) {
        var met: Set<[UInt8]> = []
        // The latest change of a record says whether it is gone.
        let latest = changes.prefix { $0.number > note.mark }.filter { met.insert(Array($0.id.utf8)).inserted }
        gone = latest.count { $0.after == nil }
        if gone == 0 || !isReplacing { changed = latest.filter { $0.after != nil }.map(\.id) }
      }
      return ListNews(bookmark, verdict, changed: changed, gone: changed == nil ? 0 : gone) { [schema] query, after in
        let rows = try await records.rows(of: archive.kind, query, after: after, count: ListNews.pageSize)
        let read = try rows.read(by: schema)
        return (schema.shown(read.items), read.faults.count, rows.next)
      }
    }
  }
}

extension Bookmark {
  /// True when `changes`, the latest first, have every change since this note.
  fileprivate func isContinued(by changes: [RecordChange], _ known: (since: Moment?, isCut: Bool)) -> Bool {
    // A note has milliseconds.
    guard let since = known.since.flatMap({ Moment(iso: $0.iso) }), since <= at else { return false }
    return mark == 0 ? !known.isCut : changes.contains { $0.number == mark }
  }
}
