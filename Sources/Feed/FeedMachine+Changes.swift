import AggregatorCore

/// The deletions and restorations under way, which are done one after the other, and what is known of those that are done.
struct FeedChanges: Sendable {
  private struct Change {
    let id: String
    let deletes: Bool
  }

  private var underWay: [Ticket: Change] = [:]
  /// The last change of each record that is under way: only what comes of this one is shown.
  private var last: [String: Ticket] = [:]
  /// The records that are deleted by all that is known.
  private var deleted: Set<String> = []

  func awaits(_ ticket: Ticket) -> Bool { underWay[ticket] != nil }

  mutating func begin(_ ticket: Ticket, deleting id: String) { begin(ticket, Change(id: id, deletes: true)) }

  mutating func begin(_ ticket: Ticket, restoring id: String) { begin(ticket, Change(id: id, deletes: false)) }

  private mutating func begin(_ ticket: Ticket, _ change: Change) {
    underWay[ticket] = change
    last[change.id] = ticket
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
    changes.begin(ticket, deleting: id)
    return remove(id) + [.delete(ticket, id)]
  }

  mutating func undo() -> [FeedEffect] {
    guard let id = state.undoable else { return [] }
    let ticket = ticket()
    state.refusal = nil
    changes.begin(ticket, restoring: id)
    bringBack(id)
    return [.restore(ticket, id)]
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
