import AggregatorCore

// A deleted record disappears at once, and comes back if the deletion is refused.
extension FeedMachine {
  mutating func delete(_ id: String) -> [FeedEffect] {
    guard state.canDelete, !state.deleted.contains(id) else { return [] }
    return remove(id) + [change(id, deletes: true)]
  }

  mutating func undo() -> [FeedEffect] {
    guard let id = state.undoable else { return [] }
    bringBack(id)
    return [change(id, deletes: false)]
  }

  private mutating func change(_ id: String, deletes: Bool) -> FeedEffect {
    let ticket = ticket()
    state.refusal = nil
    changes.append((ticket, id, deletes))
    return .change(ticket, id, deletes: deletes)
  }

  /// Ends a change. The record is then shown or hidden as the changes so far say, unless a later change of it is under way.
  mutating func endChange(_ ticket: Ticket, refusedWith error: SourceError?) -> [FeedEffect] {
    guard let index = changes.firstIndex(where: { $0.ticket == ticket }) else { return [] }
    let (_, id, deletes) = changes.remove(at: index)
    if let error { state.refusal = error } else if deletes { gone.insert(id) } else { gone.remove(id) }
    let isGone = gone.contains(id)
    guard isGone != state.deleted.contains(id), !changes.contains(where: { $0.id == id }) else { return [] }
    if isGone { return remove(id) }
    bringBack(id)
    return []
  }

  private mutating func remove(_ id: String) -> [FeedEffect] {
    state.deleted.append(id)
    if let index = indices[id] { state.items.hide(index) }
    return state.detail?.id == id ? hide() : []
  }

  private mutating func bringBack(_ id: String) {
    state.deleted.removeAll { $0 == id }
    state.deletedBefore.removeAll { $0 == id }
    if let index = indices[id] { state.items.show(index) }
  }
}

// One record in full.
extension FeedMachine {
  mutating func show(_ id: String) -> [FeedEffect] {
    let before = state.detail?.id == id ? state.detail?.phase : nil
    guard !state.deleted.contains(id), before != .loading, before != .loaded else { return [] }
    let stopped = hide()
    let item = indices[id].map { state.items.row(at: $0) }
    guard item == nil || !listsInFull else {
      state.detail = FeedDetail(id: id, item: item, phase: .loaded, origin: state.origin)
      return stopped
    }
    let ticket = ticket()
    (state.detail, detailTicket) = (FeedDetail(id: id, item: item, phase: .loading), ticket)
    return stopped + [.show(ticket, id, before?.error == nil ? nil : .service)]
  }

  mutating func hide() -> [FeedEffect] {
    defer { (state.detail, detailTicket) = (nil, nil) }
    return detailTicket.map { [.stop($0)] } ?? []
  }

  /// Ends the request with this ticket. Returns the id of its record if that is still awaited.
  mutating func endDetail(_ ticket: Ticket) -> String? {
    guard detailTicket == ticket else { return nil }
    detailTicket = nil
    return state.detail?.id
  }
}
