import AggregatorCore

/// Finds how an endpoint pages from the order of its recorded calls, and by names where only one was recorded.
struct PagingGuesser {
  private static let offsets: Set<String> = [
    "offset", "skip", "start", "from", "start_index", "start_at", "startat", "page_offset", "cursor_offset", "pos",
  ]
  private static let numbers: Set<String> = [
    "page", "p", "pg", "page_number", "page_no", "page_num", "page_index", "pagina", "seite",
  ]
  private static let sizes: Set<String> = [
    "limit", "take", "top", "size", "per_page", "perpage", "page_size", "pagesize", "count", "results", "rows", "max",
    "max_results", "n", "first", "page_limit", "num", "number_of_results", "hits_per_page",
  ]
  private static let tokens: Set<String> = [
    "cursor", "after", "token", "page_token", "next_token", "continuation", "continuation_token", "scroll_id",
    "start_key", "page_cursor", "page_after",
  ]
  private static let keysets: Set<String> = [
    "after", "after_id", "start_after", "starting_after", "since", "since_id", "before", "before_id", "ending_before",
    "max_id", "min_id", "from_id", "last", "last_id", "last_key", "last_seen", "start_from",
  ]
  private static let nexts: Set<String> = [
    "next", "next_url", "next_page", "next_page_url", "next_link", "next_href", "odata_next_link", "links_next",
    "links_next_href", "next_uri",
  ]

  private let pages: [RecordedPage]
  private let steps: [Step]
  private let isLone: Bool

  /// From one call to another that follows it and differs in one parameter alone.
  private struct Step {
    let before: RecordedPage
    let changed: Parameter
    let sent: String
    let sentBefore: String?

    var name: String { changed.plainName }
    var isCount: Bool { offsets.contains(name) || numbers.contains(name) }
  }

  init(_ pages: [RecordedPage]) {
    self.pages = pages
    isLone = pages.count == 1
    steps = zip(pages, pages.dropFirst()).compactMap { before, after in
      // The first page may leave out what later ones say.
      let changed = before.call.differences(to: after.call).filter { after.call[$0] != nil }
      guard changed.count == 1, let sent = after.call[changed[0]], !sent.isEmpty else { return nil }
      return Step(before: before, changed: changed[0], sent: sent, sentBefore: before.call[changed[0]])
    }
  }

  /// What leads from page to page, the surest first; a list may offer several ways.
  var ways: [Guess<PagingModel>] {
    let named = [link, nextAddress, first(token)].compactMap { $0 }
    // What a page names may be a row's key as well, and a row's key may be a number that grows by the rows received.
    let recorded = named + [(named.isEmpty ? first(keyset) : nil) ?? first(counted)].compactMap { $0 }
    return recorded.contains { $0.value.parameter != nil } ? recorded : recorded + [byName].compactMap { $0 }
  }

  var paging: Guess<PagingModel> {
    ways.first
      ?? Guess(.whole, isLone ? .fair : .weak, isLone ? "one request without a page parameter" : "no request leads to another")
  }

  private var lone: String { "only one page was recorded" }

  private func first(_ guess: (Step) -> Guess<PagingModel>?) -> Guess<PagingModel>? { steps.lazy.compactMap(guess).first }

  // MARK: - What an answer says about the next

  private var link: Guess<PagingModel>? {
    let targets = pages.map { page in page.exchange.response.link("next").flatMap(page.call.address.resolving) }
    guard targets.contains(where: { $0 != nil }) else { return nil }
    let isFollowed = zip(targets, pages.dropFirst()).contains { target, next in target.map { next.isAnswer(to: $0) } ?? false }
    return Guess(
      .link, isFollowed ? .strong : .fair, isFollowed ? "the recorded walk followed it" : "an answer has one; \(lone)")
  }

  private var nextAddress: Guess<PagingModel>? {
    var found: Guess<PagingModel>?
    for (index, page) in pages.enumerated() {
      for (path, value) in page.scalars {
        guard let text = value.text, Self.looksLikeAddress(text), let target = page.call.address.resolving(text) else {
          continue
        }
        if index + 1 < pages.count, pages[index + 1].isAnswer(to: target), !page.isAnswer(to: target) {
          return Guess(.nextAddress(path), .strong, "the recorded walk followed it")
        }
        let name = Parameter(.body, path.names.joined(separator: ".")).plainName
        if found == nil, Self.nexts.contains(name) || Self.nexts.contains(where: { name.hasSuffix("_\($0)") }) {
          found = Guess(
            .nextAddress(path), isLone ? .weak : .fair, "its name and value suggest it" + (isLone ? "; \(lone)" : ""))
        }
      }
    }
    return found
  }

  private func token(_ step: Step) -> Guess<PagingModel>? {
    guard !step.isCount || Int(step.sent) == nil, let place = step.before.scalars.first(where: { $0.value.word == step.sent })
    else { return nil }
    return Guess(.token(place.path, step.changed), .strong, "the recorded walk sent it back")
  }

  private func keyset(_ step: Step) -> Guess<PagingModel>? {
    guard Self.keysets.contains(step.name) || Int(step.sent) == nil && !step.isCount, let last = step.before.rows.last
    else { return nil }
    let paths = last.scalars(depth: 3).filter { $0.value.word == step.sent }.map(\.path)
    let key = ListGuesser.key(of: pages.flatMap(\.rows))?.value
    return (paths.first { $0 == key } ?? paths.first).map {
      Guess(.keyset($0, step.changed), .strong, "the recorded walk sent it back")
    }
  }

  // MARK: - What the requests count

  private func counted(_ step: Step) -> Guess<PagingModel>? {
    let (name, received) = (step.name, step.before.rows.count)
    let isNumbered = Self.numbers.contains(name)
    guard let after = Int(step.sent), after > 0 else { return nil }
    let before = step.sentBefore.flatMap { Int($0) } ?? (isNumbered ? after - 1 : 0)
    let (change, overflow) = after.subtractingReportingOverflow(before)
    guard !overflow, change > 0, !Self.sizes.contains(name) || change == received else { return nil }
    if !isNumbered || change > 1, change == received || Self.offsets.contains(name) {
      let isExact = change == received
      return Guess(
        .offset(step.changed), isExact ? .strong : .fair,
        isExact ? "it grew by the rows received" : "its name suggests it and grew by \(change)")
    }
    guard change == 1 else { return nil }
    let number = PagingModel.number(step.changed, first: first(step.changed) ?? before)
    return Guess(number, isNumbered ? .strong : .fair, "it grew by one from page to page")
  }

  private func first(_ parameter: Parameter) -> Int? {
    // Numbering begins at 0 or 1, wherever the recording does.
    pages.compactMap { $0.call[parameter].flatMap { Int($0) } }.min().map { min($0, 1) }
  }

  // MARK: - What the names say

  private var byName: Guess<PagingModel>? {
    guard let call = pages.first?.call else { return nil }
    let parameters = call.parameters.keys.sorted { $0.name < $1.name }
    let reason = "its name suggests it; \(lone)"
    func number(called names: Set<String>) -> Parameter? {
      parameters.first { names.contains($0.plainName) && call[$0].flatMap { Int($0) } != nil }
    }
    if let parameter = number(called: Self.offsets) { return Guess(.offset(parameter), .weak, reason) }
    if let parameter = number(called: Self.numbers) {
      return Guess(.number(parameter, first: first(parameter) ?? 1), .weak, reason)
    }
    for (path, value) in pages.flatMap(\.scalars) where value.text?.isEmpty == false {
      let name = Parameter(.body, path.names.last ?? "").plainName
      guard Self.tokens.contains(name) || name.hasPrefix("next_") && Self.tokens.contains(String(name.dropFirst(5))) else {
        continue
      }
      let parameter = parameters.first { Self.tokens.contains($0.plainName) } ?? Parameter(.query, path.names.last ?? "cursor")
      return Guess(.token(path, parameter), .weak, reason)
    }
    return nil
  }

  /// What says how many rows to give.
  var size: Guess<Parameter>? {
    guard let call = pages.first?.call else { return nil }
    let numbers = call.parameters.keys.sorted { $0.name < $1.name }.filter {
      call[$0].flatMap { Int($0) }.map { $0 > 0 } ?? false
    }
    let full = pages.map(\.rows.count).max() ?? 0
    let isPaged = paging.value != .whole
    for parameter in numbers where Self.sizes.contains(parameter.plainName) && paging.value.parameter != parameter {
      let asked = call[parameter].flatMap { Int($0) } ?? 0
      return asked == full
        ? Guess(parameter, isPaged ? .strong : .fair, "its name suggests it, and as many rows were received")
        : Guess(
          parameter, isPaged ? .fair : .weak, "its name suggests it; \(asked) were requested and at most \(full) received")
    }
    guard isPaged, full > 1, let parameter = numbers.first(where: { call[$0] == String(full) && paging.value.parameter != $0 })
    else {
      return nil
    }
    return Guess(parameter, .weak, "it equals the number of rows received")
  }

  private static func looksLikeAddress(_ text: String) -> Bool {
    text.hasPrefix("http://") || text.hasPrefix("https://") || text.hasPrefix("/") || text.hasPrefix("?")
  }
}

extension RecordedPage {
  /// Whether this is what `target` answers, secrets apart, which a recording has scrubbed.
  func isAnswer(to target: WebAddress) -> Bool {
    let asked = Call(method: call.method, target)
    return asked.address == call.address
      && asked.parameters.allSatisfy { parameter, value in call[parameter].map { $0 == value || $0.contains("•") } ?? false }
  }
}
