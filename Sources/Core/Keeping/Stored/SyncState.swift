/// The progress of a sync.
public struct SyncState: Sendable, Hashable {
  /// The number of the sync among those of these records.
  public var number = 0
  /// The moment at which it began.
  public var began: Moment
  /// The moment at which it ended; nil before that.
  public var ended: Moment?
  /// True when it walks the whole list, false when it walks only what changed.
  public var isFull: Bool
  /// The cursor at which the service's list continues.
  public var cursor: Cursor?
  /// The number of different rows before the cursor, broken ones included: a walk's `rowsBefore`.
  public var rowsBefore = 0
  /// The counts of what came so far, and of what became of it.
  public var counts = StoringCounts()
  /// The number of records that the service announced last; nil if it announced nothing.
  public var total: Int?
  /// True when a row of the list may be missing although the walk came to the end.
  public var mayHaveLost = false
  /// The change of the list while it was read, for a person; nil if nothing shows one.
  public var change: String?
  /// The source that stood in for this one in the sync, as in ``Origin/maker``; nil if none did.
  public var maker: String?
  /// The moment at which an earlier sync ended with everything stored; nil if none did.
  public var wholeBefore: Moment?
  /// True when a person said that records that did not come are gone.
  var acceptsGone = false
  /// The moment up to which changes are known; the next sync asks for later ones.
  public var watermark: Moment?
  /// The source's own note of how far its list is stored; nil if it makes none.
  public var bookmark: String?
  /// The verdict at the end; nil before that.
  public var verdict: Verdict?
  /// True when a process was at it as the store was read. A store knows that from the ``Claim``, and notes it nowhere.
  public var isRunning = false

  /// Makes a sync that has brought nothing yet.
  public init(began: Moment, full isFull: Bool = true) { (self.began, self.isFull) = (began, isFull) }

  /// Makes the beginning of a sync in place of `last`; `mark` replaces the watermark of that sync.
  public init(after last: SyncState?, at moment: Moment, full isFull: Bool, mark: Moment?) {
    self.init(began: moment, full: isFull)
    number = (last?.number ?? 0).adding(1)
    watermark = (mark ?? last?.watermark).map(known)
    bookmark = isFull ? nil : last?.bookmark
    wholeBefore = last?.wholeAt
  }

  /// Returns the state to note in place of `stored`, with `landed` added to its counts; nil if another sync has taken its place.
  public func noted(over stored: SyncState?, landing landed: LandingResult = LandingResult()) -> SyncState? {
    guard let stored, stored.number == number else { return nil }
    return copy(of: self) { state in
      state.counts.landed = stored.counts.landed
      state.counts.landed += landed
    }
  }

  /// Returns the moment up to which changes are known if the service's last change is from `mark`: at most a day before the sync began, in
  /// whole seconds. Services have clocks and time zones of their own, and a row dated in the future must not hide the changes until then.
  func known(_ mark: Moment) -> Moment { Moment(secondsSinceEpoch: min(mark, began - .seconds(86_400)).seconds) }

  /// True when the sync can continue: it has not ended, or it ended without pages that failed.
  package var continues: Bool { verdict == nil || lacksPages }

  /// Returns the state as a store gives it whose claim of the whole sync `isClaimed`.
  public func running(if isClaimed: @autoclosure () -> Bool) -> SyncState {
    copy(of: self) { $0.isRunning = verdict == nil && isClaimed() }
  }

  /// True when the sync came to the end of the list, and only pages are missing that failed.
  package var lacksPages: Bool {
    verdict?.reason?.hasPrefix(Shortfall.missing("").description) ?? false && cursor?.rowContext.isFilling ?? false
  }

  /// The best verdict for a walk over the records that it stored.
  public var standing: Verdict { verdict ?? .partial(.recorded("the sync has not finished")) }

  /// The moment at which the last sync that stored everything ended; nil if none did.
  public var wholeAt: Moment? { verdict == .complete ? ended ?? began : wholeBefore }

  /// True when an earlier sync had stored everything.
  public var wasWhole: Bool { wholeBefore != nil }

  /// True when the stored records were everything at some moment, though perhaps not now.
  public var isWhole: Bool { wholeAt != nil }

  /// True when each record that the sync did not meet is gone: the walk proved that it met all records, or a person said so.
  public var tellsGone: Bool {
    isFull && (verdict == .complete && goneDoubt() == nil || acceptsGone && (verdict == .complete || verdict == .unverifiable))
  }

  /// Returns why a record that did not come may still be in the list; nil if the walk met all records.
  func goneDoubt(in paging: Paging? = nil) -> String? {
    if counts.skipped > 0 { return "rows that cannot be read may be among them" }
    if counts.repeated > 0 { return "rows that came twice may stand for them" }
    if let maker { return "\(maker) answered, which may lack them" }
    guard mayHaveLost else { return nil }
    return "\(paging?.isNumbered ?? false ? "page numbers alone" : "the pages of this list") cannot prove that they are gone"
  }

  /// Returns the error for a sync that another one has replaced, or that the store has lost, for example because the store was replaced.
  public static func isOvertaken(_ kind: RecordKind) -> SourceError {
    SourceError(
      .storage, "this sync of \(kind.name) was replaced by another one, or was removed from the store",
      remedy: .ask("sync", "to sync it again"))
  }
}

/// A part of a sync that one holder has alone, so that several workers may have a part each.
public struct Claim: Sendable, Hashable {
  /// The part that stands for the whole sync.
  public static let everything = "everything"

  /// The name of the part; ``everything`` if the sync is not shared out.
  public let part: String
  /// The number of the holder, which differs each time.
  public let holder: UInt64

  /// Makes a claim that a store has not given yet.
  public init(_ part: String = everything, holder: UInt64 = .random(in: .min ... .max)) {
    (self.part, self.holder) = (part, holder)
  }

  /// Runs `work` while this claim is held. Throws ``isTaken`` if another holder has that part.
  func held<Answer>(of kind: RecordKind, in store: any RecordStore, _ work: () async throws -> Answer) async throws -> Answer {
    try await store.claim(self, of: kind)
    return try await Deadline.ending(with: { await store.release(self, of: kind) }, work)
  }

  /// The error for a second sync at the same time.
  public static var isTaken: SourceError {
    SourceError(.taken, "another sync is running", remedy: .ask(.init("sync", with: ["wait"]), "to wait for it"))
  }
}
