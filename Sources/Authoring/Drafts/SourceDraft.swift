package import AggregatorCore
package import Recordings
package import Services

/// One list of a service as a manifest will describe it.
package struct SourceDraft: Sendable {
  package var name: String
  package var summary: String
  /// What is asked for the first page, its place and its size included.
  package var request: NamedRequest
  /// Where the rows are, and how pages follow each other.
  package var rows: FieldPath
  /// Whether an answer without them has none.
  package var rowsMayBeMissing = false
  /// Whether they stand in an object, each under its key.
  package var isKeyed = false
  /// The member of each row whose members stand beside the row's own.
  package var unwrap: FieldPath?

  /// How one page leads to the next.
  package var paging: PagingModel
  /// How many rows are asked for; nil where nothing says so.
  package var pageSize: Int?
  /// What asks for so many.
  package var size: Parameter?
  /// What says how many rows there are; only what can be trusted: a walk ends by it.
  package var total: NumberPlace<FieldPath>?
  /// What says of a list that came whole that this is all: each of its answers has to say so again.
  package var reason: WholeReason?
  /// What says how many pages there are.
  package var pageCount: NumberPlace<FieldPath>?
  /// What says whether there is more.
  package var more: MorePlace<FieldPath>?
  /// Where the answer of a list that came whole names a next page, or says that there is none.
  package var further: FieldPath?
  /// Why there may be more rows than can be followed: no walk is complete then.
  package var doubt: String?
  /// Whether the first page is asked for without its place and its size.
  package var startsPlain = false

  /// The names of the fields that make a row itself.
  package var key: [String]
  package var fields: [FieldDraft]
  /// How many fields a row has beside those.
  package var leftOut: Int
  /// What carries a person's text, and where that is asked if elsewhere.
  package var search: (parameter: Parameter, address: WebAddress?)?
}

/// One field as a manifest will describe it.
package struct FieldDraft: Sendable, Hashable {
  package var name: String
  package var path: ValuePath
  package var type: ManifestField.Kind
  package var role = FieldRole.plain
  package var width = FieldWidth.flexible
  package var isSearchable = false
}

// MARK: - Out of a list

extension SourceDraft {
  /// The draft of a list as it was recorded; `request` is that for its first page.
  package init(_ name: String, of list: ListModel, asking request: NamedRequest) throws(SourceError) {
    (self.name, self.request) = (name, list.beginning(request))
    summary =
      "\(name.prefix(1).uppercased())\(String(name.dropFirst()).replacingEach("-", with: " ")) of \(request.address.host)"
    (rows, isKeyed, paging) = (list.items.value, list.isKeyed, list.paging.value)
    rowsMayBeMissing = list.rowsMayBeMissing
    unwrap = isKeyed ? nil : list.unwrap
    let call = Call(request)
    size = paging == .whole ? nil : list.size?.trusted
    let asked = size.flatMap { size in list.pages.lazy.compactMap { $0.call.number(size) }.first }
    pageSize = paging == .whole ? nil : max(1, asked ?? list.longestPage)
    total = list.total?.trusted
    (pageCount, more) = (list.pageCount, list.more?.value)
    if paging == .whole {
      (total, further, reason) = (total ?? list.totalOfAll, list.further, list.reason)
      doubt = list.unfollowed
      if !list.isEverything, let place = Finder.place(in: call) { doubt = doubt ?? "the request itself begins behind \(place)" }
    }
    let counted = paging.isNamed ? nil : paging.parameter
    startsPlain = [counted, size].compactMap(\.self).contains { call[$0] == nil } && !paging.isKeyset
    // A size beside no place is the same in every request.
    if startsPlain, let parameter = size, call[parameter] != nil { size = nil }
    // Each row of an object stands in a member of what was made of it.
    let inner = isKeyed ? FieldPath(["value"]) : list.unwrap
    let key = list.key?.value
    let drafter = FieldDrafter(of: list.rows, key: key, title: list.title?.value ?? key, unwrap: inner)
    (fields, leftOut) = (drafter.fields, drafter.leftOut)
    if let name = key.flatMap(drafter.name) {
      self.key = [name]
    } else {
      self.key = try Self.jointKey(of: &fields, in: list.rows, inner)
    }
    if let guess = list.search, guess.confidence == .strong { search = (guess.value, nil) }
  }

  /// The same with what a probe found.
  init(_ name: String, of list: ListModel, asking request: NamedRequest, _ found: ProbedPaging) throws(SourceError) {
    try self.init(name, of: list, asking: request)
    (size, pageSize, startsPlain) = (found.size, found.pageSize ?? pageSize, false)
    if !list.isEverything { doubt = found.doubt ?? doubt }
  }

  /// A few fields that together differ in every row; they become texts, which a key is made of. A time is one of them only where the others
  /// do not tell the rows apart: as measurements of a station.
  private static func jointKey(of fields: inout [FieldDraft], in rows: [Value], _ unwrap: FieldPath?) throws(SourceError)
    -> [String]
  {
    let ranked = fields.indices.compactMap { index in fields[index].keyRank.map { (rank: $0, index: index) } }
    var (parts, joined) = ([Int](), rows.map { _ in "" })
    for (_, index) in ranked.sorted(by: <).prefix(20) {
      if parts.count == 5 || Set(joined).count == rows.count { break }
      let values = rows.map { fields[index].value(in: $0, unwrap)?.word ?? "" }
      let longer = zip(joined, values).map { "\($0)/\($1)" }
      guard !values.contains(""), Set(longer).count > Set(joined).count else { continue }
      (parts, joined) = ((parts + [index]).sorted(), longer)
    }
    guard Set(joined).count == rows.count, !parts.isEmpty else {
      throw SourceError(.malformed, "no fields tell the rows apart; a record needs something that it is known by")
    }
    for index in parts where fields[index].type != .integer { fields[index].type = .text }
    // A key of several fields becomes the field "key".
    for index in fields.indices where parts.count > 1 && fields[index].name == "key" { fields[index].name = "key_" }
    return parts.map { fields[$0].name }
  }
}

extension FieldDraft {
  /// Whether it says when its record was, and not when somebody touched it.
  fileprivate var isMoment: Bool {
    let isTouch = ["updat", "modif", "chang", "edit", "seen", "last", "expir"].contains { name.lowercased().contains($0) }
    return (type == .time || type == .date || type == .unix) && !isTouch
  }

  /// What makes a record itself: what names it, then when it was, and numbers last; nil of what never does.
  fileprivate var keyRank: Int? {
    switch type {
    case .text, .integer, .address: 1
    case .time, .date, .unix: isMoment ? 2 : 3
    case .number, .decimal, .boolean: 4
    case .texts, .html, .json: nil
    }
  }
}

extension ListModel {
  /// What may count all rows, and counts those that came: it is watched, and nothing rests on it.
  fileprivate var totalOfAll: NumberPlace<FieldPath>? {
    guard let total = total?.value, let page = pages.last else { return nil }
    return page.number(at: total) == page.received ? total : nil
  }

  /// The request without what the next page's address has another value for: that leads from page to page.
  fileprivate func beginning(_ request: NamedRequest) -> NamedRequest {
    guard paging.value.isAddress, let page = pages.first,
      let next = page.next(paging.value).flatMap(page.call.address.resolving)?.queryItems
    else { return request }
    var request = request
    let items = request.address.queryItems.filter { item in
      item.value == "0" || item.value == "1" || !next.contains { $0.name == item.name && $0.value != item.value }
    }
    request.address.query = WebAddress.query(of: items)
    return request
  }
}

extension PagingModel {
  /// What leads on behind a row is left out of the first request anyway.
  fileprivate var isKeyset: Bool { if case .keyset = self { true } else { false } }
}

extension Call {
  init(_ request: NamedRequest) {
    self.init(method: request.method.rawValue, request.address, body: request.body?.bytes)
  }
}
