import AggregatorCore

// One record in full.
extension FeedMachine {
  mutating func show(_ id: String) -> [FeedEffect] {
    guard !state.deleted.contains(id) else { return [] }
    if state.detail?.id == id, state.detail?.phase == .loading || state.detail?.phase == .loaded { return [] }
    let effects = hide()
    state.detail = FeedDetail(id: id, item: listed(id), phase: .waiting)
    return effects + loadDetail()
  }

  mutating func preview(_ id: String) -> [FeedEffect] {
    guard !state.deleted.contains(id), state.detail?.id != id else { return [] }
    let effects = hide()
    let ticket = ticket()
    detailTicket = ticket
    state.detail = FeedDetail(id: id, item: listed(id), phase: .waiting)
    return effects + [.wait(ticket)]
  }

  mutating func hide() -> [FeedEffect] {
    defer { (state.detail, detailTicket) = (nil, nil) }
    return detailTicket.map { [.stop($0)] } ?? []
  }

  mutating func loadDetail() -> [FeedEffect] {
    guard let id = state.detail?.id else { return [] }
    let ticket = ticket()
    detailTicket = ticket
    state.detail?.phase = .loading
    return [.show(ticket, id)]
  }

  mutating func finishDetail(_ ticket: Ticket, _ change: (inout FeedDetail<Item>) -> Void) {
    guard detailTicket == ticket, var detail = state.detail else { return }
    detailTicket = nil
    change(&detail)
    state.detail = detail
  }

  private func listed(_ id: String) -> Item? { places[id].map { state.items.row(at: $0) } }
}
