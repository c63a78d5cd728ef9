public import AggregatorCore

/// A list that loads as one scrolls, searches as one types, and takes records out of it: what a screen needs of a source, without a screen.
///
/// ```swift
/// let feed = RecordFeed(try Source<Port>.ports.open(in: world))
/// feed.send(.appear)
/// for await state in feed.states { draw(state) }
/// ```
///
/// Events may be sent from anywhere; none waits. What is under way ends with the feed.
public final class RecordFeed<Item: SourceItem>: Sendable {
  private let runner: FeedRunner<Item>

  /// A feed of an opened source, from which records can be deleted where its list has no end. The source's own clock times it.
  public init(_ source: some OpenSource<Item>) {
    runner = FeedRunner(FeedSource(answering: source.answering, opened: source, clock: source.world.clock))
  }

  /// A feed of anything that answers.
  public init(over source: some DataSource<Item>, clock: some Timekeeper = SystemTime()) {
    runner = FeedRunner(FeedSource(answering: source, opened: nil, clock: clock))
  }

  deinit { runner.close() }

  /// What is to be shown now.
  public var state: FeedState<Item> { runner.state }

  /// What is to be shown, now and after each change; who is slow gets the latest. Ends once the feed is closed.
  public var states: AsyncStream<FeedState<Item>> { runner.states() }

  /// Takes in what a person did; `state` tells at once what became of it.
  public func send(_ event: FeedEvent) { runner.send(event) }

  /// Ends all that is under way but deletions and restorations, which are waited for.
  public func close() async { await runner.close()?.value }
}
