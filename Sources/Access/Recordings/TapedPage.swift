package import AggregatorCore
package import Bodies

/// A recorded answer, and the rows in it.
package struct TapedPage: Sendable, Hashable {
  package let exchange: Exchange
  package private(set) var call: RecordedCall
  /// The format of its body.
  package let body: BodyKind
  /// The body as JSON.
  package let document: Value
  /// The rows that are objects.
  package private(set) var rows: [Value] = []
  /// The number of rows, broken ones included.
  package private(set) var received = 0

  /// Reads the page; nil unless the exchange succeeded with a body that can be read.
  package init?(_ exchange: Exchange) {
    guard exchange.failure == nil, (200..<300).contains(exchange.response.status),
      case let (body, document?)? = BodyKind.read(exchange.response.body, type: exchange.response[header: "Content-Type"])
    else { return nil }
    (self.exchange, self.body, self.document) = (exchange, body, document)
    call = RecordedCall(exchange.request)
  }

  /// Returns the page with its rows at `path`. Nil if the value there is neither a list nor an object whose
  /// members are rows. Null counts as an empty page.
  package func withRows(at path: ValuePath) -> TapedPage? {
    guard let found = document[path] else { return nil }
    guard let list = found.list ?? found.members?.map(Value.init(keyed:)) ?? (found == .null ? [] : nil) else { return nil }
    var page = self
    page.rows = list.filter { $0.members != nil }
    page.received = list.count
    return page
  }

  /// Returns another page of the same list, with its rows at `path`; nil if it is not one. The last page may have nothing there.
  package func twin(_ other: TapedPage, at path: ValuePath) -> TapedPage? {
    guard let twin = other.withRows(at: path) else { return other.document[path] == nil && isAlike(other) ? other : nil }
    let isSameKind = (document[path]?.list == nil) == (other.document[path]?.list == nil)
    return isSameKind || twin.received == 0 ? twin : nil
  }

  /// Returns the page with its path read by the first of `patterns` that fits; nil if none fits.
  package func read(by patterns: [String]) -> TapedPage? {
    guard let call = patterns.lazy.compactMap(call.matching).first else { return nil }
    var page = self
    page.call = call
    return page
  }

  /// The scalars beside the rows, such as totals and tokens.
  package var scalars: [(path: ValuePath, value: Value)] { document.scalars(depth: 5) }

  /// The address of the next page in its `Link` header.
  package var linked: WebAddress? { exchange.response.link("next").flatMap(call.address.resolving) }

  /// The addresses in the body, each with its path.
  package var addresses: [(path: ValuePath, target: WebAddress)] {
    scalars.compactMap { path, value in
      guard let text = value.text, ["http://", "https://", "/", "?"].contains(where: text.hasPrefix) else { return nil }
      return call.address.resolving(text).map { (path, $0) }
    }
  }

  /// True when two answers have the same members. The first or the last page may lack some of them.
  package func isAlike(_ other: TapedPage) -> Bool {
    guard let one = document.members, let two = other.document.members else {
      return document.list != nil && other.document.list != nil
    }
    let (ones, twos) = (Set(one.map(\.name)), Set(two.map(\.name)))
    return !ones.isEmpty && !twos.isEmpty && (ones.isSubset(of: twos) || twos.isSubset(of: ones))
  }
}

extension Exchange {
  /// The reason why its answer cannot be read, as a clause; nil if it can be read.
  package var unreadable: String? {
    if let failure { return failure.message }
    let start = String(decoding: response.body.prefix(400), as: UTF8.self)
    let text = start.drop { $0.isWhitespace || $0 == "\u{FEFF}" }.lowercased()
    switch response.status {
    case 304: return "its response is 304 (not modified): the browser had it stored"
    case 200..<300: break
    default: return "its response has the status \(response.status)"
    }
    if text.isEmpty { return "its response is empty" }
    if response.body.isHTML { return "its response is an HTML page" }
    let read = BodyKind.read(response.body, type: response[header: "Content-Type"])
    if read?.document != nil { return nil }
    return read.map { "its response is broken \($0.kind.name)" } ?? "its response is in no format that is known"
  }
}

extension Fixture {
  /// The reason why its answers cannot be read, from the first one; nil if one can be read.
  package var unreadable: String? {
    guard let first = exchanges.first, let reason = first.unreadable, exchanges.allSatisfy({ $0.unreadable != nil }) else {
      return nil
    }
    return "of \(first.request.shown), \(reason)"
  }
}

extension [TapedPage] {
  /// The pages in groups: those of one endpoint, and of other endpoints that their next addresses lead
  /// to. Each group is in the order of the recording.
  package var walks: [[TapedPage]] {
    /// For an endpoint, the one that leads to it.
    var leaders: [Endpoint: Endpoint] = [:]
    func leader(_ page: TapedPage) -> Endpoint {
      var endpoint = page.call.endpoint
      while let next = leaders[endpoint] { endpoint = next }
      return endpoint
    }
    // Grouped by the address without its query, because most services have few of these.
    let pagesByAddress = Dictionary(grouping: self) { $0.call.address }
    for page in self {
      let linked = page.linked.map { [(target: $0, isSure: true)] } ?? []
      for (target, isSure) in linked + page.addresses.map({ ($0.target, false) })
      where target.path != page.call.address.path {
        for other in pagesByAddress[RecordedCall(target).address] ?? []
        where leader(other) != leader(page) && other.call.isAnswer(to: target) && (isSure || page.isAlike(other)) {
          leaders[leader(other)] = leader(page)
        }
      }
    }
    return inGroups(by: leader).map(\.elements)
  }
}
