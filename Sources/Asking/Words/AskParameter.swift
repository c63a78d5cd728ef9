public import AggregatorCore

extension Ask {
  /// Something that can be said of an ask. Every face uses the same name for it: a command line as an option, a server as an item of a
  /// query, a program that speaks MCP as an argument.
  public struct Parameter: Sendable, Hashable {
    /// The kind of value that a parameter takes.
    public enum Kind: Sendable, Hashable {
      /// No value: it is given or not.
      case flag
      /// A whole number that is not smaller than this.
      case number(from: Int)
      /// A length of time, such as `500ms`; zero is allowed if `mayBeZero`.
      case duration(mayBeZero: Bool)
      /// Any text.
      case text
      /// The beginning of a time, such as `yesterday`, or the name of a reader who asked before.
      case beginning
      /// A time, such as `yesterday` or `2026-11-01`.
      case moment
      /// A time that is over.
      case past
      /// A condition on one field, such as `price<10`.
      case condition
      /// The name of one field.
      case field
      /// Fields to sort by, such as `-price,name`.
      case order
      /// Requirements, such as `complete,age<1d`.
      case requirements
    }

    /// The ability that a source must have for a parameter.
    public enum Need: Sendable, Hashable {
      /// The source can search its records.
      case search
      /// The source has pictures of its records.
      case pictures
      /// The list of the source grows as one asks.
      case endlessList
    }

    /// The name in every face.
    public let name: String
    /// The kind of its value.
    public let kind: Kind
    /// True when it may be given several times.
    public let isRepeatable: Bool
    /// The ability that a source must have for it; nil if any source will do.
    public let need: Need?
    /// A description in one line.
    public let summary: String

    package init(_ name: String, _ kind: Kind, repeatable isRepeatable: Bool = false, of need: Need? = nil, _ summary: String) {
      (self.name, self.kind, self.isRepeatable, self.need, self.summary) = (name, kind, isRepeatable, need, summary)
    }

    /// True when the parameter makes sense for that source.
    public func isOffered(by source: SourceDescriptor) -> Bool { need?.isMet(by: source) ?? true }
  }
}

extension Ask.Parameter.Need {
  /// True when the source has the ability.
  public func isMet(by source: SourceDescriptor) -> Bool {
    switch self {
    case .search: source.searches != nil
    case .pictures: source.hasPictures
    case .endlessList: source.isEndless
    }
  }
}

// MARK: - The table

extension Ask.Parameter {
  // The subject.
  package static let text = Self("text", .text, repeatable: true, of: .search, "what to look for")
  package static let id = Self("id", .text, repeatable: true, "the id of a record, or a name that it answers to")

  package static let cursor = Self("cursor", .text, "where an earlier answer to the same ask ended")

  // The number of records, and their order.
  package static let limit = Self("limit", .number(from: 1), "print at most N records; by default 20")
  package static let mostChanges = Self("limit", .number(from: 1), "print at most N changes; by default all")
  package static let all = Self("all", .flag, "every record")
  package static let pages = Self("pages", .number(from: 1), "fetch at most N pages")
  package static let offset = Self("offset", .number(from: 0), "leave out the first N records")
  package static let count = Self(
    "count", .flag, "print only the number of records; where complete is required, they are counted")
  package static let by = Self(
    "by", .field,
    "with count: the number of records with each value of this field, the most frequent first; "
      + "a list counts once for each of its elements"
  )
  package static let sum = Self(
    "sum", .field, "with count: the exact sum of this field; with by also for each value")
  package static let `where` = Self(
    "where", .condition, repeatable: true,
    "only records that meet this: FIELD=VALUE, FIELD!=VALUE, FIELD~TEXT, FIELD!~TEXT, FIELD in a,b and, of numbers and times, "
      + Self.onConditions("<, <=, > and >=") + "; a value in double quotes is taken as it stands")
  package static let sort = Self(
    "sort", .order, repeatable: true, "sort by a field, or several with commas; -FIELD descends")
  package static let deleted = Self("deleted", .flag, of: .endlessList, "list the deleted records, for 'restore'")
  package static let more = Self("more", .number(from: 1), of: .endlessList, "fetch N more pages first")
  package static let seed = Self("seed", .number(from: .min), "repeat the choice made with the same N")
  package static let requests = Self("requests", .number(from: 1), "ask for at most N pages and records (20)")

  // The origin of the answer.
  package static let offline = Self("offline", .flag, "never use the network")
  package static let live = Self("live", .flag, "use only the live service; never fall back")
  package static let maxAge = Self(
    "max-age", .duration(mayBeZero: true),
    "use a cached answer younger than this without asking; 0 always asks")
  package static let refresh = Self("refresh", .flag, "ask the service again; ignore caches and remembered failures")
  package static let sameAccount = Self(
    "same-account", .flag, "the key is another one of the same account: what is stored stays in use")
  package static let require = Self(
    "require", .requirements,
    "the answer has to be all of these: complete, live, found, same-shape, age<1d (with commas)")
  package static let timeout = Self(
    "timeout", .duration(mayBeZero: false), "time limit for the whole answer")

  // For syncs, for changes, and for lists that several processes read.
  package static let maxRequests = Self(
    "max-requests", .number(from: 1), "send at most N requests; the next sync continues from there")
  package static let wait = Self(
    "wait", .flag, "when rate-limited, out of budget or while another sync runs, wait and continue")
  package static let full = Self("full", .flag, "fetch everything, not only what changed since the last sync")
  package static let freeze = Self(
    "freeze", .flag, "do not store records of another shape than the due one; end there")
  package static let acceptGone = Self(
    "accept-gone", .flag, "fetch everything, and mark what is not listed as gone even if that is most of the store")
  package static let since = Self(
    "since", .beginning,
    "only what changed since then: 1d, yesterday, monday, 2026-11-01, a time, or last[:NAME], which is since NAME last asked so (days are UTC)"
  )
  package static let until = Self(
    "until", .moment,
    "only what changed before then: a time as for since, but not last (a day is the midnight at which it began)")
  package static let onlyNew = Self("new", .flag, "only new records; with changed or gone also those")
  package static let onlyChanged = Self("changed", .flag, "only changed values; with new or gone also those")
  package static let onlyGone = Self("gone", .flag, "only records that are gone; with new or changed also those")
  package static let whereChange = Self(
    "where", .condition, repeatable: true,
    "only changes that meet this, as field=city or before!=null does; a change has change, id, title, field, before, after, at and source"
  )
  package static let parts = Self("count", .number(from: 1), "make at most N partitions")
  package static let partition = Self(
    "partition", .text, "the partition to read, as 'partitions' gave it for the same search")
  package static let search = Self("search", .text, of: .search, "only records that a search for TEXT finds")
  package static let asOf = Self(
    "as-of", .past,
    "the list as it was stored then: 3d, yesterday, monday, 2026-11-01, or a time (a day is its first moment, UTC)")
  package static let imported = Self("imported", .flag, "forget only what was imported")

  /// A statement of SQL. It is about all sources, so that no ask has it.
  package static let statement = Self("statement", .text, "one statement that reads, such as SELECT * FROM countries")

  /// Explains the comparisons of an order and the words in conditions, for every face.
  package static func onConditions(_ signs: String) -> String {
    signs + " (null is a missing value; a time may be 2w, which is two weeks ago, yesterday, monday, 2020 or 2020-03, "
      + "which is its first moment, UTC)"
  }

  static let walking: [Self] = [.limit, .all, .pages, .offset, .count, .by, .sum, .where, .sort]
  static let origin: [Self] = [.offline, .live, .maxAge, .refresh, .sameAccount, .require, .timeout]

  /// Parameters that cannot be used together with others, unless one of a third list is given.
  static let conflicts: [(one: Self, others: [Self], unless: [Self])] = [
    (.count, [.limit], [.by]), (.count, [.pages, .offset, .sort], []), (.all, [.pages], []),
    (.offline, [.more], []), (.offline, [.live, .refresh], []),
    (.asOf, [.live, .refresh, .maxAge, .more, .deleted], []),
  ]

  /// Parameters that mean nothing without another one.
  static let needs: [(one: Self, other: Self)] = [(.by, .count), (.sum, .count)]
}

// MARK: - Reading values

extension Ask.Parameter {
  /// A description of a valid value, for the error about another one.
  public var expected: String {
    switch kind {
    case .flag: "true or false"
    case .number(let least) where least > 0: "a positive whole number, such as 20"
    case .number(let least): "a whole number, such as \(least == 0 ? "0 or 20" : "7")"
    case .duration(mayBeZero: true): "a length of time, such as 10m or 1d, or 0 to always ask"
    case .duration: "a length of time, such as 5, 500ms or 2m"
    case .text, .beginning, .moment, .past, .condition, .field, .order, .requirements: "a text"
    }
  }

  /// Returns the number that was given; nil if none was. Throws if the value is not a valid number.
  public func number(in words: AskWords) throws(AskError) -> Int? {
    try value(in: words) { text in Int(text).flatMap { number in isNumber(number) ? number : nil } }
  }

  private func isNumber(_ number: Int) -> Bool {
    if case .number(let least) = kind { return number >= least }
    return false
  }

  /// Returns the length of time that was given; nil if none was. Throws if the value is not a valid length.
  public func duration(in words: AskWords) throws(AskError) -> Duration? {
    try value(in: words) { text in
      Duration(amount: text.trimmingSpaces).flatMap { $0 > .zero || kind == .duration(mayBeZero: true) ? $0 : nil }
    }
  }

  /// Returns the time that was given; nil if none was. Throws if a value is not a time, as `last` is not.
  package func moment(in words: AskWords, at now: Moment) throws(AskError) -> Moment? {
    try meanings(in: words) { text throws(SourceError) in
      guard let moment = Moment(inWords: text, at: now) else { throw Moment.unreadable(text) }
      return [moment]
    }.last
  }

  /// True when the parameter was given. Its value may be `true` or `false`, or be left out, which means true.
  public func isSaid(in words: AskWords) throws(AskError) -> Bool {
    guard let given = words[self] else { return false }
    switch given.last?.lowercased() {
    case nil, "true": return true
    case "false": return false
    default: throw .invalid(name, expected: expected)
    }
  }

  /// Reads every given value with `read`, and returns all their meanings.
  public func meanings<Meaning>(
    in words: AskWords, _ read: (String) throws(SourceError) -> [Meaning]
  ) throws(AskError) -> [Meaning] {
    do throws(SourceError) {
      var meanings: [Meaning] = []
      for text in words[self] ?? [] { meanings += try read(text) }
      return meanings
    } catch { throw .unreadable(name, error) }
  }

  private func value<Value>(in words: AskWords, _ read: (String) -> Value?) throws(AskError) -> Value? {
    guard let text = words[self]?.last else { return nil }
    guard let value = read(text) else { throw .invalid(name, expected: expected) }
    return value
  }
}
