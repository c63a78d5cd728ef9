import AggregatorCore
import Asking
import CPages
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
    let style = Markup(page_style_of_file()), script = Markup(page_script_of_file())
    let title = (lists.map(\.facts.name) + missing.map(\.name)).joined(separator: ", ")
    let hash = Base64.encode(SHA256.digest(of: script.bytes))
    try send(
      """
      \(Markup.head(title, referrer: "no-referrer"))
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-\(hash)'">
      <style>\(style)</style>
      </head>
      <body>
      <main>

      """)
    if lists.count + missing.count > 1 { try send("<h1>\(plural(lists.count + missing.count, "list"))</h1>\n\(contents)") }
    for (index, (name, error)) in missing.enumerated() {
      try send(
        "<section id=\"missing-\(index + 1)\"><h2>\(name)</h2>\n<p class=\"state partial\">Missing: \(error.message)</p></section>\n"
      )
    }
    for (index, list) in lists.enumerated() {
      try send(head(of: list.facts, at: index))
      try send(list.body)
      try send("</section>\n")
    }
    try send("</main>\n<script>\(script)</script>\n</body>\n</html>\n")
  }

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
    let verdict: Markup = "<p class=\"state \(kind)\">\(facts.count())\(words)</p>"
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
        let row: Markup =
          "<tr>\(columns.cells(of: record, in: shownColumns, edited: edits[record.id]) { $0.text(of: $1, as: $1.plainText) })</tr>\n"
        file.held += row.bytes.count
        rows += row
        shown += 1
      }
    }

    mutating func end(_ summary: Summary?) {
      facts.summary = summary
      let heads = shownColumns.map { $0.head("\(columns.headings[$0.leaf.path.text] ?? $0.label)") }
      let guardWords: Markup =
        shown < facts.rows
        ? """
        <p class="state partial">This page shows the first \(shown) of \(plural(facts.rows, facts.title.unit)), because more would make a browser \
        slow. Sorting and searching see these \(shown) only.</p>

        """ : ""
      let isEmpty: Markup = facts.rows == 0 ? "<p>No \(facts.title.unit)s.</p>\n" : ""
      let caption: Markup = "<caption>\(facts.name): \(facts.sentence(shown))</caption>"
      let table = Markup.table(of: facts.name, caption: caption, Markup(heads), rows)
      file.lists.append(
        (
          facts,
          """
          \(guardWords)\(isEmpty)<p class="tools"><label><input type="checkbox"> Whole texts</label></p>
          \(table)<p class="end">End of \(facts.name): \(facts.count(shown)).</p>

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
