/// Colours, where they are wanted.
package struct Style: Sendable, Hashable {
  package let isColored: Bool

  package init(isColored: Bool) { self.isColored = isColored }

  package func title(_ text: String) -> String { sequence("1", text) }
  package func badge(_ text: String) -> String { sequence("36", text) }
  package func dim(_ text: String) -> String { sequence("2", text) }

  private func sequence(_ code: String, _ text: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
