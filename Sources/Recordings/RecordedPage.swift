package import AggregatorCore

/// A recorded answer that was understood, and the rows in it.
package struct RecordedPage: Sendable, Hashable {
  package let exchange: Exchange
  package private(set) var call: Call
  package let document: Value
  /// The objects where the rows stand.
  package private(set) var rows: [Value] = []
  /// How many stand there, broken ones too.
  package private(set) var received = 0

  /// Nil unless the exchange succeeded with JSON.
  package init?(_ exchange: Exchange) {
    guard exchange.failure == nil, (200..<300).contains(exchange.response.status),
      let document = try? JSON(exchange.response.body)
    else { return nil }
    self.exchange = exchange
    call = Call(exchange.request)
    self.document = document.value
  }

  /// The same with its rows at `path`; nil where neither a list stands there nor an object whose members are rows. Null is a page without.
  package func withRows(at path: ValuePath) -> RecordedPage? {
    guard let place = document[path] else { return nil }
    guard let list = place.list ?? place.members?.map(Value.init(keyed:)) ?? (place == .null ? [] : nil) else { return nil }
    var page = self
    page.rows = list.filter { $0.members != nil }
    page.received = list.count
    return page
  }

  /// Another page of the same list, with its rows at `path`; nil for what is none. The last one may have nothing there.
  package func twin(_ other: RecordedPage, at path: ValuePath) -> RecordedPage? {
    guard let twin = other.withRows(at: path) else { return other.document[path] == nil && isAlike(other) ? other : nil }
    let isSameKind = (document[path]?.list == nil) == (other.document[path]?.list == nil)
    return isSameKind || twin.received == 0 ? twin : nil
  }

  /// The same as its path is read by the first of `patterns` that it ends in; nil where it ends in none.
  package func read(by patterns: [String]) -> RecordedPage? {
    guard let call = patterns.lazy.compactMap(call.matching).first else { return nil }
    var page = self
    page.call = call
    return page
  }

  /// The scalars beside the rows: where totals and tokens stand.
  package var scalars: [(path: ValuePath, value: Value)] { document.scalars(depth: 5) }

  /// The address of the next page that its `Link` header names.
  package var linked: WebAddress? { exchange.response.link("next").flatMap(call.address.resolving) }

  /// What stands in the body as addresses, each where it stands.
  package var addresses: [(path: ValuePath, target: WebAddress)] {
    scalars.compactMap { path, value in
      guard let text = value.text, ["http://", "https://", "/", "?"].contains(where: text.hasPrefix) else { return nil }
      return call.address.resolving(text).map { (path, $0) }
    }
  }

  /// Whether two answers have the same members, but for those that the first or the last of several pages leaves out.
  package func isAlike(_ other: RecordedPage) -> Bool {
    guard let one = document.members, let two = other.document.members else {
      return document.list != nil && other.document.list != nil
    }
    let (ones, twos) = (Set(one.map(\.name)), Set(two.map(\.name)))
    return !ones.isEmpty && !twos.isEmpty && (ones.isSubset(of: twos) || twos.isSubset(of: ones))
  }
}
