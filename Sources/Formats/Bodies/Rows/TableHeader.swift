package import AggregatorCore

/// The names of a table's columns, and the values below them as JSON.
///
/// Each column keeps its values: the second one called `name` is `name_2`, and the fourth one is `column_4` if it has no name.
package struct TableHeader: Sendable {
  package let names: [String]
  private let columns: [(isNamed: Bool, mayBeJSON: Bool)]

  /// Reads the names in the first row. Throws if a column that is needed is missing, or if one of several columns with a name is read without
  /// the others.
  package init(_ values: [String], of format: BodyFormat = BodyFormat(.csv)) throws(SourceError) {
    let written = values.map(FieldPath.trimmed)
    names = Self.distinct(written)
    columns = zip(written, names).map { (!$0.isEmpty, format.columns?[$1]?.mayBeJSON ?? false) }
    let (columnsByName, known) = (Dictionary(grouping: zip(written, names), by: \.0), Set(names))
    for (name, column) in (format.columns ?? [:]).sorted(by: { $0.key < $1.key }) {
      let twins = columnsByName[name] ?? []
      let shown = Printable.clean(String(name.prefix(80)))
      if !twins.allSatisfy({ format.columns?[$0.1] != nil }) {
        throw SourceError(.malformed, "the \(format.kind.name) has \(twins.count) columns called \(shown)")
      }
      if column.isNeeded, !known.contains(name) {
        let some = Printable.clean(String(written.prefix(20).joined(separator: ", ").prefix(200)))
        throw SourceError(.malformed, "the \(format.kind.name) has no column \(shown) (columns: \(some))")
      }
    }
  }

  /// Returns the names with a number after those that came before. No name that is written is used for another column.
  private static func distinct(_ written: [String]) -> [String] {
    var (used, numbers) = (Set<String>(), [String: Int]())
    let all = Set(written)
    return written.enumerated().map { index, name in
      if !name.isEmpty, used.insert(name).inserted { return name }
      let stem = name.isEmpty ? "column" : name
      // Numbers only grow, so that no header takes long.
      var number = max(numbers[name] ?? 0, name.isEmpty ? index : 1) + 1
      while all.contains("\(stem)_\(number)") || !used.insert("\(stem)_\(number)").inserted { number += 1 }
      numbers[name] = number
      return "\(stem)_\(number)"
    }
  }

  /// Writes the object of a row that has as many values as the header. An empty value is null; below no name it is left out, because a line
  /// often ends with a separator.
  package func write(_ values: [String], into writer: inout JSONWriter) {
    writer.beginObject()
    for (index, (isNamed, mayBeJSON)) in columns.enumerated() where isNamed || !values[index].isEmpty {
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
