public import AggregatorCore
public import Asking

/// The fields that a person asked for, or those that are shown unasked.
public struct Columns: Sendable {
  /// One value of a record. A class, for it is handed on with every value.
  package final class Column: Sendable {
    package let leaf: Leaf
    package let field: FieldOutline
    /// How it is read from a record.
    package let read: FieldRead
    /// Whether it is what a person types to name the record.
    package let isID: Bool

    init(_ leaf: Leaf, of field: FieldOutline, at place: Int, isID: Bool) {
      self.leaf = leaf
      self.field = field
      self.isID = isID
      read = FieldRead(place, inner: Array(leaf.path.names.dropFirst()))
    }

    /// What people call it.
    package var label: String { (leaf.path.names.count == 1 ? field.label : nil) ?? leaf.path.label }

    /// An id is always shown and never cut.
    package var width: FieldWidth { isID ? .whole : leaf.isHidden ? .hidden : field.width }
  }

  package let all: [Column]
  /// Those in a table and in tsv. Unless somebody chose them, these are the ones that are declared to be shown, whatever they hold: the id
  /// first, then the title.
  package let inText: [Column]
  /// Those in csv: facts, unless somebody chose others too.
  let inData: [Column]
  /// How the columns of tables and tsv are read, those of csv, and all fields of a record. Made once, for each record is read by them.
  private let textReads, dataReads, fieldReads: [FieldRead]
  /// What the ``shown`` fields are called.
  private let names: [String]
  /// Whether somebody chose them.
  package let areChosen: Bool
  /// When the records are shown: what is computed is computed for this moment.
  package let moment: Moment
  /// All that there are, whether or not they are shown.
  package let fields: [FieldOutline]
  /// The way to a record's id.
  package let id: FieldPath
  /// Those that the columns look into, in their own order.
  package let shown: [FieldOutline]
  /// What stands above columns of a table in place of what their fields are called, by their names.
  package var headings: [String: String] = [:]
  /// True when a person is told which fields a table or tsv leaves out because they are declared hidden.
  package var tellsHidden = false

  /// The columns of a selection; `id` leads to a record's id: without it that is the first field. With `isDeclaredOrder` a table has them in
  /// the order of the fields.
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
    let places = Set(inData.map(\.read.place)).sorted()
    shown = places.map { fields[$0] }
    names = shown.map(\.name)
    (textReads, dataReads, fieldReads) = (inText.map(\.read), inData.map(\.read), places.map { FieldRead($0) })
    (self.all, self.areChosen) = (all, areChosen)
  }

  /// All fields of a source's records, those of the full record too when `detail`.
  public init(of source: OpenedSource, detail: Bool) {
    let fields = source.fields
    self.init(Selection(of: fields, detail: detail), of: fields, id: source.idPath, at: source.world.clock.now)
  }

  /// The id first, then the title, the others in their own order.
  private static func arranged(_ columns: [Column], _ isDeclaredOrder: Bool) -> [Column] {
    if isDeclaredOrder { return columns }
    func isTitle(_ column: Column) -> Bool { !column.isID && column.field.role == .title }
    return columns.filter(\.isID) + columns.filter(isTitle) + columns.filter { !$0.isID && !isTitle($0) }
  }

  /// The record with the chosen fields only, nested as they are.
  public func value(of record: ShownRecord) -> Value {
    guard areChosen else { return .object(zip(names, wholeValues(of: record)).map { Member(name: $0, value: $1) }) }
    return nested(zip(all, values(of: record, in: all)).map { ($0.leaf.path.names[...], $1) })
  }

  /// What the columns of tables and tsv show of a record.
  package func textValues(of record: ShownRecord) -> [Value] { record.values(textReads, at: moment) }

  /// What the columns of csv show of a record.
  func dataValues(of record: ShownRecord) -> [Value] { record.values(dataReads, at: moment) }

  /// What each of the ``shown`` fields shows of a record.
  package func wholeValues(of record: ShownRecord) -> [Value] { record.values(fieldReads, at: moment) }

  /// What some columns show of a record.
  package func values(of record: ShownRecord, in columns: [Column]) -> [Value] {
    record.values(columns.map(\.read), at: moment)
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
