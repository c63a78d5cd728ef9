public import AggregatorCore

/// A person, in the fields that `aggregator users` prints.
public struct User: Record {
  /// Normalised: this is who they are.
  public let email: String
  public let name: Name?
  public let username: String?
  public let uuid: String?
  public let gender: String?
  public let nat: String?
  public let phone: String?
  public let cell: String?
  /// An ISO date.
  public let birthday: String?
  /// An ISO date.
  public let registered: String?
  public let address: Address?
  public let picture: Picture?

  public var id: String { email }

  public static let schema = Schema<User>(fields, identity: { normalised($0) }) { try User($0) }

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
  public static let fields = [
    Field<User>("email", .subtitle, width: .whole, searchable: true) { $0.email },
    Field<User>("name", .title, searchable: true) { $0.name },
    Field<User>("username", width: .hidden) { $0.username },
    Field<User>("uuid", .reference, width: .hidden) { $0.uuid },
    Field<User>("gender", width: .hidden) { $0.gender },
    Field<User>("nat", .badge, width: .whole) { $0.nat }.labelled("Nationality"),
    Field<User>("phone") { $0.phone },
    Field<User>("cell", width: .hidden) { $0.cell },
    Field<User>("birthday", width: .hidden) { $0.birthday }.holding(.time),
    Field<User>("age", computed: { $0.age(on: CalendarDay($1)) }),
    Field<User>("registered", width: .hidden) { $0.registered }.holding(.time),
    Field<User>("address", width: .hidden) { $0.address },
    Field<User>("picture", .picture, width: .hidden) { $0.picture },
  ]
}

extension User {
  public struct Name: Part {
    public let title: String?
    public let first: String?
    public let last: String?

    public static let fields = [
      Field<Name>("title", width: .hidden) { $0.title },
      Field<Name>("first", searchable: true) { $0.first },
      Field<Name>("last", searchable: true) { $0.last },
    ]
    public static let phrase: Phrase? = "{title} {first} {last}"
  }

  public struct Address: Part {
    public let street: String?
    public let city: String?
    public let state: String?
    public let country: String?
    public let postcode: String?
    public let latitude: Double?
    public let longitude: Double?
    public let timezone: String?

    public static let fields = [
      Field<Address>("street") { $0.street }, Field<Address>("city") { $0.city }, Field<Address>("state") { $0.state },
      Field<Address>("country") { $0.country }, Field<Address>("postcode") { $0.postcode },
      Field<Address>("latitude") { $0.latitude }, Field<Address>("longitude") { $0.longitude },
      Field<Address>("timezone") { $0.timezone },
    ]
    public static let phrase: Phrase? = "{street}, {city}, {state} {postcode}, {country}"
  }

  public struct Picture: Part {
    public let large: String?
    public let medium: String?
    public let thumbnail: String?

    public static let fields = [
      Field<Picture>("large") { $0.large }, Field<Picture>("medium") { $0.medium },
      Field<Picture>("thumbnail") { $0.thumbnail },
    ]
    public static let phrase: Phrase? = "{large}"
  }
}
