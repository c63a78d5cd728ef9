public import AggregatorCore

/// A number of records, and how it is known.
public struct RecordCount: Concluded, Sendable {
  /// The basis of a number.
  public enum Basis: String, Sendable, Hashable {
    /// The service announced it, but the records were not counted.
    case announced
    /// The records were read and counted, or are stored.
    case counted
  }

  /// The name of the source.
  public let source: String
  /// The text that the records match; nil for all records.
  public let text: String?
  /// The number of records.
  public let count: Int
  /// The basis of that number.
  public let basis: Basis
  /// The outcome of the ask. The verdict of a number that was only announced is `unverifiable`, because it may be wrong.
  public var outcome: Outcome

  /// The fields in JSON and tables. Tables and tsv leave out basis and verdict unless they are asked for.
  public static let fields = [
    Field<RecordCount>("source") { $0.source }, Field<RecordCount>("query") { $0.text },
    Field<RecordCount>("count", .title) { $0.count },
    Field<RecordCount>("from", width: .hidden) { $0.basis.rawValue },
    Field<RecordCount>("verdict", width: .hidden) {
      VerdictPart(kind: ($0.summary.verdict ?? .unverifiable).kind, reason: $0.reason)
    },
  ]

  /// The reason why an announced number may be wrong.
  static let doubt = "the service announced this number; the records were not counted"

  /// The reason for its verdict, if the word does not say everything.
  public var reason: String? {
    basis == .announced ? Self.doubt : summary.reason
  }
}

extension SourceSession {
  /// Counts the records for an ask: the stored ones, or as many as the service announces. They are read and counted if the service does
  /// not announce a number, if there is a condition, and if the count is required to be complete or every value to fit its field.
  public func count(_ ask: Ask) async throws -> RecordCount {
    var ask = ask
    let isRequired = ask.requirements.contains(.complete) || ask.requirements.contains(.sameShape)
    // A search that has to be counted whole is read beyond the limit for showing it.
    (ask.limit, ask.pages) = (isRequired ? .max : nil, isRequired || !ask.conditions.isEmpty ? nil : 1)
    var answer = try await read(ask)
    if ask.pages != nil, answer.summary.verdict == .bounded {
      if let total = answer.summary.total { return RecordCount(total, afterOnePageOf: answer, for: ask, of: name) }
      (ask.pages, ask.pagesToFetch) = (nil, 0)
      answer = try await read(ask)
    }
    return RecordCount(
      source: name, text: ask.query.text, count: answer.summary.given, basis: .counted, outcome: answer.outcome)
  }

  private func read(_ ask: Ask) async throws -> Answer<Item> {
    var answer = answer(to: ask)
    while try await answer.nextPage() != nil {}
    return answer
  }
}

extension RecordCount {
  /// The total that the first page of an answer has.
  fileprivate init<Item>(_ total: Int, afterOnePageOf answer: Answer<Item>, for ask: Ask, of source: String) {
    var summary = answer.summary
    summary.verdict = summary.counted ?? .unverifiable
    // A notice about the records shown first does not belong to a count.
    var notices = answer.notices.filter { if case .first = $0 { false } else { true } }
    if summary.counted == nil { notices.append(.announced) }
    self.init(
      source: source, text: ask.query.text, count: total, basis: summary.counted == nil ? .announced : .counted,
      outcome: Outcome(summary, notices, for: ask))
  }
}
