import AggregatorCore
import Synchronization

/// A service whose list a test compares with a store. What it has, and how it answers, may change between two requests.
final class AuditedService: DataSource {
  struct Behaviour {
    var ids: [String] = []
    /// The ids of rows that cannot be read.
    var broken: Set<String> = []
    /// True when pages announce how many rows there are.
    var announces = true
    /// The number that is announced in place of the right one.
    var total: Int?
    /// The most rows that a page has; nil for as many as are asked for.
    var mostRows: Int?
    /// True when the first page answers for every place.
    var ignoresPlaces = false
    /// The place from which on the first page answers; nil for none.
    var beginsAgain: Int?
    /// The place by token whose page has no rows and names another page; nil for none.
    var gap: Int?
    /// The service's word that more follows each page; nil if it says nothing.
    var more: Bool?
    /// Returns another answer to a look-up; nil for the usual one.
    var lookUp: @Sendable (_ id: String) throws -> [AuditedRow]? = { _ in nil }
    /// Runs before each request; `number` counts the requests.
    var before: @Sendable (_ number: Int, inout Behaviour) throws -> Void = { _, _ in }
  }

  let profile: Profile
  private let state: Mutex<(behaviour: Behaviour, requests: Int)>

  init(_ ids: [String], _ paging: Paging, looksUp: Bool = true, _ change: (inout Behaviour) -> Void = { _ in }) {
    profile = Profile("rows", paging: paging, lookup: looksUp ? .native : .walk)
    var behaviour = Behaviour(ids: ids)
    change(&behaviour)
    state = Mutex((behaviour, 0))
  }

  var requests: Int { state.withLock { $0.requests } }

  func change(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }

  func page(_ request: PageRequest) async throws -> Page<AuditedRow> {
    let place = try request.place(in: self)
    let now = try state.withLock { state in
      state.requests += 1
      try state.behaviour.before(state.requests, &state.behaviour)
      return state.behaviour
    }
    if case .record(let id) = request.query {
      if let rows = try now.lookUp(id) { return Page(of: self, rows, next: .end) }
      return Page(of: self, now.ids.contains(id) ? [AuditedRow(id)] : [], next: .end)
    }
    let size = min(place.size, now.mostRows ?? .max)
    var first: Int
    switch profile.paging.style {
    case .whole: first = 0
    case .number(let start): first = (place.number - start) * size
    case .token:
      first = place.token.flatMap { Int($0.filter(\.isNumber)) } ?? 0
      if first == now.gap, place.token?.last != "+" { return Page(of: self, [], next: .token("\(first)+")) }
    default: first = place.number
    }
    if now.ignoresPlaces || first >= now.beginsAgain ?? .max { first = 0 }
    let given = now.ids.dropFirst(first).prefix(size)
    let rows = given.filter { !now.broken.contains($0) }.map { AuditedRow($0) }
    let faults = given.filter(now.broken.contains).map { RowFault("\($0) is broken", digest: Fingerprint.of($0)) }
    let total = now.announces ? now.total ?? now.ids.count : nil
    switch profile.paging.style {
    case .whole: return Page(of: self, rows, faults: faults, total: total, next: .end)
    case .token:
      let end = first + given.count
      return Page(of: self, rows, faults: faults, total: total, next: end < now.ids.count ? .token("\(end)") : .end)
    default: return copy(of: Page(of: self, rows, faults: faults, total: total, next: .advance)) { $0.more = now.more }
    }
  }
}

struct AuditedRow: Record {
  var id = ""
  var createdAt: String?

  static let fields: [Field<AuditedRow>] = [Field("id", \.id, .title), Field("createdAt", \.createdAt)]

  init() {}
  init(_ id: String) {
    self.id = id
    // A row whose id names a second was made then.
    createdAt = id.split(separator: "@").dropFirst().first.map { "2030-01-01T00:00:\($0)Z" }
  }
}
