/// Reads rows as `--format csv` writes them: dotted names in the header, lists as JSON text, nothing for null.
struct CSVRow {
  /// What a column, or several that belong together, makes of a row.
  private indirect enum Part {
    /// The value in a column, and whether it is a text whatever it looks like.
    case value(column: Int, isText: Bool)
    case object([(name: String, part: Part)])
  }

  private typealias Column = (path: ArraySlice<String>, value: Part)

  private let whole: Part
  private let width: Int
  private var reader = JSON.Reader()

  /// Reads rows by their header; `areJSON` where their values are JSON, whatever they are for.
  init(_ header: HeaderNames.Reading, areJSON: Bool = false) {
    width = header.fields.count
    whole = .object(
      Self.members(
        header.fields.enumerated().compactMap { index, leaf in
          leaf.map { ($0.path.names[...], .value(column: index, isText: $0.isText && !areJSON)) }
        }))
  }

  /// The leaves of one part together, wherever their columns stand.
  private static func members(_ columns: [Column]) -> [(name: String, part: Part)] {
    var order: [String] = []
    var groups: [String: [Column]] = [:]
    for (path, value) in columns {
      guard let name = path.first else { continue }
      if groups[name] == nil { order.append(name) }
      groups[name, default: []].append((path.dropFirst(), value))
    }
    return order.map { name in
      let group = groups[name] ?? []
      return (name, group.first { $0.path.isEmpty }?.value ?? .object(members(group)))
    }
  }

  /// The row as the record's own JSON.
  mutating func read(_ values: [String]) throws -> JSON {
    guard values.count == width else { throw SourceError(.malformed, "\(values.count) values instead of \(width)") }
    var writer = JSONWriter()
    write(whole, of: values, to: &writer)
    return try reader.read(writer.bytes)
  }

  private func write(_ part: Part, of values: [String], to writer: inout JSONWriter) {
    switch part {
    case .value(let column, let isText):
      if !isText, (try? JSON(Array(values[column].utf8))) != nil {
        writer.write(raw: values[column].utf8)
      } else {
        writer.write(string: values[column])
      }
    case .object(let members):
      writer.beginObject()
      for member in members where !isEmpty(member.part, in: values) {
        writer.key(member.name)
        write(member.part, of: values, to: &writer)
      }
      writer.endObject()
    }
  }

  /// Nothing stands for null, and a part of nothing but nulls is null.
  private func isEmpty(_ part: Part, in values: [String]) -> Bool {
    switch part {
    case .value(let column, _): values[column].isEmpty
    case .object(let members): members.allSatisfy { isEmpty($0.part, in: values) }
    }
  }
}

/// Writes rows as RFC 4180 has them, with line feeds: quotes where they are needed.
package enum CSVLine {
  package static func of(_ values: [String]) -> String {
    // A blank line would be no row at all.
    if values.count == 1, let value = values.first, value.utf8.allSatisfy({ $0 <= Byte.space }) { return "\"\(value)\"\n" }
    return values.map(quoted).joined(separator: ",") + "\n"
  }

  private static func quoted(_ value: String) -> String {
    let needsQuotes = value.utf8.contains { $0 == Byte.comma || $0 == Byte.quote || $0 == Byte.newline || $0 == Byte.carriageReturn }
    return needsQuotes ? "\"\(value.replacingEach("\"", with: "\"\""))\"" : value
  }
}
