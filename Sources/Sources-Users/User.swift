public import AggregatorCore

/// A person, with the fields that `aggregator users` prints.
public struct User: Record {
  /// The normalized e-mail address, which identifies the person.
  public var email = ""
  /// The name in its parts.
  public var name: Name?
  /// The name with which they sign in.
  public var username: String?
  /// The service's ID of the row. The service sends several rows for one person.
  public var uuid: String?
  /// `male` or `female`, as the service writes it.
  public var gender: String?
  /// The nationality, as two letters in ISO 3166-1.
  public var nat: String?
  /// The phone number, as it is written in their country.
  public var phone: String?
  /// The number of the mobile phone, as it is written in their country.
  public var cell: String?
  /// The date of birth in ISO form.
  public var birthday: String?
  /// The date of registration in ISO form.
  public var registered: String?
  /// The home address.
  public var address: Address?
  /// The pictures; nil if all of them are placeholders.
  public var picture: Picture?

  public var id: String { email }

  public static let schema = Schema<User>(fields, identity: { normalised($0) }) { try User($0, as: $1) }

  /// Makes an empty record.
  public init() {}

  /// Reads a person; throws if the e-mail address is not valid.
  public init(_ row: JSON, as form: RowForm) throws {
    self.init()
    try read(row, as: form)
    email = try Self.address(in: row)
  }

  /// Returns the age in whole years on a day; nil if the birthday is later or unknown. It is
  /// computed, because the service's own number gets old.
  public func age(on day: CalendarDay) -> Int? {
    birthday.flatMap { CalendarDay(iso: $0) }.map { $0.years(until: day) }.flatMap { $0 < 0 ? nil : $0 }
  }

  /// Returns the address in one form, because people write theirs in several ways, and an accented letter has two encodings.
  static func normalised(_ email: String) -> String { email.trimmingSpaces.lowercased().composed }

  /// Returns the address in a row, normalized; throws if it is not valid.
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

  /// Returns the day of `{"date": "1992-03-08T15:13:16.688Z", "age": 30}`. The age is ignored, because it gets old.
  private static func day(_ row: JSON, _ member: String) throws -> String? {
    try row.objectIfPresent(member)?.stringIfPresent("date").flatMap { CalendarDay(iso: $0)?.description }
  }
}

extension User {
  /// The name of a person.
  public struct Name: Part {
    /// The form of address in their own language: `Ms`, `Monsieur`.
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
    public static let lineFormat: LineFormat? = "{title} {first} {last}"

    /// Makes an empty name.
    public init() {}
  }

  /// The home address of a person.
  public struct Address: Part {
    /// The house number and the street.
    public var street: String?
    /// The name of the city, as it is written there.
    public var city: String?
    /// The state or province, not abbreviated.
    public var state: String?
    /// The country's name in English.
    public var country: String?
    /// The postcode as a text, because many have letters.
    public var postcode: String?
    /// The latitude in degrees, negative south of the equator.
    public var latitude: Double?
    /// The longitude in degrees, negative west of Greenwich.
    public var longitude: Double?
    /// The offset from UTC: `+9:30`.
    public var timezone: String?

    public static let fields: [Field<Address>] = [
      Field("street", \.street, reading: street),
      Field("city", \.city),
      Field("state", \.state),
      Field("country", \.country),
      // It is a number in most countries, and a text in CA, GB, NO and NL.
      Field("postcode", \.postcode, reading: { try $0.stringOrNumberIfPresent("postcode") }),
      Field("latitude", \.latitude, from: "coordinates.latitude"),
      Field("longitude", \.longitude, from: "coordinates.longitude"),
      Field("timezone", \.timezone, from: "timezone.offset"),
    ]
    public static let lineFormat: LineFormat? = "{street}, {city}, {state} {postcode}, {country}"

    /// Makes an empty address.
    public init() {}

    @Sendable private static func street(_ row: JSON) throws -> String? {
      guard let street = try row.objectIfPresent("street") else { return nil }
      let parts = try [street.stringOrNumberIfPresent("number"), street.stringIfPresent("name")].compactMap { $0 }
      return parts.isEmpty ? nil : parts.joined(separator: " ")
    }
  }

  /// The addresses of a person's picture in three sizes.
  public struct Picture: Part {
    /// The address of the largest picture.
    public var large: String?
    /// The address of the middle-sized picture.
    public var medium: String?
    /// The address of the smallest picture.
    public var thumbnail: String?

    public static let fields: [Field<Picture>] = [
      Field("large", \.large), Field("medium", \.medium), Field("thumbnail", \.thumbnail),
    ]
    public static let lineFormat: LineFormat? = "{large}"

    /// Makes an empty record of pictures.
    public init() {}
  }
}
