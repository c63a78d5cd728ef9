/// The best of a service's stand-ins: the last answer to the same query, the stored records of the list, and the bundled records.
///
/// Of complete ones the youngest answers. Otherwise the first that has as much as is wanted answers, or else the one that has most. The
/// bundled records come last: after the stored ones, or alone if no other stand-in has all that is wanted.
struct BestStandIn<Item: SourceItem>: DataSource {
  let answers: LastAnswers<Item>
  var stored: (any DataSource<Item>)?
  let bundled: BundledRecords<Item>?
  /// True when the source in front has a description that already names the cached answers.
  var isBehindCache = true
  /// True when stored records answer wherever some are stored, complete or not.
  var isStoreFirst = false

  var profile: Profile { answers.profile.holding(others) }
  var schema: Schema<Item> { answers.schema }
  var description: String {
    let all = (isBehindCache && !others.isEmpty ? [] : [answers]) + others
    return all.dropFirst().reduce("\(all[0])") { "\($0).fallback(to: \($1))" }
  }

  private var others: [any DataSource<Item>] {
    var others: [any DataSource<Item>] = []
    if let stored { others.append(stored) }
    if let bundled { others.append(bundled) }
    return others
  }

  func page(_ request: PageRequest) async throws -> Page<Item> {
    if let cursor = request.cursor {
      return try await (others.first { $0.profile.takes(cursor) } ?? answers).page(request)
    }
    var (best, troubles): (StandInAnswer<Item>?, [SourceError]) = (nil, [])
    // The reason why another stand-in did not answer in place of the best.
    var reason: SourceError?
    // Once a person has edited records, a cached search may be wrong; the stored records have the edits.
    let isEdited = if request.query.text != nil { await answers.mayMissEdits } else { false }
    var order = others
    order.insert(answers, at: (isEdited || isStoreFirst) && stored != nil ? 1 : 0)
    for source in order {
      if isStoreFirst, best != nil { break }
      if isEdited, let best, best.has(request), source is LastAnswers<Item> { continue }
      // A record in full is mostly in its own cached answer alone.
      if let best, !request.query.isOfMany {
        guard best.isAnswer, let stored, let page = try? await stored.page(request) else { break }
        return best.page.corrected(by: page, schema)
      }
      // The stored records are followed by the bundled ones anyway.
      if let best, source is BundledRecords<Item>, best.has(request) || !best.isAnswer { break }
      do {
        let found = try await StandInAnswer(source, source.page(request), request)
        // The number of wanted records must not decide between complete answers, since it grows with the offset of each later page.
        if let answer = best, found.isComplete, !found.page.origin.isYounger(than: answer.page.origin) {
          best = await answer.toItsEnd(request)
        }
        if let best, !found.isBetter(than: best, for: request) { continue }
        (best, reason) = (found, source is BundledRecords<Item> ? troubles.reason : troubles.ofStore)
      } catch let error as SourceError {
        troubles.append(error)
      }
    }
    guard let best else { throw troubles.telling ?? SourceError(.notStored, "nothing is stored") }
    if let trouble = troubles.ofStore { Event.emit(.storeFailed(trouble)) }
    return copy(of: best.page) { $0.origin.reason = $0.origin.reason ?? reason }
  }
}

extension [SourceError] {
  /// The trouble with the store; nil if it can be read.
  fileprivate var ofStore: SourceError? { lazy.compactMap(\.storeTrouble).first }

  /// The reason why the others did not answer: the trouble with the store, or else the last error with the others that explain something.
  /// The advice about the store is left out, because it is told with the store's own event.
  fileprivate var reason: SourceError? { ofStore.map { copy(of: $0) { $0.remedy = nil } } ?? last.map { with($0) } }

  /// The error to throw. One about the owner of the list matters most, one that nothing is stored least.
  fileprivate var telling: SourceError? {
    (first { $0.kind == .settings } ?? ofStore ?? first(where: \.explains) ?? first).map { with($0) }
  }

  private func with(_ told: SourceError) -> SourceError {
    copy(of: told) { told in
      for other in self where other.explains && other.message != told.message && !told.others.contains(other) {
        told.others.append(other)
      }
    }
  }
}
