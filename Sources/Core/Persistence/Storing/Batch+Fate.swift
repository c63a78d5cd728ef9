extension Batch {
  /// A store's decision about one record of a batch.
  public struct Landing: Sendable, Hashable {
    /// The fate of the record.
    public let fate: Fate
    /// The body to store if it is not the record as it came, but merged with the stored one or covered by its edits; nil otherwise.
    public internal(set) var body: [UInt8]?
    /// The number of edits of the stored record that end, because the service has other values now.
    public internal(set) var endedEdits = 0
    /// True when the same file had a record with this id before; that one stays.
    var isRepetition = false

    /// Makes the decision for a record that is stored as it came, or left out.
    public init(fate: Fate) { self.fate = fate }

    init(fate: Fate, body: [UInt8]) { (self.fate, self.body) = (fate, body) }
  }
}

extension Batch.Rule {
  /// Decides about a record whose id is stored already. `same` means that all bytes are equal. Whatever is decided, the stored record stops
  /// being gone.
  ///
  /// An earlier description read an `outdated` record, which gives way to whatever comes. `edited` is ``EditedRecord/isEdited(_:)`` of the
  /// stored body, which is read only if it matters. `emptied` is ``Batch/Row/emptied`` of the new record.
  public func landing(
    of new: @autoclosure () -> [UInt8], emptied: [FieldPath] = [], on kept: @autoclosure () throws -> [UInt8],
    same isSame: Bool, outdated isOutdated: Bool, edited isEdited: Bool, keptFrom fetch: @autoclosure () throws -> Fetch?,
    as kind: RecordKind
  ) throws -> Batch.Landing {
    guard case .imported(let begun, let isReplacing) = self, !isOutdated else {
      guard isEdited else { return Batch.Landing(fate: fate(same: isSame, outdated: isOutdated)) }
      let kept = try kept()
      let record = try EditedRecord(kept)
      let laid = try record.over(new())
      var landing = Batch.Landing(fate: fate(same: laid.body == kept, outdated: isOutdated))
      guard landing.fate == .replaces else { return landing }
      if !laid.edits.isEmpty { landing.body = laid.body }
      landing.endedEdits = record.edits.count - laid.edits.count
      return landing
    }
    if isSame { return Batch.Landing(fate: try fetch().map { $0.isImport && $0.at < begun } ?? false ? .confirms : .repeats) }
    let (new, kept) = (new(), try kept())
    let news = try kind.news(in: new, emptied: emptied, against: kept)
    guard let fetch = try fetch(), fetch.isImport else {
      guard isReplacing, !news.isEmpty else { return Batch.Landing(fate: news.isEmpty ? .repeats : .differs) }
      var record = try EditedRecord(kept)
      for (path, value) in news { record.edit(value, at: path) }
      return Batch.Landing(fate: .edits, body: record.body)
    }
    // Of the rows with one id in a file the first stays.
    guard fetch.at < begun else {
      return changing(Batch.Landing(fate: news.isEmpty ? .repeats : .absorbed)) { $0.isRepetition = !news.isEmpty }
    }
    guard !news.isEmpty else { return Batch.Landing(fate: .confirms) }
    // A file seldom has all fields; those that it lacks stay.
    var merged = try EditedRecord(kept)
    for (path, value) in news { merged.take(value, at: path) }
    return Batch.Landing(fate: .replaces, body: merged.body)
  }

  private func fate(same isSame: Bool, outdated isOutdated: Bool) -> Batch.Fate {
    if self == .firstStays, !isOutdated { return isSame ? .repeats : .absorbed }
    return isSame ? .confirms : .replaces
  }
}

extension Fetch {
  fileprivate var isImport: Bool { request == Fetch.importing }
}

extension RecordKind {
  /// Returns the values of a file's record that the stored record does not have; both are the records' own fields as JSON.
  ///
  /// A field without a value in the file does not count, unless it is `emptied`. Fields that a record computes from its others do not count
  /// either. Values are compared, not the way in which they are written: `1.0` equals `1`.
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
  /// True for a value that a table can only write as an empty cell.
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

  /// True when both are the same value, however they are written. A number equals a text with its digits, since a table cannot tell them
  /// apart.
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
