import AggregatorCore
import Recordings
package import Services

/// Finds how an endpoint pages: from the order of its recorded calls, or by names if only one was recorded.
struct PagingGuesser {
  private static let offsets = PagingNames.plain(PagingNames.offsets + ["startat", "cursor_offset", "pos"])
  private static let numbers = PagingNames.plain(PagingNames.pages + ["page_no", "page_num", "pagina", "seite"])
  private static let sizes = PagingNames.plain(
    PagingNames.sizes + [
      "perpage", "pagesize", "results", "max", "page_limit", "num", "number_of_results", "hits_per_page",
      "limit_to_first", "items_per_page", "records_per_page",
    ])
  private static let tokens = PagingNames.plain(
    PagingNames.tokens + [
      "end_cursor", "continuation_token", "scroll_id", "start_key", "page_cursor", "page_after", "starting_token",
      "starting_after", "next", "bookmark", "marker",
    ])
  private static let keysets = PagingNames.plain(
    PagingNames.keysets + [
      "start_after", "before_id", "ending_before", "min_id", "last_key", "last_seen", "start_from",
    ])
  /// The names of parameters for tokens whose member has another name.
  private static let destinations = [
    "next_page_token": "page_token", "next_cursor": "cursor", "end_cursor": "after",
    "next_continuation_token": "continuation_token",
    "next_marker": "marker", "next_scroll_id": "scroll_id", "last_id": "after",
  ]

  private let pages: [TapedPage]
  private let all: [TapedPage]
  private let steps: [Step]
  private var isLone: Bool { pages.count == 1 }

  /// The change from one call to a later one.
  fileprivate struct Step {
    let before: TapedPage
    let after: TapedPage
    /// The parameters with a new value, without the number of rows.
    let changed: [Parameter]

    func sent(_ parameter: Parameter) -> String { after.call[parameter] ?? "" }
  }

  /// The number of earlier calls that may have led to a page.
  private static let reach = 6

  /// `pages` are those of the endpoint; `all` are all recorded pages of the service.
  init(_ pages: [TapedPage], among all: [TapedPage] = []) {
    (self.pages, self.all) = (pages, all)
    steps = pages.indices.flatMap { index in
      pages[max(0, index - Self.reach)..<index].reversed().compactMap { Step(from: $0, to: pages[index]) }
    }
  }

  /// Every way that leads from page to page, the surest first; a list may have several.
  var ways: [Guess<PagingWay>] {
    let named = recorded(.link) + recorded(.token)
    // A value that a page names may also be a row's key, and a row's key may be a number that grows by the rows received.
    let lastRow = named.isEmpty ? recorded(.last) : []
    let found = named + (lastRow.isEmpty ? recorded(.offset) : lastRow)
    let all = found.contains { $0.value.parameter != nil } ? found : found + [byName].compactMap { $0 }
    return all.sorted { $0.confidence > $1.confidence }
  }

  /// Returns the guesses of this kind from the order of the recorded calls. The ways that count are told apart by how they grow, so each of
  /// them gives the one guess about a count.
  private func recorded(_ kind: PagingWay.Kind) -> [Guess<PagingWay>] {
    switch kind {
    case .whole: []
    case .link: [link, nextAddress].compactMap { $0 }
    case .token: [surest(token)].compactMap { $0 }
    case .last: [surest(keyset)].compactMap { $0 }
    case .offset, .page, .range: [surest(counted)].compactMap { $0 }
    }
  }

  var paging: Guess<PagingWay> {
    ways.first
      ?? Guess(.whole, isLone ? .fair : .weak, isLone ? "one request without a page parameter" : "no request leads to another")
  }

  private var lone: String { isLone ? "only one page was recorded" : "no recorded request follows it" }

  /// Returns the surest guess from the steps with one change; the first one if several are as sure.
  private func surest(_ guess: (Step, Parameter) -> Guess<PagingWay>?) -> Guess<PagingWay>? {
    let guesses = steps.filter { $0.changed.count == 1 && !isShared($0.changed[0]) }.compactMap { guess($0, $0.changed[0]) }
    return guesses.first { $0.confidence == .strong } ?? guesses.first
  }

  /// True when the first page leads on only by this parameter and another one together, and later pages repeat the other one.
  private func isShared(_ parameter: Parameter) -> Bool {
    let first = steps.filter { $0.before.call[parameter] == nil && $0.changed.contains(parameter) }
    return !first.contains { $0.changed.count == 1 } && first.contains { token($0, parameter) != nil }
  }

  fileprivate static func isOffset(_ parameter: Parameter) -> Bool { parameter.isCalled(offsets) }
  fileprivate static func isNumber(_ parameter: Parameter) -> Bool { parameter.isCalled(numbers) }
  private static func isCount(_ parameter: Parameter) -> Bool { isOffset(parameter) || isNumber(parameter) }

  // MARK: - By the next page in an answer

  private var link: Guess<PagingWay>? {
    let targets = pages.map { page in page.linked.flatMap { page.call.address.origin == $0.origin ? $0 : nil } }
    guard targets.contains(where: { $0 != nil }) else { return nil }
    let isFollowed = zip(targets, pages.indices).contains { target, index in target.map { isAsked($0, after: index) } ?? false
    }
    return Guess(
      .linkHeader, isFollowed ? .strong : .fair, isFollowed ? "the recorded walk followed it" : "an answer has one; \(lone)")
  }

  private func isAsked(_ target: WebAddress, after index: Int) -> Bool {
    !pages[index].call.isAnswer(to: target)
      && pages.dropFirst(index + 1).prefix(Self.reach).contains { $0.call.isAnswer(to: target) }
  }

  private var nextAddress: Guess<PagingWay>? {
    var found: Guess<PagingWay>?
    for (index, page) in pages.enumerated() {
      for (path, target) in page.addresses where target.origin == page.call.address.origin {
        let isNamed = path.isNext
        if isAsked(target, after: index), isNamed || index + 1 < pages.count && pages[index + 1].call.isAnswer(to: target) {
          return Guess(.link(path), .strong, "the recorded walk followed it")
        }
        if found == nil, isNamed {
          found = Guess(
            .link(path), isLone ? .weak : .fair, "its name and value suggest it" + (isLone ? "; \(lone)" : ""))
        }
      }
    }
    return found
  }

  private func token(_ step: Step, _ parameter: Parameter) -> Guess<PagingWay>? {
    let sent = step.sent(parameter)
    guard !Self.isCount(parameter) || Int(sent) == nil else { return nil }
    let paths = step.before.scalars.filter { $0.value.word == sent }.map(\.path)
    // A small number may be anything.
    guard let path = paths.first(where: \.isOnward) ?? (Int(sent) == nil ? paths.first : nil) else { return nil }
    return Guess(.token(path, parameter), .strong, "the recorded walk sent it back")
  }

  private func keyset(_ step: Step, _ parameter: Parameter) -> Guess<PagingWay>? {
    let sent = step.sent(parameter)
    guard parameter.isCalled(Self.keysets) || Int(sent) == nil && !Self.isCount(parameter), let last = step.before.rows.last
    else { return nil }
    let paths = last.scalars(depth: 3).filter { $0.value.word == sent }.map(\.path)
    let key = ListGuesser.key(of: pages.flatMap(\.rows))?.value
    return (paths.first { $0 == key } ?? paths.first).map {
      Guess(.last($0, parameter), .strong, "the recorded walk sent it back")
    }
  }

  // MARK: - By counting requests

  private func counted(_ step: Step, _ parameter: Parameter) -> Guess<PagingWay>? {
    let received = step.before.received
    let isNumbered = parameter.isCalled(Self.numbers)
    guard let after = step.after.call.number(parameter), after > 0 else { return nil }
    let before = step.before.call.number(parameter) ?? (isNumbered ? after - 1 : 0)
    let (change, overflow) = after.subtractingReportingOverflow(before)
    guard !overflow, change > 0, !parameter.isCalled(Self.sizes) || change == received else { return nil }
    // Between pages 1 and 3 lie two rows if a page has two, but these numbers are no offsets.
    let isRow = !isNumbered || change > 1 && before % max(1, received) == 0
    if isRow, change == received || parameter.isCalled(Self.offsets) || parameter == RecordedCall.range {
      let isExact = change == received
      return Guess(
        parameter.location == .header ? .range(parameter) : .offset(parameter), isExact ? .strong : .fair,
        isExact ? "it grew by the rows received" : "its name suggests it and grew by \(change)")
    }
    guard change == 1 else { return nil }
    let number = PagingWay.page(parameter, first: first(parameter) ?? before)
    return Guess(number, isNumbered ? .strong : .fair, "it grew by one from page to page")
  }

  private func first(_ parameter: Parameter) -> Int? {
    // Numbering begins at 0 or 1, even if the recording begins later.
    pages.compactMap { $0.call.number(parameter) }.min().map { min($0, 1) }
  }

  // MARK: - By names

  private var byName: Guess<PagingWay>? {
    guard let page = pages.first else { return nil }
    let kinds: [PagingWay.Kind] = [.range, .offset, .page, .token, .last]
    return kinds.lazy.compactMap { guess($0, on: page) }.first
  }

  private func guess(_ kind: PagingWay.Kind, on page: TapedPage) -> Guess<PagingWay>? {
    let parameters = page.call.parameters.keys.sorted { $0.name < $1.name }
    let reason = "its name suggests it; \(lone)"
    func number(called names: Set<String>) -> Parameter? {
      parameters.first { $0.isCalled(names) && page.call.number($0) != nil }
    }
    switch kind {
    case .range:
      return page.call.rowRange(RecordedCall.range).map { _ in
        Guess(.range(RecordedCall.range), .fair, "it names rows; \(lone)")
      }
    case .offset: return number(called: Self.offsets).map { Guess(.offset($0), .weak, reason) }
    case .page:
      if let parameter = number(called: Self.numbers) {
        return Guess(.page(parameter, first: first(parameter) ?? 1), .weak, reason)
      }
      guard page.exchange.response[header: "X-Next-Page"].flatMap({ Int($0) }) != nil else { return nil }
      return Guess(.page(Parameter(.query, "page"), first: 1), .weak, "a header names the next page; \(lone)")
    case .token: return detour == nil ? tokenByName(page, parameters, reason) : nil
    case .last: return detour == nil ? lastRow(parameters, reason) : nil
    case .whole, .link: return nil
    }
  }

  private func tokenByName(_ page: TapedPage, _ parameters: [Parameter], _ reason: String) -> Guess<PagingWay>? {
    for (path, value) in page.scalars {
      // A flag cannot be a token.
      guard value.int != nil || !(value.text ?? "").isEmpty else { continue }
      guard let name = Self.destination(of: path, value) else { continue }
      // What is only called next may be the number or the address of a page.
      if name == "next", Int(value.word ?? "0") != nil || page.addresses.contains(where: { $0.path == path }) { continue }
      let known = parameters.first { $0.isCalled([name]) } ?? parameters.first { $0.isCalled(Self.tokens) }
      let spelled = path.plainName == name ? path.names.last ?? name : path.names.last?.spelled(as: name) ?? name
      guard let parameter = known ?? page.call.parameter(spelled, among: Self.tokens) else { continue }
      return Guess(.token(path, parameter), .weak, reason)
    }
    return nil
  }

  /// Returns the plain name of the parameter for a token at `path`; nil if the path is not called like a token.
  private static func destination(of path: ValuePath, _ value: Value) -> String? {
    let name = path.plainName
    if let destination = destinations[name] { return destination }
    let rest = name.hasPrefix("next_") ? String(name.dropFirst(5)) : name
    // A number without "next" in its name is the offset of this page, repeated.
    if isCount(Parameter(.query, rest)) { return rest == name && value.int != nil ? nil : rest }
    // The next request of MediaWiki has the members of an object under the same names.
    if path.names.contains("continue"), name.hasSuffix("continue"), value.text?.contains(where: \.isLetter) ?? false {
      return name
    }
    guard path.isOnward else { return nil }
    if tokens.contains(name) { return name }
    if tokens.contains(rest) { return rest }
    return path.isToken && value.text != nil ? rest : nil
  }

  /// Returns the keyset way for a service that says there is more but gives no token: the next page
  /// begins after the last row, as in Stripe's lists.
  private func lastRow(_ parameters: [Parameter], _ reason: String) -> Guess<PagingWay>? {
    guard let key = ListGuesser.key(of: pages.flatMap(\.rows)), let more = ListGuesser.more(of: pages)?.value,
      pages.last?.document[more.path] == .bool(!more.isNegated)
    else { return nil }
    let isStripe = more.path == "has_more" && pages.first?.document["object"]?.text == "list"
    let known = parameters.filter { $0.isCalled(Self.keysets) }
    let backward = ["before", "ending_before", "max_id", "before_id"]
    let parameter =
      known.first { !backward.contains($0.plainName) } ?? known.first ?? (isStripe ? Parameter(.query, "starting_after") : nil)
    return parameter.map { Guess(.last(key.value, $0), .weak, reason) }
  }

  /// The parameter for the number of rows on a page.
  var size: Guess<Parameter>? {
    guard let call = pages.first?.call else { return nil }
    let (paging, full) = (paging.value, pages.map(\.rows.count).max() ?? 0)
    let isPaged = paging.kind != .whole
    let numbers = call.parameters.keys.sorted { $0.name < $1.name }.filter {
      $0 != paging.parameter && (call.number($0) ?? 0) > 0
    }
    if let parameter = numbers.first(where: Self.isSize) {
      let asked = call.number(parameter) ?? 0
      return asked == full
        ? Guess(parameter, isPaged ? .strong : .fair, "its name suggests it, and as many rows were received")
        : Guess(
          parameter, isPaged ? .fair : .weak, "its name suggests it; \(asked) were requested and at most \(full) received")
    }
    let equal = isPaged && full > 1 ? numbers.first { call.number($0) == full } : nil
    return equal.map { Guess($0, .weak, "it equals the number of rows received") }
  }

  /// Returns the number of rows that a request asks for; nil if it does not say.
  static func size(in call: RecordedCall) -> Int? {
    call.parameters.keys.filter(isSize).sorted { $0.name < $1.name }.lazy.compactMap(call.number).first { $0 > 0 }
  }

  fileprivate static func isSize(_ parameter: Parameter) -> Bool {
    parameter.isCalled(sizes) || parameter.plainName.hasSuffix("limit")
  }

  // MARK: - Ways that cannot be followed

  /// A reason why no source can follow the pages: several parameters change together, or the token
  /// goes to another address. Nil if no such reason is known.
  var detour: String? {
    for step in steps where step.changed.count > 1 {
      let isNamed = step.changed.contains { parameter in
        token(step, parameter) != nil || parameter.isCalled(Self.keysets) && keyset(step, parameter) != nil
      }
      guard isNamed else { continue }
      let names = step.changed.map { "\($0)" }.sorted().joined(separator: " and ")
      return "the next page is asked for with \(names) together"
    }
    for step in steps {
      let header = step.before.exchange.response.headers.first { header in
        header.value.utf8.count > 3 && step.changed.map(step.sent) == [header.value]
      }
      if let header { return "\(step.changed[0]) takes what the header \(header.name) says" }
    }
    for page in pages {
      let path = all.lazy.filter { $0.call.endpoint != page.call.endpoint }.compactMap { page.token(in: $0.call) }.first
      if let path { return "the token at \(path) goes to another address" }
    }
    return nil
  }
}

extension ListModel {
  /// The offset or page number by which the address of the next page counts, if nothing else in it is new: `?limit=5&offset=5` after five
  /// rows, or `?page=2`. Nil if the address has a token, another path or more changes.
  package var counting: PagingWay? {
    guard paging.way.value.kind == .link, endpoint.method == "GET" else { return nil }
    for page in recorded.pages where page.received > 0 {
      guard let target = page.nextAddress(paging.way.value) else { continue }
      return page.counting(to: target)
    }
    return nil
  }
}

extension TapedPage {
  fileprivate func counting(to target: WebAddress) -> PagingWay? {
    let next = RecordedCall(method: call.method, target)
    let changed = call.linkDifferences(to: next).filter { !PagingGuesser.isSize($0) || next.number($0) != received }
    guard next.address == call.address, changed.count == 1, let parameter = changed.first, let number = next.number(parameter)
    else { return nil }
    let before = call.number(parameter)
    if PagingGuesser.isOffset(parameter) { return before ?? 0 == 0 && number == received ? .offset(parameter) : nil }
    guard PagingGuesser.isNumber(parameter), number == 1 || number == 2, before.map({ $0 == number - 1 }) ?? true else {
      return nil
    }
    return .page(parameter, first: number - 1)
  }

  /// Returns the path of the token that a call sends; nil if this page does not have it.
  func token(in call: RecordedCall) -> ValuePath? {
    scalars.first { path, value in
      guard path.isOnward, let token = value.text, token.utf8.count > 3 else { return false }
      return call.parameters.values.contains(token)
    }?.path
  }
}

extension PagingGuesser.Step {
  /// Nil if nothing differs, apart from parameters that the later page leaves out.
  fileprivate init?(from before: TapedPage, to after: TapedPage) {
    let all = before.call.differences(to: after.call).filter { !(after.call[$0] ?? "").isEmpty }
    // A service may write another size into its next address.
    let changed = all.count > 1 ? all.filter { !PagingGuesser.isSize($0) } : all
    guard !changed.isEmpty else { return nil }
    self.init(before: before, after: after, changed: changed)
  }
}

extension RecordedCall {
  /// Returns the parameter that the call would send under that name. With GraphQL it is the variable for an argument with one of these
  /// names; nil if the query has no such variable.
  fileprivate func parameter(_ name: String, among names: Set<String>) -> Parameter? {
    if document == nil { return Parameter(.query, name) }
    guard operation != nil, let question = document?["query"]?.text else { return Parameter(.body, name) }
    // `boats(first: $size, after: $start)`
    let pieces = question.split(separator: "$", omittingEmptySubsequences: false)
    for (before, piece) in zip(pieces, pieces.dropFirst()) {
      let words = before.split { !$0.isLetter && $0 != ":" }
      guard let argument = words.last, argument.hasSuffix(":"), names.contains(String(argument.dropLast())) else { continue }
      return Parameter(.body, "variables.\(piece.prefix { $0.isLetter || $0.isNumber || $0 == "_" })")
    }
    return nil
  }
}
