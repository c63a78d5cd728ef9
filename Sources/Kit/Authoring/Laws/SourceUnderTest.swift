import AggregatorCore
import Bodies
import Recordings
import Services
import Synchronization

/// A source under test, opened again and again, each time in a new world where nothing is real.
struct SourceUnderTest: Sendable {
  let descriptor: SourceDescriptor
  let fixture: Fixture
  let model: ServiceModel
  let settings: Settings
  /// The secrets, which no output may contain.
  let canaries: [String]
  let profile: Profile
  private(set) var testRows = TestRows()
  /// True when the source has bundled records, which answer when the service cannot.
  private(set) var hasBundle = false
  /// True when its requests carry a marked secret.
  private(set) var carriesSecret = false
  /// True when its list requests may be sent twice.
  private(set) var isRepeatable = false
  private(set) var announcesTotal = false
  /// True when it declares that one page holds everything, but sends several requests for it.
  private(set) var walksByItself = false

  init(
    _ descriptor: SourceDescriptor, _ fixture: Fixture, settings flags: [String: String], model given: ServiceModel?
  ) async throws {
    (self.descriptor, self.fixture) = (descriptor, fixture)
    model = try given ?? ServiceModel(of: fixture)
    guard model.list.recorded.body == .json else {
      throw SourceError(
        .settings, "\(descriptor.name) answers in \(model.list.recorded.body.name), which the kit cannot stand in for")
    }
    var flags = flags
    for secret in descriptor.settings where secret.isSecret && flags[secret.name] == nil {
      flags[secret.name] = "canary-5f1c-\(secret.name)"
    }
    for address in descriptor.settings
    where address.kind == .address && address.defaultValue == nil && flags[address.name] == nil {
      flags[address.name] = model.list.endpoint.address.origin.description
    }
    settings = Settings(declared: descriptor.settings, flags: flags)
    canaries = descriptor.settings.filter(\.isSecret).compactMap { flags[$0.name] }
    let server = ModelServer(model, fixture: fixture)
    profile = try descriptor.source(in: World(settings: settings, transport: server)).profile
    try await explore()
  }

  /// Finds out how the source behaves over rows made for it.
  private mutating func explore() async throws {
    let (list, isPaged) = (model.list, profile.paging.style != .whole)
    let recorded = list.recorded.longestPage
    // A source may ask for as many rows as the service gives at once.
    let declared = profile.paging.size > ManifestPaging.mostRows ? recorded : profile.paging.size
    let size = max(list.paging.size == nil ? recorded : 1, declared)
    // Two pages and two thirds of a third one.
    testRows = try await makeRows(isPaged ? 2 * size + max(1, size * 2 / 3) : list.recorded.rows.count)
    guard !testRows.ids.isEmpty else {
      let lone = await ObservedWalk(over: try open([list.recorded.rows[0]]), bounds: Bounds(pages: 1))
      throw SourceError(
        .malformed,
        "\(descriptor.name) cannot read any of the \(list.recorded.rows.count) rows at \(list.items.value) of \(list.endpoint) in "
          + lone.explaining("\(fixture.name); of the first row alone, as the last page, it made \(lone.ids.count) records"),
        remedy: "make it read such a page, or record the requests that it sends itself")
    }
    let calm = try open()
    // An error here is thrown again under `calm`, where it is reported.
    announcesTotal = (try? await calm.page())?.total != nil
    let requests = calm.server.requests
    carriesSecret = requests.contains(where: \.carriesSecret)
    walksByItself = !isPaged && Set(requests.map { [Array($0.wireAddress.description.utf8), $0.body] }).count > 1
    isRepeatable = requests.allSatisfy(\.isRepeatable)
    do {
      hasBundle = try calm.parts.hasBundle
    } catch {
      throw SourceError(.malformed, "the bundled records of \(descriptor.name) cannot be read: \(error)")
    }
  }

  /// Opens the source over `rows`, or over the rows made for it.
  func open(
    _ rows: [Value]? = nil, hazard: Hazard = .calm, reach: World.Reach = .live, gate: Gate? = nil,
    clock: TestClock = .leaping, store: (any RecordStore)? = nil, echo: Echo? = nil
  ) throws -> SourceCopy {
    let server = ModelServer(
      model, fixture: fixture, rows: rows ?? testRows.rows, spare: testRows.spare, hazard: hazard, clock: clock, gate: gate,
      nextItem: echo?.location == .next ? echo?.item : nil)
    let answers = AnswerSpy()
    var world = World(settings: settings, transport: echo?.transport(to: server) ?? server)
    world.terms.reach = reach
    world.clock = clock
    world.dice = SeededDice(seed: 7)
    (world.store, world.answers) = (store, answers)
    return SourceCopy(parts: try descriptor.open(in: world), server: server, clock: clock, answers: answers)
  }

  /// Returns the ID from a page with this row alone; nil if the source fails or cannot read the row.
  func id(of row: Value) async throws -> String? {
    do {
      let page = try await open([row]).page()
      return page.ids.count == 1 && page.received == 1 ? page.ids[0] : nil
    } catch is SourceError {
      return nil
    }
  }

  var isEndless: Bool { profile.paging.end == .never }

  /// True when its pages begin early, so that it notices every change of the list.
  var looksBack: Bool {
    profile.paging.looksBack && (!profile.paging.isNumbered || model.list.paging.size != nil)
  }

  /// True when a changing total shows that the service itself decides where its pages begin, so that a walk may be unverifiable.
  var doubtsChange: Bool { (profile.paging.style == .token || profile.paging.sharesKeys) && announcesTotal }

  /// True when pages are found by counting rows, either by the source or in the addresses that the service sends.
  var countsRows: Bool {
    switch profile.paging.style {
    case .whole, .offset, .number: true
    case .keyset: false
    case .token:
      model.list.paging.ways.contains(where: \.isCounted)
    }
  }

  /// Returns the verdict of a walk in which everything came.
  func verdict(under hazard: Hazard) -> Verdict {
    let paging = profile.paging
    if isEndless { return .bounded }
    if paging.style == .whole, model.isOpen { return .unverifiable }
    // A declared total counts like an announced one, unless more rows come.
    let hasTotal = (announcesTotal || paging.end == .total) && hazard != .totalTooLow && hazard != .totalOfPage
    if hasTotal || paging.isUnchanging { return .complete }
    let isSure =
      switch paging.style {
      case .offset: looksBack && !hazard.blinds
      // Looking back by page number needs a page size that the service respects.
      case .number: looksBack && !hazard.blinds && hazard != .clampedPageSize && hazard != .pageSizeFalls
      case .keyset: !paging.sharesKeys
      case .whole, .token: true
      }
    return isSure ? .complete : .unverifiable
  }

  /// The bounds of a walk: none, or the number of test rows if the list has no end.
  var bounds: Bounds { Bounds(limit: isEndless ? testRows.ids.count : nil) }
}

/// A source in a world of its own, with everything that can be observed there.
struct SourceCopy: Sendable {
  var parts: any SourceSession
  let server: ModelServer
  let clock: TestClock
  let answers: AnswerSpy

  var source: any DataSource { parts.answering }

  /// Asks for a page and returns its IDs and numbers, whatever the type of its records.
  @discardableResult
  func page(_ request: PageRequest = PageRequest()) async throws -> (ids: [String], received: Int, total: Int?) {
    try await source.outline(of: request)
  }
}

extension DataSource {
  fileprivate func outline(of request: PageRequest) async throws -> (ids: [String], received: Int, total: Int?) {
    let page = try await page(request)
    return (page.items.map(\.id), page.received, page.total)
  }
}

extension SourceSession {
  fileprivate var hasBundle: Bool {
    get throws {
      guard let list = try bundled?.all else { return false }
      try list.checkRows()
      return true
    }
  }
}

/// Stores answers in memory, and shows what was stored.
final class AnswerSpy: AnswerStore {
  private let memory = StoreInMemory()
  private let log = Mutex<[String]>([])

  /// The stored answers with their keys, as texts.
  var texts: [String] { log.withLock { $0 } }

  func answer(_ key: AnswerKey, step: Int) async throws -> CachedAnswer? { try await memory.answer(key, step: step) }

  func keep(_ answer: CachedAnswer, under key: AnswerKey, step: Int) async throws -> Bool {
    log.withLock { $0 += ["\(key)", String(decoding: answer.rows, as: UTF8.self), "\(answer.said.next)"] }
    return try await memory.keep(answer, under: key, step: step)
  }
}
