public import AggregatorCore

/// Something that can be done with a source, declared once for every face: a command line has it as a word, a server as a path, a
/// program that speaks MCP as a tool.
public struct Verb: Sendable {
  /// The subject of a verb.
  public enum Subject: Sendable, Hashable {
    /// The list, or all that is stored.
    case nothing
    /// The records that a text finds.
    case text
    /// One record.
    case record
    /// One record or several.
    case records
    /// Two records.
    case twoRecords
  }

  /// The change that a verb makes. Any verb may fill caches and stores besides.
  public enum Effect: Sendable, Hashable {
    /// Nothing.
    case nothing
    /// The position up to which a person has read.
    case position
    /// The stored records.
    case store
  }

  /// The party that a verb asks, whatever the terms say.
  public enum Partner: Sendable, Hashable {
    /// Any party that the terms allow.
    case anyone
    /// Only the store.
    case store
    /// Only the service.
    case service
    /// Only the service, or only the store if the terms say so, because parts of two answers would not fit together. The records of an
    /// endless list are the stored ones, so there the terms decide.
    case oneOfBoth
  }

  /// The name in every face. A source may have a name of its own for `pick`, see ``name(for:)``.
  public let name: String
  /// The subject of the verb.
  public let subject: Subject
  /// The change that it makes.
  public let effect: Effect
  /// The parameters, without those for its subject.
  public let parameters: [Ask.Parameter]
  /// The party that it asks.
  public let partner: Partner
  private let describe: @Sendable (SourceDescriptor) -> String
  private let isOffered: @Sendable (SourceDescriptor) -> Bool

  init(
    _ name: String, _ subject: Subject = .nothing, changing effect: Effect = .nothing, asking partner: Partner = .anyone,
    taking parameters: [Ask.Parameter],
    _ describe: @autoclosure @escaping @Sendable () -> String,
    where isOffered: @escaping @Sendable (SourceDescriptor) -> Bool = { _ in true }
  ) {
    self.init(
      name, subject, changing: effect, asking: partner, taking: parameters, where: isOffered
    ) { _ in describe() }
  }

  init(
    _ name: String, _ subject: Subject = .nothing, changing effect: Effect = .nothing, asking partner: Partner = .anyone,
    taking parameters: [Ask.Parameter],
    where isOffered: @escaping @Sendable (SourceDescriptor) -> Bool = { _ in true },
    _ describe: @escaping @Sendable (SourceDescriptor) -> String
  ) {
    (self.name, self.subject, self.effect, self.partner, self.parameters) = (name, subject, effect, partner, parameters)
    (self.describe, self.isOffered) = (describe, isOffered)
  }

  /// True when the source offers the verb.
  public func isOffered(by source: SourceDescriptor) -> Bool { isOffered(source) }
  /// Describes in one line what the verb does with that source.
  public func summary(for source: SourceDescriptor) -> String { describe(source) }
  /// Returns the name that the source gives to the verb.
  public func name(for source: SourceDescriptor) -> String { self == .pick ? source.pick?.verb ?? name : name }
}

extension Verb: Hashable {
  public static func == (one: Verb, other: Verb) -> Bool { one.name == other.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

// MARK: - The table

extension Verb {
  /// Every verb except `import`, in the order in which help lists them.
  public static let all: [Verb] = [
    .list, .search, .next, .reset, .sync, .audit, .show, .image, .pick, .compare, .changes, .history, .partitions, .read,
    .delete,
    .restore, .why,
    .forget,
  ]

  package static let list = Verb("list", taking: [.deleted] + Ask.Parameter.walking + [.asOf] + Ask.Parameter.origin) {
    "list \($0.name) from the beginning"
  }
  package static let search = Verb(
    "search", .text, taking: [.more] + Ask.Parameter.walking + [.asOf] + Ask.Parameter.origin, where: { $0.searches != nil }
  ) { "search by \($0.searches ?? ""); case and diacritics do not matter" }
  package static let next = Verb("next", changing: .position, taking: [.limit] + Ask.Parameter.origin) {
    "show the next \($0.name); the position is remembered between runs"
  }
  package static let reset = Verb(
    "reset", changing: .position, taking: [.timeout], "start 'next' again at the first record; records are kept")
  package static let sync = Verb(
    "sync", changing: .store, asking: .service,
    taking: [.maxRequests, .wait, .full, .acceptGone, .freeze, .require, .refresh, .sameAccount, .timeout],
    "store every record; continue where the last sync stopped, then fetch what changed", where: { !$0.isEndless })
  package static let audit = Verb(
    "audit", asking: .service, taking: [.requests, .seed, .sameAccount, .timeout],
    "compare a random part of what is stored with the service", where: { !$0.isEndless })
  package static let show = Verb(
    "show", .records, taking: [.asOf] + Ask.Parameter.origin, "show one record in full, or several")
  package static let image = Verb(
    "image", .record, taking: Ask.Parameter.origin,
    "show the pictures of one record where the terminal can, and print their paths", where: \.hasPictures)
  package static let pick = Verb("pick", taking: [.seed] + Ask.Parameter.origin, where: { $0.pick != nil }) {
    $0.pick?.summary ?? ""
  }
  package static let compare = Verb(
    "compare", .twoRecords, taking: Ask.Parameter.origin, "show two records side by side; * marks what differs")
  package static let changes = Verb(
    "changes", asking: .store,
    taking: [
      .since, .until, .onlyNew, .onlyChanged, .onlyGone, .whereChange, .mostChanges, .sameAccount, .require, .timeout,
    ],
    "show what syncs found new, changed or gone; the latest first", where: { !$0.isEndless })
  package static let partitions = Verb(
    "partitions", asking: .oneOfBoth, taking: [.parts, .search, .offline, .live, .refresh, .timeout]
  ) {
    "split \($0.name) into partitions that several processes can read at once"
  }
  package static let read = Verb(
    "read", asking: .oneOfBoth, taking: [.partition, .search, .where, .offline, .live, .refresh, .timeout, .require],
    "print the records of one partition, or all")
  package static let delete = Verb(
    "delete", .record, changing: .store, asking: .store, taking: [.timeout],
    "delete a record for good: never show or fetch it again",
    where: \.isEndless)
  package static let restore = Verb("restore", .record, changing: .store, asking: .store, taking: [.timeout]) {
    $0.isEndless ? "undo a deletion, and take back edits" : "take back the edits of a record"
  }
  package static let why = Verb(
    "why", .record, asking: .store, taking: [.timeout],
    "show which fetch brought a record, its duplicates, and whether it is edited or deleted")
  package static let history = Verb(
    "history", .record, asking: .store, taking: [.sameAccount, .timeout],
    "show every value that a record had, as far as syncs found it; the latest first", where: { !$0.isEndless })
  package static let forget = Verb(
    "forget", changing: .store, asking: .store, taking: [.imported, .timeout],
    "remove what is stored of a source; deletions stay")

  /// Stores the rows of a file. Every source has it, but it is not in ``all``, because each face receives the file in its own way.
  package static let `import` = Verb(
    "import", changing: .store, taking: [.require, .timeout], "store the rows of a file in a source")
}

extension Verb {
  /// Returns the fields that its conditions and orders can name: those of the source's records, or those of its changes.
  package func fields(of source: SourceDescriptor) -> [FieldOutline] {
    self == .changes ? FoundChange.fieldsOfSeveral.map { $0.outline } : source.fields
  }
}

extension SourceDescriptor {
  /// The verbs that the source offers.
  public var verbs: [Verb] { Verb.all.filter { $0.isOffered(by: self) } }
}
