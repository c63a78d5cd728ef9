import AggregatorCore

/// The deletions and restorations under way, which are done one after the other, and what is known of those that are done.
struct FeedChanges: Sendable {
  private var underWay: [Ticket: (id: String, deletes: Bool)] = [:]
  /// The last change of each record that is under way: only what comes of this one is shown.
  private var last: [String: Ticket] = [:]
  /// The records that are deleted by all that is known.
  private var deleted: Set<String> = []

  func awaits(_ ticket: Ticket) -> Bool { underWay[ticket] != nil }

  mutating func begin(_ ticket: Ticket, _ id: String, deletes: Bool) {
    underWay[ticket] = (id, deletes)
    last[id] = ticket
  }

  /// Ends a change; returned is the record and whether it is deleted now, unless a later change of it is still to come.
  mutating func end(_ ticket: Ticket, isDone: Bool) -> (id: String, isDeleted: Bool)? {
    guard let change = underWay.removeValue(forKey: ticket) else { return nil }
    if isDone, change.deletes { deleted.insert(change.id) }
    if isDone, !change.deletes { deleted.remove(change.id) }
    guard last[change.id] == ticket else { return nil }
    last[change.id] = nil
    return (change.id, deleted.contains(change.id))
  }
}

// What is deleted disappears at once, and comes back where the deletion is refused.
extension FeedMachine {
  mutating func delete(_ id: String) -> [FeedEffect] {
    guard state.canDelete, !state.deleted.contains(id) else { return [] }
    let ticket = ticket()
    state.refusal = nil
    changes.begin(ticket, id, deletes: true)
    return remove(id) + [.change(ticket, id, deletes: true)]
  }

  mutating func undo() -> [FeedEffect] {
    guard let id = state.undoable else { return [] }
    let ticket = ticket()
    state.refusal = nil
    changes.begin(ticket, id, deletes: false)
    bringBack(id)
    return [.change(ticket, id, deletes: false)]
  }

  mutating func settleChange(_ ticket: Ticket, refusedWith error: SourceError?) -> [FeedEffect] {
    guard changes.awaits(ticket) else { return [] }
    if let error { state.refusal = error }
    guard let (id, isDeleted) = changes.end(ticket, isDone: error == nil), isDeleted != state.deleted.contains(id) else { return [] }
    if isDeleted { return remove(id) }
    bringBack(id)
    return []
  }

  private mutating func remove(_ id: String) -> [FeedEffect] {
    state.deleted.append(id)
    if let place = places[id] { state.items.hide(place) }
    return state.detail?.id == id ? hide() : []
  }

  private mutating func bringBack(_ id: String) {
    state.deleted.removeAll { $0 == id }
    state.deletedBefore.removeAll { $0 == id }
    if let place = places[id] { state.items.show(place) }
  }
}

// One record in full.
extension FeedMachine {
  mutating func show(_ id: String) -> [FeedEffect] {
    guard !state.deleted.contains(id) else { return [] }
    if state.detail?.id == id, state.detail?.phase == .loading || state.detail?.phase == .loaded { return [] }
    let isAgain = state.detail?.id == id && state.detail?.phase.error != nil
    let effects = choose(id)
    return state.detail?.phase == .loaded ? effects : effects + loadDetail(on: isAgain ? .service : nil)
  }

  mutating func preview(_ id: String) -> [FeedEffect] {
    guard !state.deleted.contains(id), state.detail?.id != id else { return [] }
    let effects = choose(id)
    guard state.detail?.phase != .loaded else { return effects }
    let ticket = ticket()
    detailTicket = ticket
    return effects + [.wait(ticket)]
  }

  /// Shows what the list has of a record, in place of another one.
  private mutating func choose(_ id: String) -> [FeedEffect] {
    let effects = hide()
    let item = places[id].map { state.items.row(at: $0) }
    let isFull = listsInFull && item != nil
    state.detail = FeedDetail(id: id, item: item, phase: isFull ? .loaded : .idle, origin: isFull ? state.origin : nil)
    return effects
  }

  mutating func hide() -> [FeedEffect] {
    defer { (state.detail, detailTicket) = (nil, nil) }
    return detailTicket.map { [.stop($0)] } ?? []
  }

  mutating func loadDetail(on insistence: Insistence? = nil) -> [FeedEffect] {
    guard let id = state.detail?.id else { return [] }
    let ticket = ticket()
    detailTicket = ticket
    state.detail?.phase = .loading
    return [.show(ticket, id, insistence)]
  }

  mutating func finishDetail(_ ticket: Ticket, _ change: (inout FeedDetail<Item>) -> Void) {
    guard detailTicket == ticket, var detail = state.detail else { return }
    detailTicket = nil
    change(&detail)
    state.detail = detail
  }
}
