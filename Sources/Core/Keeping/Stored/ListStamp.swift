/// A store's note about which list its records are of. A nil part was not noted, and fits any list.
public struct ListStamp: Sendable, Hashable {
  /// The address of the service, with the values that make it another list.
  public var address: String?
  /// The digest of all that decides which rows are read, and how.
  public var reading: String?
  /// The digest of all that decides which rows are read; nil if that is not told apart from how their fields are read.
  package var rows: String?
  /// The rules by which the fields were read, by name; empty if they are not known.
  package var fields: [String: FieldRule] = [:]
  /// The names of the fields that no stored record has, because they are read from another place since the records came.
  package var unknown: Set<String> = []
  /// True when values of stored records may not fit their fields.
  package var hasMisfits = false
  /// The salted digest of the key whose holder has the list, or a word for a list that belongs to no key.
  public var holder: String?

  /// Makes the stamp of a list; nil means that the part is not known.
  public init(address: String? = nil, reading: String? = nil, holder: String? = nil) {
    (self.address, self.reading, self.holder) = (address, reading, holder)
  }

  /// True when both have a description and these differ, so that no row with this stamp is one of the other list.
  public func isOutdated(by other: ListStamp) -> Bool {
    guard let reading, let new = other.reading, reading != new else { return false }
    return rows == nil || rows != other.rows
  }

  /// True when both are of the same rows, and the fields of the other list are read in another way.
  package func isReadOtherwise(by other: ListStamp) -> Bool {
    if let reading, let new = other.reading { reading != new && !isOutdated(by: other) } else { false }
  }

  /// The stamp for a store: a JSON object.
  public var text: String {
    let rules = fields.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .list($0.value.texts.map(Value.text))) }
    let value = Value.object(leavingOutNil: [
      "address": address.map(Value.text), "reading": reading.map(Value.text), "rows": rows.map(Value.text),
      "holder": holder.map(Value.text), "fields": fields.isEmpty ? nil : .object(rules),
      "misfits": hasMisfits ? .bool(true) : nil,
      "unknown": unknown.isEmpty ? nil : .list(unknown.sorted().map(Value.text)),
    ])
    return String(decoding: value.bytes, as: UTF8.self)
  }

  /// Reads ``text``.
  public init(text: String) {
    let object = try? JSON(Array(text.utf8))
    func member(_ name: String) -> String? { object.flatMap { try? $0.string(name) } }
    self.init(address: member("address"), reading: member("reading"), holder: member("holder"))
    rows = member("rows")
    hasMisfits = object?["misfits"] != nil
    unknown = Set((try? object?["unknown"]?.asArray().map { try $0.asString() }) ?? [])
    guard let rules = object?["fields"] else { return }
    for (name, rule) in rules.members {
      if let texts = try? rule.asArray().map({ try $0.asString() }) { fields[name] = FieldRule(texts: texts) }
    }
  }
}

/// The rule by which one field is read.
package struct FieldRule: Sendable, Hashable {
  /// The place of the value in a row, and the kind of change that a value undergoes before it is stored. Under another one the stored value
  /// says nothing.
  package let value: String
  package let type: String
  package let nulls: Set<String>
  /// The other types as which a stored value reads as the value that came would.
  package let readers: Set<String>

  package init(value: String, type: String, nulls: Set<String>, readers: Set<String>) {
    (self.value, self.type, self.nulls, self.readers) = (value, type, nulls, readers)
  }

  /// Reads ``texts``; nil for others.
  init?(texts: [String]) {
    guard texts.count > 2, let count = Int(texts[2]), (0...texts.count - 3).contains(count) else { return nil }
    self.init(value: texts[0], type: texts[1], nulls: Set(texts[3...].prefix(count)), readers: Set(texts.dropFirst(3 + count)))
  }

  /// The rule for a store.
  var texts: [String] { [value, type, String(nulls.count)] + nulls.sorted() + readers.sorted() }

  /// True when a value that was stored by `stored` reads as the value that came would.
  package func reads(_ stored: FieldRule) -> Bool {
    value == stored.value && (type == stored.type || stored.readers.contains(type)) && nulls.isSuperset(of: stored.nulls)
  }
}

extension RecordKind {
  /// The name of the keepsake that tells which list these records are of.
  public var stampName: String { "\(name) list" }
  /// Returns the name of the keepsake that holds a note.
  public func name(of note: RecordNote) -> String {
    switch note {
    case .seen(let reader): seenNames + reader
    case .shape: "\(name) shape"
    case .failures: "\(name) failures"
    case .audit: "\(name) audit"
    case .syncs: "\(name) syncs"
    case .pages: "\(name) pages"
    case .imports: "\(name) imports"
    }
  }

  /// True when forgetting these records removes the keepsake too.
  public func owns(keepsake name: String) -> Bool {
    ownKeepsakes.contains(name) || name.hasPrefix(seenNames)
  }

  /// The names of the keepsakes that go with these records, except those that begin with ``seenNames``.
  package var ownKeepsakes: [String] {
    let notes: [RecordNote] = [.shape, .failures, .audit, .syncs, .pages, .imports]
    return [stampName] + notes.map { name(of: $0) }
  }
  /// The beginning of the names of the keepsakes that tell what readers saw.
  package var seenNames: String { "\(name) seen " }
}

// The changes that a store makes when the description of its records has changed.
extension Position {
  /// The beginning of the list, which has changed its description; records that were shown stay shown.
  public var outdated: Position { Position(reading: reading.adding(1), revision: revision.adding(1)) }
}

extension SyncState {
  /// The state after everything that the sync stored has become outdated: the next sync begins anew, and a running one is overtaken.
  public var outdated: SyncState {
    copy(of: self) { state in
      (state.number, state.cursor, state.watermark, state.bookmark) = (number.adding(1), nil, nil, nil)
      (state.verdict, state.wholeBefore) = (.partial(.recorded("the description of the list has changed since")), nil)
    }
  }
}

extension Moment {
  /// The moment at which records of an earlier description count as gone until they come again; no sync has missed them.
  package static let outdated = Moment(nanoseconds: 0)
}
