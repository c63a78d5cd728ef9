/// The ways to complete the text before the cursor.
package struct LineCompletion: Sendable, Hashable {
  package struct Candidate: Sendable, Hashable {
    /// The text that replaces what is typed.
    package let text: String
    /// True when a space follows it.
    package let isWord: Bool

    package init(_ text: String, isWord: Bool = true) { (self.text, self.isWord) = (text, isWord) }
  }

  /// The number of characters before the cursor that a candidate replaces.
  package let typed: Int
  package let candidates: [Candidate]

  package init(replacing typed: Int, with candidates: [Candidate]) { (self.typed, self.candidates) = (typed, candidates) }
}

extension LineEditor {
  /// The most candidates that are shown.
  static let mostListed = 200

  /// Completes the text before the cursor, as far as the candidates agree. A second Tab shows them.
  package mutating func complete(with completion: LineCompletion) -> Action? {
    let start = max(0, cursor - completion.typed)
    guard let first = completion.candidates.first else { return .ring }
    if completion.candidates.count == 1 {
      let isFollowed = cursor < characters.count && characters[cursor] == " "
      replace(from: start, to: cursor, with: first.text + (first.isWord && !isFollowed ? " " : ""))
      wasCompletion = false
      return nil
    }
    if wasCompletion { return .list(Self.listed(completion.candidates.map(\.text))) }
    wasCompletion = true
    let common = Self.commonStart(of: completion.candidates.map(\.text))
    if common.count > cursor - start { replace(from: start, to: cursor, with: common) }
    return .ring
  }

  private static func listed(_ names: [String]) -> [String] {
    names.count > mostListed ? names.prefix(mostListed) + ["(and \(names.count - mostListed) more)"] : names
  }

  /// Returns the beginning that the texts have in common, in any case, as the first one spells it.
  private static func commonStart(of texts: [String]) -> String {
    guard let first = texts.first else { return "" }
    var common = Array(first)
    for text in texts.dropFirst() {
      let count = zip(common, text).prefix { $0.lowercased() == $1.lowercased() }.count
      common.removeLast(common.count - count)
    }
    return String(common)
  }
}
