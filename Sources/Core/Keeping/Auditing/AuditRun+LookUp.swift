// Records that are looked up one by one.
extension AuditRun {
  mutating func lookUp(_ count: Int) async throws {
    // One look-up of a record that was just seen shows that the service finds records by their ids.
    let control = came.ids.min()
    let isControlled = control != nil && count > 1
    var (absent, strange, listed): ([String], Int, Int) = ([], 0, 0)
    for id in try await stored.random(isControlled ? count - 1 : count, by: dice) where requestsLeft > 0 {
      switch try await find(id) {
      case .there: audit.ids += 1
      case .absent:
        // The service has what it lists.
        if came.ids.contains(id) {
          (audit.ids, listed) = (audit.ids + 1, listed + 1)
        } else if try await !stored.isImported(id) {
          audit.ids += 1
          absent.append(id)
        }
      case .other: strange += 1
      case .failed: break
      }
    }
    if strange > 0 {
      audit.doubts.append("\(strange) \(strange == 1 ? "look-up was" : "look-ups were") answered with another record")
    }
    if listed > 0 { audit.doubts.append("the service lists \(listed) of the records that it does not find by their IDs") }
    guard !absent.isEmpty else { return }
    var finds = absent.count + listed < audit.ids
    if !finds, let control, requestsLeft > 0 { finds = try await find(control) == .there }
    guard finds else {
      audit.doubts.append("the service finds no record by its ID, so look-ups say nothing")
      audit.ids = 0
      return
    }
    tell(gone: absent)
  }

  enum LookUp { case there, absent, other, failed }

  mutating func find(_ id: String) async throws -> LookUp {
    audit.requests += 1
    do {
      let page = try await source.page(PageRequest(.record(id)))
      guard let item = page.items.first else { return page.faults.isEmpty ? .absent : .there }
      return item.id == id || source.schema.answers(item, to: id) ? .there : .other
    } catch let error as SourceError where error.kind == .notFound {
      return .absent
    } catch let error as SourceError {
      try note(error)
      return .failed
    }
  }
}
