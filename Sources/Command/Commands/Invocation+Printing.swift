import AggregatorCore
import Presentation

extension Invocation {
  /// Runs `work`, which prints what has the command's fields; a bare `--fields` lists them instead.
  ///
  /// A field that does not exist is refused here, before anything else happens.
  func printing(_ work: () async throws -> ExitCode) async throws -> ExitCode {
    if isBare(.fields) {
      for leaf in command.fields().leaves { try program.console.write(leaf.shownName + "\n") }
      return .success
    }
    do throws(UsageError) {
      if has(.fields) { _ = try selection(of: command.fields(), detail: true) }
    } catch { throw error.about(command) }
    return try await work()
  }

  /// The columns that were asked for, or all.
  func columns<Item>(of fields: [Field<Item>], detail: Bool = false) throws(UsageError) -> Columns<Item> {
    try Columns(selection(of: fields.map { $0.outline }, detail: detail), of: fields, at: program.clock.now)
  }

  private func selection(of fields: [FieldOutline], detail: Bool) throws(UsageError) -> Selection {
    do throws(ColumnError) { return try Selection(value(.fields), of: fields, detail: detail) } catch { throw UsageError(error) }
  }

  /// What prints records; `envelope` is what JSON puts around them; without it they are in an array.
  func renderer<Item>(_ columns: Columns<Item>, around envelope: Envelope? = nil) -> any Renderer<Item> {
    let format = value(.format).flatMap(Format.init) ?? (program.console.isOutputTerminal ? .table : .tsv)
    return format.renderer(columns, for: layout, into: program.console, around: envelope)
  }

  private var layout: Layout {
    let console = program.console
    return Layout(
      isTerminal: console.isOutputTerminal, width: console.width(program.environment), style: program.style(self), hasHeader: has(.header))
  }

  /// Says below the table which columns did not fit.
  func tellHiddenColumns(of renderer: any Renderer) throws {
    guard !renderer.hiddenColumns.isEmpty else { return }
    try program.console.flush()
    program.notices(self).say("hidden: \(renderer.hiddenColumns.joined(separator: ", ")) (narrow terminal); try --fields")
  }

  /// Prints one record: a labelled line for each field unless a format was asked for; in JSON it stands alone.
  func printAlone<Item>(_ item: Item, of fields: [Field<Item>], title: String? = nil) throws {
    let columns = try columns(of: fields, detail: true)
    switch value(.format).flatMap(Format.init) {
    case nil:
      if let title { try program.console.write("\(title)\n") }
      try print([item], with: LabelledRenderer(columns, program.console))
    case .json: try print([item], with: Format.ndjson.renderer(columns, for: layout, into: program.console))
    default: try print([item], with: renderer(columns))
    }
  }

  /// Prints rows that are no answer of a source; in JSON an array.
  func printRows<Item: Fielded>(_ items: [Item]) throws { try print(items, with: renderer(columns(of: Item.fields))) }

  private func print<Item>(_ items: [Item], with renderer: some Renderer<Item>) throws {
    var renderer = renderer
    try renderer.begin(nil)
    try renderer.print(items)
    try renderer.end(nil)
    try tellHiddenColumns(of: renderer)
  }
}
