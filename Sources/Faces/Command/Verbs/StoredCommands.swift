package import AggregatorCore
import Asking
import Pictures
import PostgresStore
import Store

/// Commands on stored records alone: `forget`, `restore` and `why`; and `delete`, which
/// an endless list has, since people remove its records for good.
enum StoredCommands {
  /// `forget SOURCE`, the same as `SOURCE forget`.
  static let forgetNamed = Command(
    ["forget"], .one(.source), options: [.of(.imported), .yes, .timeout, .store],
    "remove what is stored of a source; deletions stay",
    examples: ["forget heroes --yes", "forget countries --imported --yes"]
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "forget SOURCE")
    let question = try SourceQuestion(.forget, of: source, invocation)
    _ = try await question.forget(question.opened())
    return .success
  }

  static let forget = SourceCommand(
    .forget, options: [.yes, .store], examples: { _ in ["--yes", "--imported --yes"] }
  ) { question, source in
    _ = try await question.forget(source)
    return .success
  }

  static let delete = SourceCommand(
    .delete, .one(.id), options: [.store], examples: { _ in ["ID", "ID --store work.db"] }
  ) { question, source in
    let (id, moment, isNew) = try await source.delete(question.invocation.arguments[0])
    let what = isNew ? "deleted \(id)" : "\(id) was deleted \((question.program.clock.now - moment).ago)"
    question.notice("\(what); type '\(question.program.name) \(source.name) restore \(id)' to undo")
    return .success
  }

  static let restore = SourceCommand(
    .restore, .one(.deletedID), options: [.store], examples: { _ in ["ID", "ID --store work.db"] }
  ) { question, source in
    let (id, wasDeleted, edits) = try await source.restore(question.invocation.arguments[0])
    if wasDeleted { question.notice("restored \(id)") }
    if !edits.isEmpty { question.notice("took back \(listed(edits.map(\.text))) of \(id)") }
    if !wasDeleted, edits.isEmpty {
      question.notice("\(id) is \(question.descriptor.isEndless ? "neither deleted nor" : "not") edited")
    }
    return .success
  }

  static let why = SourceCommand(
    .why, .one(.id), options: [.format, .store], examples: { _ in ["ID", "ID --format json"] }
  ) { question, source in
    let account = try await source.account(of: question.invocation.arguments[0])
    try question.invocation.print(account, of: account.fields, inWords: account.sentences(at: question.program.clock.now))
    return .success
  }
}

/// `cache` shows what is stored, how much and how old; `cache clear` removes what can be fetched again.
enum CacheCommands {
  static let list = Command(
    ["cache"], options: Option.printing + [.timeout, .store], printing: Holding.fields.map { $0.outline },
    "show what is stored: rows, size and age",
    examples: ["cache", "cache --format json", "cache --fields source,rows,newest"]
  ) { invocation in
    var holdings = try await invocation.store.holdings()
    if let pictures = invocation.program.pictureFolder?.holdings, pictures.rows > 0 { holdings.append(pictures) }
    try invocation.printRows(holdings)
    return .success
  }

  static let clear = Command(
    ["cache", "clear"], options: [.timeout, .store], "clear cached answers and pictures; keep records, positions and deletions",
    examples: ["cache clear", "cache clear --store work.db"]
  ) { invocation in
    let answers = try await invocation.store.clearAnswers()
    let pictures = try invocation.program.pictureFolder?.clear().rows ?? 0
    invocation.say("cleared \(plural(answers, "cached answer")) and \(plural(pictures, "picture")); records kept")
    return .success
  }
}

/// `store copy FROM TO`: copies everything in one store into another.
enum StoreCopyCommand {
  static let command = Command(
    ["store", "copy"], .two(.store("FROM"), .store("TO")), options: Option.printing + [.timeout],
    printing: StoreCopy.CopiedTable.fields.map { $0.outline },
    "copy all that is stored to another place; both are compared, and a second run continues",
    examples: ["store copy old.db new.db", "store copy old.db new.db --format json"]
  ) { invocation in
    let (source, target) = (try namedStore(invocation, 0), try namedStore(invocation, 1, copying: true))
    guard source.name != target.name else { throw UsageError("FROM and TO are the same place") }
    let catalogue = invocation.program.catalogue
    let copied = try await StoreCopy(of: source, into: target).run { name in
      let parts = name.split(separator: ".", maxSplits: 1)
      guard let kind = catalogue[String(parts[0])]?.kind, !kind.leaves.isEmpty else { return nil }
      return parts.count == 1 ? kind : kind.companion(String(parts[1]))
    }
    try invocation.printRows(copied)
    let records = copied.filter(\.isRecords).reduce(0) { $0 + $1.rows }
    invocation.say("copied \(plural(records, "record")) to \(target.name); every table was read back and is the same")
    return .success
  }

  private static func namedStore(
    _ invocation: Invocation, _ index: Int, copying isCopy: Bool = false
  ) throws -> StoreCopy.NamedStore {
    switch try StoreLocation(invocation.arguments[index], in: invocation.program.workingDirectory) {
    case .file(let path, _): (path, SQLiteStore(at: path, named: true, copying: isCopy, clock: invocation.program.clock))
    case .server(let address): ("\(address)", PostgresStore(at: address, copying: isCopy))
    case .memory: throw UsageError("name a place")
    }
  }
}

extension SourceQuestion {
  /// Forgets what is stored and the `keys`, after asking the person. Returns false if the person says no.
  package func forget(_ source: some SourceSession, with keys: [String] = []) async throws -> Bool {
    let isImported = invocation.says(.imported)
    let stored = try await source.stored.count
    let what =
      isImported ? "what was imported into \(source.name)" : plural(stored, "stored record") + " of \(source.name)"
    guard try invocation.confirms("Forget \(listed([what] + keys))?") else {
      notice("removed nothing")
      return false
    }
    let number = try await source.forget(importedOnly: isImported)
    notice("removed \(plural(number, "record"))")
    return true
  }
}
