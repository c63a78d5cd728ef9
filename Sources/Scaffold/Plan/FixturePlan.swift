import AggregatorCore
import Manifests
import SourceVerification

/// A recorded walk as the new source would have made it, and what a test may expect of it.
struct FixturePlan: Sendable {
  /// What was searched for; nil for the whole list.
  let text: String?
  let exchanges: [Exchange]
  let ids: [String]
  let firstTitle: String?
  let isComplete: Bool

  init(_ pages: [RecordedPage], of text: String?, _ service: ServicePlan, _ record: RecordPlan, _ scrubber: Scrubber) {
    self.text = text
    var known: Set<String> = []
    let rows = pages.flatMap(\.rows)
    ids = rows.compactMap { record.id(of: $0) }.filter { known.insert($0).inserted }
    firstTitle = record.title.flatMap { $0.type.isText ? rows.first?[$0.name]?.word : nil }.map { scrubber.scrub($0) }
    var written: [Exchange] = []
    var (received, before) = (0, RecordedPage?.none)
    for (index, page) in pages.enumerated() {
      let asked = service.request(page: index, received: received, after: before, finding: text)
      let headers = page.exchange.response.headers.filter { Self.isKept($0.name, service) }
      let response = HTTPResponse(status: page.exchange.response.status, headers: headers, body: page.exchange.response.body)
      written.append(Exchange(asked, response, startedAt: page.exchange.startedAt, took: page.exchange.took))
      received += page.received
      before = page
    }
    exchanges = written.map { scrubber.scrub($0) }
    isComplete = before.map { [distinct = ids.count] in Self.isEnd($0, service, distinct: distinct) } ?? false
  }

  /// Only what is read: the others may say more about the person who recorded them than about the service.
  private static func isKept(_ header: String, _ service: ServicePlan) -> Bool {
    let name = header.lowercased()
    if case .header(let total) = service.total, total.lowercased() == name { return true }
    return name == "content-type" || name == "link"
  }

  /// Whether a walk ends here by its own rule, with nothing missing.
  private static func isEnd(_ last: RecordedPage, _ service: ServicePlan, distinct: Int) -> Bool {
    let total = service.total.flatMap { last.total($0) }
    switch service.paging {
    case .offset, .number: return service.total == nil ? last.rows.isEmpty : total == distinct
    case .whole: return total.map { $0 == distinct } ?? true
    case .keyset:
      let isOver = last.rows.isEmpty || service.more.map { last.more($0) == false } ?? false
      return isOver && total.map { $0 <= distinct } ?? true
    case .link, .nextAddress, .token: return last.next(service.paging) == nil && total.map { $0 <= distinct } ?? true
    }
  }
}

// The requests that the new source will send, as its fixture has them.
extension ServicePlan {
  /// The request for the page of a list, or of a search for `text`, that so many rows and this page came before.
  fileprivate func request(page: Int, received: Int, after before: RecordedPage?, finding text: String?) -> RecordedRequest {
    let path = (text == nil ? nil : address.searchPath) ?? address.path
    let token = before?.next(paging)
    let base = WebAddress(address.base)
    var asked = (path.isEmpty ? base : base?.appending(path)) ?? list.endpoint.address
    let inQuery = keys.filter { !$0.carrier.isHeader }.map(\.carrier.name)
    let credentials = inQuery.map { HTTPResponse.Header($0, Scrubber.placeholder) }
    if let before, paging.isAddress, let target = token.flatMap(before.exchange.request.address.resolving) {
      asked = target
      asked.query = WebAddress.query(of: target.queryItems.filter { !inQuery.contains($0.name) } + credentials)
      return RecordedRequest("GET", asked)
    }
    let number = if case .number(_, let first) = paging { first + page } else { received }
    let values = [
      "place.number": String(number), "place.size": String(pageSize), "place.token": token, "place.key": token,
      "request.query.text": text,
    ]
    // A query leaves out what there is not, and a body says null.
    let query = variables.filter { $0.parameter.place == .query }.compactMap { variable in
      values[variable.code, default: nil].map { HTTPResponse.Header(variable.parameter.name, $0) }
    }
    asked.query = WebAddress.query(of: credentials + query + constants)
    guard method != "GET", let body else { return RecordedRequest(method, asked) }
    let document = variables.filter { $0.parameter.place == .body }.reduce(body) {
      $0.setting($1.parameter, values[$1.code, default: nil])
    }
    return RecordedRequest(method, asked, headers: [.init("Content-Type", "application/json")], body: document.bytes)
  }
}

extension Value {
  /// The same value with what a parameter says, as a number where a number was recorded.
  func setting(_ parameter: Parameter, _ text: String?) -> Value {
    let path = FieldPath(text: parameter.name)
    guard let text else { return setting(path, to: .null) }
    if self[path]?.text == nil, let int = Int(text) { return setting(path, to: .int(int)) }
    return setting(path, to: .text(text))
  }
}

extension Fixture {
  /// Two pages of a list, and a search, of a service that does not exist: for a source that is to be written by hand.
  static func invented(for name: String) -> Fixture {
    let rows = ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"].enumerated().map { number, place in
      #"{"id":\#(number + 1),"name":"\#(place)","note":\#(number % 2 == 0 ? "null" : "\"Open all year\""),"#
        + #""createdAt":"2026-01-0\#(number + 1)T08:00:00Z","score":\#(4.5 - Double(number) / 4),"#
        + #""tags":\#(number == 0 ? "[]" : #"["north","quiet"]"#),"url":"https://\#(name).example/\#(number + 1)"}"#
    }
    let pages = [
      ("offset=0&limit=4", rows[0..<4], rows.count), ("offset=4&limit=4", rows[4...], rows.count),
      ("q=dover&offset=0&limit=4", rows[3...3], 1),
    ]
    let exchanges = pages.enumerated().compactMap { second, page -> Exchange? in
      let body = #"{"items":[\#(page.1.joined(separator: ","))],"total":\#(page.2)}"#
      let moment = Moment(secondsSinceEpoch: 1_767_225_600 + second)
      return WebAddress("https://api.\(name).example/v1/\(name)?\(page.0)").map {
        Exchange(RecordedRequest("GET", $0), .json(Array(body.utf8)), startedAt: moment)
      }
    }
    return Fixture("\(name).har", exchanges: exchanges)
  }
}
