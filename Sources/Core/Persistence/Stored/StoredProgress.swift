/// How far something has come in a source's list, as a store notes it: one JSON object under a name, which its fields write and read.
package protocol StoredProgress: Part {
  /// What a store notes it under.
  static var name: String { get }
  /// Where the list goes on.
  var cursor: Cursor? { get }
  /// Counts the versions, for where the object itself cannot be read.
  var revision: Int { get }
}

extension StoredProgress {
  /// The object as a store holds it.
  package var body: [UInt8] { value.bytes }

  /// Reads ``body``; nil where that is something else, since anybody may edit a store.
  fileprivate init?(_ body: [UInt8]) {
    // What is no place is not the beginning of the list either.
    guard let json = try? JSON(body), let progress = try? Self(json, as: .own),
      (progress.cursor == nil) == (json["cursor"]?.isNull ?? true)
    else { return nil }
    self = progress
  }
}

/// How far the records of a source were read.
package struct StoredPosition: StoredProgress {
  package var position = Position()
  /// The records up to this row were shown. No row that comes later has a lower number, since one process writes at a time.
  package var shown = 0

  package init() {}

  package init(position: Position, shown: Int = 0) { (self.position, self.shown) = (position, shown) }

  package static let name = "next"
  package var cursor: Cursor? { position.cursor }
  package var revision: Int { position.revision }

  package static let fields: [Field<StoredPosition>] = [
    Field("shown", \.shown), Field("reading", \.position.reading), Field("cursor", \.position.cursor),
    Field("behind", \.position.behind), Field("passed", \.position.passed.stored), Field("verdict", \.position.ended),
    Field("revision", \.position.revision),
  ]

  /// More than anybody counts, and far from where adding to it would overflow.
  fileprivate static let mostCounted = 1 << 52

  /// What a store holds, or the beginning where that is nothing. Throws where somebody has edited it into something else: what it would be
  /// taken for, one part of a reading might read in one way and another in another.
  package init(stored body: [UInt8]?, of kind: RecordKind) throws {
    self.init()
    guard let body else { return }
    guard let stored = StoredPosition(body),
      [stored.shown, stored.position.reading, stored.position.behind, stored.position.revision].allSatisfy({
        (0...Self.mostCounted).contains($0)
      })
    else {
      throw SourceError(.storage, "cannot read the stored position of \(kind.name)", remedy: .startAgain).from(kind.name)
    }
    self = stored
  }
}

/// How far the last sync of a source is.
package struct StoredSync: StoredProgress {
  package var state = SyncState(began: Moment(secondsSinceEpoch: 0))

  package init() {}

  package init(_ state: SyncState) { self.state = state }

  package static let name = "sync"
  package var cursor: Cursor? { state.cursor }
  package var revision: Int { state.number }

  package static let fields: [Field<StoredSync>] = [
    Field("number", \.state.number), Field("began", \.state.began.stored), Field("ended", \.state.ended.stored),
    Field("isFull", \.state.isFull), Field("cursor", \.state.cursor), Field("behind", \.state.behind),
    Field("received", \.state.received), Field("duplicates", \.state.duplicates), Field("skipped", \.state.skipped),
    Field("requests", \.state.requests), Field("total", \.state.total), Field("mayHaveLost", \.state.mayHaveLost),
    Field("wasWhole", \.state.wasWhole), Field("new", \.state.landed.new), Field("updated", \.state.landed.updated),
    Field("unchanged", \.state.landed.duplicates), Field("deleted", \.state.landed.deleted),
    Field("endedEdits", \.state.landed.endedEdits), Field("watermark", \.state.watermark), Field("verdict", \.state.verdict),
  ]

  private static let counts: [any WritableKeyPath<SyncState, Int> & Sendable] = [
    \.behind, \.received, \.duplicates, \.skipped, \.requests, \.landed.new, \.landed.updated, \.landed.duplicates,
    \.landed.deleted, \.landed.endedEdits,
  ]

  /// What a store holds. Of one that somebody has edited into something else nothing is left but its number: it cannot go on, and the next
  /// one begins anew.
  package init(stored body: [UInt8], revision: Int) {
    self =
      StoredSync(body)
      ?? changing(StoredSync()) { lost in
        (lost.state.number, lost.state.verdict) = (revision, .partial(.recorded("the sync lost its position")))
      }
    // Numbers that can be counted with, whatever was edited.
    for count in Self.counts { state[keyPath: count] = min(max(0, state[keyPath: count]), 1 << 48) }
    state.total = state.total.map { min(max(0, $0), 1 << 48) }
    // One that cannot be counted on begins anew.
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
      after: try json.stringIfPresent("after").map { Array($0.utf8) })
  }

  public var fieldValue: Value {
    let (before, after) = (before.map { Value(text: $0) } ?? .null, after.map { Value(text: $0) } ?? .null)
    return ["number": .int(number), "id": .text(id), "at": .int(Int(at.nanoseconds)), "before": before, "after": after]
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

/// What a document holds as a whole number: nothing else keeps it exactly.
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
