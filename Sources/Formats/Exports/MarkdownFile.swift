import AggregatorCore
import Asking
import RecordFormats

/// Lists as tables of Markdown, as GitHub reads them. The facts of a list stand below its table, since they are known at its end.
final class MarkdownFile: ListFile {
  private let sink: any Sink
  private var isEmpty = true

  /// A text for a person about what the tables leave out; nil if it is nothing.
  private let lack: String?

  init(into sink: any Sink, lacking lack: String? = nil) { (self.sink, self.lack) = (sink, lack) }

  func renderer(_ columns: Columns, _ title: FileTitle) -> any Renderer {
    ListRenderer(columns: columns, facts: FileFacts(columns, title), file: self)
  }

  func add(missing name: String, because error: SourceError) throws {
    try beginList("## \(escaped(name))\n\n**Missing: \(escaped(error.message))**\n")
  }

  func end() {}

  private func beginList(_ text: String) throws {
    try sink.write((isEmpty ? "" : "\n") + text)
    isEmpty = false
  }

  private struct ListRenderer: Renderer {
    let columns: Columns
    var facts: FileFacts
    let file: MarkdownFile
    var edits: [String: [FieldPath]] = [:]

    mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }
    mutating func remark(_ texts: [String]) { facts.remarks += texts }

    mutating func begin(_ origin: Origin?) throws {
      facts.origin = origin
      let names = columns.inText.map { columns.headings[$0.leaf.path.text] ?? $0.label }
      let kinds = columns.inText.map { [.integer, .number].contains($0.leaf.kind) && !$0.leaf.mayBeList ? "---:" : "---" }
      try file.beginList(
        "## \(escaped(facts.name))\n\n" + line(names.map(escaped)) + line(kinds))
    }

    private func line(_ cells: [String]) -> String { "| \(cells.joined(separator: " | ")) |\n" }

    mutating func print(_ records: [ShownRecord]) throws {
      for record in records {
        let values = zip(columns.inText, columns.textValues(of: record))
        let edited = edits[record.id] ?? []
        if !edited.isEmpty { facts.edited += 1 }
        let cells = values.map { column, value in
          cell(value, column) + (edited.contains { column.leaf.path.overlaps($0) } ? " (edited)" : "")
        }
        try file.sink.write(line(cells))
      }
      facts.rows += records.count
    }

    private func cell(_ value: Value, _ column: Columns.Column) -> String {
      if case .text(let text) = value, column.leaf.kind == .address, WebAddress(text) != nil,
        !text.utf8.contains(where: { $0 <= 0x20 || $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: ">") })
      {
        return "<\(Printable.clean(text).replacingEach("|", with: "%7C"))>"
      }
      return escaped(value.plainText)
    }

    /// The fields that the table leaves out, as a table on a terminal does, in words.
    private var hidden: [String] {
      let names = columns.all.filter { column in !columns.inText.contains { $0 === column } && !column.field.isTextOnly }
        .map(\.leaf.shownName)
      return names.isEmpty ? [] : ["left out: \(names.joined(separator: ", "))"]
    }

    mutating func end(_ summary: Summary?) throws {
      facts.summary = summary
      let origin = facts.origin.map { [$0.words(at: facts.made)] } ?? []
      let asOf = facts.origin?.kind == .live ? nil : facts.asOf.map { "as of \($0.minute)" }
      let parts =
        [facts.count(), facts.verdictWords].compactMap(\.self) + origin + [asOf].compactMap(\.self) + facts.remarks
        + hidden + (facts.title.service.map { ["from \($0)"] } ?? [])
        + (facts.title.question.isEmpty ? [] : ["asked: \(facts.title.question)"]) + ["made \(facts.made.minute)"]
      try file.sink.write("\n\(escaped(parts.joined(separator: "; "))).\n")
    }

    var shortage: String? { facts.rows > 0 ? file.lack : nil }
  }
}

/// Returns a text for one cell or line: nothing in it is markup, and line breaks are kept as breaks.
private func escaped(_ text: String) -> String {
  var escaped: [UInt8] = []
  for byte in Printable.clean(text, lines: .kept).utf8 {
    switch byte {
    case UInt8(ascii: "\n"): escaped += "<br>".utf8
    case UInt8(ascii: "&"): escaped += "&amp;".utf8
    case UInt8(ascii: "<"): escaped += "&lt;".utf8
    case UInt8(ascii: ">"): escaped += "&gt;".utf8
    case UInt8(ascii: "\\"), UInt8(ascii: "`"), UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "#"), UInt8(ascii: "|"), UInt8(ascii: "~"), UInt8(ascii: "!"),
      UInt8(ascii: "$"):
      escaped += [UInt8(ascii: "\\"), byte]
    default: escaped.append(byte)
    }
  }
  return String(decoding: escaped, as: UTF8.self)
}
