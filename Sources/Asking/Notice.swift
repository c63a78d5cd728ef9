public import AggregatorCore

/// What a person should know beside the records, as a value; a face says it in its own words, or in these.
public enum Notice: Sendable, Hashable {
  /// The answer is not live.
  case origin(Origin)
  /// So many rows could not be read.
  case skipped(Int)
  /// The list moved while it was read, and nothing is missing.
  case changed(String)
  /// So many rows came twice and were dropped.
  case repeated(Int)
  /// The answer ended before everything was received, and why.
  case incomplete(Shortfall)
  /// A limit cut the answer.
  case first(Int, of: Int?)
  /// Only so many records were read to order them.
  case sortedFirst(Int, of: Int?)
  /// A number that the service announced, and nobody has counted.
  case announced
  /// Nothing is left behind an offset.
  case offsetLeavesNone(offset: Int, count: Int)
  /// No record meets the conditions, and why; `areCodes` where the list of fields says what the values mean.
  case noneMeets(String, areCodes: Bool)
  /// No record matches that text, and which titles come near.
  case noMatch(text: String, NearestTitles)
  /// The list has no records at all.
  case noRecords
  /// The store does not know whether the list is whole.
  case mayBeMore
  /// A list that grows as one asks has only these.
  case stored(Int, isLive: Bool)
  /// A search looked at so many stored records.
  case searched(Int)
  /// Several records match alike.
  case several(Int, text: String, shown: String)
  /// The record is another one than the text names exactly, and how it was found.
  case notNamed(String)
  /// The service was asked for one id and answered with another.
  case otherID(asked: String, answered: String)
  /// A person has edited so many of the records; of a single one the fields are named.
  case edited(Int, id: String, [FieldPath])
  /// The service does not have the record, and the store does.
  case onlyStored
  /// A row of a file could not be read; and so many more than were told one by one.
  case skippedRow(RowFault)
  /// So many more rows could not be read than were told one by one.
  case skippedMore(Int)
  /// So many records of a file say something else than the service did, whose records stay.
  case differing(Int)
  /// Not all of a file is UTF-8, and what it seems to be encoded as.
  case notUTF8(String, String)
  /// Something that nobody has to tell from other things.
  case note(String)
  /// There is nothing to read on.
  case seenEverything

  /// The name by which a program tells it from others; it stays what it is whatever the words are.
  public var name: String {
    switch self {
    case .origin: "origin"
    case .skipped, .skippedRow, .skippedMore: "skipped-rows"
    case .changed: "list-changed"
    case .repeated: "repeated-records"
    case .incomplete: "incomplete"
    case .first: "limited"
    case .sortedFirst: "sorted-first"
    case .announced: "announced-count"
    case .offsetLeavesNone: "offset-leaves-none"
    case .noneMeets: "none-meets"
    case .noMatch: "no-match"
    case .noRecords: "no-records"
    case .mayBeMore: "may-be-more"
    case .stored: "stored-records"
    case .searched: "searched-records"
    case .several: "several-match"
    case .notNamed: "not-named"
    case .otherID: "other-id"
    case .edited: "edited-records"
    case .onlyStored: "only-stored"
    case .differing: "differing-rows"
    case .notUTF8: "not-utf-8"
    case .note: "note"
    case .seenEverything: "seen-everything"
    }
  }

  /// What it says, without what can be done about it.
  public func text(of source: String, at now: Moment) -> String {
    switch self {
    case .origin(let origin): origin.words(at: now)
    case .skipped(let count): "skipped \(count) broken row\(count == 1 ? "" : "s")"
    case .changed(let how): how
    case .repeated(let count): "left out \(count) repeated record\(count == 1 ? "" : "s")"
    case .incomplete(let shortfall): shortfall.notice
    case .first(let count, let total): "showing the first \(count)\(total.map { " of \($0)" } ?? "")"
    case .sortedFirst(let count, let total): "sorted the first \(count)\(total.map { " of \($0)" } ?? "")"
    case .announced: RecordCount.doubt
    case .offsetLeavesNone(let offset, let count):
      "\(count == 1 ? "1 record was" : "\(count) records were") read; an offset of \(offset) leaves none"
    case .noneMeets(let why, _): why
    case .noMatch(let text, let nearest): "no \(source) match \"\(text)\"\(nearest.question.map { "; \($0)" } ?? "")"
    case .noRecords: "no records"
    case .mayBeMore: "this may not be everything: the store does not know whether the list is whole"
    case .stored(let count, let isLive): "\(count) \(source) are \(isLive ? "on the page that was fetched" : "stored")"
    case .searched(let count): "searched \(count) stored \(source)"
    case .several(let count, let text, let shown): "\(count) match \"\(text)\"; showing the best, \(shown)"
    case .notNamed(let how): how
    case .otherID(let asked, let answered): "the service was asked for \"\(asked)\" and answered with \"\(answered)\""
    case .edited(1, let id, let paths): "\(paths.map(\.text).joined(separator: ", ")) of \(id) was edited"
    case .edited(let count, _, _): "\(count) of these have edits"
    case .onlyStored: "the service has no such record; showing the stored one"
    case .skippedRow(let fault): "skipped \(fault.text)"
    case .skippedMore(let count): "skipped \(count) more row\(count == 1 ? "" : "s")"
    case .differing(let count):
      count == 1
        ? "1 differs from what \(source) gave and was left as it is"
        : "\(count) differ from what \(source) gave and were left as they are"
    case .notUTF8(let file, _): "not all of \(file) is UTF-8"
    case .note(let text): text
    case .seenEverything: "you have seen everything"
    }
  }

  /// What can be done about it.
  public var remedies: [Remedy] {
    switch self {
    case .origin(let origin):
      [origin.reason?.remedy, origin.isPart ? .ask("sync", "to fetch the rest") : nil].compactMap { $0 }
    case .first: [.give(["all", .init("limit", "N")], "to see more")]
    case .sortedFirst: [.give(["all"], "to sort every record")]
    case .announced: [.give([.init("require", "complete")], "to count them")]
    case .stored: [.readOn]
    case .searched: [.give([.init("more", "N")], "to fetch more")]
    case .differing(let count): [.give(["replace"], count == 1 ? "to store it" : "to store them")]
    case .notUTF8(let file, let encoding): [.convert(file, from: encoding)]
    case .seenEverything: [.startAgain]
    case .edited(let count, let id, _): [.ask(.init("why", count == 1 ? id : "ID"), "")]
    default: []
    }
  }
}

extension Origin {
  /// Where an answer comes from and why not from the service: `cached 6 min ago: cannot reach …`; `because` is said instead of the error.
  public func words(because choice: String? = nil, at now: Moment) -> String {
    let what =
      switch kind {
      case .live: "live"
      case .cache:
        (isImported ? "imported " : isPart ? "partly synced " : "cached ") + (age.map(\.ago) ?? "some time ago")
          + (hasBundledRest ? ", then bundled data" : "")
      case .bundled: "using bundled data"
      case .replay: "recorded on \(CalendarDay(now))"
      }
    return what + (choice.map { " (\($0))" } ?? reason.map { ": \($0.message)" } ?? "")
  }
}

extension Notice {
  /// What is to be said of the edited ones among these records; nil where there are none.
  static func edited(_ edits: [String: [FieldPath]], among items: some Sequence<some SourceItem>) -> Notice? {
    let shown = items.compactMap { item in edits[item.id].map { (id: item.id, paths: $0) } }
    return shown.first.map { .edited(shown.count, id: $0.id, $0.paths) }
  }

  /// The same notice with the records of an earlier one.
  func added(to earlier: Notice?) -> Notice {
    guard case .edited(let count, _, _) = self, case .edited(let before, let id, let paths) = earlier else { return self }
    return .edited(before + count, id: id, paths)
  }
}

extension Shortfall {
  fileprivate var notice: String { "incomplete: \(sentence)" }
}

extension Verdict {
  /// What a person should know of a list that ended so and changed in such a way while it was read; nil where it came whole or a limit cut it.
  package func notice(after change: String?) -> String? {
    switch self {
    case .complete: change
    case .bounded: nil
    case .partial(let shortfall): shortfall.notice
    case .unverifiable: Verdict.doubt(after: change)
    }
  }
}

extension Notice {
  /// What is said where no record came.
  package static func nothing(matching text: String?, _ nearest: NearestTitles) -> Notice {
    text.map { .noMatch(text: $0, nearest) } ?? .noRecords
  }
}

extension Summary {
  /// What is wrong with the rows that came, and what is missing.
  public var notices: [Notice] {
    var notices: [Notice] = skipped > 0 ? [.skipped(skipped)] : []
    if verdict?.reason == nil, let change = reason { notices.append(.changed(change)) }
    if duplicates > 0 { notices.append(.repeated(duplicates)) }
    if case .partial(let shortfall) = verdict { notices.append(.incomplete(shortfall)) }
    return notices
  }
}

extension [Notice] {
  /// What is to be said at the end of an answer; `isReadingOn` where its limit is what was wanted.
  init(_ summary: Summary, for ask: Ask, of source: SourceDescriptor, isReadingOn: Bool = false, nothing: Notice? = nil) {
    self = summary.notices
    switch summary.verdict {
    case .partial: break
    case .bounded where isReadingOn, .complete where isReadingOn: break
    case _ where summary.given == 0: append(nothing ?? .nothing(matching: ask.query.text, summary.nearest))
    case .bounded: append(.first(summary.given, of: summary.total))
    case .unverifiable where summary.origin?.kind == .cache && !source.isEndless: append(.mayBeMore)
    default: break
    }
  }
}
