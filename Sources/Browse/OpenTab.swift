package import AggregatorCore
import Feed

/// A source as the browser takes it.
package struct BrowsedSource: Sendable {
  package let name: String
  /// What a search looks at; nil where it cannot be searched.
  package let searches: String?
  package let pick: SourceDescriptor.Pick?
  let open: @Sendable () throws -> any OpenSource

  /// A source that `open` opens once it is shown.
  package init(
    _ name: String, searches: String?, pick: SourceDescriptor.Pick? = nil, open: @escaping @Sendable () throws -> any OpenSource
  ) {
    (self.name, self.searches, self.pick, self.open) = (name, searches, pick, open)
  }
}

/// An opened source, which has lost the type of its records.
protocol OpenTab: Sendable {
  /// What is to be shown now.
  var listing: any Listing { get }
  func send(_ event: FeedEvent)
  /// Whether an answer is waited for.
  var isWorking: Bool { get }
  /// Calls `changed` after each change, until it is closed.
  func watch(_ changed: @escaping @Sendable () -> Void) -> Task<Void, Never>
  /// What is shown once nothing is under way.
  func settled() async -> any Listing
  /// A random record of all there are.
  func picked(by pick: SourceDescriptor.Pick) async throws -> any Listing
  /// Ends what is under way, but waits for deletions.
  func close() async
}

struct FeedTab<Item: SourceItem>: OpenTab {
  private let source: any OpenSource<Item>
  private let feed: RecordFeed<Item>
  private let looks: RecordLooks<Item>

  init(_ source: some OpenSource<Item>) throws {
    self.source = source
    feed = RecordFeed(source)
    looks = try RecordLooks(source.schema, at: source.world.clock.now)
  }

  var listing: any Listing { FeedListing(state: feed.state, looks: looks) }

  func send(_ event: FeedEvent) { feed.send(event) }

  var isWorking: Bool { feed.state.isWorking }

  func watch(_ changed: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    let states = feed.states
    return Task { for await _ in states { changed() } }
  }

  func settled() async -> any Listing {
    for await state in feed.states where !state.isWorking { return FeedListing(state: state, looks: looks) }
    return listing
  }

  func picked(by pick: SourceDescriptor.Pick) async throws -> any Listing {
    var walk = Walk(source.answering, clock: source.world.clock)
    var items: [Item] = []
    while let page = try await walk.nextPage() { items += page }
    guard let item = pick.choose(among: items, by: source.world.dice) else {
      throw SourceError(.notFound, "there are no records to choose from").from(source.name)
    }
    return PickedListing(item: item, summary: walk.summary, looks: looks)
  }

  func close() async { await feed.close() }
}

func openTab(_ source: some OpenSource) throws -> any OpenTab { try FeedTab(source) }
