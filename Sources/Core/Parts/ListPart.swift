/// A part of a list that several processes read at once, none of which knows of the others: ``SourceSession/parts(of:count:deadline:)``.
///
/// Its text tells which rows it is, and what the list was when it was split. A part is `complete` only where the list still is the same.
public struct ListPart: Sendable, Hashable {
  /// Some rows of a list.
  struct Span: Sendable, Hashable {
    /// Their places in the list.
    let rows: Range<Int>
    /// How many rows were announced when the list was split.
    let total: Int
    /// How many rows a page had then.
    let pageRows: Int
    /// Whether a walk begins each page but the first one row early.
    let looksBack: Bool
    /// The mark of the list's first record: a page that has it in another place is not the one that was asked for.
    let first: UInt64

    var isLast: Bool { rows.upperBound == total }
  }

  /// A digest of what is read: the source, its address, what is searched, and how pages are asked for.
  let list: UInt64
  /// Nil where the part is the whole list.
  let span: Span?

  /// The part as one word for another process: `1.9f3a….99.298.1000.100.1.77aa….c0ff…`. It ends with a digest of itself, and holds no secret.
  public var text: String {
    var words = ["1", String(list, radix: 16)]
    if let span {
      let numbers = [span.rows.lowerBound, span.rows.upperBound, span.total, span.pageRows, span.looksBack ? 1 : 0]
      words += numbers.map(String.init) + [String(span.first, radix: 16)]
    }
    let text = words.joined(separator: ".")
    return "\(text).\(String(Fingerprint.of(text.utf8), radix: 16))"
  }

  init(_ list: UInt64, _ span: Span? = nil) { (self.list, self.span) = (list, span) }

  /// Reads ``text``; nil where any of it was changed.
  public init?(text: String) {
    let words = text.split(separator: ".")
    guard [3, 9].contains(words.count), let list = UInt64(words[1], radix: 16) else { return nil }
    var span: Span?
    if words.count == 9 {
      let numbers = words[2..<7].compactMap { Int(digits: $0) }
      guard numbers.count == 5, numbers[0] < numbers[1], numbers[1] <= numbers[2], numbers[3] > 0,
        let first = UInt64(words[7], radix: 16)
      else { return nil }
      span = Span(
        rows: numbers[0]..<numbers[1], total: numbers[2], pageRows: numbers[3], looksBack: numbers[4] == 1, first: first)
    }
    self.init(list, span)
    guard self.text == text else { return nil }
  }
}

// MARK: - Splitting a list

extension SourceSession {
  /// The parts that at most `count` readers read a list in: as many, or fewer where there are fewer pages.
  ///
  /// Two pages are asked for, to see how many rows a page has and how many the list. A list by offset or of numbered pages with a total
  /// is split between the pages that a walk asks for; any other is one part.
  public func parts(of query: Query = .everything, count: Int, deadline: Moment? = nil) async throws -> [ListPart] {
    let (list, source) = (digest(of: query), answering)
    let profile = source.profile
    let whole = [ListPart(list)]
    guard count > 1, world.reach != .offline, profile.paging.isByPlace else { return whole }
    // Who has to pick the matches picks them from each part.
    var walk: Walk<Item> = Walk(
      source, profile.search == .walk ? .everything : query, bounds: Bounds(pages: 2, deadline: deadline), clock: world.clock)
    let first = try await walk.nextPage()?.first
    let pageRows = walk.summary.given + walk.summary.skipped + walk.summary.duplicates
    while try await walk.nextPage() != nil {}
    guard walk.summary.verdict == .bounded, let total = walk.summary.total, let context = walk.cursor?.rowContext, let first
    else { return whole }
    let lead = profile.paging.looksBack && !context.isBlind ? 1 : 0
    let step = pageRows - lead
    guard !context.hasMoved, step > 0, total > pageRows else { return whole }
    let pages = (total - lead - 1) / step + 1
    let parts = min(count, pages)
    let mark = Page<Item>.digest(of: first.id)
    let seams: [Int] = (1..<parts).map { (pages / parts * $0 + min($0, pages % parts)) * step + lead }
    return zip([0] + seams, seams + [total]).map { from, to in
      ListPart(list, .init(rows: from..<to, total: total, pageRows: pageRows, looksBack: lead > 0, first: mark))
    }
  }

  /// The part that a text of ``ListPart/text`` is of, if that list is this one, here.
  public func part(_ text: String, of query: Query = .everything) throws(SourceError) -> ListPart {
    guard let part = ListPart(text: text) else {
      throw SourceError(.settings, "this is no partition, or was changed", remedy: "give one as it was printed")
    }
    guard part.list == digest(of: query) else {
      throw SourceError(
        .settings, "the partition is of another source, address or search", remedy: "make partitions of this one")
    }
    return part
  }

  /// The rows of a part, as a list of their own.
  public func rows(of part: ListPart) -> any DataSource<Item> {
    part.span.map { PartOfList(upstream: answering, span: $0) } ?? answering
  }

  private func digest(of query: Query) -> UInt64 {
    var digest = Fingerprint()
    let (paging, isOffline) = (answering.profile.paging, world.reach == .offline)
    for text in [name, archive?.address ?? "", query.text ?? "", paging.placeWord, "\(paging.size)", isOffline ? "offline" : ""] {
      digest.combine(text)
    }
    return digest.value
  }
}

extension Paging {
  /// Whether any page can be asked for, and not only the one behind another.
  fileprivate var isByPlace: Bool {
    switch style {
    case .offset, .number: true
    case .whole, .token, .keyset: false
    }
  }
}
