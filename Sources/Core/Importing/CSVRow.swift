/// Reads rows as `--format csv` writes them: dotted names in the header, lists as JSON text, nothing for null.
struct CSVRow<Item: Record> {
  private let columns: [Column]
  private var reader = JSON.Reader()

  private struct Column {
    /// The way to the value: `["name", "first"]`.
    let path: [String]
    /// Whether what is there is a text whatever it looks like.
    let isText: Bool
  }

  /// Reads the header; throws when it names no field of the record.
  init(header: UnsafeBufferPointer<UInt8>) throws {
    let names = try CSVRow.values(header)
    let leaves = Item.fields.flatMap(\.leaves)
    guard names.contains(where: leaves.contains) else {
      throw SourceError(
        .malformed, "the header names no field of such a record", remedy: "the first line must name them: \(leaves.joined(separator: ","))")
    }
    let texts = Set(Item.fields.flatMap(\.textLeaves))
    columns = names.map { Column(path: $0.split(separator: ".").map(String.init), isText: texts.contains($0) || !leaves.contains($0)) }
  }

  /// The row as the record's own JSON.
  mutating func read(_ row: UnsafeBufferPointer<UInt8>) throws -> JSON {
    let values = try CSVRow.values(row)
    guard values.count == columns.count else {
      throw SourceError(.malformed, "\(values.count) values instead of \(columns.count)")
    }
    var writer = JSONWriter()
    writer.beginObject()
    write(Array(zip(columns, values)).map { ($0.path[...], $0.isText, $1) }, to: &writer)
    writer.endObject()
    return try reader.read(writer.bytes)
  }

  private func write(_ values: [(path: ArraySlice<String>, isText: Bool, value: String)], to writer: inout JSONWriter) {
    var rest = values[...]
    while let first = rest.first, let name = first.path.first {
      // The leaves of one part stand side by side.
      let group = rest.prefix { $0.path.first == name }
      rest = rest.dropFirst(group.count)
      if first.path.count == 1 {
        if !first.value.isEmpty { write(name, first.value, isText: first.isText, to: &writer) }
      } else if group.contains(where: { !$0.value.isEmpty }) {
        writer.key(name)
        writer.beginObject()
        write(group.map { ($0.path.dropFirst(), $0.isText, $0.value) }, to: &writer)
        writer.endObject()
      }
    }
  }

  private func write(_ name: String, _ value: String, isText: Bool, to writer: inout JSONWriter) {
    writer.key(name)
    if !isText, (try? JSON(Array(value.utf8))) != nil {
      writer.write(raw: value.utf8)
    } else {
      writer.write(string: value)
    }
  }

  /// The values of a row, by RFC 4180.
  private static func values(_ row: UnsafeBufferPointer<UInt8>) throws -> [String] {
    var values: [String] = []
    var value: [UInt8] = []
    var index = 0
    while true {
      value.removeAll(keepingCapacity: true)
      if index < row.count, row[index] == 0x22 {
        index += 1
        while true {
          guard index < row.count else { throw SourceError(.malformed, "a quote is never closed") }
          if row[index] != 0x22 {
            value.append(row[index])
          } else if index + 1 < row.count, row[index + 1] == 0x22 {
            value.append(0x22)
            index += 1
          } else {
            break
          }
          index += 1
        }
        index += 1
        guard index == row.count || row[index] == 0x2C else { throw SourceError(.malformed, "something stands behind a closing quote") }
      } else {
        while index < row.count, row[index] != 0x2C {
          value.append(row[index])
          index += 1
        }
      }
      guard let text = String(validating: value, as: UTF8.self) else { throw SourceError(.malformed, "it is no UTF-8") }
      values.append(text)
      guard index < row.count else { return values }
      index += 1
    }
  }
}
