import AggregatorCore
import Asking
import Presentation

extension Invocation {
  /// Runs `work`, which prints what has the command's fields; a bare `--fields` lists them instead.
  ///
  /// A field that does not exist is refused here, before anything else happens.
  func printing(_ work: () async throws -> ExitCode) async throws -> ExitCode {
    if isBare(.fields) {
      for field in command.fields() {
        let explanation = field.explanation.map { "\t\($0)" } ?? ""
        for leaf in field.leaves { try program.console.write(leaf.shownName + explanation + "\n") }
      }
      return .success
    }
    do throws(UsageError) {
      if has(.fields) { _ = try selection(of: command.fields(), detail: true) }
    } catch { throw error.about(command) }
    program.page(self)
    return try await work()
  }

  /// The columns that were asked for, or all; `id` leads to a record's id: without it that is the first field.
  func columns<Item>(of fields: [Field<Item>], id: FieldPath? = nil, detail: Bool = false) throws(UsageError) -> Columns<Item> {
    try Columns(selection(of: fields.map { $0.outline }, detail: detail), of: fields, id: id, at: program.clock.now)
  }

  private func selection(of fields: [FieldOutline], detail: Bool) throws(UsageError) -> Selection {
    do throws(ColumnError) { return try Selection(value(.fields), of: fields, detail: detail) } catch { throw UsageError(error) }
  }

  private var format: Format? { value(.format).flatMap(Format.init(named:)) }

  /// What prints records; `enclosure` is what JSON puts around them.
  func renderer<Item>(_ columns: Columns<Item>, in enclosure: Enclosure = .array) -> any Renderer<Item> {
    let format = format ?? (program.console.isOutputTerminal ? .table : .tsv)
    return format.renderer(columns, for: layout, into: program.console, in: enclosure)
  }

  /// What prints the answers of several sources.
  func findingsRenderer(_ text: String, limit: Int?) throws(UsageError) -> FindingsRenderer {
    let format = format ?? (program.console.isOutputTerminal ? .table : .tsv)
    if has(.fields), format == .json || format == .ndjson {
      throw UsageError("search prints whole records in \(format.rawValue); omit --fields, or search one source").about(command)
    }
    return FindingsRenderer(
      format, try columns(of: FoundRecord.fields, id: FieldPath(["id"])), text: text, limit: limit, for: layout, into: program.console)
  }

  private var layout: Layout {
    let console = program.console
    return Layout(
      isTerminal: console.isOutputTerminal, width: console.width(program.environment), style: program.style(self), hasHeader: has(.header))
  }

  /// Says below the table what did not fit.
  func tellShortage(of renderer: any Renderer) throws {
    guard let shortage = renderer.shortage else { return }
    try program.console.flush()
    program.notices(self).say(shortage)
  }

  /// Prints one record, or several that were named one by one: labelled lines unless a format was asked for. JSON of one is the item
  /// alone, of several an array.
  func printAlone<Item>(
    _ items: [Item], of fields: [Field<Item>], id: FieldPath? = nil, title: String? = nil, isList: Bool = false
  ) throws {
    let columns = try columns(of: fields, id: id, detail: true)
    if format == nil {
      if let title { try program.console.write("\(title)\n") }
      try print(items, with: LabelledRenderer(columns, for: layout, into: program.console))
    } else {
      try print(items, with: renderer(columns, in: isList ? .array : .none))
    }
  }

  /// Prints rows that are no answer of a source; in JSON an array.
  func printRows<Item: Fielded>(_ items: [Item]) throws { try print(items, with: renderer(columns(of: Item.fields))) }

  private func print<Item>(_ items: [Item], with renderer: some Renderer<Item>) throws {
    var renderer = renderer
    try renderer.begin(nil)
    try renderer.print(items)
    try renderer.end(nil)
    try tellShortage(of: renderer)
  }
}
