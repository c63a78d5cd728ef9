import AggregatorCore

/// What is known of a source before it is put to the test.
struct HazardRun: Sendable {
  let bench: TestBed
  let stock: RowMaker.MadeRows
  let profile: Profile
  /// Whether a copy of its own stands in when nothing can be asked.
  let hasBundle: Bool
  /// Whether its requests carry a marked secret.
  let carriesSecret: Bool
  /// Whether its list requests may be sent twice.
  let isRepeatable: Bool
  let announcesTotal: Bool
  /// Whether it declares that one page holds everything, and asks for several.
  let walksByItself: Bool

  init(_ bench: TestBed) async throws {
    self.bench = bench
    let scout = try bench.open(reach: .live)
    profile = scout.source.profile
    let forge = RowMaker(bench)
    let isPaged = profile.paging.style != .whole
    let size = isPaged ? max(bench.model.list.size == nil ? bench.model.list.longestPage : 1, profile.paging.size) : 0
    // Two pages and the better part of a third.
    let stock = try await forge.stock(isPaged ? 2 * size + max(1, size * 2 / 3) : bench.model.list.rows.count)
    guard !stock.ids.isEmpty else {
      throw SourceError(
        .malformed,
        "\(bench.descriptor.name) cannot read any of the \(bench.model.list.rows.count) rows at \(bench.model.list.items.value) of "
          + "\(bench.model.list.endpoint) in \(bench.fixture.name)", remedy: "record the requests that the source itself sends")
    }
    self.stock = stock
    let calm = try bench.open(stock.rows, reach: .live)
    announcesTotal = await Self.total(from: calm.source) != nil
    carriesSecret = calm.server.requests.contains(where: \.carriesSecret)
    walksByItself = !isPaged && Set(calm.server.requests.map { Ask($0) }).count > 1
    isRepeatable = calm.server.requests.allSatisfy(\.isRepeatable)
    hasBundle = await Self.total(from: try bench.open(reach: .offline).source) != nil
  }

  private static func total(from source: some DataSource) async -> Int? {
    try? await source.page(PageRequest()).total
  }

  var isEndless: Bool { profile.paging.end == .never }

  /// Whether pages are found by counting rows, by the source or by the addresses that the service names.
  var countsRows: Bool {
    switch profile.paging.style {
    case .whole, .offset, .number: return true
    case .keyset: return false
    case .token: break
    }
    return bench.model.list.ways.contains { way in
      switch way {
      case .offset, .number: true
      case .whole, .nextAddress, .link, .token, .keyset: false
      }
    }
  }

  /// The verdict of a walk in which everything came.
  func verdict(under hazard: Hazard) -> Verdict {
    let paging = profile.paging
    if isEndless { return .bounded }
    // A total that is declared is due, too.
    if announcesTotal || paging.end == .total || paging.isUnchanging { return .complete }
    switch paging.style {
    case .number: return .unverifiable
    case .offset: return paging.looksBack && !hazard.blinds ? .complete : .unverifiable
    case .whole, .token, .keyset: return .complete
    }
  }

  /// How far a walk goes: to the end where there is one.
  var bounds: Bounds { Bounds(limit: isEndless ? stock.ids.count : nil) }

  /// What makes two requests the same.
  private struct Ask: Hashable {
    let address: WebAddress
    let body: [UInt8]?

    init(_ request: HTTPRequest) {
      address = request.wireAddress
      body = request.body
    }
  }
}
