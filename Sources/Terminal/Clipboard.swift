import AggregatorCore

/// The clipboard of whoever sits before the terminal, near or far.
package enum Clipboard {
  /// What asks the terminal to copy `text`; nil where it is longer than terminals take. Not every terminal does it, and none says so.
  package static func sequence(copying text: String) -> [UInt8]? {
    text.utf8.count <= 50_000 ? Array("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{1B}\\".utf8) : nil
  }
}
