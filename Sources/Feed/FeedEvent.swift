import AggregatorCore

/// Something that a person does on a screen.
public enum FeedEvent: Sendable, Hashable {
  /// The list appears for the first time.
  case appear
  /// The text in the search field has changed. It is searched for once no key was pressed for a moment.
  case typed(String)
  /// The typed text has to be searched for at once.
  case submit
  /// The last rows come into view. More is loaded if the tail is `more`.
  case nearEnd
  /// A person asks for more rows.
  case more
  /// Whatever failed has to be tried again.
  case retry
  /// The list has to be asked for anew; its rows stay until the new ones come.
  case refresh
  /// A person does not want to wait for the first page; a stand-in has to answer instead of the service.
  case standIn
  /// The record with that id has to be deleted, at once on the screen and then in the store.
  case delete(String)
  /// The last deletion has to be undone.
  case undo
  /// The record with that id has to be shown in full.
  case show(String)
  /// The record in full has to be closed.
  case hide
}

/// The number of something under way. An answer counts only while its number is awaited; otherwise it came too late.
struct Ticket: Sendable, Hashable {
  let number: Int
}

/// Work for the feed that owns the machine.
enum FeedEffect: Sendable, Hashable {
  /// Wait for the pause after a key to end.
  case wait(Ticket)
  /// Load the first page of a search; of everything if the text is empty.
  case load(Ticket, String, OriginDemand?)
  /// Load the page after those that have come.
  case more(Ticket, OriginDemand?)
  case show(Ticket, String, OriginDemand?)
  /// Stop the task; its answer is not wanted any more.
  case stop(Ticket)
  case change(Ticket, String, deletes: Bool)
}

/// The result of an effect.
enum FeedAnswer<Item: SourceItem>: Sendable {
  case waited(Ticket)
  /// Something happened while the first page was loading; nil as the loading begins.
  case heard(Ticket, Event?, at: Moment)
  case page(Ticket, FeedPage<Item>)
  case record(Ticket, Item, Origin?)
  /// The record was deleted or restored.
  case changed(Ticket)
  /// The effect failed. For a later page, the summary is that of the rows before it.
  case failed(Ticket, SourceError, Summary?)
}

/// Some rows, and what is known about the rows after them.
struct FeedPage<Item: SourceItem>: Sendable {
  var items: [Item]
  var summary: Summary
  /// The state of the tail after these rows: `dry` if more may follow but most of it would not be wanted.
  var next: FeedTail
  /// The ids of the deleted records, the last one last; nil if they were not read.
  var deleted: [String]?
}
