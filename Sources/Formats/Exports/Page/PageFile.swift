import AggregatorCore
import Asking
import CExports
import Platform
import RecordFormats

/// Lists as one page of HTML, which needs no network: the facts of each list, and a table that sorts and searches.
///
/// The facts stand above a table, and are known only after its last row. So the rows are held until the end, and a page has room for
/// a limited number of them.
final class PageFile: ListFile {
  private let sink: any Sink
  private var lists: [(facts: FileFacts, body: Markup)] = []
  private var missing: [(name: String, error: SourceError)] = []
  /// The bytes of the rows that are held.
  private var held = 0

  /// The most rows of a table, and the most bytes of all tables: more would make a browser slow.
  static let mostRows = 10_000
  private static let mostBytes = 40 << 20

  init(into sink: any Sink) { self.sink = sink }

  func renderer(_ columns: Columns, _ title: FileTitle) -> any Renderer {
    ListRenderer(columns, FileFacts(columns, title), in: self)
  }

  func add(missing name: String, because error: SourceError) { missing.append((name, error)) }

  func end() throws {
    let style = text(exports_page_style()), script = text(exports_page_script())
    let title = (lists.map(\.facts.name) + missing.map(\.name)).joined(separator: ", ")
    let hash = Base64.encode(SHA256.digest(of: script))
    try send(
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'">
      <title>\(title)</title>
      <style>\(Markup(trusted: style))</style>
      </head>
      <body>
      <main>

      """)
    if lists.count + missing.count > 1 { try send("<h1>\(plural(lists.count + missing.count, "list"))</h1>\n\(contents)") }
    for (index, (name, error)) in missing.enumerated() {
      try send(
        "<section id=\"missing-\(index + 1)\"><h2>\(name)</h2>\n<p class=\"verdict partial\">Missing: \(error.message)</p></section>\n"
      )
    }
    for (index, list) in lists.enumerated() {
      try send(head(of: list.facts, at: index))
      try send(list.body)
      try send("</section>\n")
    }
    try send("</main>\n<script>\(Markup(trusted: script))</script>\n</body>\n</html>\n")
  }

  private func text(_ text: CompiledText) -> [UInt8] { Array(UnsafeBufferPointer(start: text.bytes, count: text.count)) }
  private func send(_ markup: Markup) throws { try sink.write(markup.bytes) }

  /// The list of the lists, with a link to each.
  private var contents: Markup {
    var rows = Markup()
    for (index, list) in lists.enumerated() {
      rows +=
        "<li><a href=\"#list-\(index + 1)\">\(list.facts.name)</a> \(list.facts.sentence())</li>\n"
    }
    for (name, _) in missing { rows += "<li>\(name): missing</li>\n" }
    return "<nav aria-label=\"Lists\"><ul>\n\(rows)</ul></nav>\n"
  }

  /// The beginning of a list: its name, its verdict, its origin and its age.
  private func head(of facts: FileFacts, at index: Int) -> Markup {
    let isAlone = lists.count + missing.count == 1
    let heading: Markup = isAlone ? "<h1>\(facts.name)</h1>" : "<h2>\(facts.name)</h2>"
    let words: Markup = facts.verdictWords.map { ", <strong>\($0)</strong>" } ?? ""
    let kind = facts.origin?.kind == .bundled ? "" : facts.verdict?.kind ?? ""
    let verdict: Markup = "<p class=\"verdict \(kind)\">\(facts.count())\(words)</p>"
    var lines = Markup()
    if !facts.title.question.isEmpty { lines += "<div><dt>Asked</dt><dd>\(facts.title.question)</dd></div>\n" }
    if let service = facts.title.service { lines += "<div><dt>Service</dt><dd>\(service)</dd></div>\n" }
    if let origin = facts.origin {
      let time: Markup =
        facts.asOf.map { "<br><time datetime=\"\($0.iso)\">\($0.minute)</time><span data-age=\"\($0.iso)\"></span>" } ?? ""
      lines += "<div><dt>Origin</dt><dd>\(origin.words(at: facts.made))\(time)</dd></div>\n"
    }
    lines += "<div><dt>Made</dt><dd><time datetime=\"\(facts.made.iso)\">\(facts.made.minute)</time></dd></div>\n"
    for remark in facts.remarks { lines += "<div><dt>Note</dt><dd>\(remark)</dd></div>\n" }
    return "<section id=\"list-\(index + 1)\">\n<header>\(heading)\n\(verdict)\n<dl>\n\(lines)</dl></header>\n"
  }

  /// Collects the rows of one list.
  private struct ListRenderer: Renderer {
    private let columns: Columns
    private let shownColumns: [Columns.Column]
    private let file: PageFile
    private var facts: FileFacts
    private var rows = Markup()
    private var shown = 0
    private var edits: [String: [FieldPath]] = [:]

    init(_ columns: Columns, _ facts: FileFacts, in file: PageFile) {
      (self.columns, self.facts, self.file) = (columns, facts, file)
      shownColumns = columns.dataForPeople
    }

    mutating func begin(_ origin: Origin?) { facts.origin = origin }
    mutating func mark(_ edits: [String: [FieldPath]]) { self.edits = edits }
    mutating func remark(_ texts: [String]) { facts.remarks += texts }

    mutating func print(_ records: [ShownRecord]) throws {
      for record in records {
        facts.rows += 1
        if edits[record.id] != nil { facts.edited += 1 }
        guard facts.rows <= PageFile.mostRows, file.held < PageFile.mostBytes else { continue }
        let row = self.row(record)
        file.held += row.bytes.count
        rows += row
        shown += 1
      }
    }

    private func row(_ record: ShownRecord) -> Markup {
      let edited = edits[record.id] ?? []
      var cells = Markup()
      for (column, value) in zip(shownColumns, columns.values(of: record, in: shownColumns)) {
        let isEdited = edited.contains { column.leaf.path.overlaps($0) }
        let mark: Markup = isEdited ? " <em>edited</em>" : ""
        let content = content(value, column)
        if column.isID {
          let style: Markup = value.isNumber ? " class=\"n\"" : ""
          cells += "<th scope=\"row\"\(style)>\(content)\(mark)</th>"
        } else if value.isNumber {
          cells += "<td class=\"n\">\(content)\(mark)</td>"
        } else {
          cells += "<td>\(content)\(mark)</td>"
        }
      }
      return "<tr>\(cells)</tr>\n"
    }

    private func content(_ value: Value, _ column: Columns.Column) -> Markup {
      let text = value.plainText
      guard case .text = value, column.leaf.kind == .address, WebAddress(text) != nil else {
        return "\(text)"
      }
      return "<a href=\"\(text)\" rel=\"noreferrer\">\(text)</a>"
    }

    mutating func end(_ summary: Summary?) {
      facts.summary = summary
      var heads = Markup()
      for column in shownColumns {
        let kind = column.leaf.mayBeList ? Leaf.Kind.any : column.leaf.kind
        let isNumber = kind == .integer || kind == .number
        let name = columns.headings[column.leaf.path.text] ?? column.label
        let style: Markup = isNumber ? " class=\"n\"" : ""
        heads += "<th scope=\"col\"\(style)>\(name)</th>"
      }
      let guardWords: Markup =
        shown < facts.rows
        ? """
        <p class="verdict partial">This page shows the first \(shown) of \(plural(facts.rows, facts.title.unit)), because more would make a browser \
        slow. Sorting and searching see these \(shown) only.</p>

        """ : ""
      let isEmpty: Markup = facts.rows == 0 ? "<p>No \(facts.title.unit)s.</p>\n" : ""
      let caption: Markup = "<caption>\(facts.name): \(facts.sentence(shown))</caption>"
      file.lists.append(
        (
          facts,
          """
          \(guardWords)\(isEmpty)<div class="scroll" tabindex="0" role="region" aria-label="Table of \(facts.name)">
          <table>\(caption)
          <thead><tr>\(heads)</tr></thead>
          <tbody>
          \(rows)</tbody>
          </table></div>
          <p class="end">End of \(facts.name): \(facts.count(shown)).</p>

          """
        ))
      rows = Markup()
    }

    var shortage: String? {
      shown < facts.rows
        ? "the page has room for the first \(shown) of \(plural(facts.rows, facts.title.unit)), and says so; "
          + "a .csv, .sqlite or .parquet file has all" : nil
    }
  }
}

extension Value {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double, .decimal: true
    default: false
    }
  }
}
