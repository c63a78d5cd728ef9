import AggregatorCore
import Synchronization

/// A source that answers as a test says, and remembers what it was asked.
final class ModelSource: DataSource {
  typealias Answer = @Sendable (_ asked: Asked) async throws -> Page<Row>

  /// One call: the request, its place, the source, and the number of calls before it.
  struct Asked: Sendable {
    let request: PageRequest
    let place: PagePlace
    let source: ModelSource
    let call: Int

    func page(
      _ rows: some Sequence<Int>, broken: some Sequence<Int> = [], total: Int? = nil, next: Continuation = .advance, origin: Origin = .live
    ) -> Page<Row> {
      // Each broken row has the place that its number would have.
      let numbers: [Int] = rows.map { $0 }
      let faults = broken.enumerated().map { index, number in RowFault.broken(number, row: index + numbers.count { $0 < number }) }
      return Page(of: source, numbers.map { Row($0) }, faults: faults, total: total, next: next, origin: origin)
    }
  }

  let profile: Profile
  private let answer: Answer
  private let log = Mutex<[Asked]>([])

  init(_ name: String = "model", paging: Paging = .offset(size: 5, end: .total), answer: @escaping Answer) {
    self.profile = Profile(name, paging: paging)
    self.answer = answer
  }

  init(_ profile: Profile, answer: @escaping Answer) {
    self.profile = profile
    self.answer = answer
  }

  /// All calls so far whose requests may ask the service.
  var asked: [Asked] { log.withLock { $0 } }

  func page(_ request: PageRequest) async throws -> Page<Row> {
    let place = try request.place(in: self)
    let asked = log.withLock { log in
      let asked = Asked(request: request, place: place, source: self, call: log.count)
      log.append(asked)
      return asked
    }
    return try await answer(asked)
  }
}

extension ModelSource {
  /// A source that gives these pages, one for each call at any place, and then empty ones.
  static func pages(
    _ pages: [[Int]], paging: Paging = .offset(size: 5, end: .total), total: Int? = nil, next: Continuation = .advance
  ) -> ModelSource {
    let isByOffset = paging.style == .offset
    let paging = isByOffset ? .offset(size: paging.size, end: paging.end, lookingBack: false).unchanging() : paging
    return ModelSource(paging: paging) { $0.page($0.call < pages.count ? pages[$0.call] : [], total: total, next: next) }
  }

  /// An honest list of `count` rows.
  static func list(_ count: Int, paging: Paging = .offset(size: 5, end: .total), named name: String = "model") -> ModelSource {
    ModelSource(name, paging: paging) { asked in
      var start = asked.place.number
      let size = min(asked.place.size, count)
      if case .number(let first) = paging.style { start = min(start - first, count) * size }
      start = min(start, count)
      return asked.page(start..<min(count, start + size), total: count)
    }
  }

  /// A source that always fails.
  static func failing(_ error: any Error & Sendable, named name: String = "model") -> ModelSource {
    ModelSource(name) { _ in throw error }
  }
}
