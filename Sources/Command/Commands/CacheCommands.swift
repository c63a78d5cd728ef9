import AggregatorCore
import Pictures

/// `cache`: what is kept, how much, how old; `cache clear` lets go of what can be had again.
enum CacheCommands {
  static let list = Command(["cache"], options: Option.printing + [.store], "what is kept, how much, how old") { invocation in
    try await invocation.printing(Row.fields.map { $0.outline }) {
      var rows = try await Keeping(invocation).store.holdings().map(Row.init)
      if let pictures = invocation.program.pictureFolder?.holdings, pictures.count > 0 {
        rows.append(
          Row(
            source: "", kind: "pictures", rows: pictures.count, bytes: pictures.bytes, oldest: pictures.oldest, newest: pictures.newest))
      }
      try invocation.printRows(rows)
      return .success
    }
  }

  static let clear = Command(["cache", "clear"], options: [.store], "forgets answers and pictures; records, positions and deletions stay") {
    invocation in
    let answers = try await Keeping(invocation).store.clearAnswers()
    let pictures = try invocation.program.pictureFolder?.clear().count ?? 0
    invocation.program.notices(invocation).say("\(answers) kept answers and \(pictures) pictures are forgotten; records stay")
    return .success
  }

  fileprivate struct Row: Fielded {
    let source: String
    let kind: String
    let rows: Int
    let bytes: Int
    let oldest: Moment?
    let newest: Moment?

    static let fields = [
      Field<Row>("source", width: .whole) { $0.source },
      Field<Row>("kind", width: .whole) { $0.kind },
      Field<Row>("rows", width: .whole) { $0.rows },
      Field<Row>("bytes", width: .whole) { $0.bytes },
      Field<Row>("oldest") { $0.oldest?.iso },
      Field<Row>("newest") { $0.newest?.iso },
    ]
  }
}

extension CacheCommands.Row {
  fileprivate init(_ holding: Holding) {
    self.init(
      source: holding.source, kind: holding.kind, rows: holding.rows, bytes: holding.bytes, oldest: holding.oldest, newest: holding.newest)
  }
}
