import Platform

/// The means of a terminal to show a text: colors, links, directions of writing.
///
/// Colors are those of the terminal's own palette, which its owner chose to be readable.
package struct Style: Sendable, Hashable {
  package let isColored: Bool
  /// True when the terminal opens links.
  package let hasLinks: Bool
  /// True when texts that are written from right to left are kept apart from the texts beside them.
  package let isolatesDirections: Bool

  package init(isColored: Bool, hasLinks: Bool = false, isolatesDirections: Bool = false) {
    (self.isColored, self.hasLinks, self.isolatesDirections) = (isColored, hasLinks, isolatesDirections)
  }

  package func title(_ text: String) -> String { sequence("1", text) }
  package func badge(_ text: String) -> String { sequence("36", text) }
  package func dim(_ text: String) -> String { sequence("2", text) }
  package func error(_ text: String) -> String { sequence("1;31", text) }

  private func sequence(_ code: String, _ text: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// Returns the text as a link to a web page. It stays as it is if `address` is not one, or if the terminal does not open links.
  package func link(_ text: String, to address: String?) -> String {
    guard hasLinks, !text.isEmpty, let address = address.flatMap(Self.linked) else { return text }
    return "\u{1B}]8;;\(address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  /// Returns a web address in visible ASCII, as the sequence needs it. Nil for any other text, and for an address that
  /// is longer than terminals accept.
  private static func linked(_ address: String) -> String? {
    let start = address.prefix(8).lowercased()
    // An address must not contain anything that a terminal might obey.
    guard start.hasPrefix("https://") || start.hasPrefix("http://"), address.utf8.count <= 2_000,
      !address.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { return nil }
    return String(decoding: address.utf8.flatMap { 0x21...0x7E ~= $0 ? [$0] : $0.percentEncoded }, as: UTF8.self)
  }

  /// Returns the text with marks around it, so that parts written from right to left do not move the texts
  /// beside it. The marks take no column.
  package func isolated(_ text: String) -> String {
    guard isolatesDirections, text.unicodeScalars.contains(where: Self.isFromRight) else { return text }
    return "\u{2068}\(text)\u{2069}"
  }

  /// True for the letters of Hebrew, Arabic and their neighbors, and for the marks that turn the direction.
  private static func isFromRight(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}

extension Style {
  /// True when a stream is colored. A person's choice for this run decides first, then the environment, then
  /// whether the stream is a terminal.
  package static func isColored(_ choice: String?, onTerminal isTerminal: Bool, _ environment: [String: String]) -> Bool {
    switch choice {
    case "always": return true
    case "never": return false
    default: break
    }
    if !(environment["NO_COLOR"] ?? "").isEmpty { return false }
    if let forced = environment["CLICOLOR_FORCE"], !forced.isEmpty, forced != "0" { return true }
    return isTerminal && environment["TERM"] != "dumb" && environment["CLICOLOR"] != "0"
  }

  /// True when links are written as OSC 8. A terminal that does not open links ignores them.
  package static func opensLinks(_ environment: [String: String]) -> Bool {
    if let forced = environment["FORCE_HYPERLINK"], !forced.isEmpty { return forced != "0" }
    return environment["TERM"] != "dumb"
  }
}
