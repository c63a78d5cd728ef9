public import AggregatorCore

/// Everything that a screen shows of a source: a value, and a screen is a function of it.
///
/// Its head is what a search gives first, its tail is what follows as one scrolls. Rows stand while either of them loads or fails.
public struct FeedState<Item: SourceItem>: Sendable {
  /// What stands in the search field.
  public internal(set) var typed = ""
  /// The search that the rows answer; nil before the first answer.
  public internal(set) var asked: String?
  /// How far the first page is.
  public internal(set) var head = FeedPhase.idle
  /// What the first page waits for, while it is asked for.
  public internal(set) var wait: Waiting?
  /// How far the pages behind the first are.
  public internal(set) var tail = FeedTail.more
  /// The rows to show: those that came, without the deleted ones.
  public internal(set) var items = FeedItems<Item>()
  /// Where the rows came from and how complete they are, in the words of a walk.
  public internal(set) var summary = Summary()
  /// The ids of the deleted records, the last one last: an undo brings that one back.
  public internal(set) var deleted: [String] = []
  /// The same of those that another screen or program deleted before: an undo brings them back after the others.
  public internal(set) var deletedBefore: [String] = []
  /// The one record that is shown in full.
  public internal(set) var detail: FeedDetail<Item>?
  /// Why the last deletion, or the undoing of one, was refused.
  public internal(set) var refusal: SourceError?
  /// Whether records can be deleted.
  public let canDelete: Bool

  /// What a screen shows before anything was asked for.
  public init(canDelete: Bool = false) { self.canDelete = canDelete }

  /// What came otherwise than by a feed, or why nothing came.
  package init(head: FeedPhase, items: [Item] = [], summary: Summary = Summary()) {
    self.init()
    (self.head, self.summary) = (head, summary)
    self.items.append(items)
    if let verdict = summary.verdict { tail = .ended(verdict) }
  }

  /// The record that an undo brings back.
  public var undoable: String? { deleted.last ?? deletedBefore.last }

  /// Where the rows came from; nil before the first answer.
  public var origin: Origin? { summary.origin }

  /// Whether an answer is waited for, be it for the list or for one record.
  public var isWorking: Bool { head == .loading || tail == .loading || detail?.phase == .loading }
}

extension FeedState: Equatable where Item: Equatable {}

/// How far the first page is, or one record.
public enum FeedPhase: Sendable, Hashable {
  /// Nobody has asked for it.
  case idle
  /// It is being asked for.
  case loading
  /// The rows answer what is typed.
  case loaded
  /// It could not be asked for; what is shown is what was there before.
  case failed(SourceError)

  /// Why it failed; nil in every other phase.
  public var error: SourceError? { if case .failed(let error) = self { error } else { nil } }
}

/// How far the pages behind the first are.
public enum FeedTail: Sendable, Hashable {
  /// More is loaded as soon as one comes near the end.
  case more
  /// The next page is being loaded.
  case loading
  /// The last loads brought nothing to show: more is loaded only when a person asks for it.
  case dry
  /// The next page failed; the rows before it stand.
  case failed(SourceError)
  /// There is no more, and whether what is shown is everything.
  case ended(Verdict)

  /// Why the next page failed; nil otherwise.
  public var error: SourceError? { if case .failed(let error) = self { error } else { nil } }
}

/// One record that is shown in full, and how far it is.
public struct FeedDetail<Item: SourceItem>: Sendable {
  /// The id of the record, known before it is loaded.
  public let id: String
  /// The record: until it is loaded as the list has it, where it does.
  public internal(set) var item: Item?
  /// How far the record in full is.
  public internal(set) var phase: FeedPhase
  /// Where the record came from, once it is loaded.
  public internal(set) var origin: Origin?
}

extension FeedDetail: Equatable where Item: Equatable {}
