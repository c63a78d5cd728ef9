package import AggregatorCore
import Asking
import Exports
import Platform
import Presentation
import RecordFormats

extension Invocation {
  /// Prepares printing of the command's fields. Returns true if the line only lists them with `--fields`; then the list is printed here.
  ///
  /// An unknown field is refused here, before anything else happens.
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
    if format.ofFile?.isBinary == true, program.console.isOutputTerminal {
      throw UsageError(
        "a terminal cannot show \(format.rawValue); name a file", usage: "\(command.usage) -o FILE.\(format.rawValue)",
        topic: command.name)
    }
    if has(.bom), format != .csv { throw UsageError("--bom goes with csv alone; add --format csv") }
    if has(.fields) { _ = try selection(of: command.fields(), detail: true) }
    startPager()
    return false
  }

  /// Returns the columns that were asked for, or all. `id` is the field of a record's id; if it is nil, that is the first field.
  private func columns(
    of fields: [FieldOutline], id: FieldPath? = nil, isDeclaredOrder: Bool = false, detail: Bool = false
  ) throws(UsageError) -> Columns {
    try Columns(
      selection(of: fields, detail: detail), of: fields, id: id, isDeclaredOrder: isDeclaredOrder, at: program.clock.now)
  }

  private func selection(of fields: [FieldOutline], detail: Bool) throws(UsageError) -> Selection {
    do throws(ColumnError) { return try Selection(value(.fields), of: fields, detail: detail) } catch {
      throw UsageError(error)
    }
  }

  private var chosenFormat: Format? { value(.format).flatMap(Format.init(named:)) }
  private var format: Format { chosenFormat ?? (program.console.isOutputTerminal ? .table : .tsv) }

  /// True when a table or cards are printed for a person.
  var tellsPerson: Bool { [.table, .cards].contains(format) }

  /// True when a format writes its rows only at the end of the list.
  var writesAtEnd: Bool { format.ofFile.map { $0 != .md } ?? false }

  /// True when only news is printed, as for a mail.
  var isReport: Bool { chosenFormat == .report }

  private var layout: Layout { layout(ofRows: "record") }

  /// The layout of rows that are not the answer of a source. `unit` is a row in words, for a file.
  private func layout(ofRows unit: String) -> Layout {
    // The first word of a line about a source is the source.
    layout(
      titled: FileTitle(
        program.catalogue[command.words.first ?? ""] != nil ? command.words[0] : command.name, question: question,
        isAnswer: false,
        unit: unit))
  }

  /// The layout of a list that has this title in a file.
  private func layout(titled title: @autoclosure () -> FileTitle) -> Layout {
    let console = program.console
    var layout = Layout(
      isTerminal: console.isOutputTerminal, width: console.width(program.environment), style: style, hasHeader: has(.header),
      hasMark: has(.bom),
      maker: format.ofFile?.maker(title(), folder: format == .sqlite ? program.temporaryFolder : "") { $0.lacks })
    if format == .singer {
      layout.maker = RendererMaker { [layout] columns, enclosure, sink in
        SingerRenderer(columns, in: enclosure, into: layout.json(into: sink, inLines: false))
      }
    }
    return layout
  }

  /// The line as a person would type it for the same rows: without where they go and where things are kept.
  private var question: String {
    let chosen: Set<Option.Topic> = [.command, .origin]
    let leftOut = [Option.store, .plan, .explain, .record, .yes].map(\.name)
    let options = command.options.filter { option in
      values[option.name] != nil && (chosen.contains(option.topic) || option == .fields) && !leftOut.contains(option.name)
    }
    let words = options.flatMap { option in
      let given = values[option.name] ?? []
      return given.isEmpty ? ["--\(option.name)"] : given.flatMap { ["--\(option.name)", Paths.quoted($0)] }
    }
    return ([command.name] + arguments.map(Paths.quoted) + words).joined(separator: " ")
  }

  /// Returns the file for several lists that results are written to; nil if its format has room for one list only.
  func listFile() throws -> (any ListFile)? {
    try format.ofFile?.file(folder: program.temporaryFolder, into: program.console)
  }

  /// Returns the renderer of an answer: alone, or as one of several lists in `file`.
  func renderer(
    for question: SourceQuestion, of source: OpenedSource, into file: (any ListFile)? = nil
  ) throws -> any Renderer {
    let envelope = Envelope(source: question.descriptor.name, text: question.ask.query.text, limit: question.ask.limit)
    var columns = try columns(of: source.fields, id: source.idPath)
    // An author of Swift code chose with care what to hide. A drafted file may hide fields that no person has looked at.
    columns.tellsHidden = question.descriptor.file != nil
    func title(_ question: String) -> FileTitle {
      let service = source.descriptor.settings.first { $0.kind == .address }.flatMap { source.world.settings[$0]?.shown }
      return FileTitle(envelope.name, question: question, isAnswer: true, service: service)
    }
    if let file { return try file.renderer(columns, title("")) }
    return format.renderer(columns, for: layout(titled: title(self.question)), into: program.console, in: .envelope(envelope))
  }

  func renderer(_ text: String, limit: Int?) throws(UsageError) -> SearchedSourcesRenderer {
    if has(.fields), format == .json || format == .ndjson {
      throw UsageError("search prints whole records in \(format.rawValue); omit --fields, or search one source")
    }
    let isJSON = format == .json || format == .ndjson
    let rows =
      isJSON
      ? nil
      : format.renderer(
        try columns(of: Found.outline, id: FieldPath(["id"]), isDeclaredOrder: true), for: layout, into: program.console)
    return SearchedSourcesRenderer(
      rows: rows, inLines: format == .ndjson, text: text, limit: limit, at: program.clock.now, into: jsonSink)
  }

  /// Prints below a table which columns did not fit.
  func tell(shortage: String?) throws {
    guard let shortage else { return }
    try program.console.flush()
    say(shortage)
  }

  /// Prints one record, or several that were named one by one: as labelled lines unless the line
  /// names a format. JSON of one record is the object alone, unless `isList` asks for an array.
  func printAlone(
    _ records: [ShownRecord], of fields: [FieldOutline], id: FieldPath? = nil, title: String? = nil, isList: Bool = false,
    marking edits: [String: [FieldPath]] = [:], ending summary: Summary = .ofRows
  ) throws {
    let columns = try columns(of: fields, id: id, detail: true)
    if let chosenFormat {
      try print(
        records, with: chosenFormat.renderer(columns, for: layout, into: program.console, in: isList ? .array : .none),
        marking: edits, ending: summary)
    } else {
      if let title { try program.console.write("\(title)\n") }
      try print(records, with: TextRenderer(labelling: columns, for: layout, into: program.console))
    }
  }

  /// Prints rows that are not records, as ``printAlone(_:of:id:title:isList:marking:)`` prints records.
  package func printAlone<Row>(_ rows: [Row], of fields: [Field<Row>], isList: Bool = false) throws {
    try printAlone(shown(rows, of: fields), of: fields.map { $0.outline }, isList: isList)
  }

  /// Prints a row that is not a record: in the format that the line names, else in words.
  func print<Row>(_ row: Row, of fields: [Field<Row>], inWords words: [String]) throws {
    if has(.format) { return try printAlone([row], of: fields) }
    try program.console.write(words.map { Printable.clean($0) + "\n" }.joined())
  }

  /// Prints how many records have each value of a field: in JSON and YAML as a part of the count, else as rows.
  func print(_ count: RecordCount, _ values: ValueCounts) throws {
    if format == .json || format == .yaml { return try printAlone([count], of: count.fields) }
    let fields = count.sum == nil ? ValueCounts.Row.fields : ValueCounts.Row.fieldsWithSum
    let summary = copy(of: count.summary) { $0.total = values.values }
    try print(
      shown(values.rows, of: fields), with: rows(of: fields.map { $0.outline }, unit: "value"), ending: summary,
      saying: ["counted among \(count.words) record\(count.count == 1 ? "" : "s")"])
  }

  /// Prints rows that are not the answer of a source; as an array in JSON.
  package func printRows<Row: Fielded>(_ rows: [Row]) throws { try printRows(rows, of: Row.fields) }

  package func printRows<Row>(
    _ rows: [Row], of fields: [Field<Row>], unit: String = "row", saying texts: [String] = []
  ) throws {
    try print(shown(rows, of: fields), with: self.rows(of: fields.map { $0.outline }, unit: unit), saying: texts)
  }

  /// True when changes of records are printed for a person, and not as rows for a program or with the fields that the line chooses.
  var tellsChanges: Bool { isReport || !has(.fields) && (format == .table || format == .cards) }

  /// Prints changes of records: a group for each record to a person, and below them the `folds`; rows to a program,
  /// and in a file the `texts` for a person.
  func printChanges(
    _ changes: [FoundChange], _ folds: [FoldedChanges.Fold], ofSeveral isOfSeveral: Bool, saying texts: [String] = []
  ) throws {
    guard tellsChanges else {
      return try printRows(
        changes, of: isOfSeveral ? FoundChange.fieldsOfSeveral : FoundChange.fields, unit: "change", saying: texts)
    }
    var renderer = ChangesRenderer(for: layout, at: program.clock.now, into: program.console, ofSeveral: isOfSeveral)
    try renderer.print(changes)
    try renderer.end(folds)
  }

  /// Prints two records side by side; one below the other as cards, and on a terminal that is too narrow.
  func print(_ comparison: Comparison) throws {
    if !has(.fields), format == .cards || format == .table && Comparison.isTall(in: layout) {
      return try program.console.write(comparison.text(for: layout))
    }
    var columns = try columns(of: Difference.outline)
    columns.headings = comparison.headings(for: layout)
    try print(
      shown(comparison.differences, of: Difference.fields),
      with: format.renderer(columns, for: layout, into: program.console))
  }

  /// Returns rows that are not records of a source, with their values as of now.
  func shown<Row>(_ rows: [Row], of fields: [Field<Row>]) -> [ShownRecord] {
    ShownRecord.rows(rows, of: fields, at: program.clock.now)
  }

  /// Returns the renderer of rows that are not the answer of a source. `unit` is a row in words, for a file.
  func rows(of fields: [FieldOutline], unit: String = "row") throws(UsageError) -> any Renderer {
    try format.renderer(columns(of: fields), for: layout(ofRows: unit), into: program.console)
  }

  /// Returns the renderer of rows whose columns are named as they are, in their own order.
  func rows(named fields: [FieldOutline], in envelope: Envelope) throws(UsageError) -> any Renderer {
    var columns = try columns(of: fields, isDeclaredOrder: true)
    for field in fields { columns.headings[FieldPath([field.name]).text] = field.name }
    columns.areTyped = false
    return format.renderer(columns, for: layout(ofRows: "row"), into: program.console, in: .envelope(envelope))
  }

  /// The printer of JSON objects of several shapes; nil unless the format is JSON.
  var objects: JSONObjects? {
    format == .json || format == .ndjson ? JSONObjects(inLines: format == .ndjson, into: jsonSink) : nil
  }

  private var jsonSink: any Sink { layout.json(into: program.console, inLines: format == .json) }

  private func print(
    _ records: [ShownRecord], with renderer: some Renderer, marking edits: [String: [FieldPath]] = [:],
    ending summary: Summary = .ofRows, saying texts: [String] = []
  ) throws {
    var renderer = renderer
    renderer.mark(edits)
    renderer.remark(texts)
    try renderer.begin(summary.origin?.worded(wording))
    try renderer.print(records)
    if case .partial = summary.verdict { program.console.markPartial() }
    try renderer.end(summary)
    try tell(shortage: renderer.shortage)
  }
}

extension Fielded {
  /// The type's fields without their values.
  static var outline: [FieldOutline] { fields.map { $0.outline } }
}

extension Summary {
  /// The summary of rows that are not the answer of a source: all of them were printed.
  static var ofRows: Summary { copy(of: Summary()) { $0.verdict = .complete } }
}
