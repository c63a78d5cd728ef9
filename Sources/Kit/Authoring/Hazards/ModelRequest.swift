import AggregatorCore
import Recordings
import Services

/// A request for a part of a list, as the recorded service would understand it, and the answer to it.
struct ModelRequest: Sendable {
  private let call: RecordedCall
  private let list: ListModel
  private let hazard: Hazard
  private let nextItem: HTTPResponse.Header?
  /// The rows that match the search text of the request; all rows if it has none.
  private let rows: [ServerRows.Row]
  private let isSearch: Bool
  /// The number of rows before the first requested one.
  let position: Int
  private let size: Int
  /// True when the rows begin in the middle of a page, as the service counts pages, or the size of a numbered page is odd.
  let isOdd: Bool
  /// True when the page is empty but leads to the next one.
  private let isHollow: Bool

  /// True when the page has the row in the middle of the list, and is not the first one.
  var hasMiddle: Bool { position > 0 && (position..<end).contains(rows.count / 2) }

  /// The number of rows before those of the next page.
  var end: Int { isHollow ? position : min(rows.count, position + size) }

  init(
    _ call: RecordedCall, of list: ListModel, from served: ServerRows, under hazard: Hazard,
    _ nextItem: HTTPResponse.Header? = nil
  ) {
    (self.call, self.list, self.hazard, self.nextItem) = (call, list, hazard, nextItem)
    let sought = list.text(in: call).map { SearchText($0) }
    isSearch = sought != nil
    let all = hazard == .dateAhead ? served.rows.changed(as: call) : served.rows
    let found = sought.map { sought in all.filter { sought.isFound(in: $0.value.texts) } } ?? all
    let asked = list.paging.size.flatMap { call[$0.value] }.flatMap { Int($0) }
    rows = hazard == .sizeBoundsList ? Array(found.prefix(asked ?? .max)) : found
    var size = asked ?? (list.paging.ways.isEmpty ? rows.count : served.pageSize)
    if hazard == .sizeBoundsList { size = max(1, size / 2) }
    if hazard == .clampedPageSize { size = max(1, size / 2 + size % 2) }
    if hazard == .clampedToOne { size = 1 }
    if let largest = served.largestPage { size = min(size, largest) }
    // Numbered pages have no offset, so a service that rounds or refuses offsets rounds or refuses the size instead.
    let isOddSize = list.paging.way.value.kind == .page && size > 1 && size % 2 == 1
    if isOddSize, hazard == .roundedOffset { size -= 1 }
    self.size = min(max(1, size), 1 << 20)
    let isOnePage = hazard == .ignoredOffset || hazard == .onePage
    var position = isOnePage ? 0 : Self.position(of: call, in: list, rows, gone: served.removed, size: self.size)
    if position >= rows.count, list.paging.ways.contains(where: { $0.countsRows || $0.kind == .page }) {
      if hazard == .firstPageAfterEnd { position = 0 }
      if hazard == .lastPageAfterEnd { position = max(0, rows.count - 1) / self.size * self.size }
    }
    // After the last row, a service has nothing to round or to refuse.
    let rest = position < rows.count ? position % self.size : 0
    isOdd = rest > 0 || isOddSize
    self.position = hazard == .roundedOffset ? position - rest : position
    isHollow =
      hazard == .emptyPageBetween && position > 0 && position < rows.count && list.paging.ways.contains(where: \.isNamed)
      && !Self.isSecondTry(call, in: list)
  }

  /// True when the request continues from an empty page.
  private static func isSecondTry(_ call: RecordedCall, in list: ListModel) -> Bool {
    (list.paging.ways.compactMap(\.parameter) + [cursor]).contains { parameter in
      call[parameter].map { $0.hasPrefix(mark) || $0.hasPrefix("c" + mark) } ?? false
    }
  }

  /// The first character of a token or a number from an empty page; it does not change the value.
  private static let mark = "0"

  private static func position(
    of call: RecordedCall, in list: ListModel, _ rows: [ServerRows.Row], gone: [ServerRows.Row], size: Int
  ) -> Int {
    for way in list.paging.ways + [.token("", cursor)] {
      guard let parameter = way.parameter, let text = call[parameter] else { continue }
      switch way.kind {
      case .offset, .range:
        guard let number = call.number(parameter) else { continue }
        return min(max(0, number), rows.count)
      case .page:
        guard let number = Int(text) else { continue }
        let (rowsBefore, overflow) = max(0, number - way.first).multipliedReportingOverflow(by: size)
        return overflow ? rows.count : min(rowsBefore, rows.count)
      case .token:
        guard text.hasPrefix("c"), let serial = Int(text.dropFirst()) else { continue }
        return rows.firstIndex { $0.serial >= serial } ?? rows.count
      case .last:
        // A removed row still has its place.
        guard let last = (rows + gone).first(where: { $0.value[way.next ?? ""]?.word == text }) else { continue }
        return rows.firstIndex { $0.serial > last.serial } ?? rows.count
      case .whole, .link: continue
      }
    }
    return 0
  }

  func response(from served: ServerRows) -> HTTPResponse {
    let end = end
    var given = rows[min(position, end)..<end].map(\.value)
    if hazard == .brokenFirstPage, position == 0 {
      given = given.indices.map { ServerRows.broken[$0 % ServerRows.broken.count] }
    }
    let isOwn = hazard == .totalOfPage || hazard == .onePage
    let total = isOwn ? given.count : isSearch || hazard == .dateAhead ? rows.count : served.total
    let object = Value.object([Member(name: "unexpected", value: .bool(true))])
    let shape: Value =
      if hazard == .wrongShape { list.isKeyed ? .list([object]) : object } else {
        list.isKeyed ? .object(given.map(\.keyed)) : .list(given)
      }
    var document = echoing(list.recorded.envelope, given.count).setting(list.items.value, to: shape)
    if hazard == .incompleteAnswer { document = document.setting("incomplete_results", to: .bool(true)) }
    var headers: [HTTPResponse.Header] = [.init("Content-Type", "application/json")]
    for (location, number) in [(list.paging.total?.value, total), (list.paging.pages, (rows.count + size - 1) / size)] {
      switch location {
      case .body(let path):
        document = document.setting(path, to: document[path]?.text == nil ? .int(number) : .text(String(number)))
      case .header(let name) where name.lowercased() == "content-range":
        let rows = given.isEmpty ? "*" : "\(position)-\(position + given.count - 1)"
        headers.append(.init(name, "items \(rows)/\(number)"))
      case .header(let name): headers.append(.init(name, String(number)))
      case nil: break
      }
    }
    if let more = list.paging.more?.value {
      let isOver = end >= rows.count && hazard != .cyclingCursor && hazard != .moreWithheld && hazard != .onePage
      document = document.setting(more.path, to: .bool(isOver == more.isNegated))
    }
    for way in list.paging.ways { lead(by: way, to: end, &document, &headers) }
    return HTTPResponse(status: 200, headers: headers, body: document.bytes)
  }

  /// Adds what leads to the row at `end`: a token, an address or a header.
  private func lead(by way: PagingWay, to end: Int, _ document: inout Value, _ headers: inout [HTTPResponse.Header]) {
    // A service that always names a next page shows its end in another way.
    let isOver = end >= rows.count && hazard != .cyclingCursor && !list.namesNextAlways
    switch (way.kind, way.next) {
    case (.token, let path?): document = document.setting(path, to: isOver ? .null : .text(token(for: end)))
    case (.link, let path?): document = document.setting(path, to: isOver ? .null : .text(address(from: end)))
    case (.link, nil): if !isOver { headers.append(.init("Link", "<\(address(from: end))>; rel=\"next\"")) }
    case (.whole, _), (.offset, _), (.page, _), (.range, _), (.last, _), (.token, nil): break
    }
  }

  /// Returns the token for a row. A cycling cursor leads from the second page back to the first.
  private func token(for index: Int) -> String {
    let index = hazard == .cyclingCursor && position > 0 ? 0 : index
    return "c\(isHollow ? Self.mark : "")\(index < rows.count ? rows[index].serial : (rows.last?.serial ?? -1) + 1)"
  }

  /// The parameter for the place in a next address, if none was recorded.
  private static let cursor = Parameter(.query, "cursor")

  private func address(from index: Int) -> String {
    let parameter = list.paging.ways.compactMap(\.parameter).first { $0.location == .query } ?? Self.cursor
    let isCycling = hazard == .cyclingCursor && position > 0
    let mark = isHollow ? Self.mark : ""
    let way = list.paging.ways.first { $0.parameter == parameter }
    let value =
      switch way?.kind {
      case .offset: mark + String(isCycling ? 0 : index)
      case .page: mark + String((isCycling ? 0 : position / size + (isHollow ? 0 : 1)) + (way?.first ?? 1))
      case .whole, .range, .token, .link, .last, nil: token(for: index)
      }
    var items = Dictionary(call.query.map { ($0.name, $0.value) }) { _, last in last }
    items[parameter.name] = value
    if let nextItem { items[nextItem.name] = nextItem.value }
    var address = call.address
    address.query = WebAddress.query(of: items.sorted { $0.key < $1.key }.map { .init($0.key, $0.value) })
    return address.shown
  }

  /// Returns the envelope with the numbers that the service repeats from the request, and with the number of rows on the page.
  private func echoing(_ envelope: Value, _ given: Int) -> Value {
    let rows = envelope[list.items.value]
    let recorded = rows?.list?.count ?? rows?.members?.count
    let words = Dictionary(call.parameters.map { ($0.key.plainName, $0.value) }, uniquingKeysWith: { first, _ in first })
    return envelope.scalars(depth: 4).reduce(envelope) { document, scalar in
      guard let name = scalar.path.names.last, let number = scalar.value.int else { return document }
      let word = words[Parameter(.body, name).plainName].flatMap { Int($0) }
      guard let echo = word ?? (number == recorded ? given : nil) else { return document }
      return document.setting(scalar.path, to: scalar.value.text == nil ? .int(echo) : .text(String(echo)))
    }
  }
}

extension [ServerRows.Row] {
  /// Returns the rows that a request for changes asks for: those since its date, or all rows
  /// with the latest first if it asks for that order.
  fileprivate func changed(as call: RecordedCall) -> [ServerRows.Row] {
    func date(_ row: ServerRows.Row) -> String { row.value.date?.text ?? "" }
    let words = call.parameters.values
    if let since = words.compactMap({ Moment(within: $0) }).min() {
      return filter { row in Moment(iso: date(row)).map { $0 >= since } ?? true }.sorted { date($0) < date($1) }
    }
    let isLastFirst = words.contains { $0.split { !$0.isLetter }.contains("desc") }
    return isLastFirst ? sorted { date($0) > date($1) } : self
  }
}

extension Value {
  /// The latest date in a row. The unreadable date counts as the latest.
  var date: (path: ValuePath, text: String)? {
    let dates = scalars(depth: 3).compactMap { scalar in scalar.value.text.map { (path: scalar.path, text: $0) } }
      .filter { Moment(iso: $0.text) != nil || $0.text == Self.unreadableDate }
    return dates.max { $0.text < $1.text }
  }

  /// A text that is sorted after all dates.
  static let unreadableDate = "zzz"
}

extension Moment {
  /// The first date in a text.
  fileprivate init?(within text: String) {
    guard let moment = text.indices.lazy.compactMap({ Moment(iso: String(text[$0...].prefix(19))) }).first else { return nil }
    self = moment
  }
}
