/// The knowledge of a walk about its list, which is true of all rows before its place.
package struct ListFacts: Sendable, Hashable {
  package var total = ListTotal()
  /// True when a page did not begin with the expected row, or when no known row was found again.
  package var hasMoved = false
  /// The number of rows of a counted page that ended before the total: of the last one by offset, or of a numbered one that was short. Without
  /// a total, that of the last page with new rows, unless it is a full numbered one.
  package var length: Int?
  /// True when such pages by offset had different numbers of rows, or when a short page without a total was not the last.
  package var isUneven = false
  /// True when part of the list was walked without looking back although rows might have moved.
  package var isBlind = false
  /// True when the walk continued although it found no row that it knew.
  package var isLost = false
  /// The mark of the furthest row that came, while the walk has stepped back before it; nil once the walk is past it again.
  var furthest: UInt64?
  /// The number of earlier readings of the list from its first page.
  var passes = 0
  /// The number of rows that had the key of another row, as it was guessed or as Unicode compares texts.
  package var sharedKeys = 0
  /// The digests of the different broken rows before the place, at most ``mostBroken``.
  var broken: [UInt64] = []
  /// The weakest of the verdicts that pages came with.
  package var standing: Verdict?
  /// The places whose pages failed, and that the walk went past.
  var gaps: [Gap] = []

  /// A place of a list that a walk went past, because its page failed.
  struct Gap: Sendable, Hashable {
    let place: Place
    /// The most rows that are missing there.
    var rows: Int
    /// The mark of the last row before it, if it is known.
    let before: UInt64?
    /// The mark of the first row that came after it; nil if none did.
    var after: UInt64?
    /// The error, for a person.
    let reason: String
  }

  package init() {}

  /// The number of broken rows that are remembered.
  static var mostBroken: Int { 100 }

  /// The knowledge that a walk hands on if it does not look back.
  var withoutRows: ListFacts { copy(of: self) { ($0.hasMoved, $0.isBlind, $0.furthest) = (false, false, nil) } }
}

/// The total of a list as its pages announce it, and how far the rows can be compared with it.
package struct ListTotal: Sendable, Hashable {
  /// The total last announced; nil without one.
  package var announced: Int?
  /// True when more rows came than the service announced, so that its totals say nothing.
  package var isWrong = false
  /// True when the total changed, or rows are known to have gone that it counted.
  package var hasMoved = false
  /// True when the total and the rows that were counted may not belong together, although no change was seen: rows may count twice, or an
  /// earlier run may have been told another total.
  package var isUnsure = false
  /// True when the first page was full and the total equalled its rows. Until a page is not full, the total may be that of the rows so far.
  var isDoubted = false

  /// True when the rows that were counted can be compared with the total.
  package var isSteady: Bool { !hasMoved && !isUnsure }

  /// The total that the rows can be compared with; nil if none was announced, or if it is wrong.
  var credible: Int? { isWrong ? nil : announced }
}

/// All that a walk knows at a place, with which another walk can continue there without missing a row.
package struct RowContext: Sendable, Hashable {
  package var list: ListFacts
  /// The mark of the last row before the place.
  package var last: UInt64?
  /// The marks of rows before the last one, nearest last, when the next page begins at one of them.
  var others: [UInt64] = []
  /// True when a page showed how the service treats pages that begin early.
  var isProven = false
  /// The rule that chooses numbered pages so that they begin early; nil if all pages have the source's size.
  var sizes: SizedPages?
  var doubt = Doubt()
  var pages = Pages()
  /// The place at which the list ended, if its beginning is read again since then, or a page that failed.
  var endedAt: Int?
  /// True when the list ended, and the places that failed are asked for again.
  var isFilling = false
  /// True when the page at the place, or a part of it, was taken in already and comes again.
  var comesAgain = false
  var idle = Idle()
  /// The number of pages in a row that were empty and not the last.
  var gaps = 0

  /// The headway of a walk: its requests since the last new row, and those up to it.
  struct Idle: Sendable, Hashable {
    var (requests, useful) = (0, 0)
  }

  /// All that the rules of a walk know beside the rows when they ask for the next page. A page may have shown it that was not taken.
  struct Doubt: Sendable, Hashable {
    /// The way in which the next page is asked for, where it is not the usual one.
    var aim: String?
    /// The numbers that the rules keep from page to page, in the order of their names. Zeros say nothing, and are left out at the end.
    var notes: [UInt64]
    /// True when the last page had nothing after the last row, and said that more follows.
    var saysMore = false

    init() { notes = [] }

    /// Makes the doubt of rules whose notes have these names. `number` returns zero for a note that says nothing.
    init<Note: RawRepresentable<Int> & CaseIterable>(aim: String?, _ number: (Note) -> UInt64) {
      let notes = Note.allCases.map(number)
      (self.aim, self.notes) = (aim, Array(notes.prefix((notes.lastIndex { $0 > 0 } ?? -1) + 1)))
    }

    /// The number of a note; nil if it says nothing.
    subscript(note: some RawRepresentable<Int>) -> UInt64? {
      notes.indices.contains(note.rawValue) && notes[note.rawValue] > 0 ? notes[note.rawValue] : nil
    }
  }

  /// The pages before the place, as far as a page that begins early is compared with them.
  struct Pages: Sendable, Hashable {
    /// The mark of the first row of the list.
    var firstRow: UInt64?
    /// The fingerprint of the last page, if all of it was taken.
    var last: UInt64?
    /// The most rows that came at once.
    var mostRows: Int?
  }

  package init(_ list: ListFacts = ListFacts(), last: UInt64? = nil) { (self.list, self.last) = (list, last) }

  /// The context as words of a cursor's text, such as `row=9f3a`, `moved` and `past=77aa`; empty if there is nothing to say.
  var words: [String] {
    func marks(_ marks: [UInt64]) -> String { marks.map { String($0, radix: 16) }.joined(separator: ",") }
    let flags = Self.flags.compactMap { self[keyPath: $0.path] ? $0.word : nil }
    let rest: [String?] = [
      list.furthest.map { "past=\(marks([$0]))" }, others.isEmpty ? nil : "with=\(marks(others))",
      sizes.map { "sizes=\($0.text)" }, pages.firstRow.map { "first=\(marks([$0]))" },
      pages.last.map { "page=\(marks([$0]))" }, pages.mostRows.map { "most=\($0)" },
      list.isUneven ? nil : list.length.map { "length=\($0)" }, list.passes > 0 ? "passes=\(list.passes)" : nil,
      list.total.announced.map { "total=\($0)" },
      idle.requests > 0 ? "idle=\(idle.requests)/\(idle.useful)" : nil, gaps > 0 ? "gaps=\(gaps)" : nil,
      doubt.aim.map { "aim=\($0)" }, doubt.notes.isEmpty ? nil : "notes=\(marks(doubt.notes))", endedAt.map { "ended=\($0)" },
      list.sharedKeys > 0 ? "keys=\(list.sharedKeys)" : nil, list.broken.isEmpty ? nil : "broken=\(marks(list.broken))",
      list.standing.map { "said=\(PercentEncoding.query($0.stored))" },
    ]
    let gaps = list.gaps.map { "gap=\($0.word)" }
    return (last.map { ["row=\(marks([$0]))"] } ?? []) + flags + rest.compactMap(\.self) + gaps
  }

  private static var flags: [(word: String, path: WritableKeyPath<RowContext, Bool>)] {
    [
      ("proven", \.isProven), ("moved", \.list.hasMoved), ("uneven", \.list.isUneven), ("unsteady", \.list.total.hasMoved),
      ("unsure", \.list.total.isUnsure), ("doubted", \.list.total.isDoubted),
      ("blind", \.list.isBlind), ("lost", \.list.isLost), ("wrong", \.list.total.isWrong), ("again", \.comesAgain),
      ("more", \.doubt.saysMore), ("filling", \.isFilling),
    ]
  }

  /// Reads the words of ``text``; nil if a word is unknown.
  init?(_ words: some Sequence<Substring>) {
    self.init()
    for word in words {
      let value = word.drop { $0 != "=" }.dropFirst()
      let (mark, number) = (UInt64(value, radix: 16), Int(digits: value))
      switch word.prefix(while: { $0 != "=" }) {
      case "row" where mark != nil: last = mark
      case "past" where mark != nil: list.furthest = mark
      case "first" where mark != nil: pages.firstRow = mark
      case "page" where mark != nil: pages.last = mark
      case "most" where number != nil: pages.mostRows = number
      case "with": others = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "broken": list.broken = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "sizes":
        guard let sizes = SizedPages(text: value) else { return nil }
        self.sizes = sizes
      case "length" where number != nil: list.length = number
      case "passes" where number != nil: list.passes = number ?? 0
      case "total" where number != nil: list.total.announced = number
      case "keys" where number != nil: list.sharedKeys = number ?? 0
      case "gaps" where number != nil: gaps = number ?? 0
      case "aim": doubt.aim = String(value)
      case "notes": doubt.notes = value.split(separator: ",").compactMap { UInt64($0, radix: 16) }
      case "ended" where number != nil: endedAt = number
      case "said": list.standing = Verdict(stored: PercentEncoding.decode(value))
      case "gap":
        guard let gap = ListFacts.Gap(word: value) else { return nil }
        list.gaps.append(gap)
      case "idle":
        let numbers = value.split(separator: "/").compactMap { Int(digits: $0) }
        guard numbers.count == 2 else { return nil }
        idle = Idle(requests: numbers[0], useful: numbers[1])
      default:
        guard let flag = Self.flags.first(where: { $0.word == word }) else { return nil }
        self[keyPath: flag.path] = true
      }
    }
  }
}

extension ListFacts.Gap {
  /// The gap as a word of a cursor: `offset:250:50:9f3a:77aa:the%20service%20failed`.
  fileprivate var word: String {
    let marks = [before, after].map { $0.map { String($0, radix: 16) } ?? "" }
    return ([place.word, place.value, "\(rows)"] + marks + [PercentEncoding.query(reason)]).joined(separator: ":")
  }

  fileprivate init?(word: Substring) {
    let parts = word.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, let place = Place(style: parts[0], parts[1]), place.isCounted, let rows = Int(digits: parts[2])
    else {
      return nil
    }
    self.init(
      place: place, rows: rows, before: UInt64(parts[3], radix: 16), after: UInt64(parts[4], radix: 16),
      reason: PercentEncoding.decode(parts[5]))
  }
}
