public import AggregatorCore

/// The way from one page of a list to the next: the part of the request that changes, and the part of an answer that leads on.
public struct PagingWay: Sendable, Hashable {
  /// The ways in which services page, by the words of a manifest.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One answer holds everything.
    case whole
    /// A number of rows is skipped.
    case offset
    /// Pages are numbered.
    case page
    /// A header has the numbers of the first and the last row: `Range: items=0-99`.
    case range
    /// A token in an answer goes into the next request.
    case token
    /// An answer has the address of the next page, in its body or in a `Link` header (RFC 8288).
    case link
    /// A value of the last row goes into the next request.
    case last
  }

  /// The kind of way.
  public let kind: Kind
  /// The parameter that changes from page to page; nil if an address does, or if the value is part of a longer text.
  public internal(set) var parameter: Parameter?
  /// The path of the token or the next address in an answer, or of the value in the last row. Nil for a `Link` header, and if nothing is
  /// declared. A list that pages in another way is not complete if an answer has something there.
  public package(set) var next: ValuePath?
  /// The number of the first page.
  public let first: Int

  package init(_ kind: Kind, _ parameter: Parameter? = nil, next: ValuePath? = nil, first: Int = 1) {
    (self.kind, self.parameter, self.next, self.first) = (kind, parameter, next, first)
  }

  /// One answer holds everything.
  public static let whole = PagingWay(.whole)
  /// A `Link` header with `rel="next"` has the address of the next page.
  public static let linkHeader = PagingWay(.link)

  /// The parameter is the number of rows to skip.
  public static func offset(_ parameter: Parameter) -> PagingWay { PagingWay(.offset, parameter) }
  /// The parameter is the number of the page.
  public static func page(_ parameter: Parameter, first: Int) -> PagingWay { PagingWay(.page, parameter, first: first) }
  /// The header has the numbers of the first and the last row.
  public static func range(_ header: Parameter) -> PagingWay { PagingWay(.range, header) }
  /// The body has the address of the next page at `path`.
  public static func link(_ path: ValuePath) -> PagingWay { PagingWay(.link, next: path) }
  /// The body has a token at `path` that goes into the parameter.
  public static func token(_ path: ValuePath, _ parameter: Parameter) -> PagingWay { PagingWay(.token, parameter, next: path) }
  /// The value at `path` in the last row goes into the parameter.
  public static func last(_ path: ValuePath, _ parameter: Parameter) -> PagingWay { PagingWay(.last, parameter, next: path) }
}

extension PagingWay {
  /// True when an answer names the next page, by a token or an address.
  package var isNamed: Bool { kind.facts.leader == .answer }

  /// True when the place of a page is the number of rows before it.
  package var countsRows: Bool { kind.facts.leader == .rowCount }

  /// True when the place of a page counts rows or pages.
  package var isCounted: Bool { countsRows || kind.facts.leader == .pageNumber }

  /// The number at which a list begins: that of the first page, or the rows before it.
  package var start: Int { kind == .page ? first : 0 }
}

extension PagingWay.Kind {
  /// The facts of a way of paging. They are the same for each service that pages in this way.
  struct Facts {
    /// The name in templates for the value that leads from page to page; nil if an answer has a whole address, or if there is only one page.
    var place: String?
    /// Says what leads from one page to the next.
    var leader: Leader
    /// The ends that a walk may have.
    var ends: [ManifestPaging.End]
    /// The end of a list whose manifest names none; nil if each manifest has to name one.
    var usualEnd: ManifestPaging.End?
    /// Says where the part of an answer is that leads to the next page.
    var next = Next.optional
    /// The members of `paging` that only some ways have.
    var members: [String] = []

    /// The kind of value that leads from one page to the next; `nothing` if one answer holds everything.
    enum Leader { case nothing, rowCount, pageNumber, answer, lastRow }

    /// The place in an answer of what leads to the next page.
    enum Next {
      /// The answer may have it. It is a sign that more follows.
      case optional
      /// The body has it.
      case inBody
      /// The body or a `Link` header has it.
      case inBodyOrHeader
    }
  }

  /// The facts of this way.
  var facts: Facts {
    switch self {
    case .whole:
      Facts(leader: .nothing, ends: [.empty, .total, .next, .more, .pages, .never], usualEnd: .empty, members: ["pages"])
    case .offset: Facts(place: "offset", leader: .rowCount, ends: [.total, .more, .empty, .never], members: ["lookingBack"])
    case .page:
      Facts(
        place: "page", leader: .pageNumber, ends: [.total, .more, .empty, .pages, .never],
        members: ["first", "pages", "lookingBack"])
    case .range: Facts(place: "range", leader: .rowCount, ends: [.total, .more, .empty, .never], members: ["lookingBack"])
    case .token: Facts(place: "token", leader: .answer, ends: [.next, .more], next: .inBody)
    case .link: Facts(leader: .answer, ends: [.next, .more], next: .inBodyOrHeader)
    case .last: Facts(place: "token", leader: .lastRow, ends: [.more, .empty], next: .inBody)
    }
  }

  /// The name in templates for the value that leads from page to page.
  package var place: String? { facts.place }
}

extension PagingWay: CustomStringConvertible {
  public var description: String {
    let (parameter, next) = (parameter.map { "\($0)" } ?? "", next.map { "\($0)" } ?? "")
    return switch kind {
    case .whole: "everything in one answer"
    case .offset: "offset by \(parameter)"
    case .page: "page number by \(parameter), from \(first)"
    case .range: "the first and the last row by \(parameter)"
    case .token: "a token at \(next) into \(parameter)"
    case .link where self.next == nil: "a Link header to the next page"
    case .link: "the next page's address at \(next)"
    case .last: "\(next) of the last row into \(parameter)"
    }
  }
}
