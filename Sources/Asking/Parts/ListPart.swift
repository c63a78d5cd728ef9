public import AggregatorCore

/// A part of a list that several processes read at once without knowing of each other: `listParts(of:count:deadline:)`.
///
/// Its text says which rows it has, and what the list was like when it was split. A part is `complete` only
/// if the list is still the same.
public struct ListPart: Sendable, Hashable {
  /// A range of rows in a list.
  struct Span: Sendable, Hashable {
    /// The way in which its pages are asked for.
    enum Style: Sendable, Hashable {
      case offset
      /// By offset; each page except the first begins one row early.
      case lookingBack
      case number(first: Int)
    }

    /// The range of the rows in the list.
    let rows: Range<Int>
    /// The number of rows that were announced when the list was split.
    let total: Int
    /// The number of rows on a page at that time.
    let pageRows: Int
    let style: Style
    /// The source that makes the pages; a search may have one of its own.
    let maker: String
    /// The fingerprint of the list's first record. A page that has this record at another index is not the one that was asked for.
    let first: UInt64

    var isLast: Bool { rows.upperBound == total }
  }

  /// A digest of what is read: the source, its address, the search, and the way of paging.
  let list: UInt64
  /// The range of rows; nil if the part is the whole list.
  let span: Span?

  init(_ list: UInt64, _ span: Span? = nil) { (self.list, self.span) = (list, span) }

  /// The part as one word for another process: `1:9f3a…:100:298:1000:100:back:heroes:77aa…:c0ff…`. It ends with a digest of
  /// itself, and contains no secret.
  public var text: String {
    var words = ["1", String(list, radix: 16)]
    if let span {
      words += [span.rows.lowerBound, span.rows.upperBound, span.total, span.pageRows].map { String($0) }
      words += [span.style.word, PercentEncoding.query(span.maker), String(span.first, radix: 16)]
    }
    let text = words.joined(separator: ":")
    return "\(text):\(String(Fingerprint.of(text.utf8), radix: 16))"
  }

  /// Reads ``text``; nil if any of it was changed.
  public init?(text: String) {
    let words = text.split(separator: ":")
    guard words.count > 1, let list = UInt64(words[1], radix: 16) else { return nil }
    self.init(list, Span(words.dropFirst(2).dropLast()))
    guard self.text == text else { return nil }
  }
}

extension ListPart.Span {
  fileprivate init?(_ words: ArraySlice<Substring>) {
    let (words, numbers) = (Array(words), words.prefix(4).compactMap { Int(digits: $0) })
    guard words.count == 7, numbers.count == 4, numbers[0] < numbers[1], numbers[1] <= numbers[2], numbers[3] > 0,
      let style = Style(word: words[4]), let first = UInt64(words[6], radix: 16)
    else { return nil }
    self.init(
      rows: numbers[0]..<numbers[1], total: numbers[2], pageRows: numbers[3], style: style,
      maker: PercentEncoding.decode(words[5]), first: first)
  }
}

extension ListPart.Span.Style {
  fileprivate var word: String {
    switch self {
    case .offset: "offset"
    case .lookingBack: "back"
    case .number(let first): String(first)
    }
  }

  fileprivate init?(word: Substring) {
    guard let style = word == "offset" ? .offset : word == "back" ? .lookingBack : Int(digits: word).map(Self.number)
    else { return nil }
    self = style
  }
}

// MARK: - Splitting a list

extension SourceSession {
  /// Splits a list into parts for at most `count` readers; fewer if the list has fewer pages.
  ///
  /// Asks for two pages, to see how many rows a page has and how many the list has. A list by offset, or one of numbered pages with a
  /// total, is split between the pages that a walk asks for. Any other list is a single part.
  public func listParts(of query: Query = .everything, count: Int, deadline: Moment? = nil) async throws -> [ListPart] {
    let (list, source) = (digest(of: query), answering)
    let (whole, profile) = ([ListPart(list)], source.profile)
    // A source that reads everything to search does so in each part.
    let query = profile.search == .walk ? .everything : query
    guard count > 1, world.terms.reach != .offline, profile.paging.isCounted || query.text != nil else { return whole }
    var walk: Walk<Item> = Walk(
      FixedPages(upstream: source), query, bounds: Bounds(pages: 2, deadline: deadline), clock: world.clock)
    let first = try await walk.nextPage()?.first
    let pageRows = walk.summary.given + walk.summary.skipped + walk.summary.duplicates
    while try await walk.nextPage() != nil {}
    switch walk.summary.verdict {
    case .partial(.failed(let error)), .partial(.budget(let error)): throw error
    case .partial(.deadline): throw Deadline.isLate
    default: break
    }
    guard walk.summary.verdict == .bounded, let total = walk.summary.total, total > pageRows, let first,
      let cursor = walk.cursor, let style = cursor.styleAfterTwoPages
    else { return whole }
    let lead = style == .lookingBack ? 1 : 0
    let step = pageRows - lead
    guard step > 0 else { return whole }
    let pages = (total - lead - 1) / step + 1
    let parts = min(count, pages)
    let seams: [Int] = (1..<parts).map { (pages / parts * $0 + min($0, pages % parts)) * step + lead }
    let mark = Fingerprint.of(first.id)
    return zip([0] + seams, seams + [total]).map { from, to in
      let span = ListPart.Span(
        rows: from..<to, total: total, pageRows: pageRows, style: style, maker: cursor.maker, first: mark)
      return ListPart(list, span)
    }
  }

  /// Reads a text of ``ListPart/text``. Throws if it was changed, or if it belongs to another source, address or search.
  public func listPart(_ text: String, of query: Query = .everything) throws(SourceError) -> ListPart {
    guard let part = ListPart(text: text) else {
      throw SourceError(.settings, "the text is not a partition, or was changed", remedy: "give it as it was printed")
    }
    guard part.list == digest(of: query) else {
      throw SourceError(
        .settings, "the partition is of another source, address or search", remedy: "split this list again")
    }
    return part
  }

  /// Returns the rows of a part, as a list of their own.
  public func rows(of part: ListPart) -> any DataSource<Item> {
    part.span.map { PartOfList(upstream: FixedPages(upstream: answering), span: $0) } ?? answering
  }

  private func digest(of query: Query) -> UInt64 {
    var digest = Fingerprint()
    let (paging, isOffline) = (answering.profile.paging, world.terms.reach == .offline)
    let asked = query.text.map { "search \($0)" } ?? "list"
    for text in [name, archive?.identity ?? "", asked, paging.placeWord, "\(paging.size)", isOffline ? "offline" : ""] {
      digest.combine(text)
    }
    return digest.value
  }
}

extension Cursor {
  /// The way in which a walk that has read two pages asks for them. Nil if they cannot be asked for by
  /// place, or if rows were seen to move.
  fileprivate var styleAfterTwoPages: ListPart.Span.Style? {
    guard !rowContext.list.hasMoved, rowContext.list.total.isSteady else { return nil }
    return switch place {
    case .offset: rowContext.last == nil || rowContext.list.isBlind ? .offset : .lookingBack
    case .number(let number, _): .number(first: number - 2)
    case .token, .key: nil
    }
  }
}
