/// Returns a number with its noun: `1 record`, `2 records`.
package func plural(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

/// Returns names as a list in a sentence: `A, B and C`.
package func listed(_ names: [String]) -> String {
  names.count < 2 ? names.joined() : names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
}
