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
    "max_results", "n",
    "first", "page_limit", "num", "number_of_results", "hits_per_page",
  ]
  private static let tokens: Set<String> = [
    "cursor", "after", "token", "page_token", "next_token", "continuation", "continuation_token", "scroll_id", "start_key",
    "page_cursor",
    "page_after",
  ]
  private static let keysets: Set<String> = [
    "after", "after_id", "start_after", "starting_after", "since", "since_id", "before", "before_id", "ending_before", "max_id",
    "min_id",
    "from_id", "last", "last_id", "last_key", "last_seen", "start_from",
  ]
  private static let nexts: Set<String> = [
    "next", "next_url", "next_page", "next_page_url", "next_link", "next_href", "odata_next_link", "links_next",
    "links_next_href",
    "next_uri",
  ]

  private let pages: [RecordedPage]
  /// Calls that follow each other and differ in one parameter alone.
  private let steps: [(before: RecordedPage, after: RecordedPage, changed: Parameter)]
  private let isLone: Bool

  init(_ pages: [RecordedPage]) {
    self.pages = pages
    isLone = pages.count == 1
    steps = zip(pages, pages.dropFirst()).compactMap { before, after in
      // The first page may leave out what later ones say.
      let changed = before.call.differences(to: after.call).filter { after.call[$0] != nil }
      return changed.count == 1 ? (before, after, changed[0]) : nil
    }
  }

  /// What leads from page to page, the surest first; a list may offer several ways.
  var ways: [Guess<PagingModel>] {
    let named = [link, nextAddress, token].compactMap { $0 }
    // What a page names may be a row's key as well, and a row's key may be a number that grows by the rows received.
    let recorded = named + [named.isEmpty ? keyset ?? counted : counted].compactMap { $0 }
    return recorded.contains { $0.value.parameter != nil } ? recorded : recorded + [byName].compactMap { $0 }
  }

  var paging: Guess<PagingModel> {
    ways.first
      ?? Guess(.whole, isLone ? .fair : .weak, isLone ? "one request without a page parameter" : "no request leads to another")
  }

  private var lone: String { "only one page was recorded" }

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
      for (path, value) in page.world {
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

  private var token: Guess<PagingModel>? {
    for step in steps where !Self.offsets.contains(step.changed.plainName) && !Self.numbers.contains(step.changed.plainName) {
      guard let sent = step.after.call[step.changed], !sent.isEmpty else { continue }
      if let path = step.before.world.first(where: { $0.value.word == sent })?.path {
        return Guess(.token(path, step.changed), .strong, "the recorded walk sent it back")
      }
    }
    return nil
  }

  private var keyset: Guess<PagingModel>? {
    for step in steps {
      let name = step.changed.plainName
      guard let sent = step.after.call[step.changed], !sent.isEmpty, let last = step.before.rows.last,
        Self.keysets.contains(name) || Int(sent) == nil && !Self.offsets.contains(name) && !Self.numbers.contains(name)
      else { continue }
      let paths = last.scalars(depth: 3).filter { $0.value.word == sent }.map(\.path)
      let key = ListGuesser.key(of: pages.flatMap(\.rows))?.value
      guard let path = paths.first(where: { $0 == key }) ?? paths.first else { continue }
      return Guess(.keyset(path, step.changed), .strong, "the recorded walk sent it back")
    }
    return nil
  }

  // MARK: - What the requests count

  private var counted: Guess<PagingModel>? {
    for step in steps {
      guard let after = step.after.call[step.changed].flatMap({ Int($0) }), after > 0 else { continue }
      let name = step.changed.plainName
      let before = step.before.call[step.changed].flatMap { Int($0) } ?? (Self.numbers.contains(name) ? after - 1 : 0)
      let (change, overflow) = after.subtractingReportingOverflow(before)
      let received = step.before.rows.count
      guard !overflow, change > 0, !Self.sizes.contains(name) || change == received else { continue }
      let isNumbered = Self.numbers.contains(name)
      if !isNumbered || change > 1, change == received || Self.offsets.contains(name) {
        let isExact = change == received
        return Guess(
          .offset(step.changed), isExact ? .strong : .fair,
          isExact ? "it grew by the rows received" : "its name suggests it and grew by \(change)")
      }
      if change == 1 {
        let number = PagingModel.number(step.changed, first: first(step.changed) ?? before)
        return Guess(number, isNumbered ? .strong : .fair, "it grew by one from page to page")
      }
    }
    return nil
  }

  private func first(_ parameter: Parameter) -> Int? {
    // Numbering begins at 0 or 1, wherever the recording does.
    pages.compactMap { $0.call[parameter].flatMap { Int($0) } }.min().map { min($0, 1) }
  }

  // MARK: - What the names say

  private var byName: Guess<PagingModel>? {
    guard let call = pages.first?.call else { return nil }
    let names = call.parameters.keys.sorted { $0.name < $1.name }
    let reason = "its name suggests it; \(lone)"
    if let parameter = names.first(where: { Self.offsets.contains($0.plainName) && call[$0].flatMap { Int($0) } != nil }) {
      return Guess(.offset(parameter), .weak, reason)
    }
    if let parameter = names.first(where: { Self.numbers.contains($0.plainName) && call[$0].flatMap { Int($0) } != nil }) {
      return Guess(.number(parameter, first: first(parameter) ?? 1), .weak, reason)
    }
    for (path, value) in pages.flatMap(\.world) where value.text?.isEmpty == false {
      let name = Parameter(.body, path.names.last ?? "").plainName
      guard Self.tokens.contains(name) || name.hasPrefix("next_") && Self.tokens.contains(String(name.dropFirst(5))) else {
        continue
      }
      let parameter = names.first { Self.tokens.contains($0.plainName) } ?? Parameter(.query, path.names.last ?? "cursor")
      return Guess(.token(path, parameter), .weak, "its name suggests it; \(lone)")
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
  fileprivate func isAnswer(to target: WebAddress) -> Bool {
    let asked = Call(method: call.method, target)
    return asked.address == call.address
      && asked.parameters.allSatisfy { parameter, value in call[parameter].map { $0 == value || $0.contains("•") } ?? false }
  }
}
