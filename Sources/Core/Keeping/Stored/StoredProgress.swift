/// Progress in a source's list. A store has it as one JSON object under a name; the fields of the type write and read the object.
package protocol StoredProgress: Part {
  /// The name under which a store notes it.
  static var name: String { get }
  /// The cursor at which the list continues.
  var cursor: Cursor? { get }
  /// The number of the version, which a store also keeps apart from the object, for when that cannot be read.
  var revision: Int { get }
}

extension StoredProgress {
  /// The JSON object for the store.
  package var body: [UInt8] { value.bytes }

  /// Reads ``body``; nil if it is something else, since anybody may edit a store.
  fileprivate init?(_ body: [UInt8]) {
    // A cursor that cannot be read must not count as the beginning of the list.
    guard let json = try? JSON(body), let progress = try? Self(json, as: .own),
      (progress.cursor == nil) == (json["cursor"]?.isNull ?? true)
    else { return nil }
    self = progress
  }
}

/// The position of `next` in a source's list, as a store notes it.
package struct StoredPosition: StoredProgress {
  package var position = Position()
  /// The number of the last shown row; all rows before it were shown too. No later row has a lower one, since one process writes at a time.
  package var shown = 0

  package init() {}

  package init(position: Position, shown: Int = 0) { (self.position, self.shown) = (position, shown) }

  package static let name = "next"
  package var cursor: Cursor? { position.cursor }
  package var revision: Int { position.revision }

  package static let fields: [Field<StoredPosition>] = [
    Field("shown", \.shown), Field("reading", \.position.reading), Field("cursor", \.position.cursor),
    Field("rowsBefore", \.position.rowsBefore), Field("passed", \.position.passed.stored), Field("verdict", \.position.ended),
    Field("revision", \.position.revision),
  ]

  /// A number beyond anybody's count, to which others can still be added without an overflow.
  fileprivate static let mostCounted = 1 << 52

  /// Reads what a store holds; nil means the beginning. Throws if somebody has edited it into something else, because the parts of a
  /// reading might understand that in different ways.
  package init(stored body: [UInt8]?, of kind: RecordKind) throws {
    self.init()
    guard let body else { return }
    guard let stored = StoredPosition(body),
      [stored.shown, stored.position.reading, stored.position.rowsBefore, stored.position.revision].allSatisfy({
        (0...Self.mostCounted).contains($0)
      })
    else {
      throw SourceError(.storage, "cannot read the stored position of \(kind.name)", remedy: .startAgain).from(kind.name)
    }
    self = stored
  }
}

/// The state of a source's last sync, as a store notes it.
package struct StoredSync: StoredProgress {
  package var state = SyncState(began: Moment(secondsSinceEpoch: 0))

  package init() {}

  package init(_ state: SyncState) { self.state = state }

  package static let name = "sync"
  package var cursor: Cursor? { state.cursor }
  package var revision: Int { state.number }

  package static let fields: [Field<StoredSync>] = [
    Field("number", \.state.number), Field("began", \.state.began.stored), Field("ended", \.state.ended.stored),
    Field("isFull", \.state.isFull), Field("cursor", \.state.cursor), Field("rowsBefore", \.state.rowsBefore),
    Field("received", \.state.counts.received), Field("duplicates", \.state.counts.repeated),
    Field("skipped", \.state.counts.skipped), Field("requests", \.state.counts.requests),
    Field("unchangedPages", \.state.counts.unchangedPages), Field("total", \.state.total),
    Field("mayHaveLost", \.state.mayHaveLost),
    Field("change", \.state.change), Field("maker", \.state.maker), Field("wholeBefore", \.state.wholeBefore.stored),
    Field("new", \.state.counts.landed.new),
    Field("updated", \.state.counts.landed.updated), Field("returned", \.state.counts.landed.returned),
    Field("readAnew", \.state.counts.landed.readAnew), Field("unchanged", \.state.counts.landed.duplicates),
    Field("deleted", \.state.counts.landed.deleted), Field("endedEdits", \.state.counts.landed.endedEdits),
    Field("watermark", \.state.watermark), Field("bookmark", \.state.bookmark), Field("verdict", \.state.verdict),
  ]

  private static let counts: [any WritableKeyPath<SyncState, Int> & Sendable] = [
    \.rowsBefore, \.counts.received, \.counts.repeated, \.counts.skipped, \.counts.requests, \.counts.landed.new,
    \.counts.landed.updated, \.counts.landed.returned, \.counts.landed.readAnew, \.counts.landed.duplicates,
    \.counts.landed.deleted, \.counts.landed.endedEdits, \.counts.unchangedPages,
  ]

  /// Reads what a store holds. If somebody has edited it into something else, only its number stays: that sync cannot continue, and the
  /// next one begins anew.
  package init(stored body: [UInt8], revision: Int) {
    self =
      StoredSync(body)
      ?? copy(of: StoredSync()) { lost in
        (lost.state.number, lost.state.verdict) = (revision, .partial(.recorded("the sync lost its position")))
      }
    // The numbers are limited, so that they can be calculated with after any edit.
    for count in Self.counts { state[keyPath: count] = min(max(0, state[keyPath: count]), 1 << 48) }
    state.total = state.total.map { min(max(0, $0), 1 << 48) }
    // A number that cannot be increased is replaced by zero.
    if !(0...StoredPosition.mostCounted).contains(state.number) { state.number = 0 }
  }
}

extension Position: FieldValue {
  /// Reads a position that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws { self = try StoredPosition(json, as: .own).position }
  public var fieldValue: Value { StoredPosition(position: self).value }
}

extension SyncState: FieldValue {
  /// Reads a sync that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws { self = try StoredSync(json, as: .own).state }
  public var fieldValue: Value { StoredSync(self).value }
}

extension Fetch: FieldValue {
  /// Reads a request that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws {
    self.init(
      at: Moment(nanoseconds: Int64(try json.int("at"))), request: try json.string("request"), place: try json.string("place"))
  }

  public var fieldValue: Value { ["at": .int(Int(at.nanoseconds)), "request": .text(request), "place": .text(place)] }
}

extension RecordChange: FieldValue {
  /// Reads a change that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws {
    self.init(
      try json.int("number"), id: try json.string("id"), at: Moment(nanoseconds: Int64(try json.int("at"))),
      before: try json.stringIfPresent("before").map { Array($0.utf8) },
      after: try json.stringIfPresent("after").map { Array($0.utf8) },
      endedEdits: FieldPath.list(try json.stringIfPresent("endedEdits")))
  }

  public var fieldValue: Value {
    let (before, after) = (before.map { Value(text: $0) } ?? .null, after.map { Value(text: $0) } ?? .null)
    return [
      "number": .int(number), "id": .text(id), "at": .int(Int(at.nanoseconds)), "before": before, "after": after,
      "endedEdits": FieldPath.text(of: endedEdits).fieldValue,
    ]
  }
}

extension History.DuplicateRecord: FieldValue {
  /// Reads a record that was stored as a JSON object.
  public init(_ json: JSON, as form: RowForm) throws {
    self.init(body: Array(try json.string("body").utf8), fetch: try Fetch?(json.member("fetch"), as: form))
  }

  public var fieldValue: Value { ["body": Value(text: body), "fetch": fetch.fieldValue] }
}

extension Value {
  fileprivate init(text: [UInt8]) { self = .text(String(decoding: text, as: UTF8.self)) }
}

// MARK: - Values of documents

/// A value that documents hold as a whole number, the only form that keeps it exactly.
protocol StoredNumber {
  init(number: Int)
  var number: Int { get }
}

extension StoredNumber {
  var stored: Int {
    get { number }
    set { self = Self(number: newValue) }
  }
}

extension Optional where Wrapped: StoredNumber {
  var stored: Int? {
    get { self?.number }
    set { self = newValue.map(Wrapped.init(number:)) }
  }
}

extension Array where Element: StoredNumber {
  var stored: [Int] {
    get { map(\.number) }
    set { self = newValue.map(Element.init(number:)) }
  }
}

extension Moment: StoredNumber {
  init(number: Int) { self.init(nanoseconds: Int64(number)) }
  var number: Int { Int(nanoseconds) }
}

extension UInt64: StoredNumber {
  init(number: Int) { self.init(bitPattern: Int64(number)) }
  var number: Int { Int(Int64(bitPattern: self)) }
}
