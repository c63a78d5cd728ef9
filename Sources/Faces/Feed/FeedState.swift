public import AggregatorCore
public import Asking

/// Everything that a screen shows of a source, as a value. A screen is a function of that value.
///
/// Its head is the first page of a search, and its tail is everything that follows while a person scrolls. The rows stay
/// while head or tail load or fail.
public struct FeedState<Item: SourceItem>: Sendable {
  /// The text in the search field.
  public package(set) var typed = ""
  /// The search that the rows answer; nil before the first answer.
  public package(set) var asked: String?
  /// The conditions and the order that a person wants.
  public package(set) var choice = FeedChoice()
  /// The conditions and the order of the rows.
  public package(set) var chosen = FeedChoice()
  /// The state of the first page.
  public package(set) var head = FeedPhase.idle
  /// The wait for the first page, while it is loading.
  public internal(set) var wait: Waiting?
  /// The state of the pages after the first.
  public internal(set) var tail = FeedTail.more
  /// The rows to show, without the deleted ones.
  public internal(set) var items = FeedItems<Item>()
  /// The summary of the rows: their origin, their verdict and counts.
  public internal(set) var summary = Summary()
  /// The notices about the conditions and the order of the rows, once they have ended: values that could not be compared, and why no
  /// row meets a condition.
  public internal(set) var notices: [Notice] = []
  /// The ids of the records that were deleted here, the last one last; an undo brings that one back.
  public internal(set) var deleted: [String] = []
  /// The ids of the records that another screen or program deleted before. An undo brings them back after those that were deleted here.
  public internal(set) var deletedBefore: [String] = []
  /// The record that is shown in full; nil if none is.
  public package(set) var detail: FeedDetail<Item>?
  /// The error with which the last deletion or restoration was refused, or other conditions or another order.
  public internal(set) var refusal: SourceError?
  /// True when records can be deleted.
  public let canDelete: Bool

  /// The state before anything was asked for.
  public init(canDelete: Bool = false) { self.canDelete = canDelete }

  /// A state with rows that did not come through a feed, or with the error for which none came.
  package init(head: FeedPhase, items: [Item] = [], summary: Summary = Summary()) {
    self.init()
    (self.head, self.summary) = (head, summary)
    self.items.append(items)
    if let verdict = summary.verdict { tail = .ended(verdict) }
  }

  /// The id of the record that an undo brings back; nil without deleted records.
  public var undoable: String? { deleted.last ?? deletedBefore.last }

  /// The origin of the rows; nil before the first answer.
  public var origin: Origin? { summary.origin }

  /// True while an answer is awaited, for the list or for one record.
  public var isWorking: Bool { head == .loading || tail == .loading || detail?.phase == .loading }
}

extension FeedState: Equatable where Item: Equatable {}

/// The state of the first page, or of one record.
public enum FeedPhase: Sendable, Hashable {
  /// It was not asked for.
  case idle
  /// It is loading.
  case loading
  /// It has come, and the rows answer the typed text.
  case loaded
  /// It failed; the screen still shows what was there before.
  case failed(SourceError)

  /// The reason why it failed; nil in every other phase.
  public var error: SourceError? { if case .failed(let error) = self { error } else { nil } }
}

/// The state of the pages after the first.
public enum FeedTail: Sendable, Hashable {
  /// More is loaded as soon as a person comes near the end.
  case more
  /// The next page is being loaded.
  case loading
  /// The last pages brought nothing to show; more is loaded only when a person asks for it.
  case dry
  /// The next page failed; the rows before it stay.
  case failed(SourceError)
  /// The list has ended; the verdict says whether everything is shown.
  case ended(Verdict)

  /// The reason why the next page failed; nil otherwise.
  public var error: SourceError? { if case .failed(let error) = self { error } else { nil } }
}

/// A record that is shown in full, and the state of its loading.
public struct FeedDetail<Item: SourceItem>: Sendable {
  /// The id of the record, known before it is loaded.
  public let id: String
  /// The record. Until it is loaded it is the row of the list, or nil if the list does not have it.
  public internal(set) var item: Item?
  /// The state of the record in full.
  public internal(set) var phase: FeedPhase
  /// The origin of the record, once it is loaded.
  public internal(set) var origin: Origin?

  package init(id: String, item: Item?, phase: FeedPhase, origin: Origin? = nil) {
    (self.id, self.item, self.phase, self.origin) = (id, item, phase, origin)
  }
}

extension FeedDetail: Equatable where Item: Equatable {}
