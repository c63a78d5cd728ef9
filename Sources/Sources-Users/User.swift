public import AggregatorCore

/// A person, in the fields that `aggregator users` prints.
public struct User: Record {
  /// Normalised: this is who they are.
  public var email = ""
  /// What they are called.
  public var name: Name?
  /// What they sign in with.
  public var username: String?
  /// What the service knows the row by: of one person it sends several.
  public var uuid: String?
  /// `male` or `female`, as the service writes it.
  public var gender: String?
  /// Their nationality, two letters by ISO 3166-1.
  public var nat: String?
  /// As it is written in their nation.
  public var phone: String?
  /// As it is written in their nation.
  public var cell: String?
  /// An ISO date.
  public var birthday: String?
  /// An ISO date.
  public var registered: String?
  /// Where they live.
  public var address: Address?
  /// Nil where all of it are placeholders.
  public var picture: Picture?

  public var id: String { email }

  public static let schema = Schema<User>(fields, identity: { normalised($0) }) { try User($0, as: $1) }

  /// With nothing known.
  public init() {}

  /// Reads a person, whose e-mail address has to be one.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
    email = try Self.address(in: row)
  }

  /// The whole years since the birthday, unless that is still to come: what the service sends is as old as its answer.
  public func age(on day: CalendarDay) -> Int? {
    birthday.flatMap { CalendarDay(iso: $0) }.map { $0.years(until: day) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// The same person writes their address in many ways, and a letter with a mark has two spellings.
  static func normalised(_ email: String) -> String { email.trimmingSpaces.lowercased().composed }

  /// The address in a row, normalised.
  static func address(in row: JSON) throws -> String {
    let email = normalised(try row.string("email"))
    let parts = email.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    let isPlain =
      email.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      || (Printable.clean(email) == email && !email.contains(where: \.isWhitespace))
    guard isPlain, parts.count > 1, parts.allSatisfy({ !$0.isEmpty }) else {
      throw SourceError(.malformed, "\(try row.member("email").path): \"\(email)\" is not an e-mail address")
    }
    return email
  }
}

extension User {
  public static let fields: [Field<User>] = [
    Field("email", \.email, .subtitle, width: .whole, searchable: true),
    Field("name", \.name, .title, searchable: true),
    Field("username", \.username, from: "login.username", width: .hidden),
    Field("uuid", \.uuid, .reference, from: "login.uuid", width: .hidden),
    Field("gender", \.gender, width: .hidden),
    Field("nat", \.nat, .badge, width: .whole).labelled("Nationality"),
    Field("phone", \.phone),
    Field("cell", \.cell, width: .hidden),
    Field("birthday", \.birthday, width: .hidden, reading: { try day($0, "dob") }).holding(.time),
    Field("age", computed: { $0.age(on: CalendarDay($1)) }),
    Field("registered", \.registered, width: .hidden, reading: { try day($0, "registered") }).holding(.time),
    Field("address", \.address, from: "location", width: .hidden),
    Field("picture", \.picture, .picture, width: .hidden),
  ]

  /// The day of `{"date": "1992-03-08T15:13:16.688Z", "age": 30}`; the age was true once.
  private static func day(_ row: JSON, _ member: String) throws -> String? {
    try row.objectIfPresent(member)?.stringIfPresent("date").flatMap { CalendarDay(iso: $0)?.description }
  }
}

extension User {
  /// What a person is called.
  public struct Name: Part {
    /// `Ms`, `Monsieur`: in their own language.
    public var title: String?
    /// The given name.
    public var first: String?
    /// The family name.
    public var last: String?

    public static let fields: [Field<Name>] = [
      Field("title", \.title, width: .hidden),
      Field("first", \.first, searchable: true),
      Field("last", \.last, searchable: true),
    ]
    public static let phrase: Phrase? = "{title} {first} {last}"

    /// With nothing known.
    public init() {}
  }

  /// Where a person lives.
  public struct Address: Part {
    /// The house number and the street.
    public var street: String?
    /// As it is written there.
    public var city: String?
    /// The state or province, written out.
    public var state: String?
    /// The country's name in English.
    public var country: String?
    /// A text, since many have letters in it.
    public var postcode: String?
    /// In degrees, negative south of the equator.
    public var latitude: Double?
    /// In degrees, negative west of Greenwich.
    public var longitude: Double?
    /// The offset from UTC: `+9:30`.
    public var timezone: String?

    public static let fields: [Field<Address>] = [
      Field("street", \.street, reading: street),
      Field("city", \.city),
      Field("state", \.state),
      Field("country", \.country),
      // A number in most nations, a text in CA, GB, NO and NL.
      Field("postcode", \.postcode, reading: { try $0.stringOrNumberIfPresent("postcode") }),
      Field("latitude", \.latitude, from: "coordinates.latitude"),
      Field("longitude", \.longitude, from: "coordinates.longitude"),
      Field("timezone", \.timezone, from: "timezone.offset"),
    ]
    public static let phrase: Phrase? = "{street}, {city}, {state} {postcode}, {country}"

    /// With nothing known.
    public init() {}

    @Sendable private static func street(_ row: JSON) throws -> String? {
      guard let street = try row.objectIfPresent("street") else { return nil }
      let parts = try [street.stringOrNumberIfPresent("number"), street.stringIfPresent("name")].compactMap { $0 }
      return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
  }

  /// The addresses of a person's picture in three sizes.
  public struct Picture: Part {
    /// The address of the largest.
    public var large: String?
    /// The address of the middle one.
    public var medium: String?
    /// The address of the smallest.
    public var thumbnail: String?

    public static let fields: [Field<Picture>] = [
      Field("large", \.large), Field("medium", \.medium), Field("thumbnail", \.thumbnail),
    ]
    public static let phrase: Phrase? = "{large}"

    /// With nothing known.
    public init() {}
  }
}
