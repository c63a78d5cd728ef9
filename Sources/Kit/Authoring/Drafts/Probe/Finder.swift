import AggregatorCore
import Recordings
import Services

/// Tries several parameters in one request, each with a different value; the rows of the answer show which parameter worked.
struct Finder {
  /// The page size to ask for, if the service gives that many rows.
  private static let usualSize = 100

  private let service: ProbedService
  private let list: ListModel
  private let rows: [Value]
  private let rowPath: ValuePath
  private let call: RecordedCall
  private var size: Parameter?
  private var pageSize: Int?
  private var hasTriedSizes = false
  private var hasNewRows = false
  /// The reason why a request failed. After a failure it is unknown whether the service understands the parameters that were tried.
  private var failure: String?

  init(_ service: ProbedService, _ list: ListModel) {
    (self.service, self.list) = (service, list)
    (rows, rowPath) = (list.recorded.pages[0].rows, list.items.value)
    call = list.recorded.pages[0].call
    // The address of the next page has the size if the service itself would set it.
    let next = list.recorded.pages[0].nextAddress(list.paging.way.value)?.queryItems ?? []
    size =
      own(PagingNames.sizes).first
      ?? next.first { PagingNames.sizes.contains($0.name) && Int($0.value) == rows.count }.map { .init(.query, $0.name) }
    hasTriedSizes = size != nil
  }

  /// Returns the parameter for a place in the middle of a list, such as `cursor=x` or `page=3`; nil if the request has none.
  static func pagingParameter(in call: RecordedCall) -> Parameter? {
    let names = PagingNames.plain(PagingNames.tokens + ["since_id", "after_id", "last_id", "max_id"])
    let tokens = call.parameters.filter { $0.key.isCalled(names) && !$0.value.isEmpty }.keys
    return (tokens + [count(in: call)?.parameter].compactMap(\.self)).min { $0.name < $1.name }
  }

  /// Returns the parameter that counts the rows or pages before the requested ones, such as
  /// `offset=40` or `page=3`; nil if the request has none.
  static func count(in call: RecordedCall) -> (parameter: Parameter, value: Int, isOffset: Bool)? {
    let (offsets, pages) = (PagingNames.plain(PagingNames.offsets), PagingNames.plain(PagingNames.pages))
    return call.parameters.sorted { $0.key.name < $1.key.name }.lazy.compactMap { parameter, text in
      guard [.query, .body].contains(parameter.location), let value = Int(text), value > 1 else { return nil }
      if parameter.isCalled(offsets) { return (parameter, value, true) }
      return parameter.isCalled(pages) ? (parameter, value, false) : nil
    }.first
  }

  mutating func find() async throws -> ListModel {
    let way = list.paging.way.value
    if way == service.request.way { return try await named(way, list.paging.way.reason) }
    switch way.kind {
    case .token:
      guard let path = way.next, let guess = way.parameter else { break }
      guard let parameter = try await token(at: path, likeliest: guess) else {
        return found(.whole, doubt: failure ?? "\(path) names a further page, and no parameter took it")
      }
      return try await named(.token(path, parameter), "rows that are new came with it")
    case .link:
      if isElsewhere { break }
      if let odata = list.linkedOData { return try await found(way, odata) }
      guard let counting = list.counting else { return try await named(way, "the answer names the next page") }
      try await measure()
      var counted = found(counting, "the address of the next page counts so")
      // If the count leads to no new rows, the address of the next page is tried.
      counted.paging.ways.append(way)
      return counted
    case .offset, .page, .range:
      // A count that is more than a weak guess needs no request.
      if list.paging.way.confidence > .weak { return found(way, list.paging.way.reason) }
    case .whole:
      guard let odata = list.linkedOData, total == nil,
        let page = try await page([odata.total], for: "whether it takes \(odata.total.parameter.name)"),
        let announced = ListGuesser.total(of: [page], asking: []), page.number(at: announced.value) == rows.count
      else { break }
      return linked(.link(odata.next), asking: odata.total, for: announced)
    case .last: break
    }
    return try await tried(way)
  }

  /// Finds the way by trials, for a list whose answer does not show it.
  private mutating func tried(_ way: PagingWay) async throws -> ListModel {
    let elsewhere = way.kind == .link ? "the next page that it names is on another host" : nil
    if own(PagingNames.offsets).isEmpty, !own(PagingNames.pages).isEmpty, let numbered = try await numbered(isStrict: false) {
      return numbered
    }
    // If the answer says that there is more but has neither a total nor a token, the last row leads to the next page.
    if list.paging.more != nil, list.paging.total == nil, let keyset = try await keyset() { return keyset }
    if let counted = try await counted() { return counted }
    if list.paging.more == nil || list.paging.total != nil, let keyset = try await keyset() { return keyset }
    let wrongEnd = hasNewRows && list.reason != nil ? "the answer says that these are all, and other rows came" : nil
    let hint = way.kind == .whole || list.reason != nil ? nil : "\(way) led to no new rows"
    return found(.whole, doubt: elsewhere ?? failure ?? wrongEnd ?? hint)
  }

  /// True when the answer names a next page on another host, where no key may be sent.
  private var isElsewhere: Bool {
    list.recorded.pages[0].nextAddress(list.paging.way.value).map { $0.origin != call.address.origin } ?? false
  }

  /// Returns the list with the way of paging that was found.
  private func found(_ way: PagingWay, _ reason: String = "", doubt: String? = nil) -> ListModel {
    var list = list.paged(by: way, because: doubt ?? reason, doubting: doubt)
    list.paging.size = way.kind == .whole ? nil : size.map { Guess($0, .strong, "as many rows came as it says") }
    list.probe?.pageSize = pageSize
    return hasNewRows && self.list.reason != nil ? list.withoutEnd : list
  }

  /// Returns the list with a way that follows what answers name. A size may bound the whole list instead of a page, so it stays only if the
  /// probe sees pages that lead on beyond it, and can still try the way without it.
  private mutating func named(_ way: PagingWay, _ reason: String) async throws -> ListModel {
    let isShort = rows.count < Self.usualSize
    if isShort { try await findSize() }
    if isShort, service.left >= 2 * ProbedService.reserve { pageSize = Self.usualSize } else { size = nil }
    return found(way, reason)
  }

  /// Returns the list with the addresses of OData. It asks for longer pages and for the total, if the service takes that.
  private mutating func found(_ way: PagingWay, _ odata: OData) async throws -> ListModel {
    size = nil
    let longer = (OData.pageSize, Value.text("\(OData.unit)\(Self.usualSize)"))
    let isShort = rows.count < Self.usualSize && !service.request.headers.contains { $0.name.lowercased() == "prefer" }
    let sizes = isShort ? [longer] : []
    let totals = total == nil && odata.bound(of: call) == nil ? [odata.total] : []
    var announced: Guess<NumberLocation>?
    for changes in (totals.isEmpty ? [sizes] : [totals + sizes, sizes]) where !changes.isEmpty {
      guard let page = try await page(changes, for: "whether it takes \(changes.map(\.0.name).joined(separator: " and "))")
      else { continue }
      if isShort, page.rows.count > rows.count { (size, pageSize) = (OData.pageSize, Self.usualSize) }
      if changes.count > sizes.count { announced = ListGuesser.total(of: [page], asking: []) }
      break
    }
    return linked(way, asking: odata.total, for: announced)
  }

  /// Returns the list with the addresses of OData, and with this total if that is sure.
  private func linked(_ way: PagingWay, asking total: (Parameter, Value), for announced: Guess<NumberLocation>?) -> ListModel {
    var linked = found(way, "the answer names the next page")
    if announced?.trusted != nil {
      linked.paging.total = announced
      linked.probe?.request = service.request.setting([total])
    }
    return linked
  }

  private var total: Int? {
    list.paging.total?.trusted.flatMap(list.recorded.pages[0].number)
  }

  // MARK: - Asking

  /// Returns the parameters with these names that the request already has.
  private func own(_ names: [String]) -> [Parameter] {
    let plain = PagingNames.plain(names)
    let posted = (call.document?.scalars(depth: 4) ?? []).map { Parameter($0.path) }
    return (call.query.map { Parameter(.query, $0.name) } + posted).filter { $0.isCalled(plain) }
  }

  /// Returns the parameters with these names that the request already has. If it has none, all of these names,
  /// or with GraphQL those that the query declares.
  private func parameters(_ names: [String]) -> [Parameter] {
    let own = own(names)
    if !own.isEmpty { return own }
    guard service.request.method == .post else { return names.map { Parameter(.query, $0) } }
    guard let text = call.document?["query"]?.text, call.operation != nil else { return names.map { Parameter(.body, $0) } }
    return names.filter { text.contains("$\($0)") }.map { Parameter(.body, "variables.\($0)") }
  }

  private mutating func ask(_ changes: [(Parameter, Value)], for purpose: String) async throws -> [Value]? {
    guard !changes.isEmpty, let page = try await page(changes, for: purpose), !page.rows.isEmpty else { return nil }
    return page.rows
  }

  /// Returns the page for the request with these changes. Returns nil if the service refuses the request or fails,
  /// and if only the two reserved requests are left.
  private mutating func page(_ changes: [(Parameter, Value)], for purpose: String) async throws -> TapedPage? {
    guard service.left > ProbedService.reserve else { return nil }
    do {
      let page = try await service.ask(changes, for: purpose, keeping: ProbedService.reserve).withRows(at: rowPath)
      hasNewRows = hasNewRows || page.map { $0.rows.contains { index(of: $0) == nil } } ?? false
      return page
    } catch let error as SourceError where error.kind != .refusedKey {
      try Deadline.check()
      if error.isFailure {
        failure = failure ?? "\(error.reasonToWait) when asked \(purpose), so nothing says that these are all"
      }
      return nil
    }
  }

  private func index(of row: Value?) -> Int? {
    guard let row, let key = list.loneKey, let word = row[key]?.word else { return row.flatMap(rows.firstIndex) }
    return rows.firstIndex { $0[key]?.word == word }
  }

  private func areNew(_ others: [Value]) -> Bool { others.allSatisfy { index(of: $0) == nil } }

  // MARK: - The size of a page

  /// Gives each name a different number, so that the number of rows shows which name worked.
  private var sizeTrials: [(Parameter, Value)] {
    guard !hasTriedSizes, rows.count > 3 else { return [] }
    let numbers = (3...).lazy.filter { $0 != rows.count }
    return zip(parameters(PagingNames.sizes), numbers).map { ($0, .int($1)) }
  }

  private mutating func noteSize(_ trials: [(Parameter, Value)], _ received: [Value]) {
    hasTriedSizes = true
    if !received.isEmpty, received.count != rows.count, let heard = trials.first(where: { $0.1 == .int(received.count) }) {
      size = heard.0
    }
  }

  /// Finds the parameter for the page size, if it is unknown, and the largest size that is useful.
  private mutating func measure() async throws {
    try await findSize()
    guard let size, let page = try await page([(size, .int(Self.usualSize))], for: "how large a page may be"),
      !page.rows.isEmpty
    else { return pageSize = size == nil ? nil : rows.count }
    let most = page.rows.count
    pageSize = most >= Self.usualSize || total == most ? Self.usualSize : most
  }

  private mutating func findSize() async throws {
    let trials = sizeTrials
    if let received = try await ask(trials, for: "which parameter sets the size of a page") { noteSize(trials, received) }
  }

  // MARK: - The place of a page

  private mutating func counted() async throws -> ListModel? {
    let (trials, offsets) = (sizeTrials, parameters(PagingNames.offsets))
    // Each offset skips a different number of rows.
    let shifts = zip(offsets, 1..<max(2, rows.count)).map { ($0, Value.int($1)) }
    var isHeard = false
    if let received = try await ask(trials + shifts, for: "which parameters set the size of a page, and how many rows it skips")
    {
      isHeard = true
      noteSize(trials, received)
      if let index = index(of: received.first), index > 0, index <= shifts.count {
        try await measure()
        return found(.offset(offsets[index - 1]), "its rows begin after the number that it gives")
      }
    } else if let received = try await ask(
      [(Parameter(.query, "limit"), 3), (Parameter(.query, "offset"), 1)], for: "limit and offset alone")
    {
      isHeard = true
      if received.count == 3 { size = Parameter(.query, "limit") }
      if index(of: received.first) == 1 {
        return found(.offset(Parameter(.query, "offset")), "its rows begin after the number that it gives")
      }
    }
    return try await numbered(isStrict: !isHeard)
  }

  private mutating func numbered(isStrict: Bool) async throws -> ListModel? {
    // A service that refuses unknown parameters gets one at a time.
    if isStrict { return try await numberedOnly([Parameter(.query, "page")], isStrict: true) }
    let names = parameters(PagingNames.pages)
    try await findSize()
    guard let size else { return try await numberedOnly(names, isStrict: false) }
    // With one row on each page, the row shows which number worked, and whether pages count from 0.
    let numbers = zip(names, (1...).lazy.map { 2 * $0 }).map { ($0, Value.int($1)) }
    guard let received = try await ask([(size, 1)] + numbers, for: "which parameter is the number of a page"),
      let index = index(of: received.first), index > 0, (index - 1) / 2 < names.count
    else { return nil }
    try await measure()
    return found(
      .page(names[(index - 1) / 2], first: index % 2 == 1 ? 1 : 0), "its rows are those of the page that it numbers")
  }

  /// Tries the names of page numbers when no parameter sets the page size.
  private mutating func numberedOnly(_ names: [Parameter], isStrict: Bool) async throws -> ListModel? {
    guard let likeliest = names.first,
      let received = try await ask(names.map { ($0, 2) }, for: "which parameter is the number of a page"), areNew(received)
    else { return nil }
    if isStrict { return found(.page(likeliest, first: 1), "new rows came with it") }
    let (isTyped, purpose) = (call[likeliest] == "1", "whether pages count from 0 or from 1")
    // If the request says page 1, the known rows are those of page 1, which need not be the first page.
    guard let again = try await ask([(likeliest, isTyped ? 0 : 1)], for: purpose) else {
      return isTyped && failure == nil ? found(.page(likeliest, first: 1), "new rows came with it") : nil
    }
    let isFromZero = isTyped ? areNew(again) : index(of: again.first) == nil
    return found(.page(likeliest, first: isFromZero ? 0 : 1), "new rows came with it")
  }

  /// Tries each name with the key of a different row; the rows that come show which name worked.
  private mutating func keyset() async throws -> ListModel? {
    guard let key = list.loneKey, rows.count > 1 else { return nil }
    let names = parameters(PagingNames.keysets + ["cursor"])
    let distance = rows.count > 2 * names.count ? 2 : 1
    let trials = zip(names, rows.indices.reversed().lazy.enumerated().filter { $0.offset % distance == 0 }.map(\.element))
      .compactMap {
        name, index in rows[index][key].map { (name: name, value: $0, index: index) }
      }
    let sizes = sizeTrials
    var received = try await ask(trials.map { ($0.name, $0.value) } + sizes, for: "which parameter takes the last row")
    if received == nil, let likeliest = trials.first {
      hasTriedSizes = true
      received = try await ask([(likeliest.name, likeliest.value)], for: "whether \(likeliest.name) alone takes the last row")
    }
    guard let received else { return nil }
    let heard =
      index(of: received.first).map { first in trials.first { $0.index == first - 1 } }
      ?? (areNew(received) ? trials.first : nil)
    guard let heard else { return nil }
    noteSize(sizes, received)
    try await measure()
    return found(.last(key, heard.name), "the rows after the one that it names came")
  }

  // MARK: - Tokens

  /// The response of a service to parameters that it may not know.
  private enum Hearing {
    /// New rows came, or no rows and another token.
    case taken(TapedPage)
    case ignored
    /// The service refused the request, or it was not sent.
    case refused
  }

  /// A member whose name says nothing about its parameter has eight candidates, in three requests. The parameter of another member is
  /// nearly sure: it is tried alone, so that a request is left for the size of a page, and four more share two requests.
  private mutating func token(at path: ValuePath, likeliest: Parameter) async throws -> Parameter? {
    guard let token = list.recorded.pages[0].document[path] else { return nil }
    let name = path.names.last ?? ""
    let isSure = !["next", "next_page"].contains(ValuePath([name]).plainName)
    let all = candidates(for: name, likeliest).prefix(isSure ? 5 : 8)
    let first = Array(all.prefix(isSure ? 1 : 4))
    let trials = sizeTrials
    var candidates: ArraySlice<Parameter>
    switch try await answer(to: token, at: path, in: first, with: trials) {
    case .taken(let page):
      noteSize(trials, page.rows)
      candidates = first[...]
    case .ignored: candidates = all.dropFirst(first.count)
    case .refused: return try await tokenAlone(token, at: path, among: trials.isEmpty && isSure ? all.dropFirst() : all)
    }
    // Most services know only one of these names and ignore the others, so half of the names are tried at once.
    while candidates.count > 1 {
      let half = candidates.prefix((candidates.count + 1) / 2)
      guard service.left > ProbedService.reserve, failure == nil else { return nil }
      if case .taken = try await answer(to: token, at: path, in: Array(half)) {
        candidates = half
      } else {
        candidates = candidates.dropFirst(half.count)
      }
    }
    return failure == nil ? candidates.first : nil
  }

  /// Tries one parameter at a time, for a service that refuses parameters that it does not know.
  private mutating func tokenAlone(
    _ token: Value, at path: ValuePath, among candidates: ArraySlice<Parameter>
  ) async throws -> Parameter? {
    for parameter in candidates where failure == nil {
      if case .taken = try await answer(to: token, at: path, in: [parameter]) { return parameter }
    }
    return nil
  }

  /// Returns the parameters that may take the token of a member with this name. After the likeliest one come the member's own name, similar
  /// names (`start_cursor` for `next_cursor`), and the usual ones.
  private func candidates(for name: String, _ likeliest: Parameter) -> [Parameter] {
    let alike = PagingNames.tokens.filter { name.lowercased().hasSuffix($0.split(separator: "_").last ?? "") }
    let usual = alike + PagingNames.tokens
    let isCamel = list.recorded.pages[0].scalars.contains {
      $0.path.names.last?.dropFirst().contains(where: \.isUppercase) ?? false
    }
    let spelled = isCamel ? usual.map { "nextPage".spelled(as: $0) } : usual
    return ([likeliest] + parameters([Self.stem(of: name), name] + spelled)).inGroups { $0 }.map(\.key)
  }

  /// Returns what the service does with these parameters for the token.
  private mutating func answer(
    to token: Value, at path: ValuePath, in names: [Parameter], with trials: [(Parameter, Value)] = []
  ) async throws -> Hearing {
    let purpose = "whether \(names.map(\.name).joined(separator: ", ")) takes the token"
    guard let page = try await page(names.map { ($0, token) } + trials, for: purpose) else { return .refused }
    let isFurther = page.rows.isEmpty && (page.document[path] ?? .null) != .null && page.document[path] != token
    return isFurther || !page.rows.isEmpty && areNew(page.rows) ? .taken(page) : .ignored
  }

  /// Returns the name of the parameter for a token: `cursor` for `next_cursor`, `pageToken` for `nextPageToken`, `scroll_id` for `_scroll_id`.
  private static func stem(of name: String) -> String {
    guard name.lowercased().hasPrefix("next") else { return String(name.drop { !$0.isLetter }) }
    let rest = name.dropFirst(4).drop { $0 == "_" }
    return rest.isEmpty ? name : rest.prefix(1).lowercased() + rest.dropFirst()
  }
}
