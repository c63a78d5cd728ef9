public import AggregatorCore

/// A comic-book character, with the fields that `aggregator heroes` prints.
public struct Hero: Record {
  /// The service's own number.
  public var number = 0
  /// The name by which everybody knows the character.
  public var name = ""
  /// The private name; nil if it is not known.
  public var realName: String?
  /// Other names, each once.
  public var aliases: [String] = []
  /// The name of the publisher.
  public var publisher: String?
  /// A summary of a sentence or two.
  public var deck: String?
  /// The address of a picture.
  public var image: String?
  /// The gender; `other` if the service does not say.
  public var gender = Gender.other
  /// The first issue with the character; nil if the service does not know it.
  public var firstAppearance: Appearance?
  /// The number of issues with the character.
  public var issueCount: Int?
  /// The address of the service's page about the character.
  public var url: String?

  // Only the full record has these.
  /// The description in paragraphs, without HTML.
  public var description: String?
  /// The names of the powers.
  public var powers: [String] = []
  /// The names of present and former teams.
  public var teams: [String] = []
  /// The kind of being: `Human`, `Mutant`, `Alien`.
  public var origin: String?
  /// The date of birth in ISO form; nil if the service's date cannot be read.
  public var birth: String?

  public var id: String { String(number) }

  /// Makes an empty record.
  public init() {}

  /// The gender of a character, according to the service.
  public enum Gender: String, FieldValue, CaseIterable {
    /// The gender as it is written in JSON.
    case male, female, other

    public static var missing: Gender? { .other }

    /// Reads the gender; `other` for any other text.
    public init(_ json: JSON, as form: RowForm) throws { self = Gender(rawValue: try json.asString()) ?? .other }
  }

  /// The first issue with a character.
  public struct Appearance: Part {
    /// The number of the issue, which may have letters in it.
    public var issue: String?
    /// The title of the issue.
    public var name: String?

    public static let fields: [Field<Appearance>] = [Field("issue", \.issue, from: "issue_number"), Field("name", \.name)]
    public static let lineFormat: LineFormat? = "{issue}, {name}"

    /// Makes an empty record.
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

  /// A name is the same in upper and lower case, with or without accents.
  public static let schema = Schema<Hero>(
    fields, identity: { Fold.fold($0) }, answers: { $0.answers(to: $1) }
  ) { try Hero($0, as: $1) }

  /// True when the text is the ID, or exactly this character's name. Several characters may have one name, but an ID is unique.
  func answers(to name: String) -> Bool {
    let identity = Fold.fold(name)
    return id == identity || Fold.fold(self.name) == identity
  }
}
