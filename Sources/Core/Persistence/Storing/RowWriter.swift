/// Writes records as a store keeps them: made once for many, so that the names of their fields are quoted once.
struct RowWriter<Item: SourceItem>: Sendable {
  private struct Column {
    let key: JSONWriter.Key
    let isSearchable: Bool
    let value: @Sendable (Item) -> Value

    init(_ field: Field<Item>) {
      key = JSONWriter.Key(field.name)
      isSearchable = field.outline.isSearchable
      value = field.value
    }
  }

  private let columns: [Column]

  init(_ schema: Schema<Item>) { columns = schema.fields.filter { !$0.outline.isComputed }.map { Column($0) } }

  /// Appends a record's id, its own fields and what a search looks at, and tells where each lies. `text` is room for the last.
  func append(
    _ item: Item, to writer: inout JSONWriter, _ text: inout [UInt8]
  ) -> (id: Range<Int>, body: Range<Int>, text: Range<Int>) {
    let start = writer.bytes.count
    writer.bytes.append(contentsOf: item.id.utf8)
    let id = start..<writer.bytes.count
    text.removeAll(keepingCapacity: true)
    writer.beginObject()
    for column in columns {
      let value = column.value(item)
      guard !value.isNull else { continue }
      writer.key(column.key)
      writer.write(compact: value)
      if column.isSearchable { text.append(searchable: value) }
    }
    writer.endObject()
    text.append(Byte.newline)
    let body = id.upperBound..<writer.bytes.count
    writer.bytes.append(contentsOf: text)
    return (id, body, body.upperBound..<writer.bytes.count)
  }
}

extension JSONWriter {
  /// A value, without the members that are null, and without theirs.
  fileprivate mutating func write(compact value: Value) {
    guard case .object(let members) = value else { return write(value) }
    beginObject()
    for member in members where !member.value.isNull {
      key(member.name)
      write(compact: member.value)
    }
    endObject()
  }
}

extension [UInt8] {
  /// The texts in `value`, folded, with a line break behind each.
  mutating func append(searchable value: Value) {
    switch value {
    case .text(var text):
      let start = count
      text.withUTF8 { Fold.fold(utf8: $0, into: &self) }
      // The index would stop reading there.
      for index in start..<count where self[index] == 0 { self[index] = 1 }
      append(Byte.newline)
    case .list(let values): for value in values { append(searchable: value) }
    case .object(let members): for member in members { append(searchable: member.value) }
    case .null, .bool, .int, .double: break
    }
  }
}
