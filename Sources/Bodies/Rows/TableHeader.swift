package import AggregatorCore

/// The names of a table's columns, and the values below them as JSON.
package struct TableHeader: Sendable {
  package let names: [String]
  /// The columns that are written: those with a name of their own.
  private let columns: [(index: Int, mayBeJSON: Bool)]

  /// Reads the names in the first row. Throws if a column that is needed is missing, or if a column that is read is named twice.
  package init(_ values: [String], of format: BodyFormat = BodyFormat(.csv)) throws(SourceError) {
    let names = values.map(FieldPath.trimmed)
    let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
    for (name, column) in (format.columns ?? [:]).sorted(by: { $0.key < $1.key }) {
      let count = counts[name] ?? 0
      let shown = Printable.clean(String(name.prefix(80)))
      if count > 1 { throw SourceError(.malformed, "the \(format.kind.name) has \(count) columns called \(shown)") }
      if count == 0, column.isNeeded {
        let known = Printable.clean(String(names.prefix(20).joined(separator: ", ").prefix(200)))
        throw SourceError(.malformed, "the \(format.kind.name) has no column \(shown) (columns: \(known))")
      }
    }
    self.names = names
    columns = names.enumerated().filter { !$1.isEmpty && counts[$1] == 1 }.map { index, name in
      (index, format.columns?[name]?.mayBeJSON ?? false)
    }
  }

  /// Writes the object of a row that has as many values as the header. An empty value is null.
  package func write(_ values: [String], into writer: inout JSONWriter) {
    writer.beginObject()
    for (index, mayBeJSON) in columns {
      writer.key(names[index])
      if values[index].isEmpty {
        writer.write(.null)
      } else if mayBeJSON, (try? JSON(Array(values[index].utf8))) != nil {
        writer.write(raw: values[index].utf8)
      } else {
        writer.write(string: values[index])
      }
    }
    writer.endObject()
  }
}
