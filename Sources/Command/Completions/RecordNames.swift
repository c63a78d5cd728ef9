import AggregatorCore
import Asking

/// What the records are called that are stored or compiled in. No service is asked, and nothing is written.
struct RecordNames: Sendable {
  let invocation: Invocation
  /// How many are offered, and how many of a list without a fitting beginning are looked at.
  private static let most = (offered: 100, read: 1000)

  init(_ invocation: Invocation) { self.invocation = invocation }

  /// The values that one field has in the records, each once, in their order.
  func values(of name: String, of source: SourceDescriptor, _ words: Words) async -> [String] {
    guard let question = try? question(to: source, words) else { return [] }
    return (try? await values(of: name, question.ask, in: question.opened())) ?? []
  }

  private func values<Item>(of name: String, _ ask: Ask, in source: some SourceSession<Item>) async throws -> [String] {
    let condition = try RecordCondition("\(name)=", on: source.schema.outline.leaves)
    var found: Set<String> = []
    var answer = source.answer(to: ask)
    while found.count < Self.most.offered, let items = try await answer.nextPage() {
      for item in items { found.formUnion(condition.values(in: source.schema.value(of: item))) }
    }
    return Array(found.sorted().prefix(Self.most.offered))
  }

  private func question(to source: SourceDescriptor, _ words: Words) throws -> SourceQuestion {
    var values = words.values.filter { [Option.store.name, Option.config.name].contains($0.key) }
    for option in [Option.quiet, .offline] { values[option.name] = .some(nil) }
    var question = try SourceQuestion(.everything, of: source, invocation.with(values))
    question.ask.limit = Self.most.read
    return question
  }

  /// The ids, and with `names` what else a record answers to, that begin with `typed`.
  ///
  /// What cannot be read has no names: a person who types is told of it when the command runs.
  func candidates(
    from typed: String, of source: SourceDescriptor, names: Bool, deleted isDeleted: Bool = false, _ words: Words
  ) async -> [Completions.Candidate] {
    do {
      var question = try question(to: source, words)
      question.ask.isAboutDeleted = isDeleted
      return try await candidates(typed, question.ask, of: question.opened(), names: names)
    } catch {
      return []
    }
  }

  private func candidates(
    _ typed: String, _ ask: Ask, of source: some SourceSession, names: Bool
  ) async throws -> [Completions.Candidate] {
    // A search finds the beginnings of names first, however many records there are; ids may be of the kind that no search looks at.
    var search = ask
    search.query = .matching(typed)
    let found = typed.trimmingSpaces.isEmpty ? [] : try await fitting(typed, search, of: source, names: names)
    return found.isEmpty ? try await fitting(typed, ask, of: source, names: names) : found
  }

  private func fitting<Item>(
    _ typed: String, _ ask: Ask, of source: some SourceSession<Item>, names: Bool
  ) async throws -> [Completions.Candidate] {
    var found: [Completions.Candidate] = []
    var answer = source.answer(to: ask)
    while found.count < Self.most.offered, let items = try await answer.nextPage() {
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
