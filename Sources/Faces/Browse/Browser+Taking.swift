package import AggregatorCore
package import Asking
import Feed
import Platform
import Presentation
package import RecordFormats
import Terminal

/// Records to write into a file.
package struct BrowseExport: Sendable {
  /// The records of an export.
  package enum Content: Sendable {
    /// Records that are at hand: those that a person marked, or the rows of a view.
    case records([ShownRecord], Summary)
    /// The whole list, which is asked for in the way in which the browser shows it.
    case list(OpenedSource, Ask)
  }

  package let path: String
  /// The name of the source or the view.
  package let name: String
  package let columns: Columns
  package let content: Content
}

/// A function that writes a file, and returns a sentence about it.
package typealias BrowseExporting = @Sendable (BrowseExport) async throws -> String

// Everything that a person takes out of the browser: the id of a record, a cell, the record as JSON, a file.
extension Browser {
  mutating func copyID() -> [BrowserAction] {
    // A row of a view stands for a record, or for a source.
    let target = record?.look.target
    guard let id = target.map({ $0.id ?? $0.source }) ?? record?.id else { return [] }
    return copy(id) { "copied \($0), if the terminal allows it" }
  }

  mutating func copyCell() -> [BrowserAction] {
    guard let cell else { return tellNoColumns() }
    let text = shownValue(cell.value)
    guard !text.isEmpty else { return tell("\(cell.path.label) is empty") }
    return copy(text) { "copied \($0), if the terminal allows it" }
  }

  /// Copies the record as JSON: in full if it is shown in full.
  mutating func copyRecord() -> [BrowserAction] {
    guard let record else { return [] }
    let full = mode == .record && listing.detail?.phase == .loaded ? listing.detail?.item : nil
    let text = jsonText((full ?? record).look.value(inFull: full != nil))
    return copy(text) { _ in "copied the record as JSON\(full == nil ? ", as the list has it" : ""), if the terminal allows it"
    }
  }

  /// Copies exactly the text that is shown, because a person may paste it where a line break runs a command.
  mutating func copy(_ text: String, telling told: (String) -> String) -> [BrowserAction] {
    let text = Printable.clean(text)
    // Terminals do not take longer texts. Not every terminal copies at all, and none tells whether it did.
    guard text.utf8.count <= 50_000 else { return tell("this is too long to be copied") }
    message = told(text)
    return [.copy(Array("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{1B}\\".utf8))]
  }

  func shownValue(_ value: Value) -> String { shownText(value) }

  /// Marks the selected record for an export, or takes its mark away. In the list, the next one is then selected.
  mutating func mark() -> [BrowserAction] {
    guard let record else { return [] }
    if tab.marked.removeValue(forKey: record.id) == nil { tab.marked[record.id] = record }
    if mode == .list { tab.selected = min(tab.selected + 1, items.count - 1) }
    return []
  }

  /// Takes all marks away.
  mutating func unmark() -> [BrowserAction] {
    let count = tab.marked.count
    tab.marked = [:]
    return tell(count == 0 ? "no record is marked" : "\(count) mark\(count == 1 ? "" : "s") removed")
  }

  /// Asks for the name of the file in a line that has one already.
  mutating func beginExport() -> [BrowserAction] {
    items.isEmpty && tab.marked.isEmpty ? tell("no records to export") : beginLine("export \(tab.source.name).csv")
  }

  mutating func export(to path: String) -> [BrowserAction] {
    guard !path.isEmpty else { return beginExport() }
    guard !tabs.contains(where: \.isExporting) else { return tell("an export is under way") }
    guard let first = items.first ?? tab.marked.first?.value else { return tell("no records to export") }
    guard let view = first.look as? RecordView else { return tell("these records cannot be exported") }
    tab.isExporting = true
    message = "writing \(Printable.clean(path))…"
    let request = ExportRequest(
      path: path, columns: view.looks.columns(of: tab.table.wish), records: tab.marked.isEmpty ? nil : markedRecords,
      text: tab.listing.asked ?? "", choice: tab.listing.chosen)
    return [.export(tab: current, request)]
  }

  /// The marked records in the order of the list, and those that the list has no more after them.
  private var markedRecords: [ShownRecord] {
    var rest = tab.marked
    var records: [BrowsedRecord] = []
    for item in items where !rest.isEmpty { if rest.removeValue(forKey: item.id) != nil { records.append(item) } }
    return (records + rest.sorted { $0.key < $1.key }.map(\.value)).compactMap { ($0.look as? RecordView)?.record }
  }
}

/// An export that a person wants, before the source is known.
package struct ExportRequest: Sendable, Hashable {
  let path: String
  let columns: Columns
  /// The marked records; nil for the whole list.
  let records: [ShownRecord]?
  let text: String
  let choice: FeedChoice

  package static func == (one: ExportRequest, other: ExportRequest) -> Bool {
    (one.path, one.text, one.choice, one.ids) == (other.path, other.text, other.choice, other.ids)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(path) }

  private var ids: [String]? { records?.map(\.id) }
}
