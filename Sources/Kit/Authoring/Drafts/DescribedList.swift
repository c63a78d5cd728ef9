import AggregatorCore
import Bodies
import Recordings
import Services

/// A list in the terms of a manifest, and what a person should know about it.
struct DescribedList {
  private(set) var source: ManifestSource
  /// The request for the first page, including its place and size.
  let request: NamedRequest
  /// The base address of its service.
  let base: WebAddress
  /// The reason why there may be more rows than the manifest can follow, so that no walk is complete; nil if none is known.
  let doubt: String?
  /// The number of fields that a row has beyond those of the description.
  let leftOut: Int

  /// Describes a list that was recorded or probed. `request` asks for its first page. `search` is the list of the service's own search.
  init(_ name: String, of list: ListModel, asking request: NamedRequest, searchedIn search: ListModel? = nil)
    throws(SourceError)
  {
    var request = list.beginning(request)
    let call = RecordedCall(request)
    if let bound = list.linkedOData?.bound(of: call) {
      request.notices.append("$top=\(bound) bounds the list; for all rows add the address without it")
    }
    let elsewhere = search.flatMap { $0.endpoint == list.endpoint ? nil : $0.endpoint.address }
    base = .base(of: [request.address, elsewhere].compactMap(\.self))
    doubt = list.doubt(orElse: Finder.pagingParameter(in: call).map { "the request itself begins after \($0)" })
    let (paging, size) = list.described(asking: call, doubting: doubt)
    let inner = list.isKeyed ? "value" : list.unwrap
    let title = list.title?.value ?? [list.loneKey].compactMap(\.self)
    let drafter = FieldDrafter(of: list.recorded.records, key: list.loneKey, title: title, unwrap: inner)
    var fields = drafter.fields
    // An edge has a cursor as well, which is not that of a node without one.
    if list.recorded.records != list.recorded.rows, let inner, let index = fields.firstIndex(where: { $0.path == "cursor" }) {
      fields[index].path = inner.appending("cursor")
    }
    if list.recorded.body == .xml { Self.nameLists(in: &fields, of: list.recorded.records, inner) }
    let own = (list.key?.value ?? []).compactMap(drafter.name)
    let key = if own.isEmpty { try Self.jointKey(of: &fields, in: list.recorded.records, inner) } else { own }
    if own.count > 1 { fields.becomeKey(own) }
    source = ManifestSource(
      name: name, summary: Self.summary(of: name, from: request.address.host),
      list: ManifestSource.Listing(
        request: ManifestRequest(request, below: base, paging: list.paging.way.value, size: size, like: call),
        paging: paging, rows: list.rowLocation),
      key: key, fields: fields)
    source.body = list.recorded.body
    source.isKeyGuessed = own.isEmpty || list.key?.confidence == .weak
    (self.request, leftOut) = (request, drafter.leftOut)
    if let parameter = (search ?? list).search, parameter.confidence == .strong {
      source.search = found(by: parameter.value, at: elsewhere)
    }
    // GraphQL reports its errors in an answer with a good status.
    if request.body?["query"]?.text?.contains("{") ?? false {
      var rule = ErrorRule(.badRequest)
      (rule.path, rule.isPresent, rule.message) = ("errors[0]", true, "errors[0].message")
      source.errors = [rule]
    }
  }

  private static func summary(of name: String, from host: String) -> String {
    "\(name.prefix(1).uppercased())\(String(name.dropFirst()).replacingEach("-", with: " ")) of \(host)"
  }

  /// The headers that every request to its service has.
  var headers: [HTTPResponse.Header] {
    request.headers.filter { header in
      !source.list.request.headers.contains { $0.name.lowercased() == header.name.lowercased() }
    }
  }

  /// Returns the same list, with the name of its recording in the description.
  func recorded(in file: String) -> DescribedList { copy(of: self) { $0.source.recording = file } }

  /// Returns the search of the service; nil when no field can be searched.
  private func found(by parameter: Parameter, at address: WebAddress?) -> ManifestSource.Listing? {
    guard source.fields.contains(where: { $0.isSearchable && $0.type.isText }) else { return nil }
    var request = ManifestRequest(path: address.map { Template($0.path(below: base)) })
    request.set(parameter, to: "text")
    return copy(of: source.list) { $0.request = request }
  }

  /// Names the lists of elements that fields keep whole, because an element of XML that comes once would be an object.
  private static func nameLists(in fields: inout [ManifestField], of rows: [Value], _ unwrap: ValuePath?) {
    for index in fields.indices where fields[index].type == .json && !fields[index].path.isMany {
      if rows.contains(where: { fields[index].value(in: $0, unwrap)?.list != nil }) {
        fields[index].path = ValuePath(steps: fields[index].path.steps + [.each])
      }
    }
  }

  /// Chooses up to five fields that together differ in every row. They become texts, except for whole numbers, because a key is made of
  /// texts. A time is chosen only if the other fields do not tell the rows apart, as with the measurements of a station.
  private static func jointKey(
    of fields: inout [ManifestField], in rows: [Value], _ unwrap: ValuePath?
  ) throws(SourceError) -> [String] {
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
    let names = parts.map { fields[$0].name }
    fields.becomeKey(names)
    return names.map { names.count > 1 && $0 == ManifestField.jointKey.name ? ManifestField.otherKey : $0 }
  }
}

extension [ManifestField] {
  /// Makes the fields with these names texts, except for whole numbers. A key of several fields becomes the field "key", so another field of
  /// that name gets another one.
  fileprivate mutating func becomeKey(_ names: [String]) {
    for index in indices where names.contains(self[index].name) && self[index].type != .integer { self[index].type = .text }
    for index in indices where names.count > 1 && self[index].name == ManifestField.jointKey.name {
      self[index].name = ManifestField.otherKey
    }
  }
}

extension ManifestField {
  /// The name of a field called "key" beside a key of several fields.
  fileprivate static let otherKey = "key_"

  /// Returns the value of the field in a row, or in the object that is unwrapped from it.
  fileprivate func value(in row: Value, _ unwrap: ValuePath?) -> Value? { unwrap.flatMap { row[$0]?[path] } ?? row[path] }

  /// True when the field is the time of the record itself, not of a later change to it.
  private var isMoment: Bool {
    let isTouch = ["updat", "modif", "chang", "edit", "seen", "last", "expir"].contains { name.lowercased().contains($0) }
    return (type == .time || type == .date || type == .unix) && !isTouch
  }

  /// The order in which fields are tried for a key: texts, addresses and whole numbers first, then times, then
  /// other numbers and Booleans. The record's own time comes before other times. Nil when a field cannot be part of a key.
  fileprivate var keyRank: Int? {
    switch type {
    case .text, .integer, .address: 1
    case .time, .date, .unix: isMoment ? 2 : 3
    case .number, .decimal, .boolean: 4
    case .texts, .html, .json: nil
    }
  }
}

// MARK: - Paging

extension ListModel {
  /// Returns the paging of the list as a manifest says it, and the parameter for the size of a page.
  fileprivate func described(asking call: RecordedCall, doubting doubt: String?) -> (paging: ManifestPaging, size: Parameter?) {
    let way = paging.way.value
    let isWhole = way.kind == .whole
    var size = isWhole ? nil : paging.size?.trusted
    if size == OData.top, linkedOData != nil { size = nil }
    let total = paging.total?.trusted ?? (isWhole ? totalOfAll : nil)
    let counted = isWhole || way.kind == .page && total == nil ? paging.pages : nil
    let end: ManifestPaging.End =
      switch way.kind {
      case .whole: doubt == nil ? reason ?? .empty : .never
      // The service's last page has a token too, which leads nowhere.
      case .token where namesNextAlways: .more
      case .link, .token: .next
      case .last: paging.more == nil ? .empty : .more
      case .offset, .page, .range: total != nil ? .total : counted != nil ? .pages : paging.more != nil ? .more : .empty
      }
    var described = ManifestPaging(way, end: end)
    (described.total, described.pages) = (total, counted)
    if isWhole { described.way.next = further }
    if way.kind == .last { described.way.next = way.next?.relative(to: unwrap) }
    if isWhole || counted == nil { described.more = paging.more?.value }
    if !isWhole {
      let asked =
        way.parameter.flatMap(call.rowRange)?.count
        ?? size.flatMap { size in recorded.pages.lazy.compactMap { $0.call.number(size) }.first }
      // Where answers name the next page and no size is asked for, the service alone decides how many rows come.
      let given = way.isNamed ? PagingGuesser.size(in: call) : recorded.longestPage
      described.size = (probe?.pageSize ?? asked ?? given).map { max(1, min($0, ManifestPaging.mostRows)) }
    }
    let varying = [way.isNamed ? nil : way.parameter, size].compactMap(\.self)
    described.startsPlain = probe == nil && way.kind != .last && varying.contains { call[$0] == nil }
    // If the first request has a size but no place, the size stays the same text in every request.
    if described.startsPlain, let parameter = size, call[parameter] != nil { size = nil }
    return (described, size)
  }

  /// The location of its rows, as a manifest says it.
  fileprivate var rowLocation: ManifestSource.RowLocation {
    ManifestSource.RowLocation(
      path: items.value, mayBeMissing: rowsMayBeMissing, unwrap: isKeyed ? nil : unwrap, keyed: isKeyed ? "key" : nil)
  }

  /// The location of a number that equals the rows received, so it may be the total. It is watched, but the end does not depend on it.
  private var totalOfAll: NumberLocation? {
    guard let total = paging.total?.value, let page = recorded.pages.last else { return nil }
    return page.number(at: total) == page.received ? total : nil
  }

  /// Returns the request without the items whose value differs in the next page's address, because those lead from
  /// page to page. Items with the value 0 or 1 stay.
  fileprivate func beginning(_ request: NamedRequest) -> NamedRequest {
    guard let next = recorded.pages.first?.nextAddress(paging.way.value)?.queryItems else { return request }
    var request = request
    let items = request.address.queryItems.filter { item in
      item.value == "0" || item.value == "1" || item.name == OData.top.name && linkedOData != nil
        || !next.contains { $0.name == item.name && $0.value != item.value }
    }
    request.address.query = WebAddress.query(of: items)
    return request
  }
}

// MARK: - Its request

extension ManifestRequest {
  /// The manifest's form of `request`, which `call` has in parts; its path begins at `base`.
  /// Templates replace the place of a page and its size.
  fileprivate init(
    _ request: NamedRequest, below base: WebAddress, paging way: PagingWay, size: Parameter?, like call: RecordedCall
  ) {
    self.init(path: Template(request.address.path(below: base)))
    method = request.method == .get ? nil : .post
    query = request.address.queryItems.map { Item($0.name, Template($0.value)) }
    body = request.body
    var varying = way.parameter.map { [(parameter: $0, name: way.kind.place ?? "")] } ?? []
    if let size { varying.append((size, "size")) }
    for (parameter, name) in varying.sorted(by: { $0.parameter.name < $1.parameter.name }) {
      set(parameter, to: name, insteadOf: call[parameter] ?? "")
    }
  }

  /// Puts the template of `name` where `parameter` is; `words` is the recorded value there.
  fileprivate mutating func set(_ parameter: Parameter, to name: String, insteadOf words: String = "") {
    let item = Item(parameter.name, Template("{\(name)}"))
    if parameter.location == .header {
      // The unit comes before the rows: `items=0-99`.
      let unit = parameter == OData.pageSize ? OData.unit : words.split(separator: "=").dropLast().map { "\($0)=" }.joined()
      headers.append(Item(parameter.name, Template("\(unit){\(name)}")))
    } else if parameter.location == .body {
      // A request that had null there has null again on the first page.
      let isNull = body?[parameter.path] == .null
      body = (body ?? .object([])).setting(parameter.path, to: .text(isNull ? "{\(name)?}" : "{\(name)}"))
    } else if query.contains(where: { $0.name == item.name }) {
      query = query.map { $0.name == item.name ? item : $0 }
    } else {
      query.append(item)
    }
  }
}

extension WebAddress {
  /// Returns the part of its path after `base`.
  fileprivate func path(below base: WebAddress) -> String {
    path.hasPrefix(base.path) ? String(path.dropFirst(base.path.count)) : path
  }
}

extension RecordedCall {
  init(_ request: NamedRequest) {
    self.init(
      TapedRequest(request.method.rawValue, request.address, headers: request.headers, body: request.body?.bytes))
  }
}
