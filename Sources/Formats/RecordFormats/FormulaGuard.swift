/// The apostrophe that keeps a spreadsheet from taking a text of csv for a formula.
///
/// Csv with a byte-order mark is made for spreadsheets, and has it before a text that begins with a sign of a formula. A text that begins
/// with apostrophes and such a sign gets one more, so that reading takes back exactly what writing added.
package enum FormulaGuard {
  /// A spreadsheet leaves out a tab or a line break before the sign of a formula.
  private static let signs = Array("=+-@\t\r\n＝＋－＠".unicodeScalars)

  private static func beginsFormula(_ text: String) -> Bool {
    text.unicodeScalars.first { $0 != "'" }.map(signs.contains) ?? false
  }

  package static func added(to text: String) -> String { beginsFormula(text) ? "'\(text)" : text }

  /// Returns a text without the apostrophe that was added to it; nil if it has none.
  package static func removed(from text: String) -> String? {
    text.utf8.first == UInt8(ascii: "'") && beginsFormula(text) ? String(text.unicodeScalars.dropFirst()) : nil
  }
}
