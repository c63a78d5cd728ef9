public import AggregatorCore

/// A source that was opened, without the type of its records.
///
///     var answer = try catalogue.open(ask, in: world).records(for: ask)
///     while let records = try await answer.nextRecords() { for record in records { print(record.value) } }
///
/// All verbs can be called on it but `answer(to:)`, whose pages have the type.
public typealias OpenedSource = any SourceSession

/// A record of any source, whatever it is made of. Its fields are read when they are shown.
public struct ShownRecord: SourceItem {
  private let page: any RecordReading
  private let index: Int

  fileprivate init(_ page: any RecordReading, _ index: Int) { (self.page, self.index) = (page, index) }

  public var id: String { page.id(of: index) }

  /// All fields and what they hold, in order; a computed one holds nothing.
  public var value: Value { page.value(of: index) }

  /// What a person calls the record; nil where it has no title.
  public var title: String? { page.title(of: index) }

  /// What the record is called: its title, and the other names that count as one.
  package var titles: [String] { page.titles(of: index) }

  /// Where the pictures of the record are.
  public var pictures: [WebAddress] { page.pictures(of: index) }

  /// The page about the record; nil where it has none, or one that is no address of the web.
  public var link: WebAddress? { page.link(of: index) }

  /// True when a person who names `name` means this record.
  public func answers(to name: String) -> Bool { page.answers(index, to: name) }

  /// The record as its own type; an error where it is of another one.
  public func item<Item: SourceItem>(as type: Item.Type = Item.self) throws -> Item {
    guard let page = page as? RecordPage<Item> else { throw SourceError(.settings, "\(id) is not of the type \(type)") }
    return page.items[index]
  }

  /// What some fields show at a moment, in that order.
  package func values(_ reads: [FieldRead], at moment: Moment) -> [Value] { page.values(of: index, reads, at: moment) }

  /// What the field at that place shows at a moment.
  package func value(_ place: Int, at moment: Moment) -> Value { values([FieldRead(place)], at: moment)[0] }

  /// Rows that are no records of a source, as they are at a moment. They have no ids.
  package static func rows<Row>(_ rows: [Row], of fields: [Field<Row>], at moment: Moment) -> [ShownRecord] {
    let own = fields.indices.map { place in Field<ShownRow>(fields[place].outline) { $0.values[place] } }
    let schema = Schema(own) { _, _ in ShownRow(values: []) }
    return schema.shown(rows.map { row in ShownRow(values: fields.map { $0.shown(of: row, at: moment) }) })
  }
}

/// A value to read of records: which field it is in, and where inside.
package struct FieldRead: Sendable {
  /// The place of the field among all fields.
  package let place: Int
  /// The way to the value from there; empty for the whole field.
  fileprivate let inner: [String]

  package init(_ place: Int, inner: [String] = []) { (self.place, self.inner) = (place, inner) }
}

extension Schema {
  /// The records without their type, all in one box.
  package func shown(_ items: [Item]) -> [ShownRecord] {
    let page = RecordPage(items: items, schema: self)
    return items.indices.map { ShownRecord(page, $0) }
  }
}

/// Records of one source that came together. It has no associated type: to look one up at the first record would cost a start a tenth.
private protocol RecordReading: AnyObject, Sendable {
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

  init(items: [Item], schema: Schema<Item>) { (self.items, self.schema) = (items, schema) }

  func id(of index: Int) -> String { items[index].id }
  func value(of index: Int) -> Value { schema.value(of: items[index]) }
  func title(of index: Int) -> String? { schema.title(of: items[index]) }
  func titles(of index: Int) -> [String] { schema.titles(of: items[index]) }
  func pictures(of index: Int) -> [WebAddress] { schema.pictures(of: items[index]) }
  func link(of index: Int) -> WebAddress? { schema.link(of: items[index]) }
  func answers(_ index: Int, to name: String) -> Bool { schema.answers(items[index], to: name) }

  func values(of index: Int, _ reads: [FieldRead], at moment: Moment) -> [Value] {
    // Copied out of the list once for all fields; and a field that several look into one after the other is read once.
    let item = items[index]
    var last: (place: Int, value: Value)?
    return reads.map { read in
      let known = last?.place == read.place ? last?.value : nil
      let whole = known ?? schema.fields[read.place].shown(of: item, at: moment)
      last = (read.place, whole)
      return read.inner.isEmpty ? whole : whole.value(at: read.inner[...])
    }
  }
}

/// What a row that is no record showed when it was asked for.
private struct ShownRow: SourceItem {
  let id = ""
  let values: [Value]
}
