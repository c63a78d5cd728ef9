import AggregatorCore

// What hints at more rows than were recorded, where nothing leads to them.
extension ListModel {
  /// What pages mostly have: round numbers, and those that fill a grid.
  private static let usualSizes: Set<Int> = [
    5, 6, 8, 10, 12, 15, 16, 18, 20, 24, 25, 30, 32, 36, 40, 48, 50, 60, 64, 72, 75, 80, 90, 96, 100, 120, 128, 150, 200, 250,
    256, 300, 400, 500, 512, 600, 750, 800, 1000, 1024, 1500, 2000, 2500, 3000, 5000, 10_000,
  ]

  /// What the last recorded page says of more rows; nil where it says nothing, or that these are all.
  var hint: String? { unrelated ?? pages.last.flatMap { elsewhere($0) ?? named($0) ?? ranged($0) ?? counted($0) } }

  /// Answers with other rows, of which nothing tells how one leads to the next.
  private var unrelated: String? {
    let own = pages.filter { page in search.map { (page.call[$0.value] ?? "").isEmpty } ?? true }
    let lists = own.inGroups(by: \.call).compactMap(\.elements.last?.rows).filter { !$0.isEmpty }
    return Set(lists).count > 1
      ? "\(lists.count) recorded answers have different rows, and nothing tells how one leads to the next" : nil
  }

  /// The way on from a page, where it leads to another host.
  private func elsewhere(_ page: RecordedPage) -> String? {
    let strangers = page.addresses.filter { $0.target.origin != page.call.address.origin && $0.path.isNext }
    if let path = strangers.first?.path { return "\(path) names a next page at another host" }
    if let link = page.exchange.response.link("next") {
      return "the Link header names a next page\(page.linked == nil ? ", \(link), which is no address" : " at another host")"
    }
    return nil
  }

  /// Something that is called the next one, or that says that there is more.
  private func named(_ page: RecordedPage) -> String? {
    if let more = more?.value, page.document[more.path] == .bool(!more.isContrary) {
      return "\(more.path) is \(!more.isContrary) on the last recorded page and nothing leads on"
    }
    for remark in remarks(on: page) {
      if let state = remark.incompleteness { return "\(remark) is \(state) on the last recorded page and nothing leads on" }
    }
    if page.document.hasOnwardLink { return "a list of links names a next page, and lists are not followed" }
    if let name = page.document.onwardObject { return "\(name) is an object, which no request takes as it is" }
    return nil
  }

  /// What HTTP itself says of a part: its status, a range, or a last page elsewhere.
  private func ranged(_ page: RecordedPage) -> String? {
    let response = page.exchange.response
    if response.status == 206 { return "the response has the status 206, which stands for a part" }
    if let range = response[header: "Content-Range"], let all = range.split(separator: "/").last, range.contains("/"),
      Int(all).map({ $0 > rows.count }) ?? true
    {
      return "the header Content-Range says \(range) and \(rows.count) rows were recorded"
    }
    // A service with one page may write that as the first one and as the last.
    guard let last = response.link("last"), last != response.link("first") else { return nil }
    let isHere = page.call.address.resolving(last).map(page.isAnswer) ?? false
    return isHere ? nil : "the Link header names another page as the last one"
  }

  /// More rows in all than were recorded, or as many as a page has.
  private func counted(_ page: RecordedPage) -> String? {
    let (remarks, received) = (remarks(on: page), page.received)
    let counts = remarks.compactMap { remark in remark.number.map { (remark: remark, number: $0) } }
    // Many services repeat what was asked for.
    let echoes = Set(page.call.parameters.keys.map(\.plainName))
    let total = total.flatMap { guess in page.number(at: guess.value).map { (guess: guess, number: $0) } }
    if let total, total.number > rows.count {
      return "\(total.guess.value) says \(total.number) and \(rows.count) rows were recorded"
    }
    let greater = counts.first { remark, number in
      remark.countsRows && number > max(rows.count, received) && !echoes.contains(remark.path.plainName)
    }
    if let greater { return "\(greater.remark) says \(greater.number) and \(rows.count) rows were recorded" }
    let isNumbered = counts.contains { ["page", "seite", "pagina"].contains($0.remark.path.plainName) }
    let pageCounts = counts.filter { $0.remark.countsPages || isNumbered && $0.remark.path.plainName == "of" }
    if let (remark, number) = pageCounts.first(where: { $0.number > 1 }) {
      return "\(remark) says that there are \(number) pages"
    }
    let saysNo = more != nil || !pageCounts.isEmpty || remarks.contains { $0.path.isNext || $0.words.contains("more") }
    if saysNo { return nil }
    let isUsual = Self.usualSizes.contains(received)
    // The total of a full page may be the number of its own rows.
    if let total, total.guess.confidence > .weak, total.number > received || !isUsual { return nil }
    if let size = size?.value, let asked = page.call[size].flatMap({ Int($0) }), received >= asked {
      return "as many rows as were asked for"
    }
    if received > 1, page.call.numbers.contains(String(received)) {
      return "the request has the number \(received), and as many rows came"
    }
    let size = counts.first { remark, number in
      remark.isPageSize && number == received || ["length", "size"].contains(remark.path.plainName) && number > received
    }
    if let size { return "\(size.remark) says \(size.number) and \(rows.count) rows were recorded" }
    return isUsual ? "exactly \(received) rows came, which is a usual page size" : nil
  }

  /// What a page says beside its rows: in its body, and in its headers, some of which hold JSON.
  private func remarks(on page: RecordedPage) -> [Remark] {
    let body = page.scalars.filter { !isKeyed || !$0.path.names.starts(with: items.value.names) }.map {
      Remark(path: $0, value: $1)
    }
    let headers = page.exchange.response.headers.flatMap { header -> [Remark] in
      // These say nothing of rows, or are read on their own.
      if ["access-control-", "content-", "link"].contains(where: header.name.lowercased().hasPrefix) { return [] }
      let path = FieldPath([header.name])
      let members = header.value.hasPrefix("{") ? try? JSON(Array(header.value.utf8)).value.scalars(depth: 3, below: path) : nil
      return (members ?? [(path, .text(header.value))]).map { Remark(path: $0, value: $1, isHeader: true) }
    }
    return body + headers
  }

  /// Whether an exchange is a page of this list that nothing was read from: what such a page lacks, the source would lack as well. An error
  /// of the service is none, nor is what was answered another time.
  func isMissing(_ exchange: Exchange) -> Bool {
    let status = exchange.response.status
    guard (200..<400).contains(status), status != 204, exchange.failure == nil else { return false }
    let call = Call(exchange.request)
    guard call.method == endpoint.method, !pages.contains(where: { $0.call == call }) else { return false }
    let places = [paging.value.parameter, size?.value].compactMap(\.self)
    return pages.contains { page in
      if page.isFollowed(by: call, in: paging.value) { return true }
      guard let parameter = paging.value.parameter, call[parameter] != nil, page.call.endpoint == call.endpoint else {
        return false
      }
      return page.call.differences(to: call).allSatisfy(places.contains)
    }
  }
}

extension RecordedPage {
  /// Whether it names a call as the next one.
  fileprivate func isFollowed(by call: Call, in way: PagingModel) -> Bool {
    let target: WebAddress? =
      switch way {
      case .link: linked
      case .nextAddress(let path): document[path]?.text.flatMap(self.call.address.resolving)
      case .whole, .offset, .number, .token, .keyset: nil
      }
    return target.map { Call(method: call.method, $0) == call } ?? false
  }
}

/// A scalar beside the rows, or a header.
private struct Remark: CustomStringConvertible {
  let path: FieldPath
  let value: Value
  var isHeader = false

  var description: String { isHeader ? "the header \(path)" : "\(path)" }
  var words: [String] { path.plainName.split(separator: "_").map(String.init) }

  private static let parts: Set<String> = ["partial", "incomplete", "truncated"]
  private static let unfinished = parts.union(["more", "next", "exceeded", "reached", "timed"])
  private static let finished: Set<String> = ["complete", "completed", "last", "end", "done", "finished"]
  private static let missing: Set<String> = ["omitted", "remaining"]
  private static let onwards: Set<String> = ["next", "cursor", "continuation"]
  private static let counts: Set<String> = [
    "all", "available", "count", "entries", "found", "hits", "items", "matched", "matches", "matching", "of", "records",
    "results", "rows",
  ]
  private static let sizes: Set<String> = ["limit", "max", "per", "perpage", "pagesize", "size", "take", "top"]
  private static let pages: Set<String> = ["pages", "seiten", "paginas"]
  private static let ends: Set<String> = ["count", "last", "max", "nb", "num", "total"]
  /// What is counted of something else than rows.
  private static let others: Set<String> = ["age", "quota", "rate", "ratelimit", "retry", "shards", "time"]

  private func has(_ names: Set<String>) -> Bool { words.contains(where: names.contains) }

  /// In a word, what it says where that means that rows are missing; nil where it says nothing of the kind.
  var incompleteness: String? {
    let isMissing = !isHeader && (has(Self.missing) && number != nil || words == ["failed"] && path.words.contains("shards"))
    if isMissing, let number = value.int { return number > 0 ? String(number) : nil }
    if words.last == "relation", ["gt", "gte"].contains(value.text) { return "a lower bound" }
    if let says = flag {
      let isNegated = has(["no", "not"])
      if has(Self.unfinished) { return says != isNegated ? "true" : nil }
      return has(Self.finished) && says == isNegated ? "false" : nil
    }
    let word = value.word ?? ""
    if !word.isEmpty, isHeader ? has(Self.onwards) : path.isNext || words == ["more"] { return "there" }
    // `"status": "partial"`; a long text, or an address, may say anything.
    guard !isHeader, word.utf8.count < 30, !word.contains("/") else { return nil }
    return Parameter(.body, word.lowercased()).plainName.split(separator: "_").map(String.init).first(
      where: Self.parts.contains)
  }

  /// A flag, which may be written as a text or, where its name is that of a flag, as a number.
  private var flag: Bool? {
    if case .bool(let says) = value { return says }
    let isNamed = words.count == 1 || words.first == "is" || words.first == "has"
    if let number = value.int { return isNamed || number == 0 && path.isNext ? number != 0 : nil }
    return value.text.flatMap { ["true": true, "yes": true, "false": false, "no": false][$0.lowercased()] }
  }

  /// A number that may count rows or pages.
  var number: Int? { path.words.contains { Self.others.contains(String($0)) } ? nil : value.int }

  var countsRows: Bool {
    let isTotal = words.contains { $0.hasPrefix("total") } || isHeader && has(["count"])
    return (isTotal || !isHeader && has(Self.counts)) && !has(Self.sizes) && !has(Self.pages) && !words.contains("page")
  }
  var countsPages: Bool {
    (has(Self.pages) || has(["page", "seite", "pagina"]) && has(Self.ends)) && !has(Self.sizes.subtracting(["max"]))
  }
  var isPageSize: Bool { has(Self.sizes) }
}

extension Call {
  /// The numbers in what it asks for, also those within a question of GraphQL or SQL.
  fileprivate var numbers: Set<String> {
    let texts = Array(parameters.values) + [document?["query"]?.text ?? ""]
    return Set(texts.flatMap { $0.split { $0.isWhitespace || "(){}:,=".contains($0) }.map(String.init) })
  }
}

extension Value {
  /// Whether it has links in a list, each with what it leads to, and one of them leads on: `[{"relation": "next", "url": "…"}]`.
  fileprivate var hasOnwardLink: Bool {
    members?.contains { $0.value.list?.contains(where: \.isOnwardLink) ?? ($0.value.isOnwardLink || $0.value.hasOnwardLink) }
      ?? false
  }

  /// Siren writes the relations of one link as a list.
  private var isOnwardLink: Bool {
    guard let relation = self["rel"] ?? self["relation"] else { return false }
    return relation.texts.contains { $0.lowercased().split(separator: " ").contains("next") }
  }

  /// The name of an object that is called the way on: `LastEvaluatedKey`.
  fileprivate var onwardObject: String? {
    members?.first { member in
      let name = Parameter(.body, member.name).plainName
      return !(member.value.members ?? []).isEmpty
        && ["continue", "last_evaluated_key", "next", "next_page", "next_token", "cursor"].contains(name)
    }?.name
  }
}

extension Exchange {
  /// Why its answer cannot be read, a clause; nil where it is JSON.
  var unreadable: String? {
    if let failure { return failure.message }
    let text = String(decoding: response.body.prefix(400), as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if response.status == 304 { return "its response is 304 (not modified): the browser had it stored" }
    guard (200..<300).contains(response.status) else { return "its response has the status \(response.status)" }
    if text.isEmpty { return "its response is empty" }
    if text.lowercased().hasPrefix("<!doctype html") || text.lowercased().hasPrefix("<html") {
      return "its response is an HTML page, not JSON"
    }
    if text.hasPrefix("<") {
      let root = text.split(separator: "<").first { $0.first?.isLetter ?? false }?.prefix {
        $0.isLetter || $0.isNumber || $0 == ":"
      }
      return "its response is XML\(root.map { " (\($0))" } ?? ""), not JSON"
    }
    return (try? JSON(response.body)) == nil ? "its response is not JSON" : nil
  }
}

extension Fixture {
  /// Why none of its answers can be read; nil where one can.
  var unreadable: String? {
    guard let first = exchanges.first, let reason = first.unreadable, exchanges.allSatisfy({ $0.unreadable != nil }) else {
      return nil
    }
    return "of \(first.request.method) \(first.request.address.shown), \(reason)"
  }
}

extension [RecordedPage] {
  /// Those of one endpoint, and of whatever else their next addresses lead to, each group in the order in which it was recorded.
  var walks: [[RecordedPage]] {
    /// The endpoint that leads to another one.
    var leaders: [Endpoint: Endpoint] = [:]
    func leader(_ page: RecordedPage) -> Endpoint {
      var endpoint = page.call.endpoint
      while let next = leaders[endpoint] { endpoint = next }
      return endpoint
    }
    // By the address without its query: most services have few.
    let places = Dictionary(grouping: self) { $0.call.address }
    for page in self {
      let linked = page.linked.map { [(target: $0, isSure: true)] } ?? []
      for (target, isSure) in linked + page.addresses.map({ ($0.target, false) })
      where target.path != page.call.address.path {
        for other in places[Call(target).address] ?? []
        where leader(other) != leader(page) && other.isAnswer(to: target) && (isSure || page.isAlike(other)) {
          leaders[leader(other)] = leader(page)
        }
      }
    }
    return inGroups(by: leader).map(\.elements)
  }
}
