/// Writes records as a store keeps them: made once for many, so that the names of their fields are quoted once.
struct RowWriter<Item: SourceItem>: Sendable {
  private struct Column {
    let key: JSONWriter.Key
    let ways: [ArraySlice<String>]
    let value: @Sendable (Item) -> Value

    init(_ field: Field<Item>, _ outline: FieldOutline) {
      key = JSONWriter.Key(field.name)
      ways = outline.searchedWays
      value = field.value
    }
  }

  private let columns: [Column]

  init(_ schema: Schema<Item>) {
    columns =
      schema.fields.filter { !$0.outline.isComputed }.map { Column($0, $0.outline) }
      + schema.searchOnly.map { Column($0, $0.outline.searched) }
  }

  /// Appends a record's id, its own fields and what a search looks at, and tells where each lies. `text` is room for the last.
  func append(
    _ item: Item, to writer: inout JSONWriter, _ text: inout IndexedText
  ) -> (id: Range<Int>, body: Range<Int>, text: Range<Int>) {
    let start = writer.bytes.count
    writer.bytes.append(contentsOf: item.id.utf8)
    let id = start..<writer.bytes.count
    text.begin(id: writer.bytes[id])
    writer.beginObject()
    for column in columns {
      let value = column.value(item)
      guard !value.isNull else { continue }
      writer.key(column.key)
      writer.write(compact: value)
      if !column.ways.isEmpty { text.lines.append(value, at: column.ways) }
    }
    writer.endObject()
    let body = id.upperBound..<writer.bytes.count
    writer.bytes.append(contentsOf: text.end())
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
