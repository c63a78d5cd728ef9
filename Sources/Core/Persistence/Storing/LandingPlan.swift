/// How a batch lands: decides what becomes of each record, counts it, and says what a store has to do. The store does it and asks for no
/// reason.
public struct LandingPlan: Sendable {
  /// What became of the records so far.
  public private(set) var landed = LandingResult()
  /// The fetches of an import that have brought no record of their own so far, by their places in ``Batch/fetches``. A store that has a
  /// list of fetches notes these as ``Fetch/correcting``.
  public private(set) var corrections: Set<Int> = []
  private let batch: Batch
  private let bytes: [UInt8]
  /// A sync before this one had stored everything.
  private let notesChanges: Bool

  /// Nothing has landed yet.
  public init(_ batch: Batch) {
    (self.batch, bytes, notesChanges) = (batch, batch.bytes, batch.sync?.wasWhole == true)
    if case .imported = batch.rule { corrections = Set(batch.fetches.indices) }
  }

  /// Counts a record that a person has deleted: nothing is to be done.
  public mutating func deleted() { landed.deleted += 1 }

  /// What to do with a record under whose id nothing is stored: it comes behind all others.
  public mutating func new(_ row: Batch.Row) -> Batch.Landing {
    var landing = Batch.Landing()
    (landing.body, landing.text, landing.isOfItsFetch) = (bytes[row.body], bytes[row.text], true)
    landing.change = added(row)
    return landing
  }

  /// Counts such a record where the store has put it there already, as it came; given is what to note as a change.
  public mutating func added(_ row: Batch.Row) -> Batch.Landing.Change? {
    landed.new += 1
    if !corrections.isEmpty { corrections.remove(row.fetch) }
    return notesChanges ? (before: nil, after: bytes[row.body]) : nil
  }

  /// What to do with a record whose id is stored already. The stored one was last brought by `fetch`, nil where that is no longer known. It
  /// may be gone; one that `isOutdated` was read by an earlier description, and gives way to whatever comes. A store that knows it says
  /// whether both are the same in every byte, and what ``EditedRecord/isEdited(_:)`` says of the stored body, which is then read only where
  /// it matters.
  public mutating func landing(
    of row: Batch.Row, on kept: @autoclosure () throws -> ArraySlice<UInt8>, from fetch: @autoclosure () throws -> Fetch?,
    same isSame: Bool? = nil, edited isEdited: Bool? = nil, gone isGone: Bool, outdated isOutdated: Bool
  ) throws -> Batch.Landing {
    let decision = try batch.rule.decision(
      on: row, of: batch.kind, in: bytes, kept: kept(), fetch: fetch(), same: isSame ?? (kept() == bytes[row.body]),
      outdated: isOutdated, edited: isEdited ?? EditedRecord.isEdited(kept()))
    var landing = Batch.Landing()
    landing.isThereAgain = isGone
    landing.isOfItsFetch = decision.fate == .replaces || decision.fate == .confirms
    landing.isAbsorbed = decision.fate == .absorbed || decision.fate == .differs
    if decision.fate == .replaces || decision.fate == .edits {
      landing.body = decision.body?[...] ?? bytes[row.body]
      let id = String(decoding: bytes[row.id], as: UTF8.self)
      landing.text = try decision.body.map { batch.kind.searchText(of: try JSON($0), id: id)[...] } ?? bytes[row.text]
    }
    if notesChanges, isGone || decision.fate == .replaces {
      landing.change = Batch.Landing.Change(before: isGone ? nil : try kept(), after: try landing.body ?? kept())
    }
    if landing.isOfItsFetch { corrections.remove(row.fetch) }
    landed.count(decision)
    return landing
  }
}

extension Batch {
  /// What a store has to do with one record of a batch.
  public struct Landing: Sendable {
    /// What is stored as its body from now on; nil where that stays.
    public fileprivate(set) var body: ArraySlice<UInt8>?
    /// What a search looks at in ``body``, as in ``Row/text``.
    public fileprivate(set) var text: ArraySlice<UInt8>?
    /// True when the stored record counts as brought by this fetch from now on.
    public fileprivate(set) var isOfItsFetch = false
    /// True when the record as it came is remembered, with its fetch, as absorbed by the stored one.
    public fileprivate(set) var isAbsorbed = false
    /// True when the stored record was gone, and is not from now on.
    public fileprivate(set) var isThereAgain = false
    /// What is remembered as a change of the record; nil where that is nothing.
    public fileprivate(set) var change: Change?

    /// What a record was, nil where it was not there, and what it is.
    public typealias Change = (before: ArraySlice<UInt8>?, after: ArraySlice<UInt8>)
  }
}

// MARK: - What becomes of a record

/// What becomes of a record whose id is stored already.
private struct Decision {
  enum Fate {
    /// It takes the place of the stored one.
    case replaces
    /// It is just like the stored one, which counts as brought by its fetch from now on.
    case confirms
    /// The stored one stays, and remembers this one.
    case absorbed
    /// The stored one stays as the service gave it, and remembers what a person brought instead.
    case differs
    /// Its values are stored as a person's edits of what the service gave.
    case edits
    /// The stored one stays; this one is just like it.
    case repeats
  }

  let fate: Fate
  /// What is stored where it is not the record as it came: it is merged with the stored one, or lies under its edits.
  var body: [UInt8]?
  /// How many edits of the stored record end, since the service has other values now.
  var endedEdits = 0
  /// Whether the same file had a record with this id before, and that one stays.
  var isRepetition = false

  init(_ fate: Fate, body: [UInt8]? = nil) { (self.fate, self.body) = (fate, body) }
}

extension LandingResult {
  fileprivate mutating func count(_ decision: Decision) {
    endedEdits += decision.endedEdits
    switch decision.fate {
    case .replaces, .edits: updated += 1
    case .absorbed where decision.isRepetition: repeated += 1
    case .confirms, .absorbed, .repeats: duplicates += 1
    case .differs: differing += 1
    }
  }
}

extension Batch.Rule {
  fileprivate func decision(
    on row: Batch.Row, of kind: RecordKind, in bytes: [UInt8], kept: @autoclosure () throws -> ArraySlice<UInt8>,
    fetch: @autoclosure () throws -> Fetch?, same isSame: Bool, outdated isOutdated: Bool, edited isEdited: Bool
  ) throws -> Decision {
    guard case .imported(let begun, let isReplacing) = self, !isOutdated else {
      guard isEdited else { return Decision(fate(same: isSame, outdated: isOutdated)) }
      let kept = Array(try kept())
      let record = try EditedRecord(kept)
      let laid = try record.over(Array(bytes[row.body]))
      var decision = Decision(fate(same: laid.body == kept, outdated: isOutdated))
      guard decision.fate == .replaces else { return decision }
      if !laid.edits.isEmpty { decision.body = laid.body }
      decision.endedEdits = record.edits.count - laid.edits.count
      return decision
    }
    if isSame { return Decision(try fetch().map { $0.isImport && $0.at < begun } ?? false ? .confirms : .repeats) }
    let kept = Array(try kept())
    let news = try kind.news(in: Array(bytes[row.body]), emptied: row.emptied, against: kept)
    guard let fetch = try fetch(), fetch.isImport else {
      guard isReplacing, !news.isEmpty else { return Decision(news.isEmpty ? .repeats : .differs) }
      var record = try EditedRecord(kept)
      for (path, value) in news { record.edit(value, at: path) }
      return Decision(.edits, body: record.body)
    }
    // Of one file the first row with an id stays.
    guard fetch.at < begun else {
      return changing(Decision(news.isEmpty ? .repeats : .absorbed)) { $0.isRepetition = !news.isEmpty }
    }
    guard !news.isEmpty else { return Decision(.confirms) }
    // A file seldom has all fields, and those that it lacks stay.
    var merged = try EditedRecord(kept)
    for (path, value) in news { merged.take(value, at: path) }
    return Decision(.replaces, body: merged.body)
  }

  private func fate(same isSame: Bool, outdated isOutdated: Bool) -> Decision.Fate {
    if self == .firstStays, !isOutdated { return isSame ? .repeats : .absorbed }
    return isSame ? .confirms : .replaces
  }
}

extension Fetch {
  fileprivate var isImport: Bool { request == Fetch.importing }
}

extension RecordKind {
  /// What a record of a file says that the stored one does not say, value by value; both are their own fields as JSON.
  ///
  /// A field that the file has nothing for says nothing, unless it is `emptied`; nor does one that a record works out from its others.
  /// Values are compared, not how they are written: `1.0` is `1`.
  fileprivate func news(in new: [UInt8], emptied: [FieldPath], against kept: [UInt8]) throws -> [(FieldPath, Value)] {
    let (new, kept) = (try JSON(new).value, try JSON(kept).value)
    let news = (new.members ?? []).flatMap { member in
      derived.contains(member.name) ? [] : member.value.news(against: kept[member.name] ?? .null, at: FieldPath([member.name]))
    }
    guard !emptied.isEmpty else { return news }
    let isEmptied = { (path: FieldPath) in emptied.contains { path.names.starts(with: $0.names) } }
    let lost = emptied.filter { path in
      path.names.first.map { !derived.contains($0) } ?? false && !kept.value(at: path.names[...]).saysNothing
    }
    return news.filter { !isEmptied($0.0) } + lost.map { ($0, .null) }
  }
}

extension Value {
  /// Whether it is what a table has in an empty cell, for there is no other way to write it there.
  fileprivate var saysNothing: Bool {
    switch self {
    case .null: true
    case .text(let text): text.isEmpty
    case .list(let values): values.isEmpty
    case .object(let members): members.allSatisfy { $0.value.saysNothing }
    case .bool, .int, .double, .decimal: false
    }
  }

  fileprivate func news(against kept: Value, at path: FieldPath) -> [(FieldPath, Value)] {
    if saysNothing { return [] }
    guard let members, kept.members != nil else { return isSame(as: kept) ? [] : [(path, self)] }
    return members.flatMap { $0.value.news(against: kept[$0.name] ?? .null, at: path.appending($0.name)) }
  }

  /// Whether it is the same value, however it is written; a table cannot tell a number from a text with its digits.
  func isSame(as other: Value) -> Bool {
    switch (self, other) {
    case (.text(let text), .text(let other)): text == other
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

  private var numeral: Numeral? {
    switch self {
    case .int(let int): Numeral(String(int))
    case .double(let double): Numeral("\(double)")
    case .decimal(let decimal): Numeral(decimal.description)
    case .null, .bool, .text, .list, .object: nil
    }
  }
}
