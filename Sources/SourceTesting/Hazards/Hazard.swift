/// One way in which a service misbehaves, or does not.
public enum Hazard: String, Sendable, Hashable, CaseIterable {
  case calm = "calm"

  // Lists that do not keep still or do not do as asked.
  case clampedPageSize = "clamped page size"
  case clampedToOne = "one row a page"
  case roundedOffset = "rounded offset"
  case refusedOffset = "odd offset refused"
  case cyclingCursor = "cycling cursor"
  case ignoredOffset = "ignored offset"
  case rowInserted = "row inserted"
  case rowDeleted = "row deleted"
  case rowDeletedAtBoundary = "row deleted, at the boundary"
  case rowDeletedBehind = "row deleted, past the boundary"
  case rowReplaced = "row deleted, another added"
  case totalFallsOverRuns = "total falls between runs"
  case rowsReordered = "rows reordered"
  case emptyPageBetween = "empty page between"
  case totalTooHigh = "total too high"
  case totalTooLow = "total too low"
  case moreWithheld = "more withheld"
  case duplicateIds = "duplicate ids"
  case badRows = "bad rows"
  case brokenFirstPage = "broken first page"

  // Lists that only a sync, which has stored an earlier answer, can be misled by.
  case dateAhead = "date ahead"
  case emptyOnce = "empty once"

  // Services that ask to be left alone.
  case throttledSeconds = "429, seconds"
  case throttledUntilDate = "429, date"
  case throttledZero = "429, zero"
  case throttledForLong = "429, a day"

  // Services that falter.
  case failsOnce = "500, then 200"
  case resetOnce = "reset, then 200"
  case failsForever = "500 always"
  case gone = "404"
  case failsHalfWay = "500 half-way"
  case timesOut = "timeout"
  case slowDrip = "slow drip"
  case unreachable = "unreachable"

  // Answers that cannot be understood.
  case bodyCutShort = "body cut short"
  case partOfBody = "206, a part"
  case html = "HTML with 200"
  case wrongShape = "wrong JSON shape"
  case errorInside = "error inside a 200"
  case emptyObject = "empty object"
  case byteOrderMark = "byte-order mark"
  case enormousBody = "enormous body"

  // Refusals.
  case refusedKey = "401"
  case badRequest = "400"
  case redirectElsewhere = "redirect elsewhere"
}

extension Hazard {
  /// Whether the list is walked a page a run, each by a source that was opened anew.
  var takesRuns: Bool { self == .totalFallsOverRuns }

  /// Whether a single walk notices nothing of it.
  var befallsSyncs: Bool { self == .dateAhead || self == .emptyOnce }

  /// Whether a service so moved makes a walk by offset go on without looking back.
  var blinds: Bool { self == .clampedToOne || self == .roundedOffset || self == .refusedOffset }
}

extension Hazard: CustomStringConvertible {
  public var description: String { rawValue }
}
