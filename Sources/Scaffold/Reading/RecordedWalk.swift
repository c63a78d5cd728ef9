import AggregatorCore
import Drafting
import Manifests

/// What makes one recorded page follow another.
struct RecordedWalk {
  let paging: PagingModel
  let secrets: SecretFinder

  /// How many pages a fixture is given: enough to go on twice.
  private static let most = 4

  /// The longest beginning of a walk among `candidates`, all of one query; none where all are empty.
  func pages(among candidates: [RecordedPage]) -> [RecordedPage] {
    // An empty page is the end of a walk, never its beginning.
    guard let start = start(among: candidates.filter { !$0.rows.isEmpty }) else { return [] }
    var pages = [start]
    while pages.count < Self.most, let last = pages.last, !last.rows.isEmpty,
      let next = candidates.first(where: { !pages.contains($0) && leads(from: last, to: $0) })
    {
      pages.append(next)
    }
    return pages
  }

  /// The page that lies furthest to the front.
  private func start(among pages: [RecordedPage]) -> RecordedPage? {
    switch paging {
    case .whole: pages.max { $0.rows.count < $1.rows.count }
    case .offset(let parameter), .number(let parameter, _): pages.min { place($0, parameter) < place($1, parameter) }
    case .token(_, let parameter), .keyset(_, let parameter): pages.first { ($0.call[parameter] ?? "").isEmpty } ?? pages.first
    case .nextAddress, .link: pages.first { page in !pages.contains { $0 != page && leads(from: $0, to: page) } } ?? pages.first
    }
  }

  private func leads(from page: RecordedPage, to other: RecordedPage) -> Bool {
    switch paging {
    case .whole: return false
    case .offset(let parameter), .number(let parameter, _):
      let step = if case .offset = paging { page.received } else { 1 }
      return place(other, parameter) == place(page, parameter) + step
        && plain(page.call).filter { $0.key != parameter.name } == plain(other.call).filter { $0.key != parameter.name }
    case .token(_, let parameter), .keyset(_, let parameter):
      return page.next(paging).map { $0 == other.call[parameter] } ?? false
    case .nextAddress, .link:
      guard let target = page.next(paging).flatMap(page.exchange.request.address.resolving) else { return false }
      let asked = Call(target)
      return asked.address == other.call.address && plain(asked) == plain(other.call)
    }
  }

  private func place(_ page: RecordedPage, _ parameter: Parameter) -> Int {
    if let place = page.call[parameter].flatMap({ Int($0) }) { return place }
    if case .number(_, let first) = paging { return first }
    return 0
  }

  private func plain(_ call: Call) -> [String: String] {
    let items = call.query.filter { !secrets.isSecret($0.name) && !Noise.isNoise($0.name, $0.value) }
    return Dictionary(items.map { ($0.name, $0.value) }) { first, _ in first }
  }
}

extension RecordedPage {
  /// The number of all rows, as this page has it.
  func total(_ model: TotalModel) -> Int? {
    switch model {
    case .body(let path): document[path]?.int
    case .header(let name): exchange.response[header: name].flatMap { Int($0) }
    }
  }

  /// Whether it says that there is more; nil where it says nothing.
  func more(_ model: MoreModel) -> Bool? {
    if case .bool(let word) = document[model.path] { word != model.isContrary } else { nil }
  }
}
