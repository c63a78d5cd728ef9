import AggregatorCore

/// What the records are called that are stored or compiled in. No service is asked, and nothing is written.
struct RecordNames: Sendable {
  let invocation: Invocation
  /// How many are offered, and how many of a list without a fitting beginning are looked at.
  private static let most = (offered: 100, read: 1000)

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// The ids, and with `names` what else a record answers to, that begin with `typed`.
  ///
  /// What cannot be read has no names: a person who types is told of it when the command runs.
  func candidates(from typed: String, of source: SourceDescriptor, names: Bool, _ words: Words) async -> [Completions.Candidate] {
    do {
      var values = words.values.filter { [Option.store.name, Option.config.name].contains($0.key) }
      for option in [Option.quiet, .offline] { values[option.name] = .some(nil) }
      let invocation = invocation.with(values)
      let question = try SourceQuestion(.everything, of: source, invocation)
      return try await candidates(typed, among: question.source(), names: names)
    } catch {
      return []
    }
  }

  private func candidates<Item>(
    _ typed: String, among source: some DataSource<Item>, names: Bool
  ) async throws -> [Completions.Candidate] {
    // A search finds the beginnings of names first, however many records there are; ids may be of the kind that no search looks at.
    let found = typed.trimmingSpaces.isEmpty ? [] : try await candidates(typed, for: .matching(typed), in: source, names: names)
    return found.isEmpty ? try await candidates(typed, for: .everything, in: source, names: names) : found
  }

  private func candidates<Item>(
    _ typed: String, for query: Query, in source: some DataSource<Item>, names: Bool
  ) async throws -> [Completions.Candidate] {
    var found: [Completions.Candidate] = []
    var walk = Walk(source, query, bounds: Bounds(limit: Self.most.read), clock: invocation.program.clock)
    while found.count < Self.most.offered, let items = try await walk.nextPage() {
      for item in items {
        guard let candidate = candidate(for: item, typed, source.schema, names: names) else { continue }
        if !found.contains(where: { $0.value == candidate.value }) { found.append(candidate) }
      }
    }
    return Array(found.prefix(Self.most.offered))
  }

  private func candidate<Item>(
    for item: Item, _ typed: String, _ schema: Schema<Item>, names: Bool
  ) -> Completions.Candidate? {
    let title = schema.title(of: item) ?? ""
    let typed = typed.lowercased()
    // A leading dash would make an option of it.
    func goesOn(_ text: String) -> Bool { text.lowercased().hasPrefix(typed) && !text.hasPrefix("-") }
    let isName = names && !title.isEmpty && title != item.id && schema.answers(item, to: title)
    if isName, goesOn(title) { return Completions.Candidate(title, item.id) }
    return goesOn(item.id) ? Completions.Candidate(item.id, title) : nil
  }
}
