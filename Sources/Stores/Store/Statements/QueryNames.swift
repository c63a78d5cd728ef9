import AggregatorCore
import StoreTables

/// The names that a statement may use, for the error about one that does not exist.
struct QueryNames {
  private let tables: [QueryTable]
  /// The tables that the statement reads, as far as it was understood.
  private let read: Set<String>

  init(_ tables: [QueryTable], read: Set<String>) { (self.tables, self.read) = (tables, read) }

  /// Returns the error for an unknown name, and the nearest one that exists; nil for another error of SQLite.
  func unknown(in message: String) -> (message: String, nearest: String?)? {
    func name(after beginning: String) -> String? {
      message.hasPrefix(beginning) ? String(message.dropFirst(beginning.count)) : nil
    }
    if let name = name(after: "no such column: ") {
      let column = String(name.split(separator: ".").last ?? "")
      let mine = tables.filter { read.contains($0.name) }
      func columns(_ tables: [QueryTable]) -> [String] { tables.flatMap { $0.columns.map(\.name) } }
      let nearest = Closest.closest(to: column, among: columns(mine)) ?? Closest.closest(to: column, among: columns(tables))
      return ("unknown column \"\(name)\"", nearest)
    }
    if let name = name(after: "no such table: ") {
      return ("unknown table \"\(name)\"", Closest.closest(to: name, among: tables.map(\.name)))
    }
    if let name = name(after: "no such function: ") {
      return ("unknown function \"\(name)\"", Closest.closest(to: name, among: SQLiteQueries.functions))
    }
    if message.hasPrefix("no query solution"), let table = tables.first(where: \.takesText) {
      return (QueryTable.missingText(in: table.name), nil)
    }
    return nil
  }
}

extension SQLiteQueries {
  /// The functions that a person probably means.
  package static let functions = [
    "median", "percentile", "count", "sum", "avg", "min", "max", "total", "group_concat", "round", "abs", "coalesce", "ifnull",
    "iif", "nullif", "length", "lower", "upper", "substr", "replace", "trim", "instr", "printf", "date", "time", "datetime",
    "julianday", "strftime", "unixepoch", "json_extract", "json_each", "json_array_length", "row_number", "rank", "lag", "lead",
  ]
}
