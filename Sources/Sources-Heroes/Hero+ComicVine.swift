import AggregatorCore
import HTML

// A character as Comic Vine sends it.
extension Hero {
  /// Reads a row of a list, a search or a detail; what a list lacks is empty. Links in the description begin at `site`.
  init(comicVine row: JSON, site: WebAddress?) throws {
    number = try row.int("id")
    guard let name = try row.stringIfPresent("name") else {
      throw SourceError(.malformed, "\(row.path).name: character without a name")
    }
    self.name = name
    realName = try row.stringIfPresent("real_name")
    aliases = try row.stringIfPresent("aliases").map(Self.lines) ?? []
    publisher = try row.objectIfPresent("publisher")?.stringIfPresent("name")
    deck = try row.stringIfPresent("deck")
    image = try row.objectIfPresent("image").flatMap(Self.picture)
    gender = Self.gender(try row.intIfPresent("gender"))
    firstAppearance = try row.objectIfPresent("first_appeared_in_issue").flatMap(Self.appearance)
    issueCount = try row.intIfPresent("count_of_issue_appearances")
    url = try row.stringIfPresent("site_detail_url")
    description = try row.stringIfPresent("description").map { HTMLText.plain($0, base: site) }.flatMap {
      $0.isEmpty ? nil : $0
    }
    powers = try Self.names(row["powers"])
    teams = try Self.names(row["teams"])
    origin = try row.objectIfPresent("origin")?.stringIfPresent("name")
    birth = try row.stringIfPresent("birth").flatMap(Self.isoDate)
  }

  /// One alias a line, whatever ends the lines.
  private static func lines(_ text: String) -> [String] {
    text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .compactMap { String($0)?.trimmingSpaces }.filter { !$0.isEmpty }
  }

  /// The medium picture, else the nearest size. "No picture" is an address too, of a blank one.
  private static func picture(_ image: JSON) throws -> String? {
    for size in ["medium", "screen", "small", "screen_large", "super", "original", "thumb", "tiny", "icon"] {
      guard let address = try image.stringIfPresent("\(size)_url") else { continue }
      return address.hasSuffix("-blank.png") ? nil : address
    }
    return nil
  }

  private static func gender(_ code: Int?) -> Gender {
    switch code {
    case 1: .male
    case 2: .female
    default: .other
    }
  }

  private static func appearance(_ issue: JSON) throws -> Appearance? {
    let appearance = try Appearance(issue: issue.stringIfPresent("issue_number"), name: issue.stringIfPresent("name"))
    return appearance.issue == nil && appearance.name == nil ? nil : appearance
  }

  /// The names of what a detail lists; some have none.
  private static func names(_ list: JSON?) throws -> [String] {
    try list?.elements.compactMap { try $0.stringIfPresent("name") } ?? []
  }

  /// `Dec 4, 1920` as `1920-12-04`; nil when it cannot be read.
  private static func isoDate(_ text: String) -> String? {
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let words = text.lowercased().split { $0 == " " || $0 == "," }
    guard words.count == 3, let month = months.firstIndex(of: String(words[0].prefix(3))), let day = Int(words[1]),
      let year = Int(words[2])
    else { return CalendarDay(iso: text)?.description }
    return CalendarDay(year: year, month: month + 1, day: day)?.description
  }
}
