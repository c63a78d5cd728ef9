import Platform

/// What a terminal is asked to do with a text beside showing it: colours, links, directions of writing.
///
/// Colours are those of the terminal's own palette, which its owner chose to be readable.
package struct Style: Sendable, Hashable {
  package let isColored: Bool
  /// Whether the terminal opens links.
  package let hasLinks: Bool
  /// Whether texts that are written from right to left are kept apart from what stands beside them.
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

  /// The text as a link to a web page; as it is where `address` is none, or the terminal opens no links.
  package func link(_ text: String, to address: String?) -> String {
    guard hasLinks, !text.isEmpty, let address = address.flatMap(Self.linked) else { return text }
    return "\u{1B}]8;;\(address)\u{1B}\\\(text)\u{1B}]8;;\u{1B}\\"
  }

  /// An address of the web in visible ASCII alone, as the sequence wants it. Longer ones than terminals take are none.
  private static func linked(_ address: String) -> String? {
    let start = address.prefix(8).lowercased()
    // What a terminal might obey is no address.
    guard start.hasPrefix("https://") || start.hasPrefix("http://"), address.utf8.count <= 2_000,
      !address.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F })
    else { return nil }
    return String(decoding: address.utf8.flatMap { 0x21...0x7E ~= $0 ? [$0] : $0.percentEncoded }, as: UTF8.self)
  }

  /// The text so that what is written from right to left in it moves nothing beside it. The marks take no column.
  package func isolated(_ text: String) -> String {
    guard isolatesDirections, text.unicodeScalars.contains(where: Self.isFromRight) else { return text }
    return "\u{2068}\(text)\u{2069}"
  }

  /// The letters of Hebrew, Arabic and their neighbours, and the marks that turn the direction.
  private static func isFromRight(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x590...0x8FF, 0x200F, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}

extension Style {
  /// Whether a stream is coloured: by what a person chose for this run, then by the environment, then by what it is.
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

  /// Whether links are written as OSC 8: a terminal that opens none passes over them.
  package static func opensLinks(_ environment: [String: String]) -> Bool {
    if let forced = environment["FORCE_HYPERLINK"], !forced.isEmpty { return forced != "0" }
    return environment["TERM"] != "dumb"
  }
}
