/// What an answer is cached under.
public struct AnswerKey: Sendable, Hashable {
  /// The source that gave it, with the address of its service.
  public let source: String
  /// What was asked, as a text that no other query has.
  public let query: String

  /// One text for each source and one for each query: equal ones have the same answer.
  public init(source: String, query: String) {
    self.source = source
    self.query = query
  }
}

/// One page as it is cached.
public struct CachedAnswer: Sendable, Hashable {
  /// The records in their own fields, a JSON array.
  public let rows: [UInt8]
  /// The rows of the page that could not be read.
  public let faults: [RowFault]
  /// The total that the service announced with it; nil where it announced none.
  public let total: Int?
  /// What the page said about the one after it.
  public let next: Continuation
  /// Whether the service said that there is more; nil where it did not say.
  public let more: Bool?
  /// How the source that made it pages.
  public let paging: Paging
  /// The best verdict of a walk with this page; nil where the page says nothing of it.
  public let standing: Verdict?
  /// Where in the list it was asked for, so that it is given again for nothing else.
  public let place: String
  /// The walk that it is part of: no two have the same.
  public let walk: String
  /// When it came.
  public let at: Moment
  /// By which description it was read, and whose list it is of; nil where nobody noted it.
  public private(set) var list: ListStamp?

  /// A page as it was read from a store.
  public init(
    rows: [UInt8], faults: [RowFault], total: Int?, next: Continuation, more: Bool?, paging: Paging, standing: Verdict?,
    place: String, walk: String, at: Moment, of list: ListStamp? = nil
  ) {
    (self.rows, self.faults, self.total, self.next, self.more) = (rows, faults, total, next, more)
    (self.paging, self.standing, self.place, self.walk, self.at, self.list) = (paging, standing, place, walk, at, list)
  }

  /// The same where the stamp of its list changes: what nobody has noted of it is what is noted first, and it stays with its holder.
  func following(_ stored: ListStamp?, to new: ListStamp) -> CachedAnswer {
    changing(self) { answer in
      if stored?.reading == nil, answer.list?.reading == nil {
        answer.list = ListStamp(reading: new.reading, holder: new.holder)
      } else if let holder = answer.list?.holder, stored?.holder == nil || stored?.holder == holder {
        answer.list?.holder = new.holder
      }
    }
  }

  /// Whether it may be cached as `step` where `last` is the last step so far; not where another walk has taken its place.
  public func mayBeKept(as step: Int, behind last: (step: Int, walk: String)?) -> Bool {
    step == 0 || last.map { $0.step == step - 1 && $0.walk == walk } ?? false
  }
}

/// The parts of an answer as text that a person can read in a store.
package enum AnswerText {
  package static func bytes(of faults: [RowFault]) -> [UInt8] {
    let values: [Value] = faults.map { fault in
      let digest = String(fault.digest, radix: 16)
      return ["reason": fault.reason.fieldValue, "digest": .text(digest), "row": fault.row.fieldValue]
    }
    return Value.list(values).bytes
  }

  package static func faults(_ bytes: [UInt8]) -> [RowFault] {
    let rows = (try? JSON(bytes).elements.map { $0 }) ?? []
    return rows.map { row in
      let digest = try? row.string("digest")
      return RowFault(
        try? row.string("reason"), digest: digest.flatMap { UInt64($0, radix: 16) } ?? 0, row: try? row.int("row"))
    }
  }
}

extension CachedAnswer {
  /// ``standing`` as a store has it: `any` where the page says nothing of it.
  package var standingText: String { standing?.stored ?? "any" }

  /// What ``standingText`` says. Older versions kept no verdict, so that a list may have been less than its pages look like.
  static func standing(_ text: String?, in paging: Paging) -> Verdict? {
    guard let text else {
      return paging.style == .token ? .partial(.recorded("an older version kept it without its verdict")) : .unverifiable
    }
    return text == "any" ? nil : Verdict(stored: text) ?? .unverifiable
  }
}

extension Continuation {
  /// `advance`, `end`, or `token …`.
  package var text: String {
    switch self {
    case .advance: "advance"
    case .end: "end"
    case .token(let token): "token \(token)"
    }
  }

  package init?(text: String) {
    switch text {
    case "advance": self = .advance
    case "end": self = .end
    case _ where text.hasPrefix("token "): self = .token(String(text.dropFirst(6)))
    default: return nil
    }
  }
}

extension Paging {
  private static let ends: [(word: Substring, end: End)] = [
    ("total", .total), ("empty", .emptyPage), ("token", .lastToken), ("more", .more), ("never", .never),
  ]

  /// `offset by 100 to total`, `number from 1 by 10 to empty unchanging`, `token by 50 to token`, `keyset by 50 to more`, `whole`.
  package var text: String {
    let word =
      switch style {
      case .whole: "whole"
      case .offset: "offset"
      case .number(let first): "number from \(first)"
      case .token: "token"
      case .keyset: "keyset"
      }
    guard style != .whole else { return word }
    let end = Self.ends.first { $0.end == self.end }?.word ?? "never"
    let manner =
      (style == .offset && !looksBack ? " blind" : isNumbered && looksBack ? " back" : sharesKeys ? " shared" : "")
      + (isUnchanging ? " unchanging" : "")
    return "\(word) by \(size) to \(end)\(manner)"
  }

  package init?(text: String) {
    let words = text.split(separator: " ")
    func word(after name: Substring) -> Substring { words.drop { $0 != name }.dropFirst().first ?? "" }
    let size = Int(word(after: "by")) ?? 0
    let end = Self.ends.first { $0.word == word(after: "to") }?.end
    switch (words.first, end) {
    case ("whole", _): self = .whole
    case ("offset", let end?): self = .offset(size: size, end: end, lookingBack: !words.contains("blind"))
    case ("number", let end?):
      self = .numbered(
        from: Int(word(after: "from")) ?? 1, size: size, end: end, lookingBack: words.contains("back"))
    case ("token", .some): self = .tokens(size: size)
    case ("keyset", let end?): self = .keyset(size: size, end: end, sharingKeys: words.contains("shared"))
    default: return nil
    }
    guard self.size > 0 else { return nil }
    isUnchanging = words.contains("unchanging")
  }
}
