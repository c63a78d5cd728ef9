/// How far a sync is.
public struct SyncState: Sendable, Hashable {
  /// Counts the syncs of these records.
  public var number = 0
  /// When it began.
  public var began: Moment
  /// When it ended; nil while it has not.
  public var ended: Moment?
  /// Whether it walks the whole list, or only what changed.
  public var isFull: Bool
  /// Where the service's list goes on.
  public var cursor: Cursor?
  /// How many different rows lie before the cursor, broken ones too: a walk's `behind`.
  public var behind = 0
  /// How many rows came, repeated and broken ones included.
  public var received = 0
  /// Repeats that the walk itself dropped.
  public var duplicates = 0
  /// Rows that could not be read.
  public var skipped = 0
  /// Requests that were sent for it.
  public var requests = 0
  /// How many records the service announced last; nil where it announced nothing.
  public var total: Int?
  /// Whether a row that is in the list may be missing although it walked to the end.
  public var mayHaveLost = false
  /// Whether a sync before it had stored all there was.
  public var wasWhole = false
  /// Whether a person said that what did not come is gone.
  var acceptsGone = false
  /// What became of the records that came: counted by the store, batch by batch, and by nobody else.
  public var landed = LandingResult()
  /// How far changes are known: what changed since then is asked for next.
  public var watermark: Moment?
  /// How it ended.
  public var verdict: Verdict?

  /// A sync that has brought nothing yet.
  public init(began: Moment, full isFull: Bool = true) {
    self.began = began
    self.isFull = isFull
  }

  /// The beginning of a sync in place of `last`; `mark` takes the place of that one's watermark.
  public init(after last: SyncState?, at moment: Moment, full isFull: Bool, mark: Moment?) {
    self.init(began: moment, full: isFull)
    number = (last?.number ?? 0).adding(1)
    watermark = (mark ?? last?.watermark).map(known)
    wasWhole = last?.isWhole ?? false
  }

  /// The state as it is noted in place of `stored`, with what has `landed` counted; nil where another sync has taken its place.
  public func noted(over stored: SyncState?, landing landed: LandingResult = LandingResult()) -> SyncState? {
    guard let stored, stored.number == number else { return nil }
    return changing(self) { state in
      state.landed = stored.landed
      state.landed += landed
    }
  }

  /// How far changes are known where the service's last one is from `mark`: a day before the sync began at most, in whole seconds. Services
  /// have clocks and time zones of their own, and one row dated in the future must not hide what changes until then.
  func known(_ mark: Moment) -> Moment { Moment(secondsSinceEpoch: min(mark, began - .seconds(86_400)).seconds) }

  /// What a walk over the records may claim that it stored.
  public var standing: Verdict { verdict ?? .partial(.recorded("the sync has not finished")) }

  /// Whether what is stored is all there was at some moment, if not now.
  public var isWhole: Bool { verdict == .complete || wasWhole }

  /// True when a record that it did not meet is gone: the walk proved that it met all there are, or a person said so.
  public var tellsGone: Bool {
    isFull && (verdict == .complete && goneDoubt() == nil || acceptsGone && (verdict == .complete || verdict == .unverifiable))
  }

  /// Why a record that did not come may be in the list all the same; nil where the walk met all there are.
  func goneDoubt(in paging: Paging? = nil) -> String? {
    if skipped > 0 { return "rows that cannot be read may be among them" }
    if duplicates > 0 { return "rows that came twice may stand for them" }
    guard mayHaveLost else { return nil }
    return "\(paging?.isNumbered ?? false ? "page numbers alone" : "the pages of this list") cannot prove that they are gone"
  }
}

/// A part of a sync that one holder has to itself, so that several workers may have a part each.
public struct Claim: Sendable, Hashable {
  /// The part of who syncs alone.
  public static let everything = "everything"

  /// Which part of the sync: ``everything`` where it is not shared out.
  public let part: String
  /// Another one each time.
  public let holder: UInt64

  /// A claim that nobody has made yet.
  public init(_ part: String = everything, holder: UInt64 = .random(in: .min ... .max)) {
    self.part = part
    self.holder = holder
  }

  /// The error of a second sync at once.
  public static var isTaken: SourceError {
    SourceError(.taken, "another sync is running", remedy: .ask(.init("sync", with: ["wait"]), "to wait for it"))
  }
}

extension SyncState {
  /// The error of a sync that is not the last one any more, as when the store was replaced.
  public static func isOvertaken(_ kind: RecordKind) -> SourceError {
    SourceError(
      .storage, "another process replaced this sync of \(kind.name), or removed it from the store",
      remedy: .ask("sync", "to sync it again"))
  }
}
