public import AggregatorCore

/// What recorded exchanges tell about a service: where its lists are, how they are paged, what their rows look like.
///
/// ```swift
/// let model = try ServiceModel(of: fixture)
/// print(model.list.paging)      // offset by query "skip" (strong: it grew by the rows received)
/// print(model.list.key)         // id (strong: unique and present in all 40 rows)
/// ```
///
/// Every part is a guess that says how sure it is and why. Unrelated requests in the same recording are passed over. Whoever knows
/// better says so, and hands the model to `Conformance`:
///
/// ```swift
/// model.list.paging = Guess(.offset(Parameter(.query, "skip")), .strong, "the service's guide says so")
/// ```
public struct ServiceModel: Sendable {
  /// The list that the service is about.
  public var list: ListModel
  /// Where it is searched: the list itself where that takes a text, and other endpoints that do.
  public let searches: [ListModel]

  /// Throws when no answer in the fixture holds a list of objects.
  public init(of fixture: Fixture) throws(SourceError) {
    let answers = fixture.exchanges.compactMap { RecordedPage($0) }
    let lists = answers.inGroups(by: \.call.endpoint).compactMap { ListModel($0.elements) }
    let best = lists.enumerated().max { ($0.element.weight, -$0.offset) < ($1.element.weight, -$1.offset) }?.element
    guard let best else {
      throw SourceError(
        .malformed, "no response in \(fixture.name) has a list of objects", remedy: "record a request that lists records")
    }
    list = best
    searches = lists.filter { $0.search != nil && $0.endpoint.address.origin == best.endpoint.address.origin }
  }
}

/// One endpoint that gives rows.
public struct ListModel: Sendable {
  public let endpoint: Endpoint
  /// Where the array of rows stands in the document.
  public let items: Guess<FieldPath>
  public var paging: Guess<PagingModel> { didSet { ways = [paging.value] } }
  /// What says how many rows to give.
  public var size: Guess<Parameter>?
  public var total: Guess<TotalModel>?
  /// What says whether there is more.
  public var more: Guess<MoreModel>?
  /// What makes a row itself.
  public var key: Guess<FieldPath>?
  public let fields: [FieldModel]
  /// What carries a person's text.
  public let search: Guess<Parameter>?
  /// The different rows that were recorded, in order.
  public let rows: [Value]
  /// How many rows the longest recorded page held.
  public let longestPage: Int

  /// Every way that leads from page to page, ``paging`` first.
  private(set) var ways: [PagingModel]
  /// An answer to serve again with other rows in it.
  let envelope: Value
  let weight: Double

  /// Every recorded page, in order.
  package let pages: [RecordedPage]

  init?(_ answers: [RecordedPage]) {
    guard let first = answers.first, let found = ListGuesser.rows(in: answers.map(\.document)) else { return nil }
    pages = answers.compactMap { $0.withRows(at: found.items.value) }
    guard let page = pages.first(where: { !$0.rows.isEmpty }) else { return nil }
    endpoint = first.call.endpoint
    items = found.items
    let guesser = PagingGuesser(pages)
    paging = guesser.paging
    ways = guesser.ways.map(\.value)
    size = guesser.size
    total = ListGuesser.total(of: pages, asking: [paging.value.parameter, size?.value].compactMap { $0 })
    more = ListGuesser.more(of: pages)
    var known: Set<Value> = []
    rows = pages.flatMap(\.rows).filter { known.insert($0).inserted }
    key = ListGuesser.key(of: rows)
    fields = FieldModel.fields(of: rows)
    search = ListGuesser.search(of: pages)
    longestPage = pages.map(\.rows.count).max() ?? 0
    envelope = page.document
    weight = found.weight * (paging.value == .whole ? 1 : 4) * (search == nil ? 1 : 0.5)
  }
}
