import AggregatorCore

/// Where a record came from and what became of it, as `why` tells it.
struct RecordAccount: Fielded {
  let email: String
  let uuid: String?
  let fetchedAt: String?
  let fetch: FetchAccount?
  let absorbed: [Repeat]
  let deletedAt: String?

  struct FetchAccount: Part {
    let seed: String?
    let page: Int?
    /// What brought it, for a person.
    let words: String

    init(_ fetch: Fetch) {
      seed = fetch.question.hasPrefix("seed=") ? String(fetch.question.dropFirst(5)) : nil
      page = fetch.place.hasPrefix("page ") ? Int(fetch.place.dropFirst(5)) : nil
      words = "\(fetch.question), \(fetch.place)"
    }

    static let fields = [Field<FetchAccount>("seed") { $0.seed }, Field<FetchAccount>("page") { $0.page }]
  }

  struct Repeat: Part {
    let uuid: String?
    let fetchedAt: String?

    static let fields = [Field<Repeat>("uuid") { $0.uuid }, Field<Repeat>("fetchedAt") { $0.fetchedAt }]
  }

  init(id: String, _ history: History) {
    email = id
    uuid = history.record.flatMap { Self.uuid(in: $0.body) }
    fetchedAt = history.fetch?.at.iso
    fetch = history.fetch.map(FetchAccount.init)
    absorbed = history.absorbed.map { Repeat(uuid: Self.uuid(in: $0.body), fetchedAt: $0.fetch?.at.iso) }
    deletedAt = history.deletedAt?.iso
  }

  private static func uuid(in body: [UInt8]) -> String? { (try? JSON(body)).flatMap { try? $0.text("uuid") } }

  static let fields = [
    Field<RecordAccount>("email") { $0.email },
    Field<RecordAccount>("uuid") { $0.uuid },
    Field<RecordAccount>("fetchedAt") { $0.fetchedAt },
    Field<RecordAccount>("fetch") { $0.fetch },
    Field<RecordAccount>("absorbed") { $0.absorbed },
    Field<RecordAccount>("deletedAt") { $0.deletedAt },
  ]

  var sentences: [String] {
    var sentences = [email + (uuid.map { " (\($0))" } ?? "")]
    if let fetchedAt { sentences.append("fetched on \(fetchedAt)\(fetch.map { " (\($0.words))" } ?? "")") }
    for other in absorbed {
      sentences.append("duplicate\(other.uuid.map { " \($0)" } ?? "") fetched\(other.fetchedAt.map { " on \($0)" } ?? "")")
    }
    if let deletedAt { sentences.append("deleted on \(deletedAt)") }
    return sentences
  }
}
