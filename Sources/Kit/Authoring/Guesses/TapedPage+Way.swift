package import AggregatorCore
package import Recordings
package import Services

extension TapedPage {
  /// Returns the token, address or key that leads to the next page, as it was sent; nil at the end.
  package func next(_ way: PagingWay) -> String? {
    let next =
      switch (way.kind, way.next) {
      case (.token, let path?), (.link, let path?): document[path]?.word
      case (.link, nil): exchange.response.link("next")
      case (.last, let path?): rows.last?[path]?.word
      case (.whole, _), (.offset, _), (.page, _), (.range, _), (.token, nil), (.last, nil): String?.none
      }
    return next?.isEmpty == true ? nil : next
  }

  /// Returns the address of the next page; nil if none is named.
  package func nextAddress(_ way: PagingWay) -> WebAddress? {
    way.kind == .link ? next(way).flatMap(call.address.resolving) : nil
  }

  /// True when `other` asks for the page after this one; `rows` are the rows of its answer, if known.
  package func leads(to other: RecordedCall, giving rows: [Value] = [], by way: PagingWay) -> Bool {
    guard way.kind != .link else { return nextAddress(way).map(other.isAnswer) ?? false }
    guard let parameter = way.parameter else { return false }
    if let named = next(way) { return named == other[parameter] }
    guard way.isCounted, let number = other.number(parameter) else { return false }
    if way.kind == .page { return number == (call.number(parameter) ?? way.first).adding(1) }
    let offset = (call.number(parameter) ?? 0).adding(received)
    // A page may have begun one row early.
    return number == offset || number == offset - 1 && rows.first == self.rows.last
  }
}
