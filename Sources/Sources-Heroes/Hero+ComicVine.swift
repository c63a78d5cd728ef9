import AggregatorCore
import HTML

// Reads a character as Comic Vine sends it.
extension Hero {
  @Sendable static func name(_ row: JSON) throws -> String {
    guard let name = try row.stringIfPresent("name") else {
      throw SourceError(.malformed, "\(row.path).name: character without a name")
    }
    return name
  }

  @Sendable static func aliases(_ row: JSON) throws -> [String] { try row.stringIfPresent("aliases").map(lines) ?? [] }

  @Sendable static func gender(_ row: JSON) throws -> Gender {
    switch try row.intIfPresent("gender") {
    case 1: .male
    case 2: .female
    default: .other
    }
  }

  @Sendable static func firstAppearance(_ row: JSON) throws -> Appearance? {
    let appearance = try row.objectIfPresent("first_appeared_in_issue").map { try Appearance($0, as: .service) }
    return appearance == Appearance() ? nil : appearance
  }

  /// Returns the description as plain text; its links are resolved against the service's site.
  @Sendable static func description(_ row: JSON) throws -> String? {
    let text = try row.stringIfPresent("description").map { HTMLText.plain($0, base: ComicVineService.site) }
    return text?.isEmpty == true ? nil : text
  }

  @Sendable static func birth(_ row: JSON) throws -> String? { try row.stringIfPresent("birth").flatMap(isoDate) }

  /// Returns one alias for each line, with any kind of line break.
  private static func lines(_ text: String) -> [String] {
    text.utf8.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      .compactMap { String($0)?.trimmingSpaces }.filter { !$0.isEmpty }
  }

  private static let pictureSizes = [
    "medium_url", "screen_url", "small_url", "screen_large_url", "super_url", "original_url", "thumb_url", "tiny_url",
    "icon_url",
  ]

  /// Returns the address of the medium picture, or of the nearest size. Nil for "no picture", which has the address of a blank one.
  @Sendable static func picture(_ row: JSON) throws -> String? {
    guard let image = try row.objectIfPresent("image") else { return nil }
    for size in pictureSizes {
      guard let address = try image.stringIfPresent(size) else { continue }
      return address.hasSuffix("-blank.png") ? nil : address
    }
    return nil
  }

  /// Returns the names in a list of a detail; items without a name are left out.
  static func names(_ list: JSON?) throws -> [String] {
    try list?.elements.compactMap { try $0.stringIfPresent("name") } ?? []
  }

  /// Returns `1920-12-04` for `Dec 4, 1920`; nil if the text is not a date.
  private static func isoDate(_ text: String) -> String? {
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    let words = text.lowercased().split { $0 == " " || $0 == "," }
    guard words.count == 3, let month = months.firstIndex(of: String(words[0].prefix(3))), let day = Int(words[1]),
      let year = Int(words[2])
    else { return CalendarDay(iso: text)?.description }
    return CalendarDay(year: year, month: month + 1, day: day)?.description
  }
}
