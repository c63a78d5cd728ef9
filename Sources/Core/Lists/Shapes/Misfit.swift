/// A value that does not fit the type of its field.
///
/// A ``LooseRecord`` keeps the value as it came. A typed record leaves it out, since its property cannot hold it.
public struct Misfit: Sendable, Hashable {
  /// The name of the field.
  public let field: String
  /// The value as it came, shortened; nil if it was left out of the stored record.
  public let sample: String?
  /// The type of the value, as a manifest names types; nil if the value was left out of the stored record.
  package let type: String?
}

extension Misfit {
  /// Makes the misfit of a field whose value was left out of the stored record.
  package init(leftOutOf field: String) { self.init(field: field, sample: nil, type: nil) }
}

/// The counts of values that do not fit their fields, among the records that were read.
public struct Misfits: Sendable, Hashable {
  /// The number of such values of one field.
  public struct Count: Sendable, Hashable {
    /// The number of records with such a value.
    public internal(set) var records = 0
    /// The first such value, shortened; nil if it is not known.
    public internal(set) var sample: String?
  }

  /// The counts by the names of the fields; empty if every value fits.
  public private(set) var fields: [String: Count] = [:]
  /// True when the records keep the values as they came; false when they leave them out.
  public private(set) var areKept = true

  /// No misfits.
  public init() {}

  /// The counts of a tally. The values are those of `samples`, as far as it has them.
  init(_ tally: ShapeCounts.Tally, samples: Misfits) {
    areKept = samples.areKept
    for (field, count) in tally.counts { fields[field] = Count(records: count, sample: samples.fields[field]?.sample) }
  }

  /// True when every value fits.
  public var isEmpty: Bool { fields.isEmpty }

  /// The names of the fields and their counts, sorted by name, for an envelope.
  package var value: Value {
    .object(fields.sorted { $0.key < $1.key }.map { Member(name: $0.key, value: .int($0.value.records)) })
  }

  mutating func add(_ misfits: [Misfit], of item: some SourceItem) {
    if !misfits.isEmpty { areKept = item is LooseRecord }
    for misfit in misfits {
      fields[misfit.field, default: Count()].records += 1
      if let sample = misfit.sample, fields[misfit.field]?.sample == nil { fields[misfit.field]?.sample = sample }
    }
  }

  package static func += (sum: inout Misfits, more: Misfits) {
    if !more.isEmpty { sum.areKept = more.areKept }
    for (field, count) in more.fields {
      sum.fields[field, default: Count()].records += count.records
      if sum.fields[field]?.sample == nil { sum.fields[field]?.sample = count.sample }
    }
  }
}

extension JSON {
  /// True when a secret stood in the row.
  var holdsMask: Bool { Scrubber.isMasked(raw) }

  /// Notes that the value of a field that is read from this object does not fit.
  @usableFromInline package func noteMisfit(of field: String, _ value: JSON?) {
    tape.note(Tape.Misfit(field: field, holder: Int(index), sample: value?.sample, type: value?.typeName))
  }

  /// The type of the value, as a manifest names types.
  package var typeName: String {
    switch kind {
    case .null, .string: "text"
    case .bool: "boolean"
    case .number: (try? asInt()) == nil ? "number" : "integer"
    case .array, .object: "json"
    }
  }

  /// The beginning of the value as it is written.
  private var sample: String {
    let raw = raw
    let start = String(decoding: raw.prefix(60), as: UTF8.self)
    return Printable.clean(raw.count > 60 ? start + "…" : start)
  }
}

extension Schema {
  /// Reads a record, and returns with it the values that do not fit their fields.
  package func readWithMisfits(_ row: JSON, as form: RowForm = .own) throws -> (item: Item, misfits: [Misfit]) {
    let item = try read(row, as: form)
    let misfits = misfits(of: row, as: form)
    return (item, misfits + masked(in: item, of: row, except: misfits))
  }

  /// Reads one record of a service that comes in no list. A notice names the fields whose values were left out.
  package func readAlone(_ row: JSON, of source: String) throws -> Item {
    let (item, misfits) = try readWithMisfits(row, as: .service)
    let fields = misfits.map(\.field).joined(separator: ", ")
    if !misfits.isEmpty {
      Event.emit(.noticed(source: source, "\(item.id) has values that do not fit and were left out: \(fields)"))
    }
    return item
  }

  /// Returns the fields of a record in whose values a secret stood.
  func masked(in item: Item, of row: JSON, except others: [Misfit]) -> [Misfit] {
    guard row.holdsMask else { return [] }
    return storedValue(of: item).members?.compactMap { member in
      guard Scrubber.isMasked(member.value.bytes[...]), !others.contains(where: { $0.field == member.name }) else { return nil }
      return Misfit(field: member.name, sample: Secret.mask, type: nil)
    } ?? []
  }

  /// Takes the misfits that were noted while a row was read, each field once.
  package func misfits(of row: JSON, as form: RowForm) -> [Misfit] {
    guard row.tape.hasMisfits || form == .own && row.hasMark else { return [] }
    var misfits: [Misfit] = []
    func add(_ field: String, _ sample: String?, _ type: String?) {
      if !misfits.contains(where: { $0.field == field }) { misfits.append(Misfit(field: field, sample: sample, type: type)) }
    }
    for noted in row.tape.takeMisfits() { add(name(of: noted, in: row, as: form), noted.sample, noted.type) }
    if form == .own, row.hasMark, let names = try? row.array("") {
      for name in names { if let name = try? name.asString() { add(name, nil, nil) } }
    }
    return misfits
  }

  /// Returns the name of the record's own field in which a misfit is, since a part of the record may have noted it.
  private func name(of misfit: Tape.Misfit, in row: JSON, as form: RowForm) -> String {
    if misfit.holder == Int(row.index) { return misfit.field }
    let field = fields.first { field in
      let path = form == .own ? FieldPath([field.name]) : field.reader?.rowPath
      return path.flatMap { try? row.value(at: $0) }?.holds(misfit.holder) ?? false
    }
    return field?.name ?? misfit.field
  }
}

extension SourceItem {
  /// The last member of the stored record, which lists the fields whose values were left out; nil if no value was. No field has its name.
  func mark(of misfits: [Misfit]) -> Member? {
    if misfits.isEmpty || self is LooseRecord { return nil }
    return Member(name: "", value: .list(misfits.map { .text($0.field) }))
  }
}

extension JSON {
  /// True when a stored record lists fields whose values were left out. That list is always its last member.
  fileprivate var hasMark: Bool {
    let node = node
    return node.tag == .object && node.length > 0 && tape[Int(node.length)].length == 0
  }

  /// True when the value with that index is this one or inside it.
  fileprivate func holds(_ other: Int) -> Bool { (Int(index)..<Int(node.next)).contains(other) }

  /// Reads a field's value with `read`. If a service's value does not fit and the field may be missing, it is noted and left out.
  @inlinable func fitting<Content: FieldValue>(
    _ field: String, at value: String, as form: RowForm, _ read: () throws -> Content
  ) throws -> Content {
    do {
      return try read()
    } catch let error as SourceError where error.kind == .malformed && form == .service {
      guard let missing = Content.missing else { throw error }
      noteMisfit(of: field, self[value])
      return missing
    }
  }
}
