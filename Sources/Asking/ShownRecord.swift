public import AggregatorCore

/// An opened source, without the type of its records.
///
///     var answer = try catalogue.open(ask, in: world).records(for: ask)
///     while let records = try await answer.nextRecords() { for record in records { print(record.value) } }
///
/// It has all verbs except `answer(to:)`, whose pages have the type.
public typealias OpenedSource = any SourceSession

/// A record of any source, without its type. Its fields are read when they are shown.
public struct ShownRecord: SourceItem {
  private let page: any RecordReading
  private let index: Int

  fileprivate init(_ page: any RecordReading, _ index: Int) { (self.page, self.index) = (page, index) }

  public var id: String { page.id(of: index) }

  /// All fields with their values, in order; a computed field has none.
  public var value: Value { page.value(of: index) }

  /// The title of the record; nil if it has none.
  public var title: String? { page.title(of: index) }

  /// The title, and the other names that count as titles.
  package var titles: [String] { page.titles(of: index) }

  /// The addresses of the record's pictures.
  public var pictures: [WebAddress] { page.pictures(of: index) }

  /// The page about the record; nil if it has none, or if its address is not one of the web.
  public var link: WebAddress? { page.link(of: index) }

  /// True when a person who says `name` means this record.
  public func answers(to name: String) -> Bool { page.answers(index, to: name) }

  /// Returns the record as its own type. Throws if it is of another one.
  public func item<Item: SourceItem>(as type: Item.Type = Item.self) throws -> Item {
    guard let page = page as? RecordPage<Item> else { throw SourceError(.settings, "\(id) is not of the type \(type)") }
    return page.items[index]
  }

  /// True when the value of the field with that name is unknown, since a list lacks it.
  package func lacks(_ field: String) -> Bool { page.lacking.contains(field) }

  /// Returns the values that some fields show at a moment, in the order of `reads`.
  package func values(_ reads: [FieldRead], at moment: Moment) -> [Value] { page.values(of: index, reads, at: moment) }

  /// Returns the value that the field at that index shows at a moment.
  package func value(_ index: Int, at moment: Moment) -> Value { values([FieldRead(index)], at: moment)[0] }

  /// Shows rows that do not come from a source, with their values at a moment. They have no ids.
  package static func rows<Row>(_ rows: [Row], of fields: [Field<Row>], at moment: Moment) -> [ShownRecord] {
    let own = fields.indices.map { index in Field<ShownRow>(fields[index].outline) { $0.values[index] } }
    let schema = Schema(own) { _, _ in ShownRow(values: []) }
    return schema.shown(rows.map { row in ShownRow(values: fields.map { $0.shown(of: row, at: moment) }) })
  }
}

/// A value to read from records: the field, and the path inside it.
package struct FieldRead: Sendable {
  /// The index of the field among all fields.
  package let index: Int
  /// The path from the field to the value; empty for the whole field.
  fileprivate let inner: [String]

  package init(_ index: Int, inner: [String] = []) { (self.index, self.inner) = (index, inner) }
}

extension Schema {
  /// Returns the records without their type; all of them share one box. The values of the fields in `lacking` are unknown, and so null.
  package func shown(_ items: [Item], lacking: Set<String> = []) -> [ShownRecord] {
    let page = RecordPage(items: items, schema: self, lacking: lacking)
    return items.indices.map { ShownRecord(page, $0) }
  }
}

/// Records of one source that came together. It has no associated type, because looking one up at the first record would add
/// a tenth to the time of a start.
private protocol RecordReading: AnyObject, Sendable {
  var lacking: Set<String> { get }
  func id(of index: Int) -> String
  func value(of index: Int) -> Value
  func title(of index: Int) -> String?
  func titles(of index: Int) -> [String]
  func pictures(of index: Int) -> [WebAddress]
  func link(of index: Int) -> WebAddress?
  func answers(_ index: Int, to name: String) -> Bool
  func values(of index: Int, _ reads: [FieldRead], at moment: Moment) -> [Value]
}

private final class RecordPage<Item: SourceItem>: RecordReading {
  let items: [Item]
  let schema: Schema<Item>
  let lacking: Set<String>

  init(items: [Item], schema: Schema<Item>, lacking: Set<String>) {
    (self.items, self.schema, self.lacking) = (items, schema, lacking)
  }

  func id(of index: Int) -> String { items[index].id }
  func value(of index: Int) -> Value {
    let value = schema.value(of: items[index])
    if lacking.isEmpty { return value }
    return .object((value.members ?? []).map { lacking.contains($0.name) ? Member(name: $0.name, value: .null) : $0 })
  }
  func title(of index: Int) -> String? { schema.title(of: items[index]) }
  func titles(of index: Int) -> [String] { schema.titles(of: items[index]) }
  func pictures(of index: Int) -> [WebAddress] { schema.pictures(of: items[index]) }
  func link(of index: Int) -> WebAddress? { schema.link(of: items[index]) }
  func answers(_ index: Int, to name: String) -> Bool { schema.answers(items[index], to: name) }

  func values(of index: Int, _ reads: [FieldRead], at moment: Moment) -> [Value] {
    // The record is copied out of the list once for all fields. A field that several reads in a row look into is read once.
    let item = items[index]
    var last: (index: Int, value: Value)?
    return reads.map { read in
      if !lacking.isEmpty, lacking.contains(schema.fields[read.index].name) { return .null }
      let known = last?.index == read.index ? last?.value : nil
      let whole = known ?? schema.fields[read.index].shown(of: item, at: moment)
      last = (read.index, whole)
      return read.inner.isEmpty ? whole : whole.value(at: read.inner[...])
    }
  }
}

/// The values of a row that does not come from a source, as they were when it was asked for.
private struct ShownRow: SourceItem {
  let id = ""
  let values: [Value]
}
