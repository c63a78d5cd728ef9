/// The syncs of a list so far, with their verdicts. A store holds them as a text.
///
/// The last sync is noted when it ends, and once more before the next one begins, so that a process that was killed in between costs no
/// entry.
struct SyncLog: Part {
  /// One sync.
  struct Entry: Part {
    /// The number of the sync among those of these records.
    var number = 0
    /// The moment at which it began.
    var began = Moment(secondsSinceEpoch: 0)
    /// The moment at which it ended; nil if another one took its place before that.
    var ended: Moment?
    /// The verdict at the end.
    var verdict: Verdict?
    /// The digest of the list that it read.
    var list = ""

    static let fields: [Field<Entry>] = [
      Field("number", \.number), Field("began", \.began.stored), Field("ended", \.ended.stored), Field("verdict", \.verdict),
      Field("list", \.list),
    ]

    init() {}

    init(_ state: SyncState, of list: String) {
      (number, began, ended, verdict, self.list) = (state.number, state.began, state.ended, state.verdict, list)
    }
  }

  /// The syncs, the earliest first.
  private(set) var entries: [Entry] = []

  /// The most syncs that are remembered; the earliest are dropped first.
  static let most = 1_000

  init() {}

  static let fields: [Field<SyncLog>] = [Field("syncs", \.entries)]

  /// Reads ``text``. An empty log if the text is missing, or if somebody has edited it into something else.
  init(text: String?) {
    guard let text, let json = try? JSON(Array(text.utf8)), let log = try? Self(json, as: .own) else { return }
    self = log
  }

  /// The log for a store: a JSON object.
  var text: String { String(decoding: value.bytes, as: UTF8.self) }

  /// Notes how far a sync has come. A sync that was noted with its end stays as it was: what comes later is no news of it.
  mutating func note(_ state: SyncState, of list: String) {
    let entry = Entry(state, of: list)
    if let index = entries.lastIndex(where: { $0.began == entry.began }) {
      if entries[index].ended == nil { entries[index] = entry }
      return
    }
    entries.append(entry)
    entries.removeFirst(max(0, entries.count - Self.most))
  }
}

extension Archive {
  /// Notes how far a sync of this list has come.
  func log(_ state: SyncState) async throws {
    let text = try await store.snapshot().storedText(kind.name(of: .syncs))
    var log = SyncLog(text: text)
    log.note(state, of: listDigest)
    if log.text != text { try await writable.note(log.text, as: .syncs, of: kind) }
  }
}
