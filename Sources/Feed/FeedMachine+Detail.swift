import AggregatorCore

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
    state.detail = FeedDetail(id: id, item: item, phase: isFull ? .loaded : .waiting, origin: isFull ? state.origin : nil)
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
