import AggregatorCore
import Recordings
import Services

/// A list as a manifest describes it, and what a person should know of that.
struct DescribedList {
  /// The description.
  private(set) var source: ManifestSource
  /// What is asked for the first page, its place and its size included.
  let request: NamedRequest
  /// Where its service begins.
  let base: WebAddress
  /// Why there may be more rows than can be followed: no walk is complete then.
  let doubt: String?
  /// How many fields a row has beside those of the description.
  let leftOut: Int

  /// The list as it was recorded or probed; `request` is that for its first page, `search` is the list in which the service finds what is
  /// searched for.
  init(_ name: String, of list: ListModel, asking request: NamedRequest, searchedIn search: ListModel? = nil)
    throws(SourceError)
  {
    let request = list.beginning(request)
    let call = Call(request)
    let elsewhere = search.flatMap { $0.endpoint == list.endpoint ? nil : $0.endpoint.address }
    base = .base(of: [request.address, elsewhere].compactMap(\.self))
    doubt = list.doubt(orElse: Finder.place(in: call).map { "the request itself begins behind \($0)" })
    let (paging, size) = list.described(asking: call, doubting: doubt)
    let inner = list.isKeyed ? "value" : list.unwrap
    let drafter = FieldDrafter(of: list.rows, key: list.key?.value, title: (list.title ?? list.key)?.value, unwrap: inner)
    var fields = drafter.fields
    let own = (list.key?.value).flatMap(drafter.name)
    let key = if let own { [own] } else { try Self.jointKey(of: &fields, in: list.rows, inner) }
    source = ManifestSource(
      name: name, summary: Self.summary(of: name, from: request.address.host),
      list: ManifestRequest(request, below: base, paging: list.paging.value, size: size, like: call), rows: list.rowPlace,
      paging: paging, key: key, fields: fields)
    (self.request, leftOut) = (request, drafter.leftOut)
    if let parameter = (search ?? list).search, parameter.confidence == .strong {
      source.search = found(by: parameter.value, at: elsewhere)
    }
    // GraphQL tells its errors in an answer that succeeded.
    if request.body?["query"]?.text?.contains("{") ?? false {
      var rule = ErrorRule(.badRequest)
      (rule.path, rule.isPresent, rule.message) = ("errors[0]", true, "errors[0].message")
      source.errors = [rule]
    }
  }

  private static func summary(of name: String, from host: String) -> String {
    "\(name.prefix(1).uppercased())\(String(name.dropFirst()).replacingEach("-", with: " ")) of \(host)"
  }

  /// The headers that each request of its service has.
  var headers: [HTTPResponse.Header] {
    request.headers.filter { header in !source.list.headers.contains { $0.name.lowercased() == header.name.lowercased() } }
  }

  /// The same with a recording beside the description.
  func recorded(in file: String) -> DescribedList { changing(self) { $0.source.recording = file } }

  /// The search of the service, where a field can be searched.
  private func found(by parameter: Parameter, at address: WebAddress?) -> ManifestSource.Search? {
    guard source.fields.contains(where: { $0.isSearchable && $0.type.isText }) else { return nil }
    var request = ManifestRequest(path: address.map { Template($0.path(below: base)) })
    request.set(parameter, to: "text")
    return ManifestSource.Search(request: request, paging: source.paging, rows: source.rows)
  }

  /// A few fields that together differ in every row; they become texts, which a key is made of. A time is one of them only where the others
  /// do not tell the rows apart: as measurements of a station.
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
    for index in parts where fields[index].type != .integer { fields[index].type = .text }
    // A key of several fields becomes the field "key".
    for index in fields.indices where parts.count > 1 && fields[index].name == "key" { fields[index].name = "key_" }
    return parts.map { fields[$0].name }
  }
}

extension ManifestField {
  /// What stands there in a row, or in what is unwrapped of it.
  fileprivate func value(in row: Value, _ unwrap: ValuePath?) -> Value? { unwrap.flatMap { row[$0]?[path] } ?? row[path] }

  /// True when it says when its record was, and not when somebody touched it.
  private var isMoment: Bool {
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

// MARK: - How its pages follow each other

extension ListModel {
  /// How its pages follow each other and what ends them, and what sets their size.
  fileprivate func described(asking call: Call, doubting doubt: String?) -> (paging: ManifestPaging, size: Parameter?) {
    let way = paging.value
    let isWhole = way.kind == .whole
    var size = isWhole ? nil : size?.trusted
    let total = total?.trusted ?? (isWhole ? totalOfAll : nil)
    let counted = isWhole || way.kind == .page && total == nil ? pageCount : nil
    let end: ManifestPaging.End =
      switch way.kind {
      case .whole: doubt == nil ? reason ?? .empty : .never
      case .link, .token: .next
      case .last: more == nil ? .empty : .more
      default: total != nil ? .total : counted != nil ? .pages : more != nil ? .more : .empty
      }
    var paging = ManifestPaging(way, end: end)
    (paging.total, paging.pages) = (total, counted)
    if isWhole { paging.way.next = further }
    if way.kind == .last { paging.way.next = way.next?.inside(unwrap) }
    if isWhole || counted == nil { paging.more = more?.value }
    if !isWhole {
      let asked =
        way.parameter.flatMap(call.rowRange)?.count
        ?? size.flatMap { size in pages.lazy.compactMap { $0.call.number(size) }.first }
      paging.size = max(1, min(pageSize ?? asked ?? longestPage, ManifestPaging.mostRows))
    }
    let places = [way.isNamed ? nil : way.parameter, size].compactMap(\.self)
    paging.startsPlain = !isProbed && way.kind != .last && places.contains { call[$0] == nil }
    // A size beside no place is the same in every request.
    if paging.startsPlain, let parameter = size, call[parameter] != nil { size = nil }
    return (paging, size)
  }

  /// Where its rows stand, as a manifest says it.
  fileprivate var rowPlace: ManifestSource.RowPlace {
    ManifestSource.RowPlace(
      path: items.value, mayBeMissing: rowsMayBeMissing, unwrap: isKeyed ? nil : unwrap, keyed: isKeyed ? "key" : nil)
  }

  /// What may count all rows, and counts those that came: it is watched, and nothing rests on it.
  private var totalOfAll: NumberPlace? {
    guard let total = total?.value, let page = pages.last else { return nil }
    return page.number(at: total) == page.received ? total : nil
  }

  /// The request without what the next page's address has another value for: that leads from page to page.
  fileprivate func beginning(_ request: NamedRequest) -> NamedRequest {
    guard let next = pages.first?.nextAddress(paging.value)?.queryItems else { return request }
    var request = request
    let items = request.address.queryItems.filter { item in
      item.value == "0" || item.value == "1" || !next.contains { $0.name == item.name && $0.value != item.value }
    }
    request.address.query = WebAddress.query(of: items)
    return request
  }
}

// MARK: - Its request

extension ManifestRequest {
  /// What `request`, taken apart in `call`, asks for below `base`, with templates for the place of a page and for its size.
  fileprivate init(_ request: NamedRequest, below base: WebAddress, paging way: PagingWay, size: Parameter?, like call: Call) {
    self.init(path: Template(request.address.path(below: base)))
    method = request.method == .get ? nil : .post
    query = request.address.queryItems.map { Item($0.name, Template($0.value)) }
    body = request.body
    var places = way.parameter.map { [(parameter: $0, name: way.kind.place ?? "")] } ?? []
    if let size { places.append((size, "size")) }
    for (parameter, name) in places.sorted(by: { $0.parameter.name < $1.parameter.name }) {
      set(parameter, to: name, insteadOf: call[parameter] ?? "")
    }
  }

  /// Has the value of that name stand where `parameter` does, which said `words`.
  fileprivate mutating func set(_ parameter: Parameter, to name: String, insteadOf words: String = "") {
    let item = Item(parameter.name, Template("{\(name)}"))
    if parameter.place == .header {
      // The unit stands before the rows: `items=0-99`.
      let unit = words.split(separator: "=").dropLast().map { "\($0)=" }.joined()
      headers.append(Item(parameter.name, Template("\(unit){\(name)}")))
    } else if parameter.place == .body {
      // A service that was sent null is sent null again.
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
  /// The part of its path that leads on from `base`.
  fileprivate func path(below base: WebAddress) -> String {
    path.hasPrefix(base.path) ? String(path.dropFirst(base.path.count)) : path
  }
}

extension Call {
  init(_ request: NamedRequest) {
    self.init(
      RecordedRequest(request.method.rawValue, request.address, headers: request.headers, body: request.body?.bytes))
  }
}
