public import AggregatorCore
import Recordings
public import Services

/// The way from one page of a list to the next, and what in the answers says where the list ends.
public struct ListPaging: Sendable {
  /// The way from one page to the next.
  public var way: Guess<PagingWay> {
    didSet { ways = way.value.kind == .whole ? [] : [way.value] }
  }
  /// The parameter for the number of rows on a page.
  public var size: Guess<Parameter>?
  /// The location of the number of all rows; nil if none was seen.
  public var total: Guess<NumberLocation>?
  /// The member that says whether there is more.
  public var more: Guess<MoreLocation>?
  /// The location of the number of pages; nil if none was seen.
  public var pages: NumberLocation?
  /// Every way from one page to the next, ``way`` first.
  package var ways: [PagingWay]
  /// The reason why no source can follow the pages, for example several parameters that change together; nil if no reason is known.
  let detour: String?

  /// Guesses it from the pages of one list; `all` are all recorded pages of the service.
  init(of pages: [TapedPage], among all: [TapedPage]) {
    let guesser = PagingGuesser(pages, among: all)
    (way, ways, size) = (guesser.paging, guesser.ways.map(\.value), guesser.size)
    detour = guesser.paging.value.kind == .whole ? guesser.detour : nil
    let asked = [guesser.paging.value.parameter, guesser.size?.value].compactMap(\.self)
    total = ListGuesser.total(of: pages, asking: asked)
    self.pages = ListGuesser.pageCount(of: pages, asking: asked)
    more = ListGuesser.more(of: pages)
  }

  /// Forgets what in the answers says where the list ends.
  mutating func forgetEnd() { (more, total, pages) = (nil, nil, nil) }
}

extension ListPaging: CustomStringConvertible {
  public var description: String { "\(way)" }
}

/// The findings of a probe about a list.
package struct ProbeFindings: Sendable {
  /// The number of rows on a page; nil if that was not found.
  package var pageSize: Int?
  /// The request with what else the service takes; nil if that is nothing.
  var request: NamedRequest?
  /// True when the answers were wrong about their end.
  package var isEndWrong = false
  /// The reason why there may be more rows than the source can follow; nil if none showed.
  package var doubt: String?
}
