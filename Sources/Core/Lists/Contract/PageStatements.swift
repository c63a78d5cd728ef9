/// The statements of a page about its list: all that is stored with its rows, wherever they are stored.
public struct PageStatements: Sendable, Hashable {
  /// The total that the service announced with the page; nil if it announced none.
  public var total: Int?
  /// The continuation after the page, as its source named it.
  public var next: Continuation
  /// True when the service said that more follows, false when it said the opposite; nil if it said neither.
  public var more: Bool?
  /// The paging of the source that made the page.
  public var paging: Paging
  /// The best verdict of a walk with this page; nil if the page says nothing about that.
  public var standing: Verdict?
  /// The source that made the page in place of the asked one, as in ``Origin/maker``.
  package var maker: String?

  /// Statements as a store holds them.
  public init(total: Int? = nil, next: Continuation, more: Bool? = nil, paging: Paging, standing: Verdict? = nil) {
    (self.total, self.next, self.more, self.paging, self.standing) = (total, next, more, paging, standing)
  }
}

extension Page {
  /// The statements that are stored with its rows.
  var statements: PageStatements {
    get {
      copy(of: PageStatements(total: total, next: next, more: more, paging: maker.paging, standing: standing)) {
        $0.maker = origin.maker
      }
    }
    set {
      (total, next, more) = (newValue.total, newValue.next, newValue.more)
      (maker.paging, standing, origin.maker) = (newValue.paging, newValue.standing, newValue.maker)
    }
  }
}
