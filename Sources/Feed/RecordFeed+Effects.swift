import AggregatorCore

// What the machine wants done: each thing is a task of its own, which holds the source and not the feed.
extension RecordFeed {
  /// What came of a task, and of what it read from.
  private typealias Outcome = (answer: FeedAnswer<Item>, pages: (any FeedPages<Item>)?)

  /// How long no key is pressed before what is typed is searched for.
  private static var pause: Duration { .milliseconds(300) }

  /// Begins what is to be done; returned is the task to cancel where something is to be stopped.
  func begin(_ effect: FeedEffect, _ state: inout State) -> Task<Void, Never>? {
    switch effect {
    case .stop(let ticket): return state.tasks.removeValue(forKey: ticket)
    case .wait(let ticket):
      state.tasks[ticket] = task(ticket) { [clock = source.clock] in
        // Only who is stopped wakes early, and then nobody listens.
        try? await clock.sleep(for: Self.pause)
        return (.waited(ticket), nil)
      }
    case .load(let ticket, let text, let insistence): state.tasks[ticket] = load(ticket, text, insistence)
    case .more(let ticket, let insistence): state.tasks[ticket] = follow(ticket, state.pages, insistence)
    case .show(let ticket, let id, let insistence): state.tasks[ticket] = show(ticket, id, insistence)
    case .delete(let ticket, let id): state.change = change(ticket, id, deletes: true, behind: state.change)
    case .restore(let ticket, let id): state.change = change(ticket, id, deletes: false, behind: state.change)
    }
    return nil
  }

  private func task(
    _ ticket: Ticket, _ insistence: Insistence? = nil, _ body: @escaping @Sendable () async -> Outcome
  ) -> Task<Void, Never> {
    Task { [weak self] in
      let outcome = await Insistence.on(insistence) { await body() }
      self?.finish(ticket, outcome)
    }
  }

  private func finish(_ ticket: Ticket, _ outcome: Outcome) {
    run { state in
      state.tasks[ticket] = nil
      guard state.machine.awaits(ticket) else { return nil }
      if let pages = outcome.pages { state.pages = pages }
      return state.machine.take(outcome.answer)
    }
  }

  private func load(_ ticket: Ticket, _ text: String, _ insistence: Insistence?) -> Task<Void, Never> {
    let hear: @Sendable (Event?) -> Void = { [weak self, clock = source.clock] event in
      let now = clock.now
      self?.run { $0.machine.awaits(ticket) ? $0.machine.take(.heard(ticket, event, at: now)) : nil }
    }
    return task(ticket, insistence) { [source] in
      var pages = source.pages(text)
      hear(nil)
      do {
        var page = try await Event.listening({ hear($0) }) { try await pages.next() }
        page.deleted = await source.deleted()
        return (.page(ticket, page), pages)
      } catch {
        return (.failed(ticket, source.named(error), nil), nil)
      }
    }
  }

  private func follow(_ ticket: Ticket, _ pages: any FeedPages<Item>, _ insistence: Insistence?) -> Task<Void, Never> {
    task(ticket, insistence) { [source] in
      var pages = pages
      do {
        let page = try await pages.next()
        return (.page(ticket, page), pages)
      } catch {
        return (.failed(ticket, source.named(error), pages.summary), pages)
      }
    }
  }

  private func show(_ ticket: Ticket, _ id: String, _ insistence: Insistence?) -> Task<Void, Never> {
    task(ticket, insistence) { [source] in
      do {
        let (item, origin) = try await source.record(id)
        return (.record(ticket, item, origin), nil)
      } catch {
        return (.noRecord(ticket, source.named(error)), nil)
      }
    }
  }

  private func change(_ ticket: Ticket, _ id: String, deletes: Bool, behind before: Task<Void, Never>?) -> Task<Void, Never> {
    task(ticket) { [source] in
      await before?.value
      do {
        try await source.change?(id, deletes)
        return (.changed(ticket), nil)
      } catch {
        return (.refused(ticket, source.named(error)), nil)
      }
    }
  }
}
