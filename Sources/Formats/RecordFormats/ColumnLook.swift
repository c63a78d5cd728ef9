package import AggregatorCore

/// The way in which a person sees the values of one column: numbers stand right and have equal decimals. Files and programs get values as they are.
package struct ColumnLook: Sendable, Hashable {
  /// True when the values are numbers that a person compares.
  package let isNumeric: Bool
  /// The decimals of each number; nil if numbers stay as they are.
  private let decimals: Int?
  /// True when thousands are set apart. Numbers of at most four digits stay as they are, because they may be years.
  private let isGrouped: Bool

  /// The look of values as they are.
  package static let plain = ColumnLook(isNumeric: false, decimals: nil, isGrouped: false)

  private init(isNumeric: Bool, decimals: Int?, isGrouped: Bool) {
    (self.isNumeric, self.decimals, self.isGrouped) = (isNumeric, decimals, isGrouped)
  }

  /// The look of a column with these values. An id, a code or a year is a name that consists of digits.
  package init(_ column: Columns.Column, of values: [Value]) {
    let known = values.filter { !$0.isNull }
    guard !column.isID, ![.badge, .title, .reference].contains(column.field.role),
      !Self.isName(column.leaf.path.names.last ?? ""),
      !known.isEmpty, known.allSatisfy(\.isNumber)
    else { self = .plain; return }
    let numbers = known.map { Digits($0.plainText) }
    let most = numbers.map { $0?.fraction.count ?? Self.mostDecimals + 1 }.max() ?? 0
    self.init(
      isNumeric: true, decimals: most <= Self.mostDecimals ? most : nil,
      isGrouped: numbers.contains { $0?.whole.count ?? 0 > 4 })
  }

  /// Returns the text of a value. No digit of a number is lost, even if it came after the look was decided.
  package func text(of value: Value) -> String {
    guard isNumeric, value.isNumber, let digits = Digits(value.plainText) else { return shownText(value) }
    let fraction = digits.fraction + String(repeating: "0", count: max(0, (decimals ?? 0) - digits.fraction.count))
    return digits.sign + (isGrouped ? Self.grouped(digits.whole) : digits.whole) + (fraction.isEmpty ? "" : "." + fraction)
  }

  private static let mostDecimals = 4

  /// True for the name of a field whose numbers are names.
  private static func isName(_ name: String) -> Bool {
    let word = name.split { $0 == "_" || $0 == "-" || $0 == " " }.last?.lowercased() ?? ""
    return ["id", "code", "year", "zip", "postcode", "isbn", "ean", "sku", "port", "phone"].contains(word)
      || name.hasSuffix("Id")
      || name.hasSuffix("ID") || name.hasSuffix("Code") || name.hasSuffix("Year")
  }

  /// Returns digits with a comma before every three.
  private static func grouped(_ digits: String) -> String {
    var text = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The parts of a number that is written without an exponent.
  private struct Digits {
    let sign, whole, fraction: String

    init?(_ text: String) {
      let unsigned = text.hasPrefix("-") ? text.dropFirst() : text[...]
      let parts = unsigned.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
      guard let whole = parts.first, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }) else {
        return nil
      }
      (sign, self.whole, fraction) = (text.hasPrefix("-") ? "-" : "", String(whole), parts.count > 1 ? String(parts[1]) : "")
    }
  }
}
