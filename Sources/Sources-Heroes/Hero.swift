public import AggregatorCore

/// A comic-book character, in the fields that `aggregator heroes` prints.
public struct Hero: Record {
  /// The service's own number.
  public let number: Int
  public let name: String
  public let realName: String?
  public let aliases: [String]
  public let publisher: String?
  /// A sentence or two about them.
  public let deck: String?
  public let image: String?
  public let gender: Gender
  public let firstAppearance: Appearance?
  public let issueCount: Int?
  public let url: String?

  // Only the full record has these.
  public let description: String?
  public let powers: [String]
  public let teams: [String]
  public let origin: String?
  /// An ISO date where the service's can be read.
  public let birth: String?

  public var id: String { String(number) }

  public enum Gender: String, Sendable, Hashable, FieldValue {
    case male, female, other

    public var fieldValue: Value { .text(rawValue) }
  }

  public struct Appearance: Part {
    public let issue: String?
    public let name: String?

    public static let fields = [Field<Appearance>("issue") { $0.issue }, Field<Appearance>("name") { $0.name }]
    public static let phrase: Phrase? = "{issue}, {name}"
  }

  public static let fields = [
    Field<Hero>("id", width: .whole) { $0.number },
    Field<Hero>("name", .title, searchable: true) { $0.name },
    Field<Hero>("realName", .subtitle, searchable: true) { $0.realName },
    Field<Hero>("aliases", width: .hidden, searchable: true) { $0.aliases },
    Field<Hero>("publisher", .badge) { $0.publisher }.searchedLast,
    Field<Hero>("deck", width: .extra) { $0.deck }.searchedLast,
    Field<Hero>("image", .picture, width: .hidden) { $0.image },
    Field<Hero>("gender", width: .hidden) { $0.gender },
    Field<Hero>("firstAppearance", width: .hidden) { $0.firstAppearance },
    Field<Hero>("issueCount", .weight, width: .hidden) { $0.issueCount },
    Field<Hero>("url", .link, width: .hidden) { $0.url },
    Field<Hero>("description", width: .hidden, detail: true) { $0.description },
    Field<Hero>("powers", width: .hidden, detail: true) { $0.powers },
    Field<Hero>("teams", width: .hidden, detail: true) { $0.teams }.searchedLast,
    Field<Hero>("origin", width: .hidden, detail: true) { $0.origin },
    Field<Hero>("birth", width: .hidden, detail: true) { $0.birth }.holding(.time),
  ]

  /// A name in any case, with marks or without, is one name.
  public static let schema = Schema<Hero>(
    fields, identity: { Fold.fold($0) }, answers: { $0.answers(to: $1) }
  ) { try Hero($0) }

  /// Whether the name is the id, or exactly this one's; the people whose names are alike are many, but the id is one's own.
  func answers(to name: String) -> Bool {
    let identity = Fold.fold(name)
    return id == identity || Fold.fold(self.name) == identity
  }
}
