public import AggregatorCore

/// Everything about an answer besides its records: a face says it after them, or puts it into the head of a reply.
public struct Outcome: Sendable {
  /// The number of records, their origin and the verdict.
  public var summary: Summary
  /// The notices for a person.
  public var notices: [Notice]
  /// The requirements that do not hold.
  public var unmet: [Unmet]
  /// The place from which a later answer to the same ask continues; nil if nothing follows, and if the records were sorted.
  public internal(set) var place: AnswerPlace?

  /// True when a limit left out records of an answer that is not whole besides.
  var isCut = false

  /// The verdict of the list to its end, where nothing but records before these was left out; nil if a limit ended the answer.
  package var verdictToEnd: Verdict?

  /// The name of the walk under which the answer is cached; nil if it is not. No other answer has it.
  package internal(set) var keptWalk: String?

  /// True when the list changed since the answer that this one continues: records that were given before may come again.
  package internal(set) var hasMoved = false

  /// The parameters of a place with which a client's next ask gives the rest, in place of those that it had; nil unless a limit of records
  /// ended the answer. By number of records an answer ends only where nothing else tells the end, since some may have come twice.
  ///
  /// An answer without a place of its own, such as a sorted one, continues after its records. So does one that is not live: a place in
  /// the store is one in a snapshot, which ends with the source that was opened for this ask, and in a copy a person's deletions move it.
  public func rest(of ask: Ask) -> [Remedy.Parameter]? { rest(of: ask, in: nil) }

  /// The same, with a place that is refused in another list than the one that this text tells from others; nil if it is unknown.
  package func rest(of ask: Ask, in list: String?) -> [Remedy.Parameter]? {
    guard summary.verdict == .bounded || isCut, ask.pages == nil, let limit = ask.limit, summary.given == limit else {
      return nil
    }
    let given = (ask.start?.rowsBefore ?? 0).adding(ask.offset).adding(limit)
    func offset(_ count: Int) -> [Remedy.Parameter] { count > 0 ? [.init(Ask.Parameter.offset.name, String(count))] : [] }
    guard summary.origin?.kind == .live, let place else {
      if let total = summary.total, given >= total { return nil }
      // A walk that began at a place and has no other one has come to the end.
      return ask.start == nil ? offset(ask.offset.adding(limit)) : nil
    }
    // A place by number moves on, also where rows come again because the walk stepped back. Tokens may lead in a circle for ever.
    let most = place.cursor.place.isCounted ? 10 : 1
    if let total = summary.total, given / most >= total { return nil }
    return [.init(Ask.Parameter.cursor.name, AnswerPlace(place.start, in: ask, of: list).text)]
      + offset(place.start.earlier.beyond)
  }

  /// The verdict of the whole list, as far as a part of it tells: a stored list is as whole as the report on it says. Nil while it is
  /// unknown.
  package func verdictOfList(_ report: SourceReport?) -> Verdict? {
    let isStored = summary.origin?.kind == .cache && keptWalk == nil
    return summary.verdict == .bounded && isStored ? report?.status?.verdict : summary.verdict
  }

  /// True when the limit of that ask ended the answer. Without a ``rest(of:)`` everything that was announced was given.
  package func endsAtLimit(of ask: Ask) -> Bool {
    summary.verdict == .bounded && summary.given == ask.limit && verdictToEnd != .complete
  }

  package static let doubtAtLimit = "everything that was announced was given; whether more follows, only a walk can say"

  /// The notices with their remedies in the words of a face, and the requirements that are not met.
  public func texts(of source: String, at now: Moment, _ words: Remedy.Wording) -> [String] {
    notices.map { notice in
      Printable.clean(
        ([notice.text(of: source, at: now)] + notice.remedies.compactMap { words($0, source) }).joined(separator: "; "))
    } + unmet.map { "\($0) (\(Ask.Parameter.require.name))" }
  }

  package init(_ summary: Summary, _ notices: [Notice] = [], for ask: Ask) {
    self.init(summary, notices, unmet: ask.requirements.shortfalls(of: summary))
  }

  init(_ summary: Summary, _ notices: [Notice] = [], unmet: [Unmet]) {
    (self.summary, self.notices, self.unmet) = (summary, notices, unmet)
  }
}

/// A requirement that an answer does not meet, with the reason.
public struct Unmet: Sendable, Hashable, CustomStringConvertible {
  /// The requirement.
  public let requirement: Requirement
  /// The reason why it does not hold, for a person.
  public let description: String
}

/// A result of an ask, with its outcome.
public protocol Concluded {
  /// The summary, the notices and the unmet requirements.
  var outcome: Outcome { get }
}

extension Concluded {
  /// The number of records, their origin and the verdict.
  public var summary: Summary { outcome.summary }
  /// The notices for a person.
  public var notices: [Notice] { outcome.notices }
  /// The requirements that do not hold.
  public var unmet: [Unmet] { outcome.unmet }
}

extension SourceSession {
  /// A text that is another one for another list: one of another address, of another key, or read by another description. Empty without a
  /// store.
  package var listIdentity: String {
    get async { "\(archive?.identity ?? "") \((try? await archive?.stamp(read: "")?.holder) ?? "")" }
  }
}
