import AggregatorCore
import Asking

extension JSONSchema {
  /// The schema of an answer: the ask, the origin, the records, and whether they are all. Without a source it is that of any.
  public static func answer(of source: String? = nil, items item: JSONSchema, adding more: [Property] = []) -> JSONSchema {
    object(
      [
        Property("source", source.map { text(among: [$0]) } ?? .text), Property("query", query),
        Property("items", list(of: item)),
        Property("total", .integer.orNull.described("the number of all records, as far as the service says it")),
      ] + summary + more)
  }

  /// The members that say where an answer came from, what was left out, and whether it is whole.
  public static let summary: [Property] = [
    Property("origin", origin.orNull), Property("skipped", .integer.described("rows that could not be read")),
    Property("duplicates", .integer.described("rows that repeat a record, and were left out")),
    Property("misfits", object([], others: .integer).described("for each field the number of values that do not fit it")),
    Property("verdict", verdict),
  ]

  /// The schema of the answers of several sources to one search: that of each source by its name.
  public static func search(ofSources answers: [JSONSchema]) -> JSONSchema {
    object([Property("query", query), Property("sources", list(of: answers.count == 1 ? answers[0] : any(of: answers)))])
  }

  private static let query = object([Property("text", text.orNull), Property("limit", integer.orNull)])

  private static let origin = object([
    Property("kind", text(among: [Origin.Kind.live, .cache, .bundled, .replay].map(\.rawValue))),
    Property("age", integer.orNull.described("the age of a stored answer, in seconds")),
    Property("reason", text.orNull.described("why the answer does not come from the service itself")),
    Property("maker", text.described("the source that answered in place of the asked one"), isRequired: false),
  ])

  /// The schema of a verdict with its reason.
  package static let verdict = object([
    Property("kind", text(among: Verdict.kinds).described("whether these are all records: complete is proved")),
    Property("reason", text.orNull),
  ]
  )

  /// The schema of a number of records. It has the sum of a field, and the numbers of records with each value of one, if the ask was for
  /// them.
  public static let count = row(of: RecordCount.fields).allowing([
    sum, Property("by", .text.described("the field whose values were counted")),
    Property("values", .integer.described("the number of different values")),
    Property("counts", list(of: row(of: ValueCounts.Row.fields).allowing([sum]))),
  ])

  private static let sum = Property("sum", .number.orNull.described("the sum of a field"))
}

extension JSONSchema.Property {
  /// A member that an answer may have: texts for a person about it.
  public static let notices = Self(
    "notices", .list(of: .text).described("what a person should know about the answer"), isRequired: false)

  /// A member that an answer may have: where it continues.
  public static let next = Self(
    "next", .text.orNull.described("where the rest of the answer is; null if this is its end"), isRequired: false)
}

extension Verdict {
  /// The words for all verdicts.
  fileprivate static let kinds = ["complete", "bounded", "partial", "unverifiable"]
}
