import AggregatorCore
import Asking

/// Something that a person does on a screen.
public enum FeedEvent: Sendable, Hashable {
  /// The list appears for the first time.
  case appear
  /// The text in the search field has changed. It is searched for after a short pause without keys.
  case typed(String)
  /// The person wants to search for the typed text at once.
  case submit
  /// The person wants other rows of the list, or another order. The rows stay until the new ones come.
  case choose(FeedChoice)
  /// The last rows come into view. More is loaded if the tail is `more`.
  case nearEnd
  /// A person asks for more rows.
  case more
  /// The person wants to try again what failed.
  case retry
  /// The person wants the list anew. Its rows stay until the new ones come.
  case refresh
  /// The list was stored anew. It is read as at the beginning, and its rows stay until the new ones come.
  case reload
  /// The person does not want to wait for the first page. A stand-in answers instead of the service.
  case standIn
  /// The person deletes the record with that id. It goes from the screen at once, then from the store.
  case delete(String)
  /// The person takes back the last deletion.
  case undo
  /// The person opens the record with that id.
  case show(String)
  /// The person closes the open record.
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
  /// Load the first page of a search in the state's choice; of everything if the text is empty.
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
  /// The notices about the conditions and the order, once the rows have ended.
  var notices: [Notice] = []
  /// The ids of the deleted records, the last one last; nil if they were not read.
  var deleted: [String]?
}
