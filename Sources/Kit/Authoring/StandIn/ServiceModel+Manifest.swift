package import AggregatorCore
import Bodies
package import Recordings
package import Services

extension ServiceModel {
  /// Models the service of a source from a manifest. The manifest decides wherever the recording agrees with it. Where they differ, the
  /// model follows the recording, and the source fails the laws.
  ///
  /// Throws if no answer in the fixture has a list, or if a source of this kind cannot be modelled.
  package init(of fixture: Fixture, as source: ManifestSource) throws(SourceError) {
    if let parent = source.parent {
      throw SourceError(
        .settings, "\(source.name) has a list for each record of \(parent); the kit cannot imitate such lists",
        remedy: "verify \(parent)")
    }
    guard source.body == .json else {
      throw SourceError(
        .settings, "\(source.name) answers in \(source.body.name), which the kit cannot stand in for",
        remedy: .ask(.init("audit", of: source.name), "to compare a copy with the service"))
    }
    let rows = source.list.rows.path
    guard rows.isPlain else {
      throw SourceError(.settings, "the kit cannot stand in for a list whose rows are at \(rows.text)")
    }
    let path = source.list.request.path.map { $0.found(in: fixture).pattern } ?? ""
    try self.init(of: fixture, rows: rows, at: path.isEmpty ? [] : [path])
    claimsEveryRow = true
    isOpen = source.list.paging.end == .never && !source.isEndless
    list.adopt(source.list)
    list.adopt(key: source.fields.first { $0.name == source.key && source.keyParts.isEmpty }?.path, source.list.rows)
    guard var search = source.search else { return }
    search.request = source.list.request.overlaid(by: search.request)
    let end = search.request.path?.text
    list.adopt(search: search.request)
    for index in others.indices where end.map({ others[index].endpoint.address.path.hasSuffix($0) }) ?? false {
      others[index].adopt(search)
      others[index].adopt(search: search.request)
    }
  }
}

extension SourceError {
  /// The error for a source without a recording.
  init(noRecordingOf name: String) {
    self.init(
      .settings, "\(name) has no recording of its own",
      remedy: .ask(.init("list", of: name, with: [.init("record", "DIR")]), "to record one, and then name that folder"))
  }
}

extension Manifest {
  /// Returns the recording beside the manifest for one of its sources; throws if the source has no recording.
  package func recording(of name: String) throws -> Fixture {
    guard let file = sources.first(where: { $0.name == name })?.recording else { throw SourceError(noRecordingOf: name) }
    return try Fixture(har: contents(of: file), name: file)
  }

  /// Returns the values of the plain settings during the recording, as far as requests for the source's list show them. A setting that no
  /// recording shows may have any value.
  func values(of source: ManifestSource, in fixture: Fixture) -> [String: String] {
    let madeUp = Dictionary(texts.filter { $0.defaultValue == nil }.map { ($0.name, "made-up") }) { first, _ in first }
    return madeUp.merging(source.list.request.path?.found(in: fixture).values ?? [:]) { $1 }
  }

  /// Throws if the recording shows that a declared value cannot be read, for example "yes" as the flag for more pages.
  package func checkRecording(of name: String) throws {
    guard let source = sources.first(where: { $0.name == name }), let more = source.list.paging.more,
      let fixture = try? recording(of: name)
    else { return }
    for body in fixture.exchanges.compactMap({ try? $0.response.json() })
    where source.list.rows.path.value(in: body) != nil && more.path.value(in: body) != nil {
      do {
        _ = try more.word(in: body)
      } catch let error as SourceError {
        throw SourceError(
          .settings, Printable.clean("\(file): sources.\(name).paging.more: in \(fixture.name), \(error.message)"))
      }
    }
  }
}

extension ManifestSource {
  /// Returns the base address of the service during the recording; nil if the recording has no request for the list.
  package func base(in fixture: Fixture) -> String? {
    let path = list.request.path.map { $0.found(in: fixture).pattern } ?? ""
    let address = fixture.exchanges.lazy.map(\.request.address).first { path.isEmpty || RecordedCall($0).matching(path) != nil }
    let segments = path.split(separator: "/").count
    return address.map { address in
      let folder = address.path.split(separator: "/").dropLast(segments).joined(separator: "/")
      return "\(address.origin)/\(folder)\(folder.isEmpty ? "" : "/")"
    }
  }
}

extension Template {
  /// Returns the first recorded path whose end fits this template: the values of the settings in it, and the path with these values.
  fileprivate func found(in fixture: Fixture) -> (pattern: String, values: [String: String]) {
    let paths = fixture.exchanges.lazy.map(\.request.address.path)
    let ends = paths.flatMap { path in path.indices.lazy.map { path[$0...] } }
    let found = ends.compactMap { settings(in: $0) }.first ?? [:]
    return (filled { found[$0] ?? "{\($0)}" } ?? "", found)
  }
}

extension Guess {
  fileprivate static func told(_ value: Content) -> Guess { Guess(value, .strong, "the manifest says so") }
}

extension ListModel {
  /// Adopts the paging of a manifest's list, as far as the recorded pages agree.
  fileprivate mutating func adopt(_ listing: ManifestSource.Listing) {
    let told = listing.paging
    if let way = told.ways(listing.rows).first(where: isBorneOut) {
      let others = paging.ways.filter { $0 != way }
      paging.way = .told(way)
      paging.ways += others
    }
    if let parameter = listing.request.parameter(naming: "size"), listed.contains(where: { $0.call[parameter] != nil }) {
      paging.size = .told(parameter)
    }
    // A list in one answer has no page size.
    if told.way.kind == .whole { paging.size = nil }
    if let location = told.total, isBorneOut(location) { paging.total = .told(location) }
    if let location = told.pages, listed.allSatisfy({ $0.number(at: location) != nil }) { paging.pages = location }
    if let location = told.more, isBorneOut(location) { paging.more = .told(location) }
  }

  /// Adopts the key of a manifest if it differs in all recorded rows.
  fileprivate mutating func adopt(key path: ValuePath?, _ location: ManifestSource.RowLocation) {
    guard let path, !isKeyed else { return }
    for path in location.paths(of: path) where Set(recorded.rows.compactMap { $0[path]?.word }).count == recorded.rows.count {
      return key = .told([path])
    }
  }

  /// Adopts the search parameter of a manifest if the recorded rows contain the text.
  fileprivate mutating func adopt(search request: ManifestRequest) {
    guard let (parameter, before, after) = request.text(naming: "text") else { return }
    let read: @Sendable (String) -> String = { String($0.dropFirst(before).dropLast(after)) }
    let found = recorded.pages.filter { !($0.call[parameter] ?? "").isEmpty && !$0.rows.isEmpty }
    let isFound = found.allSatisfy { page in
      let sought = SearchText(read(page.call[parameter] ?? ""))
      return page.rows.allSatisfy { sought.isFound(in: $0.texts) }
    }
    if !found.isEmpty, isFound { (search, searchText) = (.told(parameter), read) }
  }

  /// The first 50 pages of the list itself that have rows.
  private var listed: ArraySlice<TapedPage> {
    recorded.pages.filter { page in !page.rows.isEmpty && (search.map { (page.call[$0.value] ?? "").isEmpty } ?? true) }.prefix(
      50)
  }

  /// True when one recorded page leads to another in this way, or when there is only one.
  private func isBorneOut(_ way: PagingWay) -> Bool {
    let begins = way.start
    if let parameter = way.parameter, listed.contains(where: { $0.call.number(parameter) ?? begins < begins }) { return false }
    return Set(listed.map(\.rows)).count < 2 || listed.contains { isFollowed($0, by: way) }
  }

  private func isFollowed(_ page: TapedPage, by way: PagingWay) -> Bool {
    listed.contains { $0 != page && page.leads(to: $0.call, giving: $0.rows, by: way) }
  }

  /// True when each page has the flag, and every page with a successor says that there is more.
  private func isBorneOut(_ more: MoreLocation) -> Bool {
    listed.allSatisfy { page in
      guard case .bool(let word) = page.document[more.path] else { return false }
      return word != more.isNegated || !isFollowed(page, by: paging.way.value)
    }
  }

  /// True when the numbers at this location may count all rows.
  private func isBorneOut(_ location: NumberLocation) -> Bool {
    let numbers = listed.map { $0.number(at: location) }
    let isPlausible = if case .body(let path) = location { ListGuesser.isPlausibleTotal(path, in: Array(listed)) } else { true }
    return !numbers.contains(nil) && isPlausible && (numbers.compactMap(\.self).max() ?? 0) >= Set(listed.flatMap(\.rows)).count
  }
}

extension ManifestPaging {
  /// Returns the ways of paging in the form of a recording; empty if a recording cannot show them.
  fileprivate func ways(_ rows: ManifestSource.RowLocation) -> [PagingWay] {
    if way.kind.place != nil, way.parameter == nil { return [] }
    guard way.kind == .last, let next = way.next else { return [way] }
    return rows.paths(of: next).map { path in copy(of: way) { $0.next = path } }
  }
}

extension ManifestSource.RowLocation {
  /// Returns the possible paths in a row for a manifest's `path`: in the unwrapped object, or else beside it.
  fileprivate func paths(of path: ValuePath) -> [ValuePath] {
    [unwrap.map { ValuePath(steps: $0.steps + path.steps) }, path].compactMap(\.self)
  }
}
