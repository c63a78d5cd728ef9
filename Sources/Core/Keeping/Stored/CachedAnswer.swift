/// The key under which an answer is cached.
public struct AnswerKey: Sendable, Hashable {
  /// The source that gave the answer, with the address of its service.
  public let source: String
  /// The query, as a text that no other query has.
  public let query: String

  /// Makes a key from a text for the source and one for the query; equal keys have the same answer.
  public init(source: String, query: String) { (self.source, self.query) = (source, query) }

  /// The name of the source.
  public var sourceName: String { String(source.prefix { $0 != " " }) }
}

/// One cached page.
public struct CachedAnswer: Sendable, Hashable {
  /// The records in their own fields, as a JSON array.
  public let rows: [UInt8]
  /// The rows of the page that could not be read.
  public internal(set) var faults: [RowFault]
  /// The statements of the page about its list.
  public internal(set) var said: PageStatements
  /// The place in the list at which the page was asked for; it is given again for that place alone.
  public internal(set) var place: String
  /// The name of the walk that the page is part of; no two walks have the same name.
  public let walk: String
  /// The moment at which the page came.
  public let at: Moment
  /// The description that read the page, and the holder of its list; nil if this was not noted.
  public private(set) var list: ListStamp?
  /// The request that brought the page, and the marks by which the service knows its answer; nil without such marks.
  var source: PageWatch.Answer?

  /// Makes a page from what a store holds.
  public init(
    rows: [UInt8], faults: [RowFault], saying said: PageStatements, place: String, walk: String, at: Moment,
    of list: ListStamp? = nil
  ) {
    (self.rows, self.faults, self.said, self.place, self.walk, self.at, self.list) = (rows, faults, said, place, walk, at, list)
  }

  /// Returns the answer after the stamp of its list has changed: an answer of the old holder gets the new one.
  public func following(_ stored: ListStamp?, to new: ListStamp) -> CachedAnswer {
    copy(of: self) { answer in
      if let holder = answer.list?.holder, stored?.holder == nil || stored?.holder == holder {
        answer.list?.holder = new.holder
      }
    }
  }

  /// True when the answer may be cached as `step` after `last`, the last step so far. False when another walk has taken its place.
  public func mayBeCached(as step: Int, after last: (step: Int, walk: String)?) -> Bool {
    step == 0 || last.map { $0.step == step - 1 && $0.walk == walk } ?? false
  }
}

/// The part of an answer that a store keeps in one JSON object. Its rows, walk, time and list have columns of their own.
package struct StoredAnswer: Part {
  package var answer = CachedAnswer(
    rows: [], faults: [], saying: PageStatements(next: .end, paging: .whole), place: "", walk: "",
    at: Moment(secondsSinceEpoch: 0))

  package init() {}

  package init(_ answer: CachedAnswer) { self.answer = answer }

  package static let fields: [Field<StoredAnswer>] = [
    Field("place", \.answer.place), Field("total", \.answer.said.total), Field("next", \.answer.said.next),
    Field("more", \.answer.said.more), Field("paging", \.answer.said.paging), Field("standing", \.answer.said.standing),
    Field("faults", \.answer.faults), Field("maker", \.answer.said.maker),
    Field("request", \.answer.request), Field("tag", \.answer.tag), Field("modified", \.answer.modified),
  ]

  package var body: [UInt8] { value.bytes }
}

extension CachedAnswer {
  /// Makes a page from its rows and the JSON object that a store keeps beside them; nil if that cannot be read.
  package init?(rows: [UInt8], body: [UInt8], walk: String, at: Moment, of list: ListStamp?) {
    guard let stored = try? StoredAnswer(JSON(body), as: .own).answer else { return nil }
    self.init(
      rows: rows, faults: stored.faults, saying: stored.said, place: stored.place, walk: walk, at: at, of: list)
    source = stored.source
  }

  fileprivate var request: String? {
    get { source?.request }
    set { source = newValue.map { PageWatch.Answer(request: $0, validators: Validators(tag: nil, modified: nil)) } }
  }

  fileprivate var tag: String? {
    get { source?.validators.tag }
    set { source?.validators.tag = newValue }
  }

  fileprivate var modified: String? {
    get { source?.validators.modified }
    set { source?.validators.modified = newValue }
  }
}

extension CachedAnswer: FieldValue {
  /// Reads an answer that was stored as one JSON object.
  public init(_ json: JSON, as form: RowForm) throws {
    let answer = try StoredAnswer(json, as: .own).answer
    self.init(
      rows: Array(try json.string("rows").utf8), faults: answer.faults, saying: answer.said, place: answer.place,
      walk: try json.string("walk"), at: Moment(nanoseconds: Int64(try json.int("at"))),
      of: try json.stringIfPresent("list").map { ListStamp(text: $0) })
    source = answer.source
  }

  public var fieldValue: Value {
    copy(of: StoredAnswer(self).value) { value in
      value["rows"] = .text(String(decoding: rows, as: UTF8.self))
      (value["walk"], value["at"]) = (.text(walk), .int(Int(at.nanoseconds)))
      value["list"] = list.map { .text($0.text) }
    }
  }
}

// MARK: - Values that are one text

extension Cursor: FieldValue {
  /// Reads ``text``.
  public init(_ json: JSON, as form: RowForm) throws { self = try json.asText("a place in a list", read: Cursor.init(text:)) }
  public var fieldValue: Value { .text(text) }
}

extension Verdict: FieldValue {
  /// Reads the word of a verdict, and the reason after it.
  public init(_ json: JSON, as form: RowForm) throws { self = try json.asText("a verdict", read: Verdict.init(stored:)) }
  public var fieldValue: Value { .text(stored) }
}

extension Continuation: FieldValue {
  /// Reads `advance`, `end`, or `token …`.
  public init(_ json: JSON, as form: RowForm) throws {
    self = try json.asText("how a list continues", read: Continuation.init(text:))
  }
  public var fieldValue: Value { .text(text) }
}

extension Paging: FieldValue {
  /// Reads a way of paging, such as `offset by 100 to total`.
  public init(_ json: JSON, as form: RowForm) throws { self = try json.asText("a way of paging", read: Paging.init(text:)) }
  public var fieldValue: Value { .text(text) }
}

extension JSON {
  fileprivate func asText<Content>(_ expected: StaticString, read: (String) -> Content?) throws -> Content {
    guard let content = read(try asString()) else { throw mismatch(expected) }
    return content
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

  /// The ways of paging by their words: those for the style and for a manner of it. The plain manner of a style comes first.
  private static let ways: [(word: Substring, manner: Substring?, make: @Sendable (_ first: Int, _ size: Int, End) -> Paging)] =
    [
      ("whole", nil, { _, _, _ in .whole }),
      ("offset", nil, { _, size, end in .offset(size: size, end: end) }),
      ("offset", "blind", { _, size, end in .offset(size: size, end: end, lookingBack: false) }),
      ("number", nil, { first, size, end in .numbered(from: first, size: size, end: end) }),
      ("number", "back", { first, size, end in .numbered(from: first, size: size, end: end, lookingBack: true) }),
      ("token", nil, { _, size, _ in .tokens(size: size) }),
      ("keyset", nil, { _, size, end in .keyset(size: size, end: end) }),
      ("keyset", "shared", { _, size, end in .keyset(size: size, end: end, sharingKeys: true) }),
    ]

  /// `offset by 100 to total`, `number from 1 by 10 to empty unchanging`, `token by 50 to token`, `keyset by 50 to more`, `whole`.
  package var text: String {
    let first = if case .number(let first) = style { first } else { 1 }
    let plain = copy(of: self) { ($0.isUnchanging, $0.partRows) = (false, nil) }
    let way = Self.ways.first { $0.make(first, size, end) == plain }
    var words = [way?.word ?? ""]
    if isNumbered { words += ["from", "\(first)"] }
    if style != .whole { words += ["by", "\(size)", "to", Self.ends.first { $0.end == self.end }?.word ?? "never"] }
    words += [way?.manner, isUnchanging ? "unchanging" : nil].compactMap(\.self)
    return words.joined(separator: " ")
  }

  package init?(text: String) {
    let words = text.split(separator: " ")
    func word(after name: Substring) -> Substring { words.drop { $0 != name }.dropFirst().first ?? "" }
    let isWhole = words.first == "whole"
    let size = isWhole ? Int.max : Int(word(after: "by")) ?? 0
    let end: End? = isWhole ? .emptyPage : Self.ends.first { $0.word == word(after: "to") }?.end
    let way = Self.ways.last { $0.word == words.first && $0.manner.map(words.contains) ?? true }
    guard let way, let end, size > 0 else { return nil }
    self = way.make(Int(word(after: "from")) ?? 1, size, end)
    isUnchanging = words.contains("unchanging")
  }
}
