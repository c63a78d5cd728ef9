public import AggregatorCore

/// How many records there are, and how that is known.
public struct RecordCount: Concluded, Sendable {
  /// Where a number is from.
  public enum Basis: String, Sendable, Hashable {
    /// The service announced it, and nobody has counted.
    case announced
    /// So many records were read, or are stored.
    case counted
  }

  /// The name of the source.
  public let source: String
  /// What the records were to match.
  public let text: String?
  /// How many there are.
  public let count: Int
  /// Where that is from.
  public let basis: Basis
  /// How it came about. Of a number that was only announced nobody knows whether it is right: its verdict is `unverifiable`.
  public var outcome: Outcome

  /// As JSON and tables have it. Tables and tsv leave out how it is known, unless they are asked for that.
  public static let fields = [
    Field<RecordCount>("source") { $0.source }, Field<RecordCount>("query") { $0.text },
    Field<RecordCount>("count", .title) { $0.count },
    Field<RecordCount>("from", width: .hidden) { $0.basis.rawValue },
    Field<RecordCount>("verdict", width: .hidden) {
      VerdictPart(kind: ($0.summary.verdict ?? .unverifiable).kind, reason: $0.reason)
    },
  ]

  /// Why nobody knows whether an announced number is right.
  static let doubt = "the service announced this number; the records were not counted"

  /// Why its verdict is what it is, where the word does not say all.
  public var reason: String? {
    basis == .announced ? Self.doubt : summary.reason
  }
}

extension SourceSession {
  /// How many records there are for an ask: as many as are stored, as the service announces, or as are read where it announces nothing,
  /// where some are not wanted, and where the count is required to be complete.
  public func count(_ ask: Ask) async throws -> RecordCount {
    var ask = ask
    let isRequired = ask.requirements.contains(.complete)
    // A search that is to be counted whole is read beyond what is shown of it.
    (ask.limit, ask.pages) = (isRequired ? .max : nil, isRequired || !ask.conditions.isEmpty ? nil : 1)
    var answer = try await read(ask)
    if ask.pages != nil, answer.summary.verdict == .bounded {
      if let total = answer.summary.total { return RecordCount(total, behindOnePageOf: answer, for: ask, of: name) }
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
  fileprivate init<Item>(_ total: Int, behindOnePageOf answer: Answer<Item>, for ask: Ask, of source: String) {
    var summary = answer.summary
    summary.verdict = summary.counted ?? .unverifiable
    // What was shown is no part of a count.
    var notices = answer.notices.filter { if case .first = $0 { false } else { true } }
    if summary.counted == nil { notices.append(.announced) }
    self.init(
      source: source, text: ask.query.text, count: total, basis: summary.counted == nil ? .announced : .counted,
      outcome: Outcome(summary, notices, for: ask))
  }
}
