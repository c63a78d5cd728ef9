import AggregatorCore

// What hints at more rows than were recorded, where nothing leads to them.
extension ListModel {
  private static let usualSizes: Set<Int> = [10, 15, 20, 25, 30, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000]

  /// What the last recorded page says of more rows; nil where it says nothing, or that these are all.
  var hint: String? { unrelated ?? pages.last.flatMap { elsewhere($0) ?? named($0) ?? counted($0) } }

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
    let hint = page.scalars.first { path, value in
      if case .bool(let says) = value { return says && path.isIncomplete }
      return path.isNext && value.word?.isEmpty == false
    }
    if let hint {
      return "\(hint.path) is \(hint.value == .bool(true) ? "true" : "there") on the last recorded page and nothing leads on"
    }
    if page.document.hasLinkInList { return "a list of links names a next page, and lists are not followed" }
    if let name = page.document.onwardObject { return "\(name) is an object, which no request takes as it is" }
    let header = page.exchange.response.headers.first { header in
      let words = Parameter(.query, header.name).plainName.split(separator: "_")
      return !header.value.isEmpty && header.name.lowercased() != "link"
        && words.contains { ["next", "cursor", "continuation"].contains($0) }
    }
    return header.map { "the header \($0.name) names something and nothing leads on" }
  }

  /// More rows in all than were recorded, or as many as a page has.
  private func counted(_ page: RecordedPage) -> String? {
    if let total = total?.value, let number = page.number(at: total) {
      if number > rows.count { return "\(total) says \(number) and \(rows.count) rows were recorded" }
      if self.total?.confidence ?? .weak > .weak { return nil }
    }
    if let pageCount, let number = page.number(at: pageCount), number > 1 {
      return "\(pageCount) says that there are \(number) pages"
    }
    let saysNo = more != nil || page.scalars.contains { $0.path.isNext }
    if saysNo { return nil }
    if let size = size?.value, let asked = page.call[size].flatMap({ Int($0) }), page.received >= asked {
      return "as many rows as were asked for"
    }
    return Self.usualSizes.contains(page.received) ? "exactly \(page.received) rows came, which is a usual page size" : nil
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

extension FieldPath {
  /// Whether a flag of this name says that there is more.
  fileprivate var isIncomplete: Bool {
    let words = plainName.split(separator: "_")
    return words.contains { ["more", "next", "exceeded", "truncated", "incomplete", "partial"].contains($0) }
      && words.first != "no"
  }
}

extension Value {
  /// Whether it has links in a list, each with what it leads to, and one of them leads on: `[{"relation": "next", "url": "…"}]`.
  fileprivate var hasLinkInList: Bool {
    members?.contains { member in
      if let list = member.value.list { return list.contains { ($0["rel"] ?? $0["relation"])?.text == "next" } }
      return member.value.hasLinkInList
    } ?? false
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
    var leaders = Array<Int>(indices)
    func leader(_ index: Int) -> Int { leaders[index] == index ? index : leader(leaders[index]) }
    func join(_ one: Int, _ other: Int) {
      let (one, other) = (leader(one), leader(other))
      leaders[Swift.max(one, other)] = Swift.min(one, other)
    }
    let endpoints = indices.inGroups { self[$0].call.endpoint }.map(\.elements)
    for group in endpoints { group.forEach { join(group[0], $0) } }
    // By the address without its query: most services have few.
    let places = Dictionary(grouping: indices) { self[$0].call.address }
    for (index, page) in enumerated() {
      let targets =
        [page.linked].compactMap(\.self).map { (target: $0, isSure: true) } + page.addresses.map { ($0.target, false) }
      for (target, isSure) in targets where target.path != page.call.address.path {
        var bare = target
        bare.query = nil
        for other in places[bare] ?? [] where leader(other) != leader(index) {
          if self[other].isAnswer(to: target), isSure || page.isAlike(self[other]) { join(index, other) }
        }
      }
    }
    return indices.inGroups(by: leader).map { $0.elements.map { self[$0] } }
  }
}
