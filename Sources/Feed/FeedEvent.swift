import AggregatorCore

/// What a person does.
public enum FeedEvent: Sendable, Hashable {
  /// The list is shown for the first time.
  case appear
  /// The text in the search field is another one. It is searched for once no key was pressed for a moment.
  case typed(String)
  /// What is typed is to be searched for at once.
  case submit
  /// The last rows come into view: more is loaded where that brings some without being asked for.
  case nearEnd
  /// A person asks for more.
  case more
  /// What failed is to be tried again.
  case retry
  /// The list is to be asked for anew; the rows stand until it comes.
  case refresh
  /// The first page is not to be waited for: what stands in for the service is to answer.
  case standIn
  /// The record of that id is to be taken out, at once on the screen and then in the store.
  case delete(String)
  /// The last deletion is to be undone.
  case undo
  /// One record is to be shown in full.
  case show(String)
  /// No record is shown in full any more.
  case hide
}

/// The number of something under way. An answer that bears another one than is waited for came too late.
struct Ticket: Sendable, Hashable {
  let number: Int
}

/// What is to be done outside of the machine.
enum FeedEffect: Sendable, Hashable {
  /// Wait for the pause between two keys to pass.
  case wait(Ticket)
  /// Ask for the first page of a search; of everything where the text is empty.
  case load(Ticket, String, Insistence?)
  /// Ask for the page behind those that came.
  case more(Ticket, Insistence?)
  case show(Ticket, String, Insistence?)
  /// Nobody wants the answer any more.
  case stop(Ticket)
  case change(Ticket, String, deletes: Bool)
}

/// What comes of an effect.
enum FeedAnswer<Item: SourceItem>: Sendable {
  case waited(Ticket)
  /// Something happened on the way to the first page; nil as it begins.
  case heard(Ticket, Event?, at: Moment)
  case page(Ticket, FeedPage<Item>)
  case record(Ticket, Item, Origin?)
  /// The record was deleted or restored.
  case changed(Ticket)
  /// Whatever was wanted failed; of a later page the summary is that of the rows before it.
  case failed(Ticket, SourceError, Summary?)
}

/// Some rows, and what is known behind them.
struct FeedPage<Item: SourceItem>: Sendable {
  var items: [Item]
  var summary: Summary
  /// What the tail is then; dry where there may be more, and mostly it is nothing that is wanted.
  var next: FeedTail
  /// The ids of the records that are deleted, the last one last; nil where nobody looked.
  var deleted: [String]?
}
