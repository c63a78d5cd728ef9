public import AggregatorCore
import Platform

/// A fact that a person should know besides the records, as a value. A face says it in its own words, or in these.
public enum Notice: Sendable, Hashable {
  /// The answer is not live, or of another service.
  case origin(Origin)
  /// The answer is older than this, and no service could be asked for a younger one.
  case older(Duration)
  /// This number of rows could not be read, now or, if the list is stored, by its sync.
  case skipped(Int, isStored: Bool = false)
  /// Values do not fit their fields, whose descriptions these are.
  case misfits(Misfits, [FieldOutline])
  /// The list changed in this way while it was read, and nothing is missing.
  case changed(String)
  /// This number of rows came twice and was dropped.
  case repeated(Int)
  /// The answer ended before everything was received, for this reason.
  case incomplete(Shortfall)
  /// The limit cut the answer after this number of records.
  case first(Int, of: Int?)
  /// The answer has this number of records, which are not the first ones. They may not fit to the earlier ones if `mayMiss`.
  case part(Int, of: Int?, mayMiss: Bool)
  /// Only this number of records was read to sort them.
  case sortedFirst(Int, of: Int?)
  /// The service announced the number, but the records were not counted.
  case announced
  /// The offset leaves out all records.
  case offsetLeavesNone(offset: Int, count: Int)
  /// No record meets the conditions, for this reason. `areCodes` is true when the list of fields explains the values.
  case noneMeets(String, areCodes: Bool)
  /// No record matches that text; these titles are near.
  case noMatch(text: String, NearestTitles)
  /// The list has no records at all.
  case noRecords
  /// Nothing proves that the list is whole: neither the store nor, if it is live, the service.
  case mayBeMore(isLive: Bool)
  /// An endless list has only this number of records so far.
  case stored(Int, isLive: Bool)
  /// A search looked at this number of stored records.
  case searched(Int)
  /// This number of records matches the text equally well; the best is shown.
  case several(Int, text: String, shown: String)
  /// No record has exactly this id or name, and another one was found in the way that the text says.
  case notNamed(String)
  /// A person has edited this number of records; for a single one the fields are named.
  case edited(Int, id: String, [FieldPath])
  /// The store has the record, but the service does not.
  case onlyStored
  /// A row of a file could not be read.
  case skippedRow(RowFault)
  /// This number of further rows could not be read, besides those that were told one by one.
  case skippedMore(Int)
  /// This number of records in a file differs from those of the service, which stay.
  case differing(Int)
  /// The file is not all UTF-8, and seems to have this encoding.
  case notUTF8(String, String)
  /// Anything else; programs do not have to tell it from other notices.
  case note(String)
  /// The reader has seen every record.
  case seenEverything

  /// The name by which a program tells notices apart. It stays the same if the words change.
  public var name: String {
    switch self {
    case .origin: "origin"
    case .older: "older"
    case .skipped, .skippedRow, .skippedMore: "skipped-rows"
    case .misfits: "misfits"
    case .changed: "list-changed"
    case .repeated: "repeated-records"
    case .incomplete: "incomplete"
    case .first, .part: "limited"
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
    case .edited: "edited-records"
    case .onlyStored: "only-stored"
    case .differing: "differing-rows"
    case .notUTF8: "not-utf-8"
    case .note: "note"
    case .seenEverything: "seen-everything"
    }
  }

  /// Returns the notice in words, without its remedies.
  public func text(of source: String, at now: Moment) -> String {
    switch self {
    case .origin(let origin): origin.words(at: now)
    case .older(let age): "older than \(age.inWords), and nothing younger is stored"
    case .skipped(let count, _): "skipped \(count) broken row\(count == 1 ? "" : "s")"
    case .misfits(let misfits, let fields): misfits.sentence(among: fields)
    case .changed(let how): how
    case .repeated(let count): "left out \(count) repeated record\(count == 1 ? "" : "s")"
    case .incomplete(let shortfall): shortfall.notice
    case .first(let count, let total): "showing the first \(count)\(total.map { " of \($0)" } ?? "")"
    case .part(let count, let total, let mayMiss):
      "showing \(count)\(total.map { " of \($0)" } ?? ""), after those that were left out or given before"
        + (mayMiss ? "; a record that came or went since then may be missing or come twice" : "")
    case .sortedFirst(let count, let total): "sorted the first \(count)\(total.map { " of \($0)" } ?? "")"
    case .announced: RecordCount.doubt
    case .offsetLeavesNone(let offset, let count):
      "\(count == 1 ? "1 record was" : "\(count) records were") read; an offset of \(offset) leaves none"
    case .noneMeets(let why, _): why
    case .noMatch(let text, let nearest): "no \(source) match \"\(text)\"\(nearest.question.map { "; \($0)" } ?? "")"
    case .noRecords: "no records"
    case .mayBeMore(let isLive):
      isLive
        ? "this may not be everything: nothing that the service says proves that the list is whole"
        : "this may not be everything: the store does not know whether the list is whole"
    case .stored(let count, let isLive): "\(count) \(source) are \(isLive ? "on the page that was fetched" : "stored")"
    case .searched(let count): "searched \(count) stored \(source)"
    case .several(let count, let text, let shown): "\(count) match \"\(text)\"; showing the best, \(shown)"
    case .notNamed(let how): how
    case .edited(1, let id, let paths):
      "\(paths.map(\.text).joined(separator: ", ")) of \(id) \(paths.count == 1 ? "was" : "were") edited"
    case .edited(let count, _, _): "\(count) of these have edits"
    case .onlyStored: "the service has no such record; showing the stored one"
    case .skippedRow(let fault): "skipped \(fault.text)"
    case .skippedMore(let count): "skipped \(count) more row\(count == 1 ? "" : "s")"
    case .differing(let count):
      count == 1
        ? "1 differs from the record of \(source), which stays"
        : "\(count) differ from the records of \(source), which stay"
    case .notUTF8(let file, _): "not all of \(file) is UTF-8"
    case .note(let text): text
    case .seenEverything: "you have seen everything"
    }
  }

  /// The remedies.
  public var remedies: [Remedy] {
    switch self {
    case .origin(let origin):
      [origin.reason?.remedy, origin.isPart ? .ask("sync", "to fetch the rest") : nil].compactMap { $0 }
    case .older: [.omit("offline", "to ask the service")]
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
  /// Returns the origin in words, with the reason why the service did not answer: `cached 6 min ago: cannot reach …`. `because`
  /// replaces the error in that reason.
  public func words(because choice: String? = nil, at now: Moment) -> String {
    let from = maker.map { "from \($0)" }
    let what =
      switch kind {
      case .live: from ?? "live"
      case .cache:
        (isImported ? "imported " : isPart ? "partly synced " : "cached ") + (age.map(\.ago) ?? "some time ago")
          + (from.map { ", \($0)" } ?? "") + (hasBundledRest ? ", then bundled data" : "")
      case .bundled: "using bundled data"
      case .replay: "recorded on \(CalendarDay(now))" + (from.map { ", \($0)" } ?? "")
      }
    return what + (choice.map { " (\($0))" } ?? reason.map { ": \($0.message)" } ?? "")
  }
}

extension Notice {
  /// Returns the notice about edited records among these; nil if none are edited.
  static func edited(_ edits: [String: [FieldPath]], among items: some Sequence<some SourceItem>) -> Notice? {
    if edits.isEmpty { return nil }
    let shown = items.compactMap { item in edits[item.id].map { (id: item.id, paths: $0) } }
    return shown.first.map { .edited(shown.count, id: $0.id, $0.paths) }
  }

  /// Returns the notice with the records of an earlier one added.
  func added(to earlier: Notice?) -> Notice {
    guard case .edited(let count, _, _) = self, case .edited(let before, let id, let paths) = earlier else { return self }
    return .edited(before + count, id: id, paths)
  }
}

extension Shortfall {
  fileprivate var notice: String { "incomplete: \(sentence)" }
}

extension Verdict {
  /// Returns the notice about a list with this verdict that changed in this way while it was read. Nil if it came whole and
  /// unchanged, or if a limit cut it.
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
  /// Returns the notice for an answer without records.
  package static func nothing(matching text: String?, _ nearest: NearestTitles) -> Notice {
    text.map { .noMatch(text: $0, nearest) } ?? .noRecords
  }
}

extension Summary {
  /// The notices about broken and repeated rows, a changed list, and a missing rest.
  public var notices: [Notice] {
    var notices: [Notice] = skipped > 0 ? [.skipped(skipped, isStored: origin?.kind == .cache)] : []
    if verdict?.reason == nil, let change = reason { notices.append(.changed(change)) }
    if duplicates > 0 { notices.append(.repeated(duplicates)) }
    if case .partial(let shortfall) = verdict { notices.append(.incomplete(shortfall)) }
    return notices
  }
}

extension Misfits {
  /// The counts by field, for a person: `130 of battery, 2 of stars`; at most three fields.
  package var counts: String { told { field, count in "\(count.records) of \(field)" } }

  /// Returns a sentence about the values that do not fit, and what became of them.
  package func sentence(among fields: [FieldOutline]) -> String {
    var isAllMasked = true
    let what = told { name, count in
      if count.sample == Secret.mask {
        return count.records == 1
          ? "1 value of \(name) holds a secret, which is masked"
          : "\(count.records) values of \(name) hold a secret, which is masked"
      }
      isAllMasked = false
      let field = fields.first { $0.name == name }
      let isTime = field?.leaves.first?.kind == .time && count.sample.map(Self.isTime) ?? false
      let due: (one: String, many: String) = field?.leaves.first.map(\.due) ?? ("of its type", "of its type")
      // A time that does not fit is in a field of days.
      let (one, many) = (isTime ? "a day" : due.one, isTime ? "days" : due.many)
      let such = count.sample.map { " (such as \($0))" } ?? ""
      if field?.leaves.first?.kind == .integer, count.sample.map(Self.isWhole) ?? false {
        return count.records == 1
          ? "1 value of \(name) is too large for an integer\(such)"
          : "\(count.records) values of \(name) are no integers, or too large for one\(such)"
      }
      if field?.leaves.first?.kind == .number, count.sample.map({ Numeral($0) != nil }) ?? false {
        return count.records == 1
          ? "1 value of \(name) does not fit a number without loss\(such)"
          : "\(count.records) values of \(name) are not numbers, or do not fit one without loss\(such)"
      }
      return count.records == 1
        ? "1 value of \(name) is not \(one)\(such)" : "\(count.records) values of \(name) are not \(many)\(such)"
    }
    if isAllMasked { return what }
    let isOne = self.fields.values.map(\.records) == [1]
    let them =
      isOne ? (areKept ? "it stays as it came" : "it was left out") : areKept ? "they stay as they came" : "they were left out"
    return "\(what); \(them)"
  }

  /// True for a value of JSON that is a time.
  private static func isTime(_ value: String) -> Bool { Moment.isTime(iso: String(value.dropFirst().dropLast())) }

  /// True for a text of digits, perhaps after a sign.
  private static func isWhole(_ text: String) -> Bool {
    text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: "-") }
  }

  private func told(_ words: (String, Count) -> String) -> String {
    let sorted = fields.sorted { ($1.value.records, $0.key) < ($0.value.records, $1.key) }
    let rest = sorted.count > 3 ? [", and others of \(sorted.count - 3) more field\(sorted.count == 4 ? "" : "s")"] : []
    return sorted.prefix(3).map { words($0.key, $0.value) }.joined(separator: ", ") + rest.joined()
  }
}

extension Leaf {
  /// The expected values in words, for one value and for many.
  fileprivate var due: (one: String, many: String) {
    if mayBeList { return ("a list of its type", "lists of their type") }
    return switch kind {
    case .text: ("a text", "texts")
    case .integer: ("a whole number", "whole numbers")
    case .number: ("a number", "numbers")
    case .bool: ("true or false", "true or false")
    case .time: ("a time", "times")
    case .address: ("an address", "addresses")
    case .any: ("of its type", "of its type")
    }
  }
}

extension [Notice] {
  /// The notices at the end of an answer. `isReadingOn` is true when its limit is its expected end.
  init(_ summary: Summary, for ask: Ask, of source: SourceDescriptor, isReadingOn: Bool = false, nothing: Notice? = nil) {
    self = summary.notices
    if !summary.misfits.isEmpty { append(.misfits(summary.misfits, source.fields)) }
    switch summary.verdict {
    case .partial: break
    case .bounded where isReadingOn, .complete where isReadingOn: break
    // Before a cursor there were records.
    case _ where summary.given == 0 && ask.start == nil: append(nothing ?? .nothing(matching: ask.query.text, summary.nearest))
    case .bounded:
      let isFirst = ask.offset == 0 && ask.start == nil
      // Only a walk over the service's own list looks back for what moved.
      let mayMiss = ask.offset > 0 || summary.origin?.kind != .live
      append(
        isFirst ? .first(summary.given, of: summary.total) : .part(summary.given, of: summary.total, mayMiss: mayMiss))
    case .unverifiable where !source.isEndless:
      // A change of the list says more.
      let isLive = summary.origin?.kind != .cache
      if !isLive || summary.reason == nil { append(.mayBeMore(isLive: isLive)) }
    default: break
    }
  }
}

extension Notice {
  /// The name for a file that came through a pipe.
  package static let standardInput = "standard input"
}

extension Remedy {
  /// Returns the remedy of converting a file to UTF-8 from the encoding that it seems to have.
  package static func convert(_ file: String, from encoding: String) -> Remedy {
    if file == Notice.standardInput { return "pipe it through iconv -f \(encoding) -t utf-8" }
    let copy = Paths.quoted(Paths.named(file, "-utf8"))
    return "convert it: iconv -f \(encoding) -t utf-8 \(Paths.quoted(file)) > \(copy)"
  }
}
