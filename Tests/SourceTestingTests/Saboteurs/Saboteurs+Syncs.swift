import AggregatorCore
import Ports
import SourceTesting
import Synchronization

extension Saboteurs {
  /// Those that mislead a sync, which believes what they say of the list.
  static var ofSyncs: [Saboteur] { [hopeful, hiding] }

  /// Once it has seen a date, however far ahead, it asks for nothing before it.
  private static var hopeful: Saboteur {
    let last = Mutex<Moment?>(nil)
    return Saboteur(
      "asks for what changed after the last date it saw", breaks: .hazards([.dateAhead], .nothingLost), in: PortsFixtures.changing
    ) { source, request in
      var request = request
      if case .changed(let mark) = request.query {
        request = PageRequest(.changed(since: last.withLock { max($0 ?? mark, mark) }), at: request.cursor, wanted: request.wanted)
      }
      let page = try await PortsFixtures.changing.page(source, request)
      last.withLock { $0 = [$0, page.mark].compactMap { $0 }.max() }
      return page
    }
  }

  /// It takes an empty list for a mistake of the service, and says nothing of it.
  private static var hiding: Saboteur {
    let known = Mutex<[Int: Page<Port>]>([:])
    return Saboteur("gives its last answer for an empty one", breaks: .hazards([.emptyOnce], .nothingLost), in: PortsFixtures.offset) {
      source, request in
      let page = try await PortsFixtures.offset.page(source, request)
      let place = try request.place(in: source).number
      guard page.total == 0, page.received == 0 else {
        known.withLock { $0[place] = page }
        return page
      }
      return known.withLock { $0[place] } ?? page
    }
  }
}
