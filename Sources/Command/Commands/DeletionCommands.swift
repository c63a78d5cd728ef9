import AggregatorCore

/// `delete`, `restore`, `why`: of a list that grows as one asks, and that people take records out of for good.
enum DeletionCommands {
  static func all(of source: SourceDescriptor) -> [Command] {
    guard source.isEndless else { return [] }
    return [
      command(source, "delete", "never show it again, and never fetch it back in") { try await delete($0, $1) },
      command(source, "restore", "undo a deletion") { try await restore($0, $1) },
      command(source, "why", options: [.format], "which fetch brought it, which repeats it absorbed, whether it is deleted") {
        try await why($0, $1)
      },
    ]
  }

  private typealias Action = @Sendable (Question, any OpenSource) async throws -> ExitCode

  private static func command(
    _ source: SourceDescriptor, _ verb: String, options: [Option] = [], _ summary: String, _ run: @escaping Action
  ) -> Command {
    Command([source.name, verb], .one("ID"), options: options + [.store], summary) { invocation in
      let question = try Question(.everything, of: source, invocation)
      var world = try question.world()
      world.reach = .offline
      return try await run(question, question.opened(in: world))
    }
  }

  private static func delete<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    let sample = archive.sample
    guard try await isKnown(id, in: source, archive) else { throw question.nobody(id) }
    let now = question.program.clock.now
    // In the sample too, which stands in where nothing was fetched yet.
    try await sample.delete(id, at: now)
    let moment = try await archive.delete(id, at: now)
    let since = moment == now ? "is deleted" : "was deleted on \(moment.iso) already"
    question.notice("\(id) \(since); '\(question.program.name) \(source.name) restore \(id)' brings it back")
    return .success
  }

  private static func restore<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    let wasSample = try await archive.sample.restore(id)
    let wasDeleted = try await archive.restore(id)
    if wasDeleted || wasSample {
      question.notice("\(id) is restored")
    } else if try await isKnown(id, in: source, archive) {
      question.notice("\(id) was not deleted")
    } else {
      throw question.nobody(id)
    }
    return .success
  }

  private static func why<Item>(_ question: Question, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let (archive, id) = try named(question, source)
    guard let history = try await archive.history(of: id) else { throw question.nobody(id) }
    let account = Account(id: id, history)
    if question.invocation.has(.format) {
      try question.invocation.printAlone(account)
    } else {
      try question.program.console.write(account.sentences.map { Printable.clean($0) + "\n" }.joined())
    }
    return .success
  }

  private static func named<Item>(_ question: Question, _ source: some OpenSource<Item>) throws -> (Archive<Item>, String) {
    guard let archive = source.archive else { throw SourceError(.storage, "nothing keeps records") }
    return (archive, Item.identity(question.invocation.arguments.first ?? ""))
  }

  /// Whether it is kept, deleted, or in the sample that is compiled in.
  private static func isKnown<Item>(_ id: String, in source: some OpenSource<Item>, _ archive: Archive<Item>) async throws -> Bool {
    if try await archive.history(of: id) != nil { return true }
    guard let bundled = source.bundled else { return false }
    return try await !bundled.page(PageRequest(.record(id))).items.isEmpty
  }
}

/// Where a record came from and what became of it, as `why` tells it.
private struct Account: Fielded {
  let email: String
  let uuid: String?
  let fetchedAt: String?
  let fetch: Asked?
  let absorbed: [Repeat]
  let deletedAt: String?

  struct Asked: Part {
    let seed: String?
    let page: Int?
    /// What brought it, for a person.
    let words: String

    init(_ fetch: Fetch) {
      seed = fetch.question.hasPrefix("seed=") ? String(fetch.question.dropFirst(5)) : nil
      page = fetch.place.hasPrefix("page ") ? Int(fetch.place.dropFirst(5)) : nil
      words = "\(fetch.question), \(fetch.place)"
    }

    static let fields = [Field<Asked>("seed") { $0.seed }, Field<Asked>("page") { $0.page }]
  }

  struct Repeat: Part {
    let uuid: String?
    let fetchedAt: String?

    static let fields = [Field<Repeat>("uuid") { $0.uuid }, Field<Repeat>("fetchedAt") { $0.fetchedAt }]
  }

  init(id: String, _ history: History) {
    email = id
    uuid = history.record.flatMap { Self.uuid(in: $0.body) }
    fetchedAt = history.fetch?.at.iso
    fetch = history.fetch.map(Asked.init)
    absorbed = history.absorbed.map { Repeat(uuid: Self.uuid(in: $0.body), fetchedAt: $0.fetch?.at.iso) }
    deletedAt = history.deletedAt?.iso
  }

  private static func uuid(in body: [UInt8]) -> String? { (try? JSON(body)).flatMap { try? $0.text("uuid") } }

  static let fields = [
    Field<Account>("email") { $0.email },
    Field<Account>("uuid") { $0.uuid },
    Field<Account>("fetchedAt") { $0.fetchedAt },
    Field<Account>("fetch") { $0.fetch },
    Field<Account>("absorbed") { $0.absorbed },
    Field<Account>("deletedAt") { $0.deletedAt },
  ]

  var sentences: [String] {
    var sentences = [email + (uuid.map { " (\($0))" } ?? "")]
    if let fetchedAt { sentences.append("came on \(fetchedAt), by \(fetch?.words ?? "nobody knows what")") }
    for other in absorbed { sentences.append("absorbed \(other.uuid ?? "another"), which came on \(other.fetchedAt ?? "some day")") }
    if let deletedAt { sentences.append("was deleted on \(deletedAt)") }
    return sentences
  }
}

extension Question {
  fileprivate func nobody(_ id: String) -> SourceError {
    SourceError(
      .notFound, "there is no \"\(id)\"", remedy: "'\(program.name) \(descriptor.name) search TEXT' finds what there is"
    ).from(descriptor.name)
  }
}

extension Archive {
  /// Where the compiled-in sample is read on, apart from what the service gave.
  var sample: Archive { companion("sample") }
}
