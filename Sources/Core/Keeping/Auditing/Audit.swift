/// The result of a recount: a stored list beside a random part of what its service says now.
///
/// It never changes a verdict, and claims no more than its draws allow.
public struct Audit: Part {
  /// The way in which a recount compares a list.
  public enum Method: String, FieldValue {
    /// Pages at random places, and stored ids at random.
    case places
    /// The list from its beginning, in pages of another size.
    case walk
    /// The whole list.
    case whole
  }

  /// The moment of its end.
  public internal(set) var at = Moment(secondsSinceEpoch: 0)
  /// The way in which the list was compared.
  public internal(set) var method = Method.places
  /// The seed of its draws, with which they can be repeated.
  public internal(set) var seed = 0
  /// The number of pages and records that were asked for.
  public internal(set) var requests = 0
  /// The number of pages that came from random places.
  public internal(set) var places = 0
  /// The number of those places of which every row is missing.
  public internal(set) var lostPlaces = 0
  /// The number of different rows that came.
  public internal(set) var rows = 0
  /// The number of these rows that are not stored.
  public internal(set) var missing = 0
  /// The number of rows that are not stored, and that the service made after the sync. They are not missing.
  public internal(set) var newSince = 0
  /// True when rows say when they were made, so that new ones are told apart.
  public internal(set) var tellsNew = false
  /// The number of stored records that were looked up at the service.
  public internal(set) var ids = 0
  /// The number of these that the service does not have.
  public internal(set) var ghosts = 0
  /// The number of requests that failed.
  public internal(set) var failed = 0
  /// True when every row of the list came, so that no bound is needed.
  public internal(set) var isWhole = false
  /// The number of rows that the service announced last; nil if it announced none.
  public internal(set) var total: Int?
  /// The number of stored records, with those that a person deleted.
  public internal(set) var stored = 0
  /// Some of the ids that are missing.
  public internal(set) var missingIDs: [String] = []
  /// Some of the ids of ghosts.
  public internal(set) var ghostIDs: [String] = []
  /// The reasons why the result says less than its numbers suggest.
  public internal(set) var doubts: [String] = []
  /// The rows and places of the random sample alone, with those among them that are missing.
  var sample = Sample()
  /// The digest of the list that was compared.
  var list = ""

  struct Sample: Part {
    var rows = 0
    var missing = 0
    var places = 0
    var lost = 0

    static let fields: [Field<Sample>] = [
      Field("rows", \.rows), Field("missing", \.missing), Field("places", \.places), Field("lost", \.lost),
    ]
  }

  /// A result without anything.
  public init() {}

  public static let fields: [Field<Audit>] = [
    Field("at", \.at), Field("method", \.method), Field("seed", \.seed), Field("requests", \.requests),
    Field("places", \.places),
    Field("lostPlaces", \.lostPlaces), Field("rows", \.rows), Field("missing", \.missing), Field("newSince", \.newSince),
    Field("tellsNew", \.tellsNew), Field("ids", \.ids), Field("ghosts", \.ghosts), Field("failed", \.failed),
    Field("isWhole", \.isWhole), Field("total", \.total), Field("stored", \.stored), Field("missingIDs", \.missingIDs),
    Field("ghostIDs", \.ghostIDs), Field("doubts", \.doubts), Field("sample", \.sample), Field("list", \.list),
  ]

  /// True when at least one row or record was compared.
  public var isConclusive: Bool { isWhole || sample.rows > 0 || ids > 0 || method == .walk && rows > 0 }

  /// True when something is missing, or is stored and no longer at the service.
  public var findsFaults: Bool { missing > 0 || ghosts > 0 }

  /// The share of the rows that is missing at most, if rows are lost one by one. Nil without a sample. The rows beside the sample are no random
  /// ones; if more of them are missing, rows are lost in groups, and they count.
  public var rowBound: Double? {
    if isWhole { return rows > 0 ? Double(missing) / Double(rows) : 0 }
    guard let bound = AuditBound.share(found: sample.missing, of: sample.rows) else { return nil }
    return max(bound, AuditBound.share(found: missing, of: rows) ?? 0)
  }

  /// The share of the places that is missing at most, if pages are lost whole. Nil without a sample.
  public var placeBound: Double? { isWhole ? nil : AuditBound.share(found: sample.lost, of: sample.places) }

  /// The share of the stored records that the service does not have at most. Nil without a sample.
  public var ghostBound: Double? {
    isWhole ? ids > 0 ? Double(ghosts) / Double(ids) : 0 : AuditBound.share(found: ghosts, of: ids)
  }
}
