public import AggregatorCore

/// A comic-book character, in the fields that `aggregator heroes` prints.
public struct Hero: Record {
  /// The service's own number.
  public var number = 0
  public var name = ""
  public var realName: String?
  public var aliases: [String] = []
  public var publisher: String?
  /// A sentence or two about them.
  public var deck: String?
  /// The address of a picture.
  public var image: String?
  public var gender = Gender.other
  public var firstAppearance: Appearance?
  /// In how many issues they appear.
  public var issueCount: Int?
  /// The service's page about them.
  public var url: String?

  // Only the full record has these.
  public var description: String?
  public var powers: [String] = []
  public var teams: [String] = []
  public var origin: String?
  /// An ISO date where the service's can be read.
  public var birth: String?

  public var id: String { String(number) }

  public init() {}

  /// What the service calls a character's gender.
  public enum Gender: String, Sendable, FieldValue {
    case male, female, other

    public static var missing: Gender? { .other }
  }

  /// The issue in which a character is first seen.
  public struct Appearance: Part {
    public var issue: String?
    public var name: String?

    public static let fields: [Field<Appearance>] = [Field("issue", \.issue, from: "issue_number"), Field("name", \.name)]
    public static let phrase: Phrase? = "{issue}, {name}"

    public init() {}
  }

  public static let fields: [Field<Hero>] = [
    Field("id", \.number, width: .whole),
    Field("name", \.name, .title, searchable: true),
    Field("realName", \.realName, .subtitle, from: "real_name", searchable: true),
    Field("aliases", \.aliases, width: .hidden, searchable: true, reading: aliases),
    Field("publisher", \.publisher, .badge, from: "publisher.name").searchedLast,
    Field("deck", \.deck, width: .extra).searchedLast,
    Field("image", \.image, .picture, width: .hidden, reading: picture),
    Field("gender", \.gender, width: .hidden, reading: gender),
    Field("firstAppearance", \.firstAppearance, width: .hidden, reading: firstAppearance),
    Field("issueCount", \.issueCount, .weight, from: "count_of_issue_appearances", width: .hidden),
    Field("url", \.url, .link, from: "site_detail_url", width: .hidden),
    Field("description", \.description, width: .hidden, detail: true, reading: description),
    Field("powers", \.powers, width: .hidden, detail: true, reading: { try names($0["powers"]) }),
    Field("teams", \.teams, width: .hidden, detail: true, reading: { try names($0["teams"]) }).searchedLast,
    Field("origin", \.origin, from: "origin.name", width: .hidden, detail: true),
    Field("birth", \.birth, width: .hidden, detail: true, reading: birth).holding(.time),
  ]

  /// A name in any case, with marks or without, is one name.
  public static let schema = Schema<Hero>(
    fields, identity: { Fold.fold($0) }, answers: { $0.answers(to: $1) }
  ) { try Hero($0, as: $1) }

  /// Whether the name is the id, or exactly this one's; the people whose names are alike are many, but the id is one's own.
  func answers(to name: String) -> Bool {
    let identity = Fold.fold(name)
    return id == identity || Fold.fold(self.name) == identity
  }
}
