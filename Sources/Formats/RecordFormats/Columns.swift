public import AggregatorCore
public import Asking

/// The fields to show: those that a person asked for, or those that are shown by default.
public struct Columns: Sendable {
  /// One value of a record. A class, because it is passed on with every value.
  package final class Column: Sendable {
    package let leaf: Leaf
    package let field: FieldOutline
    /// The part of a record from which it is read.
    package let read: FieldRead
    /// True when a person types this value to name the record.
    package let isID: Bool

    init(_ leaf: Leaf, of field: FieldOutline, at index: Int, isID: Bool) {
      self.leaf = leaf
      self.field = field
      self.isID = isID
      read = FieldRead(index, inner: Array(leaf.path.names.dropFirst()))
    }

    /// The name that people see.
    package var label: String { (leaf.path.names.count == 1 ? field.label : nil) ?? leaf.path.label }

    /// The width in a table; an id is always shown and never cut.
    package var width: FieldWidth { isID ? .whole : leaf.isHidden ? .hidden : field.width }
  }

  package let all: [Column]
  /// The columns of tables and tsv. Unless a person chose them, these are the columns that are declared to be shown, whatever their
  /// values: the id first, then the title.
  package let inText: [Column]
  /// The columns of csv. Unless a person chose them, these are only facts, without columns that are made for text alone.
  package let inData: [Column]
  /// Readers for the columns of tables and tsv, for those of csv, and for whole fields. Made once, because
  /// every record is read with them.
  private let textReads, dataReads, fieldReads: [FieldRead]
  /// The names of the ``shown`` fields.
  private let names: [String]
  /// True when a person chose the columns.
  package let areChosen: Bool
  /// The time at which the records are shown; computed values are those of this moment.
  package let moment: Moment
  /// All fields, whether or not they are shown.
  package let fields: [FieldOutline]
  /// The path to a record's id.
  package let id: FieldPath
  /// The fields that the columns look into, in the order of the fields.
  package let shown: [FieldOutline]
  /// Headings of columns that replace the names of their fields, by those names.
  package var headings: [String: String] = [:]
  /// False when only the values of a column tell its kind, as in the result of a statement of SQL.
  package var areTyped = true
  /// True when a person is told which fields a table or tsv leaves out because they are declared as hidden.
  package var tellsHidden = false

  /// The columns of a selection. `id` is the path to a record's id; without it, that is the first field. With `isDeclaredOrder` a table
  /// has the columns in the order of the fields.
  public init(
    _ selection: Selection, of fields: [FieldOutline], id: FieldPath? = nil, isDeclaredOrder: Bool = false, at moment: Moment
  ) {
    self.moment = moment
    self.fields = fields
    let areChosen = selection.isChosen
    let id = id ?? FieldPath(fields.first.map { [$0.name] } ?? [])
    self.id = id
    let all = selection.leaves.compactMap { leaf in
      fields.firstIndex { $0.name == leaf.path.names.first }.map {
        Column(leaf, of: fields[$0], at: $0, isID: leaf.path.names.starts(with: id.names))
      }
    }
    inText = areChosen ? all : Self.arranged(all.filter { $0.width != .hidden }, isDeclaredOrder)
    inData = areChosen ? all : all.filter { !$0.field.isTextOnly }
    let indices = Set(inData.map(\.read.index)).sorted()
    shown = indices.map { fields[$0] }
    names = shown.map(\.name)
    (textReads, dataReads, fieldReads) = (inText.map(\.read), inData.map(\.read), indices.map { FieldRead($0) })
    (self.all, self.areChosen) = (all, areChosen)
  }

  /// The columns that a client names with commas between them, or those that are shown by default.
  package init(
    reading chosen: String?, of fields: [FieldOutline], id: FieldPath? = nil, isFull: Bool, at moment: Moment
  ) throws(AskError) {
    do throws(ColumnError) {
      self.init(try Selection(chosen, of: fields, detail: isFull), of: fields, id: id, at: moment)
    } catch {
      switch error {
      case .none: throw .invalid("fields", expected: "names of fields with commas between them")
      case .unknown(let unknown): throw .unknown(unknown)
      }
    }
  }

  /// All fields of a source's records; with `detail` also those of the full record.
  public init(of source: OpenedSource, detail: Bool) {
    let fields = source.fields
    self.init(Selection(of: fields, detail: detail), of: fields, id: source.idPath, at: source.world.clock.now)
  }

  /// The fields of a source's records that are stored: one that is computed when a record is shown changes without a sync.
  package init(ofStored source: OpenedSource) {
    let selection = Selection(of: source.fields.filter { !$0.isComputed }, detail: false)
    self.init(selection, of: source.fields, id: source.idPath, at: source.world.clock.now)
  }

  /// Sorts columns: the id first, then the title, then the others in their own order.
  private static func arranged(_ columns: [Column], _ isDeclaredOrder: Bool) -> [Column] {
    if isDeclaredOrder { return columns }
    func isTitle(_ column: Column) -> Bool { !column.isID && column.field.role == .title }
    return columns.filter(\.isID) + columns.filter(isTitle) + columns.filter { !$0.isID && !isTitle($0) }
  }

  /// The columns of csv in the order in which people read them: unless a person chose them, the id first, then the title.
  package var dataForPeople: [Column] { areChosen ? all : Self.arranged(inData, false) }

  /// Returns the record with the chosen fields only, nested as they are in the record.
  public func value(of record: ShownRecord) -> Value {
    guard areChosen else { return .object(zip(names, wholeValues(of: record)).map { Member(name: $0, value: $1) }) }
    return nested(zip(all, values(of: record, in: all)).map { ($0.leaf.path.names[...], $1) })
  }

  /// Returns the same with the fields among the columns that a person has edited in the record, as `edits` has them by id. If records have
  /// a field of that name themselves, it is not used as a mark.
  package func value(of record: ShownRecord, marking edits: [String: [FieldPath]]) -> Value {
    let value = value(of: record)
    guard !edits.isEmpty, let paths = edits[record.id], !fields.contains(where: { $0.name == Edit.mark }) else { return value }
    let edited = paths.filter { path in all.contains { $0.leaf.path.overlaps(path) } }
    guard !edited.isEmpty, case .object(let members) = value else { return value }
    return .object(members + [Member(name: Edit.mark, value: .list(edited.map { .text($0.text) }))])
  }

  /// Returns the values of a record in the columns of tables and tsv.
  package func textValues(of record: ShownRecord) -> [Value] { record.values(textReads, at: moment) }

  /// Returns the values of a record in the columns of csv.
  package func dataValues(of record: ShownRecord) -> [Value] { record.values(dataReads, at: moment) }

  /// Returns the value of a record for each of the ``shown`` fields.
  package func wholeValues(of record: ShownRecord) -> [Value] { record.values(fieldReads, at: moment) }

  /// Returns the values of a record in some columns.
  package func values(of record: ShownRecord, in columns: [Column]) -> [Value] {
    record.values(columns.map(\.read), at: moment)
  }

  /// Returns the fields of a record with their labels: each field as a person reads it, or each value that a person chose.
  package func labelled(
    _ record: ShownRecord, where isWanted: (Column) -> Bool = { _ in true }
  ) -> [(label: String, text: String)] {
    if areChosen {
      let wanted = all.filter(isWanted)
      return zip(wanted, values(of: record, in: wanted)).map { ($0.label, $1.plainText) }
    }
    return zip(shown, wholeValues(of: record)).map { field, value in
      (field.label ?? FieldPath([field.name]).label, value.phrased(by: field.lineFormat))
    }
  }

  private func nested(_ values: [(path: ArraySlice<String>, value: Value)]) -> Value {
    var members: [Member] = []
    for (path, value) in values {
      guard let name = path.first, !members.contains(where: { $0.name == name }) else { continue }
      let inner = values.filter { $0.path.first == name }.map { ($0.path.dropFirst(), $0.value) }
      members.append(Member(name: name, value: path.count == 1 ? value : nested(inner)))
    }
    return .object(members)
  }
}
