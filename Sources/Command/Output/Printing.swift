import AggregatorCore
import Asking
import Presentation

extension Invocation {
  /// Gets ready to print what has the command's fields: says whether a bare `--fields` asked for their list alone, which is printed then.
  ///
  /// A field that does not exist is refused here, before anything else happens.
  func preparesFields() throws -> Bool {
    guard command.options.contains(.fields) else { return false }
    if values[Option.fields.name] == [] {
      for field in command.fields() {
        let explanation = field.explanation.map { "\t\($0)" } ?? ""
        for leaf in field.leaves { try program.console.write(leaf.shownName + explanation + "\n") }
      }
      return true
    }
    if isReport, let option = [.fields, .header, .bom].first(where: has) {
      throw UsageError("a report has no columns; omit --\(option.name), or choose another --format")
    }
    if has(.bom), format != .csv { throw UsageError("--bom goes with csv alone; add --format csv") }
    if has(.fields) { _ = try selection(of: command.fields(), detail: true) }
    startPager()
    return false
  }

  /// The columns that were asked for, or all; `id` leads to a record's id: without it that is the first field.
  private func columns<Item>(
    of fields: [Field<Item>], id: FieldPath? = nil, isDeclaredOrder: Bool = false, detail: Bool = false
  ) throws(UsageError) -> Columns<Item> {
    try Columns(
      selection(of: fields.map { $0.outline }, detail: detail), of: fields, id: id, isDeclaredOrder: isDeclaredOrder,
      at: program.clock.now)
  }

  private func selection(of fields: [FieldOutline], detail: Bool) throws(UsageError) -> Selection {
    do throws(ColumnError) { return try Selection(value(.fields), of: fields, detail: detail) } catch {
      throw UsageError(error)
    }
  }

  private var chosenFormat: Format? { value(.format).flatMap(Format.init(named:)) }
  private var format: Format { chosenFormat ?? (program.console.isOutputTerminal ? .table : .tsv) }

  /// True when only what is news is printed, as for a mail.
  var isReport: Bool { chosenFormat == .report }

  private var layout: Layout {
    let console = program.console
    return Layout(
      isTerminal: console.isOutputTerminal, width: console.width(program.environment), style: style, hasHeader: has(.header),
      hasMark: has(.bom))
  }

  func renderer<Item>(for question: SourceQuestion, of schema: Schema<Item>) throws -> any Renderer<Item> {
    let envelope = Envelope(source: question.descriptor.name, text: question.ask.query.text, limit: question.ask.limit)
    var columns = try columns(of: schema.fields, id: schema.idPath)
    // What an author hid in Swift was chosen with care; what a drafted file hides nobody has looked at.
    columns.tellsHidden = question.descriptor.file != nil
    return format.renderer(
      columns, for: layout, into: program.console, in: .envelope(envelope))
  }

  func findingsRenderer(_ text: String, limit: Int?) throws(UsageError) -> FindingsRenderer {
    if has(.fields), format == .json || format == .ndjson {
      throw UsageError("search prints whole records in \(format.rawValue); omit --fields, or search one source")
    }
    return FindingsRenderer(
      format, try columns(of: FoundRecord.fields, id: FieldPath(["id"]), isDeclaredOrder: true), text: text, limit: limit,
      for: layout,
      into: program.console)
  }

  /// Says below a table what did not fit.
  func tell(shortage: String?) throws {
    guard let shortage else { return }
    try program.console.flush()
    say(shortage)
  }

  /// Prints one record, or several that were named one by one: labelled lines unless a format was asked for. JSON of one is the item
  /// alone, of several an array.
  func printAlone<Item>(
    _ items: [Item], of fields: [Field<Item>], id: FieldPath? = nil, title: String? = nil, isList: Bool = false,
    marking edits: ((Item) -> [FieldPath])? = nil
  ) throws {
    let columns = try columns(of: fields, id: id, detail: true)
    if let chosenFormat {
      try print(
        items, with: chosenFormat.renderer(columns, for: layout, into: program.console, in: isList ? .array : .none),
        marking: edits)
    } else {
      if let title { try program.console.write("\(title)\n") }
      try print(items, with: TextRenderer(labelling: columns, for: layout, into: program.console))
    }
  }

  /// Prints something that is no record: in the format that was asked for, else in words.
  func print<Item>(_ item: Item, of fields: [Field<Item>], inWords words: [String]) throws {
    if has(.format) { return try printAlone([item], of: fields) }
    try program.console.write(words.map { Printable.clean($0) + "\n" }.joined())
  }

  /// Prints rows that are no answer of a source; in JSON an array.
  func printRows<Item: Fielded>(_ items: [Item]) throws {
    try printRows(items, of: Item.fields)
  }

  func printRows<Item>(_ items: [Item], of fields: [Field<Item>]) throws { try print(items, with: rows(of: fields)) }

  /// Prints what became of records: a group for each record to a person, rows to a program and where somebody chose fields.
  func printChanges<Row>(
    _ rows: [Row], of fields: [Field<Row>], _ reading: @escaping (Row) -> (change: FoundChange, source: String?)
  ) throws {
    guard !has(.fields), format == .table || format == .cards else { return try printRows(rows, of: fields) }
    try print(rows, with: ChangesRenderer(for: layout, at: program.clock.now, into: program.console, reading))
  }

  /// Prints two records beside each other; below each other as cards, and where a terminal has no room.
  func print(_ comparison: Comparison) throws {
    if !has(.fields), format == .cards || format == .table && Comparison.isTall(in: layout) {
      return try print(comparison.differences, with: comparison.renderer(for: layout, into: program.console))
    }
    var columns = try columns(of: Difference.fields)
    columns.headings = comparison.headings(for: layout)
    try print(comparison.differences, with: format.renderer(columns, for: layout, into: program.console))
  }

  /// What prints rows that are no answer of a source.
  func rows<Item>(of fields: [Field<Item>]) throws(UsageError) -> any Renderer<Item> {
    try format.renderer(columns(of: fields), for: layout, into: program.console)
  }

  /// What prints objects of several shapes; nil where the format is no JSON.
  var objects: JSONObjects? {
    format == .json || format == .ndjson ? JSONObjects(inLines: format == .ndjson, for: layout, into: program.console) : nil
  }

  private func print<Item>(
    _ items: [Item], with renderer: some Renderer<Item>, marking edits: ((Item) -> [FieldPath])? = nil
  ) throws {
    var renderer = renderer
    if let edits { renderer.mark(edits) }
    try renderer.begin(nil)
    try renderer.print(items)
    try renderer.end(.ofRows)
    try tell(shortage: renderer.shortage)
  }
}

extension Summary {
  /// That of rows which are no answer of a source: all there are were printed.
  static var ofRows: Summary { changing(Summary()) { $0.verdict = .complete } }
}
