/// The counts of a sync, with all of its runs together, or of the import of a file.
public struct StoringCounts: Sendable, Hashable {
  /// The number of rows that came, repeated and broken ones included.
  public var received = 0
  /// The number of rows that came twice in one list, and were dropped before the store was asked.
  public var repeated = 0
  /// The number of rows that could not be read.
  public var skipped = 0
  /// The number of requests that were sent; zero for a file.
  public var requests = 0
  /// The number of pages of which the service said that they have not changed.
  public var unchangedPages = 0
  /// The values that do not fit their fields.
  public var misfits = Misfits()
  /// The counts of what the store did with the records; the store alone counts them, batch by batch.
  public var landed = LandingResult()
  /// The number of stored records that the service no longer has: of those in a file, or of those that a sync missed. It is counted at the end
  /// of a sync, and not stored with it.
  public var gone = 0

  /// Makes the counts of a beginning, after this many requests.
  public init(requests: Int = 0) { self.requests = requests }

  /// The number of rows that were left out because an earlier row of the list or file has the same id.
  public var repetitions: Int { repeated + landed.repeated }

  /// The number of records that are there and were not before: records that were never stored, and gone ones that came again.
  public var new: Int { landed.new.adding(landed.returned) }

  /// The number of records that are new, updated or gone.
  public var changed: Int { new + landed.updated + gone }

  /// The number of records that were already stored and did not change: in a sync they came with the same values, in an import the stored
  /// values stay. Records of another list that were read anew count here too, and deleted ones, which stay deleted.
  public var unchanged: Int { landed.duplicates + landed.readAnew + landed.deleted }

  /// Adds other counts.
  public static func += (sum: inout StoringCounts, more: StoringCounts) {
    sum.received = sum.received.adding(more.received)
    sum.repeated = sum.repeated.adding(more.repeated)
    sum.skipped = sum.skipped.adding(more.skipped)
    sum.requests = sum.requests.adding(more.requests)
    sum.unchangedPages = sum.unchangedPages.adding(more.unchangedPages)
    sum.misfits += more.misfits
    sum.landed += more.landed
    sum.gone += more.gone
  }
}
