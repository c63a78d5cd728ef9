public import AggregatorCore
public import Recordings
import Services

/// A model of a service from recorded exchanges: its lists, how they page, and the shape of their rows.
///
/// ```swift
/// let model = try ServiceModel(of: fixture)
/// print(model.list.paging)      // offset by query "skip" (strong: it grew by the rows received)
/// print(model.list.key)         // [id] (strong: unique in all 40 rows)
/// ```
///
/// Every part is a guess with its confidence and its reason. Unrelated requests in the same recording are ignored. Authors who know better
/// can correct the model and pass it to `Conformance`:
///
/// ```swift
/// var model = try ServiceModel(of: fixture, rows: "data.ports", at: ["ports", "ports/page/{page}"])
/// model.list.paging.way = Guess(.offset(Parameter(.query, "skip")))
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
    if let search = list.search?.value, Set(list.recorded.pages.map { $0.call[search] }).count == 1 {
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
    for index in others.indices where others[index].recorded.pages.contains(where: { $0.call[parameter] != nil }) {
      set(&others[index])
    }
  }
}

/// One endpoint that returns rows: what was recorded of it, and what is concluded from that.
public struct ListModel: Sendable {
  /// Its recorded pages and rows.
  public let recorded: RecordedList
  /// The path of the array of rows in the document.
  public let items: Guess<ValuePath>
  /// The member that wraps a record: its members are read like the row's own.
  public internal(set) var unwrap: ValuePath?
  /// The way from one page to the next, and what says where the list ends.
  public var paging: ListPaging
  /// The paths of the fields that tell a row apart: one, or several that a person named. Nil if no field was found.
  public var key: Guess<[ValuePath]>?
  /// The paths of the texts that together name a row for a person: mostly one, or a given name and a family name.
  public package(set) var title: Guess<[ValuePath]>?
  /// The parameter for a person's search text.
  public package(set) var search: Guess<Parameter>?
  /// Extracts the text a person typed from the parameter's value.
  package var searchText: @Sendable (String) -> String = { $0 }
  /// True when a person says that the rows of one answer are everything.
  package var isEverything = false
  /// The findings of asking the service; nil if it was not asked.
  package var probe: ProbeFindings?

  /// The method, path and operation of its requests.
  public var endpoint: Endpoint { recorded.endpoint }
  /// True when the rows are members of an object, each under its key.
  package var isKeyed: Bool { recorded.envelope[items.value]?.members != nil }
  /// The path of the field that tells a row apart; nil without one, or if several do so together.
  package var loneKey: ValuePath? { key.flatMap { $0.value.count == 1 ? $0.value[0] : nil } }
  /// The paths that may hold the key of a row, the likeliest first.
  package var keys: [ValuePath] { ListGuesser.keys(of: recorded.records, in: unwrap, listed: names) }
  /// The names of the list: the member that has its rows, and the end of its address.
  private var names: [String] {
    let end = endpoint.address.path.split(separator: "/").last { $0.contains(where: \.isLetter) }
    return [items.value.names.last, end?.split(separator: ".").first.map(String.init)].compactMap(\.self)
  }
  /// The likelihood that this is the main list of its service.
  fileprivate var weight: Double {
    recorded.weight * (paging.way.value.kind == .whole ? 1 : 4) * (search == nil ? 1 : 0.5)
  }
  /// True when a page that says it is the last one still has a token, and no such page is followed by another.
  package var namesNextAlways: Bool {
    let way = paging.way.value
    guard let more = paging.more?.value, way.kind == .token else { return false }
    let last = recorded.pages.filter { $0.document[more.path] == .bool(more.isNegated) && $0.next(way) != nil }
    return !last.isEmpty
      && !last.contains { page in recorded.pages.contains { $0 != page && page.leads(to: $0.call, by: way) } }
  }
  /// True when some pages lack the member that has the rows on others.
  package var rowsMayBeMissing: Bool { recorded.pages.contains { $0.document[items.value] == nil } }

  /// Reads `answers` as pages of one list; nil if they have no rows. `all` are all recorded pages of the service.
  init?(_ answers: [TapedPage], rows told: ValuePath? = nil, at paths: [String] = [], among all: [TapedPage] = []) {
    let chosen = told.flatMap { path in
      answers.contains { $0.withRows(at: path) != nil } ? (items: Guess(path), weight: 1000.0) : nil
    }
    guard let found = chosen ?? ListGuesser.rows(in: answers.map(\.document)),
      let recorded = RecordedList(answers, rows: found.items.value, weight: found.weight, at: paths)
    else { return nil }
    self.recorded = recorded
    items = found.items
    paging = ListPaging(of: recorded.pages, among: all)
    search = ListGuesser.search(of: recorded.pages)
    unwrap = isKeyed ? "value" : ListGuesser.wrapper(of: recorded.rows)
    key =
      isKeyed
      ? Guess(["key"], .strong, "each row stands under it")
      : ListGuesser.key(of: recorded.records, in: unwrap, listed: names)?.map { [$0] }
    title = ListGuesser.title(of: recorded.records, in: unwrap, key: loneKey)?.map(titlePaths)
  }

  func titlePaths(_ path: ValuePath) -> [ValuePath] { ListGuesser.titlePaths(path, in: recorded.records) }

  /// Returns the text that a person searched with a call of this list; nil without one. A parameter that is a search only by its name may be
  /// something else.
  func text(in call: RecordedCall) -> String? {
    let text = search?.trusted.flatMap { call[$0] }.map(searchText)
    return text?.isEmpty == true ? nil : text
  }

  /// True when an answer of this list has the token that the first request of the other list sends.
  fileprivate func leads(to other: ListModel) -> Bool {
    other.recorded.pages.first.map { first in recorded.pages.contains { $0.token(in: first.call) != nil } } ?? false
  }
}

extension ListModel: CustomStringConvertible {
  public var description: String {
    "\(endpoint), rows at \(items.value), \(paging), \(paging.total.map { "total at \($0.value)" } ?? "no total")"
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
    (self.value, self.confidence, self.reason) = (value, confidence, reason)
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

extension Guess: CustomStringConvertible {
  /// `offset by query "skip" (weak: only one page was recorded)`.
  public var description: String { "\(value) (\(confidence): \(reason))" }

  /// The value, unless the guess is weak.
  package var trusted: Content? { confidence > .weak ? value : nil }

  /// Returns a guess about something else that follows from the value, for the same reason.
  package func map<Other>(_ conclude: (Content) -> Other) -> Guess<Other> { Guess<Other>(conclude(value), confidence, reason) }
}
