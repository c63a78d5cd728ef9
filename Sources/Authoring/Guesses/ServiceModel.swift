public import AggregatorCore
package import Bodies
public import Recordings
public import Services

/// A model of a service from recorded exchanges: its lists, how they page, and the shape of their rows.
///
/// ```swift
/// let model = try ServiceModel(of: fixture)
/// print(model.list.paging)      // offset by query "skip" (strong: it grew by the rows received)
/// print(model.list.key)         // id (strong: unique in all 40 rows)
/// ```
///
/// Every part is a guess with its confidence and its reason. Unrelated requests in the same recording are ignored. Authors who know better
/// can correct the model and pass it to `Conformance`:
///
/// ```swift
/// var model = try ServiceModel(of: fixture, rows: "data.ports", at: ["ports", "ports/page/{page}"])
/// model.list.paging = Guess(.offset(Parameter(.query, "skip")))
/// model.setSearch(by: Parameter(.query, "filter")) { $0.split(separator: "'").dropFirst().joined() }   // name ~ 'text'
/// ```
public struct ServiceModel: Sendable {
  /// The main list of the service.
  public var list: ListModel
  /// The lists that can be searched: the main list if it takes a text, and other endpoints that do.
  public var searches: [ListModel] {
    ([list] + others).filter { $0.search != nil && $0.endpoint.address.origin == list.endpoint.address.origin }
  }
  package var others: [ListModel]
  /// True when every recorded row must be a record, as a manifest promises. Code may have reasons to skip a row.
  package var claimsEveryRow = false
  /// True when there may be more rows than the service sends; no walk is complete then.
  public var isOpen = false

  /// Finds the list in the recording. `rows` gives the path of its rows in an answer, either an array or an object that has each row under
  /// its key. `paths` gives the ends of the paths of its pages, with a name in braces for a part that changes.
  ///
  /// Throws when no answer in the fixture holds such a list.
  public init(of fixture: Fixture, rows: ValuePath? = nil, at paths: [String] = []) throws(SourceError) {
    let answers = fixture.exchanges.compactMap { TapedPage($0) }
    // Pages that the next addresses lead to belong to the given list, at any path.
    let led = paths.isEmpty ? [] : Set(answers.walks.filter { $0.contains { $0.read(by: paths) != nil } }.joined())
    let own = answers.filter(led.contains)
    let strangers = answers.filter { !led.contains($0) }
    let told = ListModel(own.map { $0.read(by: paths) ?? $0 }, rows: rows, at: paths)
    let all = [told].compactMap(\.self) + strangers.walks.compactMap { ListModel($0, rows: rows, among: strangers) }
    // A list that begins with a token from another list is part of that list.
    let lists = all.filter { list in !all.contains { $0.endpoint != list.endpoint && $0.leads(to: list) } }
    // Of equal weights the first one stays.
    guard let best = paths.isEmpty ? lists.max(by: { $0.weight < $1.weight }) : told else {
      let path = (rows.map { " at \($0)" } ?? "") + (paths.isEmpty ? "" : " of \(paths.joined(separator: ", "))")
      let reason = fixture.unreadable.map { ": \($0)" } ?? ""
      if !answers.isEmpty, answers.allSatisfy({ $0.document.listsNothing }) {
        throw SourceError(.malformed, "the list in \(fixture.name) is empty", remedy: "record a request that finds records")
      }
      throw SourceError(
        .malformed, "no response in \(fixture.name) has a list of objects\(path)\(reason)",
        remedy: "record a request that lists records")
    }
    list = best
    // A text that is the same in every request selects the list; no person typed it as a search.
    if let search = list.search?.value, Set(list.pages.map { $0.call[search] }).count == 1 {
      list.search = Guess(search, .weak, "every recorded request says the same")
    }
    others = lists.filter { $0.endpoint != best.endpoint }
    if let page = fixture.exchanges.first(where: best.isMissing) {
      let reason = page.unreadable ?? "it has no rows at \(best.items.value)"
      throw SourceError(
        .malformed,
        "\(fixture.name): \(page.request.shown) is a page of the list, but \(reason)",
        remedy: "record the list again, without what the browser has stored")
    }
  }

  /// Sets the parameter of the search where no recording shows it. `read` extracts the person's text from its value, for a service with a
  /// query language of its own. This applies to the list and to every other list that was recorded with the parameter.
  public mutating func setSearch(by parameter: Parameter, reading read: @escaping @Sendable (String) -> String = { $0 }) {
    func set(_ list: inout ListModel) { (list.search, list.searchText) = (Guess(parameter), read) }
    set(&list)
    for index in others.indices where others[index].pages.contains(where: { $0.call[parameter] != nil }) { set(&others[index]) }
  }
}

/// One endpoint that returns rows.
public struct ListModel: Sendable {
  /// The method, path and operation of its requests.
  public let endpoint: Endpoint
  /// The path of the array of rows in the document.
  public let items: Guess<ValuePath>
  /// The way from one page to the next.
  public var paging: Guess<PagingWay> {
    didSet { ways = paging.value.kind == .whole ? [] : [paging.value] }
  }
  /// The parameter for the number of rows on a page.
  public var size: Guess<Parameter>?
  /// The location of the number of all rows; nil if none was seen.
  public var total: Guess<NumberLocation>?
  /// The member that says whether there is more.
  public var more: Guess<MoreLocation>?
  /// The location of the number of pages; nil if none was seen.
  public var pageCount: NumberLocation?
  /// The path of the key of a row.
  public var key: Guess<ValuePath>?
  /// The path of the text that names a row for a person.
  public package(set) var title: Guess<ValuePath>?
  /// The paths of the fields that together name a row, such as a given name and a family name. Empty if ``title`` does so alone.
  package var titleParts: [ValuePath] = []
  /// The paths of the fields that a person named as the key together; empty if the key is a single field or was not named.
  package var keyParts: [ValuePath] = []
  /// The member that wraps a record: its members are read like the row's own.
  public internal(set) var unwrap: ValuePath?
  /// The reason why no source can follow the pages, for example several parameters that change together; nil if no reason is known.
  let detour: String?
  /// True when a person says that the rows of one answer are everything.
  package var isEverything = false
  /// True when paging was found by asking the service.
  package var isProbed = false
  /// The number of rows on a page according to the probe; nil if it was not probed.
  package var pageSize: Int?
  /// True when the answers were wrong about their end.
  package var isEndWrong = false
  /// The reason from the probe why there may be more rows than the source can follow; nil if it showed none.
  package var shownDoubt: String?
  /// The parameter for a person's search text.
  public package(set) var search: Guess<Parameter>?
  /// Extracts the text a person typed from the parameter's value.
  package var searchText: @Sendable (String) -> String = { $0 }
  /// The recorded rows without repeats, in order.
  public let rows: [Value]
  /// The same rows as records are read from them, without what only tells a place in the list.
  package let records: [Value]
  /// The number of rows on the longest recorded page.
  public var longestPage: Int { pages.map(\.rows.count).max() ?? 0 }

  /// Every way from one page to the next, ``paging`` first.
  package var ways: [PagingWay]
  /// A recorded answer to serve again with other rows in it.
  package let envelope: Value
  let weight: Double

  /// Every recorded page, in order.
  package let pages: [TapedPage]
  /// The format of its answers.
  package let body: BodyKind

  /// The ends of the paths of its pages, as given to the model; empty if they have the path of the endpoint.
  package let toldPaths: [String]
  /// True when the rows are members of an object, each under its key.
  package var isKeyed: Bool { envelope[items.value]?.members != nil }
  /// The paths that may hold the rows, with the number of rows in each. Among the likeliest paths the longest list comes first. Paths
  /// with less than an eighth of the best weight are left out.
  package var rowPaths: [(path: ValuePath, count: Int)] {
    let candidates = ListGuesser.rowPaths(in: pages.map(\.document))
    let best = candidates.first?.weight ?? 0
    let likely = candidates.prefix { $0.weight * 2 >= best }
    let others = candidates.dropFirst(likely.count).prefix { $0.weight * 8 > best }
    return (likely.sorted { $0.count > $1.count } + others).map { ($0.path, $0.count) }
  }
  /// The paths that may hold the key of a row, the likeliest first.
  package var keys: [ValuePath] { ListGuesser.keys(of: records, in: unwrap, listed: names) }
  /// The names of the list: the member that has its rows, and the end of its address.
  private var names: [String] {
    let end = endpoint.address.path.split(separator: "/").last { $0.contains(where: \.isLetter) }
    return [items.value.names.last, end?.split(separator: ".").first.map(String.init)].compactMap(\.self)
  }
  /// True when a page that says it is the last one still has a token.
  package var namesNextAlways: Bool {
    guard let more = more?.value, paging.value.kind == .token else { return false }
    return pages.contains { $0.document[more.path] == .bool(more.isNegated) && $0.next(paging.value) != nil }
  }

  /// The paths at which its pages were recorded.
  private let paths: Set<String>

  /// Reads `answers` as pages of one list; nil if they have no rows. `all` are all recorded pages of the service.
  init?(_ answers: [TapedPage], rows told: ValuePath? = nil, at paths: [String] = [], among all: [TapedPage] = []) {
    let chosen = told.flatMap { path in
      answers.contains { $0.withRows(at: path) != nil } ? (items: Guess(path), weight: 1000.0) : nil
    }
    guard let first = answers.first, let found = chosen ?? ListGuesser.rows(in: answers.map(\.document)) else { return nil }
    toldPaths = paths
    self.paths = Set(answers.map(\.call.address.path))
    guard let page = answers.lazy.compactMap({ $0.withRows(at: found.items.value) }).first(where: { !$0.rows.isEmpty }) else {
      return nil
    }
    pages = answers.compactMap { page.twin($0, at: found.items.value) }
    endpoint = first.call.endpoint
    items = found.items
    let guesser = PagingGuesser(pages, among: all)
    paging = guesser.paging
    ways = guesser.ways.map(\.value)
    size = guesser.size
    let asked = [paging.value.parameter, size?.value].compactMap { $0 }
    total = ListGuesser.total(of: pages, asking: asked)
    pageCount = ListGuesser.pageCount(of: pages, asking: asked)
    more = ListGuesser.more(of: pages)
    var known: Set<Value> = []
    rows = pages.flatMap(\.rows).filter { known.insert($0).inserted }
    records = ListGuesser.records(in: rows, at: found.items.value)
    let isKeyed = page.document[found.items.value]?.members != nil
    unwrap = isKeyed ? "value" : ListGuesser.wrapper(of: rows)
    search = ListGuesser.search(of: pages)
    (envelope, body) = (page.document, page.body)
    weight = found.weight * (paging.value.kind == .whole ? 1 : 4) * (search == nil ? 1 : 0.5)
    detour = paging.value.kind == .whole ? guesser.detour : nil
    key =
      isKeyed
      ? Guess("key", .strong, "each row stands under it") : ListGuesser.key(of: records, in: unwrap, listed: names)
    title = ListGuesser.title(of: records, in: unwrap, key: key?.value)
    titleParts = title.map { ListGuesser.nameParts(at: $0.value, in: records) } ?? []
  }
}

extension ListModel: CustomStringConvertible {
  public var description: String {
    "\(endpoint), rows at \(items.value), \(paging), \(total.map { "total at \($0.value)" } ?? "no total")"
  }
}

extension ListModel {
  /// True when an answer of this list has the token that the first request of the other list sends.
  fileprivate func leads(to other: ListModel) -> Bool {
    other.pages.first.map { first in pages.contains { $0.token(in: first.call) != nil } } ?? false
  }

  /// True when some pages lack the member that has the rows on others.
  package var rowsMayBeMissing: Bool { pages.contains { $0.document[items.value] == nil } }

  /// Returns a call in the terms of this list, whatever its host; nil if it asks for something else.
  package func reading(_ call: Call) -> Call? {
    let (method, operation) = (endpoint.method, endpoint.operation)
    if toldPaths.isEmpty {
      return call.method == method && call.operation == operation && paths.contains(call.address.path) ? call : nil
    }
    return toldPaths.lazy.compactMap(call.matching).first { call in
      pages.contains { $0.call.method == call.method && $0.call.operation == call.operation }
    }
  }
}

/// Something concluded from recorded exchanges, with its confidence and its reason.
public struct Guess<Content: Sendable & Hashable>: Sendable, Hashable {
  /// The conclusion.
  public let value: Content
  /// The confidence in it.
  public let confidence: Confidence
  /// The reason as a clause: "the recorded walk followed it".
  public let reason: String

  /// The reason lets a person judge the guess. Without one, the author is taken to know.
  public init(_ value: Content, _ confidence: Confidence = .strong, _ reason: String = "the author says so") {
    self.value = value
    self.confidence = confidence
    self.reason = reason
  }
}

/// The degree of certainty of a guess.
public enum Confidence: Sendable, Hashable, Comparable {
  /// Only its name or its form suggests it.
  case weak
  /// The recording agrees with it.
  case fair
  /// The recording can hardly be explained in another way.
  case strong
}

extension Guess {
  /// The value, unless the guess is weak.
  package var trusted: Content? { confidence > .weak ? value : nil }
}

extension Guess: CustomStringConvertible {
  /// `offset by query "skip" (weak: only one page was recorded)`.
  public var description: String { "\(value) (\(confidence): \(reason))" }
}
