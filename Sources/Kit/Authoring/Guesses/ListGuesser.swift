package import AggregatorCore
package import Recordings
package import Services

/// Finds the rows of a list and what comes with them, by names and values.
package enum ListGuesser {
  // MARK: - Keys: in every row, and different in all of them

  /// The names of ids, then of codes, then of accounts and machines; the likeliest first. A word for a code must also be in `CodeName`,
  /// which a search uses, and among the amounts of `Times`, which are not times.
  private static let ids = ["id", "uuid", "guid", "oid"]
  private static let codes = ["key", "code", "slug", "sku", "isbn", "iso", "number", "no", "nr", "serial"]
  private static let logins = ["handle", "username", "login", "hostname"]
  /// The most fields of a row that are tried as a key or a title.
  private static let most = 300

  /// The likelihood of a path as the key: by its name first, then by its depth. A lower rank is likelier.
  private typealias Rank = (tier: Int, order: Int, depth: Int)
  /// The last tier of paths that are named like the row's own id, code or account. The id of another object, an e-mail address and a name
  /// may occur in several rows.
  private static let named = 4
  /// The first tier of paths whose names do not suggest a key.
  private static let unnamed = 12

  /// Returns the key of the rows of a list that has one of these `names`; nil if no field can be the key.
  static func key(of rows: [Value], in wrapper: ValuePath? = nil, listed names: [String] = []) -> Guess<ValuePath>? {
    let ranked = ranked(rows, wrapper, names)
    guard let (best, rank) = ranked.first else { return nil }
    let evidence = "unique in all \(rows.count) rows"
    if rank.tier > named {
      let isOfPart = rank.depth > 0 && rank.tier < unnamed
      return Guess(
        best, .weak, "\(evidence), but \(isOfPart ? "it may be that of something else" : "its name does not suggest it")")
    }
    if let other = ranked.dropFirst().first, other.rank == rank {
      return Guess(best, .weak, "\(evidence), and so is \(other.path)")
    }
    if rows.count > 3 { return Guess(best, .strong, evidence) }
    return Guess(best, .fair, "suggested by its name, but only \(rows.count == 1 ? "one row" : "\(rows.count) rows")")
  }

  /// Returns the paths that may hold the key, the likeliest first: in every row, different in all of them, and not a time.
  package static func keys(of rows: [Value], in wrapper: ValuePath?, listed names: [String]) -> [ValuePath] {
    ranked(rows, wrapper, names).map(\.path)
  }

  private static func ranked(_ rows: [Value], _ wrapper: ValuePath?, _ names: [String]) -> [(path: ValuePath, rank: Rank)] {
    guard let first = rows.first else { return [] }
    let own = Set(names.compactMap { NameWords.words(in: $0).last.map { NameWords.singular($0.lowercased()) } })
    let candidates = first.scalars(depth: 3).prefix(most).compactMap { path, _ -> (path: ValuePath, rank: Rank)? in
      let values = rows.map { $0[path] ?? .null }
      guard values.allSatisfy(isKey), Set(values).count == rows.count else { return nil }
      let rank = rank(path, of: values, wrapper, own)
      return rank.tier >= unnamed && values.areTimes(called: path.names.last ?? "") ? nil : (path, rank)
    }
    // The first of equal ranks stays first.
    return candidates.enumerated().sorted { one, other in
      one.element.rank == other.element.rank ? one.offset < other.offset : one.element.rank < other.element.rank
    }.map(\.element)
  }

  /// The list's own id comes first: `id`, or `order_no` for orders. A key in another object may be the id of something else, but comes
  /// before an e-mail address. A name is the last choice.
  private static func rank(_ path: ValuePath, of values: [Value], _ wrapper: ValuePath?, _ own: Set<String>) -> Rank {
    let isWrapped = wrapper.map { path.names.starts(with: $0.names) } ?? false
    let names = path.names.dropFirst(isWrapped ? wrapper?.names.count ?? 0 : 0).withoutMarks
    let outer = names.dropLast()
    let words = NameWords.words(in: names.last ?? "", longest: .max).map { $0.lowercased() }
    let (tier, order) = nameRank(words, own) ?? (unnamed, valueRank(values))
    if outer.isEmpty { return (tier, order, 0) }
    // `id.value` and `_id.$oid` are ids of the row itself.
    let isOwn = tier < unnamed && ids.contains(NameWords.words(in: outer.last ?? "").last?.lowercased() ?? "")
    return (isOwn ? 1 : tier + 5, order, outer.count)
  }

  /// Returns the rank of a name; nil if it does not suggest a key.
  private static func nameRank(_ words: [String], _ own: Set<String>) -> (tier: Int, order: Int)? {
    guard let last = words.last else { return nil }
    let isLone = words.count == 1
    if isLone, let order = ids.firstIndex(of: last) { return (0, order) }
    let isId = ids.contains(last) || last.hasSuffix("id") && !["bid", "grid", "paid", "unpaid", "valid"].contains(last)
    let order = codes.firstIndex(of: last)
    if !isLone, isId || order != nil, own.contains(NameWords.singular(words[words.count - 2])) { return (0, ids.count) }
    if let order { return (2, isLone ? order : codes.count) }
    if isId { return (2, codes.count + (isLone ? 2 : 1)) }
    if let order = logins.firstIndex(of: last) { return (4, order) }
    if ["email", "mail"].contains(last) { return (8, 0) }
    return words == ["name"] ? (10, 0) : nil
  }

  /// Returns the rank of values: codes, then addresses, then prose. Numbers come last, because they often differ by chance.
  private static func valueRank(_ values: [Value]) -> Int {
    let texts = values.compactMap(\.text)
    if texts.count < values.count { return 3 }
    if texts.allSatisfy({ $0.contains("://") }) { return 1 }
    return texts.allSatisfy { $0.utf8.count <= 64 && !$0.contains(where: \.isWhitespace) } ? 0 : 2
  }

  private static func isKey(_ value: Value) -> Bool {
    switch value {
    case .int, .decimal: true
    case .text(let text): !text.isEmpty
    case .null, .bool, .double, .list, .object: false
    }
  }

  // MARK: - Flags: whether there is more

  private static let mores: Set<String> = [
    "has_more", "has_next", "has_next_page", "hasmore", "hasnext", "has_more_items", "has_more_results", "has_more_pages",
    "more",
    "is_truncated", "truncated", "more_results", "more_available", "more_items", "more_items_in_collection",
  ]
  private static let ends = Set(
    words: "is_last is_last_page last last_page islast is_end end_of_list done is_done finished end_of_results")

  static func more(of pages: [TapedPage]) -> Guess<MoreLocation>? {
    for (path, value) in pages.flatMap(\.scalars) {
      guard case .bool = value else { continue }
      let isNegated = ends.contains(path.plainName)
      guard isNegated || mores.contains(path.plainName) else { continue }
      let words = pages.map { $0.document[path] }
      let model = MoreLocation(path: path, isNegated: isNegated)
      let hasChanged = Set(words).count > 1 && words.last == .bool(isNegated)
      return hasChanged ? Guess(model, .strong, "it said so until the last page") : Guess(model, .fair, "its name suggests it")
    }
    return nil
  }

  // MARK: - Totals of rows and pages

  private static let totalHeaders = [
    "X-Total-Count", "X-Total", "X-WP-Total", "X-Pagination-Total-Count", "Total-Count", "Content-Range",
  ]
  private static let pageHeaders = ["X-Total-Pages", "X-WP-TotalPages", "X-Pagination-Page-Count"]
  private static let counts: Set<Substring> = ["count", "hits", "matches", "found", "size", "records"]
  private static let pageCounts = Set(words: "total_pages nb_pages page_count num_pages pages last_page total_page")
  /// Names other than "total" for the number of all rows, and names that may also be the number of rows on the page.
  private static let totals: Set<String> = ["nb_hits", "num_found", "odata_count", "hits_total"]
  private static let ownCounts: Set<String> = ["count", "record_count", "row_count"]

  /// Finds the total. `parameters` are not totals: many services repeat the request in the answer.
  static func total(of pages: [TapedPage], asking parameters: [Parameter]) -> Guess<NumberLocation>? {
    guard let page = pages.first else { return nil }
    let echoes = Set(
      ["limit", "offset", "page", "page_size", "per_page", "skip", "take", "size"] + parameters.map(\.plainName))
    let rows = Set(pages.flatMap(\.rows)).count
    let candidates = page.scalars.compactMap { path, value -> (path: ValuePath, number: Int, isNamed: Bool)? in
      let name = path.totalName
      let words = name.split(separator: "_")
      // "total_pages" counts something else, and so does "_shards.total".
      guard let number = value.int, !echoes.contains(path.plainName), !words.contains("page"), !words.contains("pages"),
        !path.words.contains("shards"),
        isPlausibleTotal(path, in: pages), number >= rows, page.isExact(number, at: path)
      else { return nil }
      if words.contains(where: { $0.hasPrefix("total") }) { return (path, number, true) }
      return words.contains(where: counts.contains)
        ? (path, number, totals.contains(name) || ownCounts.contains(name) && number > page.received) : nil
    }
    func guess(_ model: NumberLocation, _ number: Int, isNamed: Bool) -> Guess<NumberLocation> {
      if number == rows, pages.count > 1 { return Guess(model, .strong, "it equals the number of different rows recorded") }
      return isNamed ? Guess(model, .fair, "its name suggests it") : Guess(model, .weak, "it may also count something else")
    }
    if let best = candidates.first(where: \.isNamed) ?? candidates.first {
      return guess(.body(best.path), best.number, isNamed: best.isNamed)
    }
    for name in totalHeaders {
      if let value = page.exchange.response.number(inHeader: name) {
        return guess(.header(name), value, isNamed: true)
      }
    }
    return nil
  }

  /// True when the number is never less than the rows on its page, and does not just repeat their number from page to page.
  package static func isPlausibleTotal(_ path: ValuePath, in pages: [TapedPage]) -> Bool {
    // An empty page may leave the total out.
    let pairs = pages.map { ($0.document[path]?.int, $0.rows.count) }.filter { $0.1 > 0 || $0.0 != nil }
    guard pairs.allSatisfy({ total, rows in total.map { $0 >= rows } ?? false }) else { return false }
    let isRowCount = pairs.allSatisfy { $0.0 == $0.1 }
    return !isRowCount || Set(pairs.map(\.1)).count == 1
  }

  /// Returns the location of the number of pages, if every page has it.
  static func pageCount(of pages: [TapedPage], asking parameters: [Parameter]) -> NumberLocation? {
    let filled = pages.filter { !$0.rows.isEmpty }
    guard let page = filled.first else { return nil }
    let echoes = Set(parameters.map(\.plainName))
    let paths = page.scalars.map(\.path).filter { pageCounts.contains($0.plainName) && !echoes.contains($0.plainName) }.map(
      NumberLocation.body)
    return (paths + pageHeaders.map(NumberLocation.header)).first { location in
      filled.allSatisfy { $0.number(at: location).map { $0 > 0 } ?? false }
    }
  }
}

extension Sequence<String> {
  /// The names of elements and attributes of XML, without what marks them: the text of an element bears its name.
  var withoutMarks: [String] {
    let names = Array(self)
    return (names.last == "#text" && names.count > 1 ? names.dropLast() : names[...]).map {
      $0.hasPrefix("@") ? String($0.dropFirst()) : $0
    }
  }
}

extension ValuePath {
  /// The name of a number, together with the name of its object if its own is vague: `total.value`.
  fileprivate var totalName: String {
    let isBare = ["value", "count"].contains(plainName) && names.count > 1
    return isBare ? Parameter(.body, names.suffix(2).joined(separator: "_")).plainName : plainName
  }
}

extension TapedPage {
  /// True when the number at `path` seems exact. Services stop counting at 10,000, and some say so in another member.
  fileprivate func isExact(_ number: Int, at path: ValuePath) -> Bool {
    if number >= 10_000, String(number).dropFirst().allSatisfy({ $0 == "0" }) { return false }
    let beside = document[ValuePath(path.names.dropLast())]?.members ?? []
    return beside.allSatisfy { member in
      let words = Parameter(.body, member.name).plainName.split(separator: "_")
      if words.contains("relation") { return member.value.text == "eq" || member.value.text == nil }
      if words.contains(where: { ["exact", "exhaustive"].contains($0) }) { return member.value != .bool(false) }
      return !words.contains { ["approximate", "estimated", "estimate"].contains($0) } || member.value == .bool(false)
    }
  }

  package func number(at location: NumberLocation) -> Int? {
    switch location {
    case .body(let path): document[path]?.int
    case .header(let name): exchange.response.number(inHeader: name)
    }
  }
}

// MARK: - The parameter of a search

extension ListGuesser {
  private static let searches = [
    "q", "query", "search", "text", "term", "terms", "keyword", "keywords", "contains", "s", "name", "find", "filter",
  ]

  static func search(of pages: [TapedPage]) -> Guess<Parameter>? {
    var found: Guess<Parameter>?
    for page in pages {
      for (parameter, text) in page.call.parameters.sorted(by: { $0.key.name < $1.key.name })
      where !text.isEmpty && Int(text) == nil {
        guard let word = parameter.plainName.split(separator: "_").last, searches.contains(String(word)) else { continue }
        let needle = Needle(text)
        let hits = page.rows.count { $0.texts.contains(where: needle.matches) }
        if hits == page.rows.count, hits > 0 { return Guess(parameter, .strong, "every row of the response contains the text") }
        if found == nil {
          found = Guess(parameter, .weak, "its name suggests it; \(hits) of \(page.rows.count) rows contain the text")
        }
      }
    }
    return found
  }

  // MARK: - The rows of a connection

  /// Returns the rows as records are read from them: the edges of a GraphQL connection without their cursors. The cursor of an edge is its
  /// place in the list, and may change when other rows come and go.
  static func records(in rows: [Value], at path: ValuePath) -> [Value] {
    guard path.names.last == "edges", rows.contains(where: { $0["node"]?.members != nil }) else { return rows }
    return rows.map { .object(($0.members ?? []).filter { $0.name != "cursor" }) }
  }

  // MARK: - The array of the rows

  /// Usual names of the rows, and names that usually hold something else.
  private static let rowsNames = Set(
    words: "data docs edges elements entries entry features hits items list nodes objects records results rows value values")
  private static let otherNames: Set<String> = [
    "_links", "aggregations", "breadcrumbs", "categories", "components", "definitions", "errors", "facets", "filters",
    "included", "includes", "links", "messages", "meta", "paths", "related", "suggestions", "tags", "warnings",
  ]

  /// Returns the path of the rows in one document; nil if the document is a list itself, or has none.
  package static func rowPath(in document: Value) -> ValuePath? {
    document.list == nil ? rows(in: [document])?.items.value : nil
  }

  static func rows(in documents: [Value]) -> (items: Guess<ValuePath>, weight: Double)? {
    let candidates = rowPaths(in: documents)
    guard let best = candidates.first else { return nil }
    let others = candidates.dropFirst()
    let isClear = others.allSatisfy { $0.weight * 2 < best.weight }
    let reason =
      others.isEmpty
      ? "the only array of objects, \(best.count) in all"
      : "\(best.count) similar objects; ignored: \(others.prefix(3).map { $0.path.description }.joined(separator: ", "))"
    return (Guess(best.path, isClear ? .strong : .weak, reason), best.weight)
  }

  /// Returns the paths that may hold the rows, the likeliest first, with the number of rows in each.
  static func rowPaths(in documents: [Value]) -> [(path: ValuePath, weight: Double, count: Int)] {
    let candidates = documents.flatMap { arrays(in: $0) }.inGroups(by: \.0).map { path, lists in
      (path: path, weight: weight(of: lists.map(\.1), at: path), count: lists.reduce(0) { $0 + $1.1.count })
    }
    return candidates.filter { $0.weight > 0 }.sorted { $0.weight > $1.weight }
  }

  /// Returns the weight of arrays at one path: high if they are large, uniform, near the surface and
  /// well named, and if they change from page to page.
  private static func weight(of lists: [[Value]], at path: ValuePath) -> Double {
    let names = lists.joined().map { Set($0.members?.map(\.name) ?? []) }
    let all = names.reduce(into: Set<String>()) { $0.formUnion($1) }
    guard !all.isEmpty else { return 0 }
    // A list of twenty rich rows weighs more than one of fifty counts. A row may have its fields in a wrapper.
    let substance = lists.joined().reduce(0) { sum, row in
      sum + min(24, (row.members ?? []).reduce(0) { $0 + 1 + ($1.value.members?.count ?? 0) })
    }
    // The share of all known members that an average row has.
    let uniformity = Double(names.reduce(0) { $0 + $1.count }) / Double(all.count * names.count)
    var weight = Double(substance) * uniformity
    if lists.count > 1 { weight *= Double(Set(lists).count) / Double(lists.count) }
    weight /= Double(1 << min(path.names.count, 62))
    let name = path.names.last?.lowercased() ?? ""
    return weight * (rowsNames.contains(name) ? 2 : 1) / (otherNames.contains(name) ? 8 : 1)
  }

  /// Returns every array that is mostly objects, every object that has rows under their keys, and the paths to them.
  private static func arrays(in value: Value, below path: ValuePath = ValuePath()) -> [(ValuePath, [Value])] {
    switch value {
    case .list(let values):
      let rows = values.filter { $0.members != nil }
      return rows.count * 2 > values.count ? [(path, rows)] : []
    case .object(let members):
      if isKeyed(members), !otherNames.contains(path.names.last?.lowercased() ?? "") { return [(path, members.map(\.value))] }
      return path.names.count < 4 ? members.flatMap { arrays(in: $0.value, below: path.appending($0.name)) } : []
    default: return []
    }
  }

  /// True when the members are rows and not parts of one object: three or more objects, each with two
  /// members or more, and mostly with the same names.
  private static func isKeyed(_ members: [Member]) -> Bool {
    let names = members.map { Set($0.value.members?.map(\.name) ?? []) }
    guard members.count > 2, let first = names.first, names.allSatisfy({ $0.count > 1 }) else { return false }
    return names.allSatisfy { $0.intersection(first).count * 3 >= $0.union(first).count * 2 }
  }
}
