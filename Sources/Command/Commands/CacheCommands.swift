import AggregatorCore
import Pictures

/// `cache` shows what is stored, how much and how old; `cache clear` removes what can be fetched again.
enum CacheCommands {
  static let list = Command(
    ["cache"], options: Option.printing + [.timeout, .store], printing: Row.fields.map { $0.outline },
    "show what is stored: rows, size and age",
    examples: ["cache", "cache --format json", "cache --fields source,rows,newest"]
  ) { invocation in
    try await invocation.printing {
      var rows = try await Stores(invocation).store.holdings().map(Row.init)
      if let pictures = invocation.program.pictureFolder?.holdings, pictures.count > 0 {
        rows.append(
          Row(
            source: "", kind: "pictures", rows: pictures.count, bytes: pictures.bytes, oldest: pictures.oldest, newest: pictures.newest))
      }
      try invocation.printRows(rows)
      return .success
    }
  }

  static let clear = Command(
    ["cache", "clear"], options: [.timeout, .store], "clear cached answers and pictures; keep records, positions and deletions",
    examples: ["cache clear", "cache clear --store work.db"]
  ) { invocation in
    let answers = try await Stores(invocation).store.clearAnswers()
    let pictures = try invocation.program.pictureFolder?.clear().count ?? 0
    let cleared = "\(answers) cached answer\(answers == 1 ? "" : "s") and \(pictures) picture\(pictures == 1 ? "" : "s")"
    invocation.program.notices(invocation).say("cleared \(cleared); records kept")
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
      Field<Row>("source", .title, width: .whole) { $0.source },
      Field<Row>("kind", .qualifier, width: .whole) { $0.kind },
      Field<Row>("rows", .badge, width: .whole) { $0.rows },
      Field<Row>("bytes", width: .whole) { $0.bytes },
      Field<Row>("oldest") { $0.oldest?.iso },
      Field<Row>("newest", .subtitle) { $0.newest?.iso },
    ]
  }
}

extension CacheCommands.Row {
  fileprivate init(_ holding: Holding) {
    self.init(
      source: holding.source, kind: holding.kind, rows: holding.rows, bytes: holding.bytes, oldest: holding.oldest, newest: holding.newest)
  }
}
