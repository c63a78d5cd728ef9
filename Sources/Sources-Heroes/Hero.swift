public import AggregatorCore

/// A comic-book character, in the fields that `aggregator heroes` prints.
public struct Hero: Record {
  /// The service's own number.
  public var number = 0
  /// What everybody calls them.
  public var name = ""
  /// What they are called in private; nil where nobody knows.
  public var realName: String?
  /// What else they are called, each once.
  public var aliases: [String] = []
  /// The name of who publishes them.
  public var publisher: String?
  /// A sentence or two about them.
  public var deck: String?
  /// The address of a picture.
  public var image: String?
  /// `other` where the service does not say.
  public var gender = Gender.other
  /// Nil where the service does not know it.
  public var firstAppearance: Appearance?
  /// In how many issues they appear.
  public var issueCount: Int?
  /// The service's page about them.
  public var url: String?

  // Only the full record has these.
  /// A text in paragraphs, without HTML.
  public var description: String?
  /// The names of what they can do.
  public var powers: [String] = []
  /// The names of the teams they are or were in.
  public var teams: [String] = []
  /// What they are: `Human`, `Mutant`, `Alien`.
  public var origin: String?
  /// An ISO date where the service's can be read.
  public var birth: String?

  public var id: String { String(number) }

  /// With nothing known.
  public init() {}

  /// What the service calls a character's gender.
  public enum Gender: String, FieldValue {
    /// As JSON has it.
    case male, female, other

    public static var missing: Gender? { .other }

    /// `other` where it says anything else.
    public init(_ json: JSON, as form: RowForm) throws { self = Gender(rawValue: try json.asString()) ?? .other }
  }

  /// The issue in which a character is first seen.
  public struct Appearance: Part {
    /// The issue's number, which may have letters in it.
    public var issue: String?
    /// The issue's title.
    public var name: String?

    public static let fields: [Field<Appearance>] = [Field("issue", \.issue, from: "issue_number"), Field("name", \.name)]
    public static let phrase: Phrase? = "{issue}, {name}"

    /// With nothing known.
    public init() {}
  }

  public static let fields: [Field<Hero>] = [
    Field("id", \.number, width: .whole),
    Field("name", \.name, .title, searchable: true, reading: name),
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
