public import AggregatorCore
public import Recordings
public import Services

/// What recorded exchanges tell about a service: where its lists are, how they are paged, what their rows look like.
///
/// ```swift
/// let model = try ServiceModel(of: fixture)
/// print(model.list.paging)      // offset by query "skip" (strong: it grew by the rows received)
/// print(model.list.key)         // id (strong: unique in all 40 rows)
/// ```
///
/// Every part is a guess that says how sure it is and why. Unrelated requests in the same recording are passed over. Whoever knows
/// better says so, and hands the model to `Conformance`:
///
/// ```swift
/// var model = try ServiceModel(of: fixture, rows: "data.ports", at: ["ports", "ports/page/{page}"])
/// model.list.paging = Guess(.offset(Parameter(.query, "skip")))
/// model.setSearch(by: Parameter(.query, "filter")) { $0.split(separator: "'").dropFirst().joined() }   // name ~ 'text'
/// ```
public struct ServiceModel: Sendable {
  /// The list that the service is about.
  public var list: ListModel
  /// Where it is searched: the list itself where that takes a text, and other endpoints that do.
  public var searches: [ListModel] {
    ([list] + others).filter { $0.search != nil && $0.endpoint.address.origin == list.endpoint.address.origin }
  }
  package var others: [ListModel]
  /// Whether somebody claims that every recorded row is a record: code may have its reasons to pass one over, a manifest says none.
  package var claimsEveryRow = false
  /// Whether there may be more rows than come, so that no walk is complete.
  public var isOpen = false

  /// Finds the list in the recording, or takes what is told: `rows`, where its rows stand in an answer, in an array or in an object that
  /// has each under its key; and `paths`, the ends of the paths that all of its pages have, with a name in braces where a part changes.
  ///
  /// Throws when no answer in the fixture holds such a list.
  public init(of fixture: Fixture, rows: ValuePath? = nil, at paths: [String] = []) throws(SourceError) {
    let answers = fixture.exchanges.compactMap { RecordedPage($0) }
    // What the next addresses of its pages lead to is a part of the list that is told, at whatever path.
    let led = paths.isEmpty ? [] : Set(answers.walks.filter { $0.contains { $0.read(by: paths) != nil } }.joined())
    let own = answers.filter(led.contains)
    let strangers = answers.filter { !led.contains($0) }
    let told = ListModel(own.map { $0.read(by: paths) ?? $0 }, rows: rows, at: paths)
    let all = [told].compactMap(\.self) + strangers.walks.compactMap { ListModel($0, rows: rows, among: strangers) }
    // What begins with a token of another list is a part of that.
    let lists = all.filter { list in !all.contains { $0.endpoint != list.endpoint && $0.leads(to: list) } }
    // Of equals the first.
    guard let best = paths.isEmpty ? lists.max(by: { $0.weight < $1.weight }) : told else {
      let place = (rows.map { " at \($0)" } ?? "") + (paths.isEmpty ? "" : " of \(paths.joined(separator: ", "))")
      let reason = fixture.unreadable.map { ": \($0)" } ?? ""
      if !answers.isEmpty, answers.allSatisfy({ $0.document.listsNothing }) {
        throw SourceError(.malformed, "the list in \(fixture.name) is empty", remedy: "record a request that finds records")
      }
      throw SourceError(
        .malformed, "no response in \(fixture.name) has a list of objects\(place)\(reason)",
        remedy: "record a request that lists records")
    }
    list = best
    // What every request says chooses the list, and nobody typed it.
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

  /// Says what carries a person's text where no recording shows it, and how the text is `read` out of that: for a service that is searched
  /// in a language of its own. It holds for the list, and for whatever else the parameter was recorded in.
  public mutating func setSearch(by parameter: Parameter, reading read: @escaping @Sendable (String) -> String = { $0 }) {
    func set(_ list: inout ListModel) { (list.search, list.searchText) = (Guess(parameter), read) }
    set(&list)
    for index in others.indices where others[index].pages.contains(where: { $0.call[parameter] != nil }) { set(&others[index]) }
  }
}

/// One endpoint that gives rows.
public struct ListModel: Sendable {
  /// What is asked for them.
  public let endpoint: Endpoint
  /// Where the array of rows stands in the document.
  public let items: Guess<ValuePath>
  /// How one page leads to the next.
  public var paging: Guess<PagingWay> {
    didSet { ways = paging.value.kind == .whole ? [] : [paging.value] }
  }
  /// What says how many rows to give.
  public var size: Guess<Parameter>?
  /// Where the number of all rows stands; nil where none was seen.
  public var total: Guess<NumberPlace>?
  /// What says whether there is more.
  public var more: Guess<MorePlace>?
  /// Where the number of pages stands; nil where none was seen.
  public var pageCount: NumberPlace?
  /// What makes a row itself.
  public var key: Guess<ValuePath>?
  /// What tells the rows apart for a person.
  public package(set) var title: Guess<ValuePath>?
  /// The member of each row whose members stand beside the row's own: what wraps a record.
  public internal(set) var unwrap: ValuePath?
  /// How pages lead on in a way that no source can follow; nil where they do not.
  let detour: String?
  /// Whether a person says that the rows of one answer are everything.
  package var isEverything = false
  /// True when its service was asked how it pages.
  package var isProbed = false
  /// How many rows a page has, as the service showed when it was asked; nil where it was not.
  package var pageSize: Int?
  /// True when what its answers say of their end was seen to be wrong.
  package var isEndWrong = false
  /// Why there may be more rows than can be followed, as the service showed when it was asked.
  package var shownDoubt: String?
  /// What carries a person's text.
  public package(set) var search: Guess<Parameter>?
  /// The text that a person typed, out of what carries it.
  package var searchText: @Sendable (String) -> String = { $0 }
  /// The different rows that were recorded, in order.
  public let rows: [Value]
  /// How many rows the longest recorded page held.
  public var longestPage: Int { pages.map(\.rows.count).max() ?? 0 }

  /// Every way that leads from page to page, ``paging`` first.
  package var ways: [PagingWay]
  /// An answer to serve again with other rows in it.
  package let envelope: Value
  let weight: Double

  /// Every recorded page, in order.
  package let pages: [RecordedPage]

  /// The ends of the paths that its pages have; none where it is that of its endpoint.
  package let toldPaths: [String]
  /// Whether its rows stand in an object, each under its key.
  package var isKeyed: Bool { envelope[items.value]?.members != nil }
  /// Where rows may stand in its answers, and how many there are: of places that are as likely the longest list first. What has hardly
  /// anything beside the likeliest is left out.
  package var places: [(path: ValuePath, count: Int)] {
    let places = ListGuesser.places(in: pages.map(\.document))
    let best = places.first?.weight ?? 0
    let likely = places.prefix { $0.weight * 2 >= best }
    let others = places.dropFirst(likely.count).prefix { $0.weight * 8 > best }
    return (likely.sorted { $0.count > $1.count } + others).map { ($0.path, $0.count) }
  }
  /// Where what makes a row itself may stand, the likeliest place first.
  package var keys: [ValuePath] { ListGuesser.keys(of: rows, in: unwrap, listed: names) }
  /// What the list is called: where its rows stand, and at the end of its address.
  private var names: [String] {
    let end = endpoint.address.path.split(separator: "/").last { $0.contains(where: \.isLetter) }
    return [items.value.names.last, end?.split(separator: ".").first.map(String.init)].compactMap(\.self)
  }
  /// Whether a page that says that it is the last one has a token all the same.
  package var namesNextAlways: Bool {
    guard let more = more?.value, paging.value.kind == .token else { return false }
    return pages.contains { $0.document[more.path] == .bool(more.isContrary) && $0.next(paging.value) != nil }
  }

  /// The paths at which its pages were recorded.
  private let paths: Set<String>

  /// The list that `answers` are pages of; `all` were recorded of the service.
  init?(_ answers: [RecordedPage], rows told: ValuePath? = nil, at paths: [String] = [], among all: [RecordedPage] = []) {
    let place = told.flatMap { path in
      answers.contains { $0.withRows(at: path) != nil } ? (items: Guess(path), weight: 1000.0) : nil
    }
    guard let first = answers.first, let found = place ?? ListGuesser.rows(in: answers.map(\.document)) else { return nil }
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
    let isKeyed = page.document[found.items.value]?.members != nil
    unwrap = isKeyed ? "value" : ListGuesser.wrapper(of: rows)
    search = ListGuesser.search(of: pages)
    envelope = page.document
    weight = found.weight * (paging.value.kind == .whole ? 1 : 4) * (search == nil ? 1 : 0.5)
    detour = paging.value.kind == .whole ? guesser.detour : nil
    key =
      isKeyed
      ? Guess("key", .strong, "each row stands under it") : ListGuesser.key(of: rows, in: unwrap, listed: names)
    title = ListGuesser.title(of: rows, in: unwrap, key: key?.value)
  }
}

extension ListModel: CustomStringConvertible {
  public var description: String {
    "\(endpoint), rows at \(items.value), \(paging), \(total.map { "total at \($0.value)" } ?? "no total")"
  }
}

extension ListModel {
  /// Whether an answer of this list has a token with which another begins.
  fileprivate func leads(to other: ListModel) -> Bool {
    other.pages.first.map { first in pages.contains { $0.token(in: first.call) != nil } } ?? false
  }

  /// Whether some pages have nothing where the rows of the others are.
  package var rowsMayBeMissing: Bool { pages.contains { $0.document[items.value] == nil } }

  /// A call as this list reads it, whatever host it is sent to; nil where it asks for something else.
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

/// Something read out of recorded exchanges, how sure that is, and why.
public struct Guess<Content: Sendable & Hashable>: Sendable, Hashable {
  /// What was read out.
  public let value: Content
  /// How sure it is.
  public let confidence: Confidence
  /// A clause for a person: "the recorded walk followed it".
  public let reason: String

  /// Each guess says why, so that a person can judge it; whoever says no more than what it is knows it.
  public init(_ value: Content, _ confidence: Confidence = .strong, _ reason: String = "the author says so") {
    self.value = value
    self.confidence = confidence
    self.reason = reason
  }
}

/// How sure a guess is.
public enum Confidence: Sendable, Hashable, Comparable {
  /// It has the right name or the right look, and nothing more.
  case weak
  /// What was recorded agrees with it.
  case fair
  /// What was recorded can hardly be explained otherwise.
  case strong
}

extension Guess {
  /// What it is, unless the guess is weak.
  package var trusted: Content? { confidence > .weak ? value : nil }
}

extension Guess: CustomStringConvertible {
  /// `offset by query "skip" (weak: only one page was recorded)`.
  public var description: String { "\(value) (\(confidence): \(reason))" }
}
