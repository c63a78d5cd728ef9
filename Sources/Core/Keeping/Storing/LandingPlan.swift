/// Decides what becomes of each record of a batch, counts it, and tells the store what to do. The store needs no rules of its own.
public struct LandingPlan: Sendable {
  /// The counts of the records so far.
  public private(set) var landed = LandingResult()
  /// The number of records that the store has to add, hidden ones included.
  public private(set) var rowsAdded = 0
  /// The indices in ``Batch/fetches`` of an import's fetches that have not brought a record of their own so far. A store that logs fetches
  /// notes these as ``Fetch/correcting``.
  public private(set) var corrections: Set<Int> = []
  /// A person's edits of the records, after what has landed so far. The store writes their ``Edits/changes`` with the batch.
  public private(set) var edits: Edits
  private let batch: Batch
  private let bytes: [UInt8]
  /// True when a sync before had stored everything, so that a new record and one that is gone are changes of the list.
  private let isOfWholeList: Bool
  /// True when a value that is replaced is a change of the list, whole or not. A person's file changes no list.
  private let notesValues: Bool
  /// True when everything that the batch brings is a change of the list.
  private var notesChanges: Bool { isOfWholeList && notesValues }
  /// True when a change was noted, so that older ones may have to be dropped.
  public private(set) var hasNoted = false

  /// A plan for a batch of which nothing has landed; `edits` are those of all records of its kind, and `sync` is their last sync.
  public init(_ batch: Batch, under edits: [Edit], after sync: @autoclosure () throws -> SyncState?) rethrows {
    (self.batch, bytes) = (batch, batch.bytes)
    isOfWholeList = try batch.sync?.wasWhole ?? sync()?.isWhole ?? false
    notesValues = batch.rule != .rereading && !batch.fetches.contains(where: \.isImport)
    self.edits = Edits(edits, timesAt: batch.kind.times)
    if case .imported = batch.rule { corrections = Set(batch.fetches.indices) }
  }

  /// True when it may matter which fetch brought a stored record: whether that was an import.
  public var wantsFetches: Bool { notesValues || leavesOutDeleted }

  /// True when the batch leaves out the records that a person has deleted. Those of the service are stored all the same, and stay hidden:
  /// a restored record is then as the service has it, and a sync does not miss it.
  public var leavesOutDeleted: Bool { if case .imported = batch.rule { true } else { false } }

  /// Counts a deleted record that the batch leaves out. The store does nothing with it.
  public mutating func deleted() { landed.deleted += 1 }

  /// Returns what to do with a record whose id is not stored yet. The store adds it after all others. `isDeleted` says that it is hidden.
  public mutating func new(_ row: Batch.Row, deleted isDeleted: Bool) -> Batch.Landing {
    var landing = Batch.Landing()
    (landing.body, landing.text, landing.isOfItsFetch) = (bytes[row.body], bytes[row.text], true)
    landing.change = added(row, deleted: isDeleted)
    return landing
  }

  /// Counts a new record that the store has added already, as it came. Returns the change to note.
  public mutating func added(_ row: Batch.Row, deleted isDeleted: Bool) -> Batch.Landing.Change? {
    rowsAdded += 1
    if isDeleted { landed.deleted += 1 } else { landed.new += 1 }
    if !corrections.isEmpty { corrections.remove(row.fetch) }
    let ended = endEdits(by: bytes[row.body], of: row)
    hasNoted = hasNoted || notesChanges
    return notesChanges ? (before: nil, after: bytes[row.body], endedEdits: ended) : nil
  }

  /// Returns what to do with a record whose id is stored already.
  ///
  /// - Parameters:
  ///   - row: The record of the batch.
  ///   - stored: The stored body. It is read only if it matters.
  ///   - fetch: The fetch that brought the stored record last; nil if it is unknown.
  ///   - isSame: True when both bodies have the same bytes; nil if the store does not know.
  ///   - isGone: True when the stored record is gone.
  ///   - isOutdated: True when an earlier description read the stored record. Any new record replaces it.
  ///   - isDeleted: True when a person has deleted the record. It stays hidden.
  public mutating func landing(
    of row: Batch.Row, on stored: @autoclosure () throws -> ArraySlice<UInt8>, from fetch: @autoclosure () throws -> Fetch?,
    same isSame: Bool? = nil, gone isGone: Bool, outdated isOutdated: Bool, deleted isDeleted: Bool
  ) throws -> Batch.Landing {
    // A file says nothing of whether the service has a record again.
    if case .imported = batch.rule, isGone, !isOutdated {
      landed.gone += 1
      return Batch.Landing()
    }
    var decision = try batch.rule.decision(
      on: row, of: batch.kind, in: bytes, stored: stored(), fetch: fetch(), same: isSame ?? (stored() == bytes[row.body]),
      outdated: isOutdated, under: &edits)
    if decision.fate == .replaces, decision.body == nil {
      decision.isChange = !batch.kind.isSameRecord(try stored(), bytes[row.body])
    }
    var landing = try landing(of: row, decision)
    landing.isThereAgain = isGone
    // Of a record of another list only the fields that are in this one too can have changed, and a field that was not known has not.
    let isAnew = isOutdated || !batch.unknown.isEmpty && decision.fate == .replaces
    let former = isAnew ? try former(stored(), of: bytes[row.body], all: isOutdated) : nil
    if isAnew { decision.isChange = former != nil }
    // The list has a record that only a person's file had. So far it was not in the list.
    let isTakenOver = try notesChanges && !isGone && !isOutdated && landing.isOfItsFetch && fetch()?.isImport ?? false
    let isNoted =
      try isOutdated
      ? decision.isChange
      : isGone
        ? isOfWholeList
        : isTakenOver
          || notesValues && decision.fate == .replaces && decision.isChange
            && (isOfWholeList || fetch()?.isImport == false)
    hasNoted = hasNoted || isNoted
    let before = isNoted && !isTakenOver && (!isGone || isOutdated) ? try shown(former ?? stored(), as: row) : nil
    // Another description does not change the value that was edited.
    if decision.fate == .rereads || isAnew && !isOutdated, let body = landing.body {
      try followEdits(of: row, from: stored(), to: body)
    }
    let ended = decision.fate == .rereads ? [] : landing.body.map { endEdits(by: $0, of: row) } ?? []
    if isNoted { landing.change = (before, after: try shown(landing.body ?? stored(), as: row), endedEdits: ended) }
    if landing.isOfItsFetch { corrections.remove(row.fetch) }
    if isDeleted { landed.deleted += 1 } else { landed.count(decision, gone: isGone && !isOutdated, anew: isAnew) }
    return landing
  }

  /// Keeps the edits of a record over a body that another description reads: those of the fields that were not known, or of all.
  private mutating func followEdits(of row: Batch.Row, from old: ArraySlice<UInt8>, to new: ArraySlice<UInt8>) throws {
    let unknown = batch.unknown
    try edits.follow(from: old, to: new, of: bytes[row.id]) { path in
      unknown.isEmpty || path.names.first.map(unknown.contains) ?? false
    }
  }

  /// Returns the landing of a row, for which it was decided like that, without its change.
  private func landing(of row: Batch.Row, _ decision: Decision) throws -> Batch.Landing {
    var landing = Batch.Landing()
    landing.isOfItsFetch = decision.fate == .replaces || decision.fate == .confirms
    landing.isAbsorbed = decision.fate == .absorbed || decision.fate == .differs
    if decision.fate == .replaces || decision.fate == .rereads {
      landing.body = decision.body?[...] ?? bytes[row.body]
      let id = String(decoding: bytes[row.id], as: UTF8.self)
      landing.text = try decision.body.map { batch.kind.searchText(of: try JSON($0), id: id)[...] } ?? bytes[row.text]
    }
    return landing
  }

  /// Returns a record that another description read as this one would have read it: its own values in the fields that it has, and the new
  /// ones in the fields that were not known, or in `all` others. Nil if that is the new record.
  private func former(_ stored: ArraySlice<UInt8>, of new: ArraySlice<UInt8>, all isAll: Bool) throws -> ArraySlice<UInt8>? {
    let (stored, new) = (try JSON(Array(stored)).value, try JSON(Array(new)).value)
    let names = (new.members ?? []).map(\.name) + (isAll ? [] : (stored.members ?? []).map(\.name).filter { new[$0] == nil })
    let former = Value.object(
      names.compactMap { name in
        let value = stored[name] ?? (isAll || batch.unknown.contains(name) ? new[name] : nil)
        return value.map { Member(name: name, value: $0) }
      })
    return former.hasValue(of: new, timesAt: batch.kind.times) ? nil : former.bytes[...]
  }

  /// Returns a body with the edits of its record.
  private func shown(_ body: ArraySlice<UInt8>, as row: Batch.Row) throws -> ArraySlice<UInt8> {
    try edits.laid(over: body, of: bytes[row.id])?.body[...] ?? body
  }

  private mutating func endEdits(by body: ArraySlice<UInt8>, of row: Batch.Row) -> [FieldPath] {
    if edits.isEmpty { return [] }
    let ended = edits.end(by: body, of: bytes[row.id])
    landed.endedEdits += ended.count
    return ended
  }
}

extension Batch {
  /// The steps that a store takes for one record of a batch.
  public struct Landing: Sendable {
    /// The body to store; nil if the stored one stays.
    public fileprivate(set) var body: ArraySlice<UInt8>?
    /// The text of ``body`` for the search index, as in ``Row/text``.
    public fileprivate(set) var text: ArraySlice<UInt8>?
    /// True when the stored record counts as brought by this fetch from now on.
    public fileprivate(set) var isOfItsFetch = false
    /// True when the store remembers the record as it came, with its fetch, as absorbed by the stored one.
    public fileprivate(set) var isAbsorbed = false
    /// True when the stored record was gone, and no longer is.
    public fileprivate(set) var isThereAgain = false
    /// The change of the record to note; nil for none.
    public fileprivate(set) var change: Change?

    /// The record before, which is nil if it was not there, and the record after, each as a person sees it; and the fields of which the
    /// change ended an edit.
    public typealias Change = (before: ArraySlice<UInt8>?, after: ArraySlice<UInt8>, endedEdits: [FieldPath])
  }
}

// MARK: - What becomes of a record

/// The decision about a record whose id is stored already.
private struct Decision {
  enum Fate {
    /// It replaces the stored record, at the place of that one.
    case replaces
    /// It equals the stored record, which counts as brought by this fetch from now on.
    case confirms
    /// The stored record stays as it is, and this different one is noted as absorbed by it.
    case absorbed
    /// The stored record stays as the service gave it, and a person's different record is noted as absorbed by it.
    case differs
    /// Its values are stored as a person's edits of the service's record.
    case edits
    /// It is the stored record as another description of its fields reads it.
    case rereads
    /// The stored record stays as it is; this one adds nothing to it.
    case repeats
  }

  let fate: Fate
  /// The body to store if it is not the record as it came but a merge with the stored one.
  var body: [UInt8]?
  /// False when the stored body is replaced although the record has the same values: they are written otherwise, or the fields for searching
  /// alone differ, which another version of the program has otherwise.
  var isChange = true
  /// True when the same file had a record with this id before, and that one stays.
  var isRepetition = false

  init(_ fate: Fate, body: [UInt8]? = nil) { (self.fate, self.body) = (fate, body) }
}

extension LandingResult {
  fileprivate mutating func count(_ decision: Decision, gone isGone: Bool, anew isAnew: Bool) {
    switch decision.fate {
    case .differs: differing += 1
    case _ where isGone: returned += 1
    case _ where isAnew && !decision.isChange: readAnew += 1
    case .replaces where !decision.isChange: duplicates += 1
    case .replaces, .edits, .rereads: updated += 1
    case .absorbed where decision.isRepetition: repeated += 1
    case .confirms, .absorbed, .repeats: duplicates += 1
    }
  }
}

extension Batch.Rule {
  fileprivate func decision(
    on row: Batch.Row, of kind: RecordKind, in bytes: [UInt8], stored: @autoclosure () throws -> ArraySlice<UInt8>,
    fetch: @autoclosure () throws -> Fetch?, same isSame: Bool, outdated isOutdated: Bool, under edits: inout Edits
  ) throws -> Decision {
    guard case .imported(let begun, let isReplacing) = self, !isOutdated else {
      let fate = fate(same: isSame, outdated: isOutdated)
      // The first one has no other values.
      if fate == .absorbed, kind.isSameRecord(try stored(), bytes[row.body]) { return Decision(.repeats) }
      return Decision(fate)
    }
    let id = bytes[row.id]
    if isSame, edits.of(id).isEmpty {
      return Decision(try fetch().map { $0.isImport && $0.at < begun } ?? false ? .confirms : .repeats)
    }
    let stored = Array(try stored())
    let shown = try edits.laid(over: stored, of: id)?.body ?? stored
    let news = try kind.news(in: Array(bytes[row.body]), emptied: row.emptied, against: shown)
    guard let fetch = try fetch(), fetch.isImport else {
      guard isReplacing, !news.isEmpty else { return Decision(news.isEmpty ? .repeats : .differs) }
      edits.add(news, over: try JSON(stored).value, of: id)
      return Decision(.edits)
    }
    // Of one file the first row with an id stays.
    guard fetch.at < begun else {
      return copy(of: Decision(news.isEmpty ? .repeats : .absorbed)) { $0.isRepetition = !news.isEmpty }
    }
    guard !news.isEmpty else { return Decision(.confirms) }
    // A file seldom has all fields, and those that it lacks stay.
    var merged = try JSON(stored).value
    for (path, value) in news { merged.put(value, at: path.names[...]) }
    return Decision(.replaces, body: merged.bytes)
  }

  private func fate(same isSame: Bool, outdated isOutdated: Bool) -> Decision.Fate {
    if self == .rereading { return isSame ? .repeats : .rereads }
    if self == .firstStays, !isOutdated { return isSame ? .repeats : .absorbed }
    return isSame ? .confirms : .replaces
  }
}

extension RecordKind {
  /// Returns the values of a file's record that the stored record does not have. Both are their own fields as JSON.
  ///
  /// A field without a value in the file adds nothing, unless it is `emptied`. Neither does a field that a record computes from its others.
  /// Values are compared, not their spelling: `1.0` equals `1`, and `10:00:00.0Z` equals `10:00:00Z`.
  fileprivate func news(in new: [UInt8], emptied: [FieldPath], against stored: [UInt8]) throws -> [(FieldPath, Value)] {
    let (new, stored) = (try JSON(new), try JSON(stored))
    let news = news(in: new, against: stored, at: FieldPath([]))
    guard !emptied.isEmpty else { return news }
    let isEmptied = { (path: FieldPath) in emptied.contains { path.names.starts(with: $0.names) } }
    let lost = emptied.filter { path in
      let old = (try? stored.value(at: path))?.value ?? .null
      return path.names.first.map { !derived.contains($0) } ?? false && !old.saysNothing
    }
    return news.filter { !isEmptied($0.0) } + lost.map { ($0, .null) }
  }

  /// Returns the values in an object of a file's record that the stored object at the same path does not have.
  private func news(in new: JSON, against stored: JSON, at path: FieldPath) -> [(FieldPath, Value)] {
    new.members.flatMap { name, part -> [(FieldPath, Value)] in
      let old = stored[name]
      // Most parts of a repeated record are written alike. A value for each of them would cost as much as storing the record.
      if old?.raw == part.raw || path.names.isEmpty && derived.contains(name) { return [] }
      let path = path.appending(name)
      if part.kind == .object, let old, old.kind == .object, !leaves.contains(path) {
        return news(in: part, against: old, at: path)
      }
      return values(that: part.value, hasOtherThan: old?.value ?? .null, at: path)
    }
  }

  /// Returns the values in a file's part of a record that the stored part does not have. A field that may hold anything is one value.
  private func values(that part: Value, hasOtherThan stored: Value, at path: FieldPath) -> [(FieldPath, Value)] {
    // Only an object needs the search among the fields. One without values says nothing of the fields inside, but it is a value of its own.
    let isWhole = part.members == nil || leaves.contains(path)
    if part.saysNothing, part.members == nil || !isWhole { return [] }
    guard !isWhole, let members = part.members, stored.members != nil else {
      return part.isSame(as: stored, areTimes: times.contains(path)) ? [] : [(path, part)]
    }
    return members.flatMap { values(that: $0.value, hasOtherThan: stored[$0.name] ?? .null, at: path.appending($0.name)) }
  }
}

extension Value {
  /// True for a value that a table can only write as an empty cell.
  var saysNothing: Bool {
    switch self {
    case .null: true
    case .text(let text): text.isEmpty
    case .list(let values): values.isEmpty
    case .object(let members): members.allSatisfy { $0.value.saysNothing }
    case .bool, .int, .double, .decimal: false
    }
  }

  /// True when both are the same value, however they are written. `areTimes` says that they are of a field that holds times.
  func isSame(as other: Value, areTimes: Bool) -> Bool {
    isSame(as: other) || areTimes && inOneSpelling.isSame(as: other.inOneSpelling)
  }

  /// True when both are the same value, however they are written. A table cannot tell a number from a text with its digits.
  func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.text, .text): self == other
    case (.text(let text), let value), (let value, .text(let text)):
      (try? JSON(Array(text.utf8)).value).map { $0.text == nil && $0.isSame(as: value) } ?? (text.isEmpty && value.saysNothing)
    case (.list(let values), .list(let others)):
      values.count == others.count && zip(values, others).allSatisfy { $0.isSame(as: $1) }
    case (.object(let members), .object(let others)):
      members.allSatisfy { $0.value.isSame(as: other[$0.name] ?? .null) }
        && others.allSatisfy { self[$0.name] != nil || $0.value.saysNothing }
    default: self == other || saysNothing && other.saysNothing || numeral.map { $0 == other.numeral } ?? false
    }
  }
}
