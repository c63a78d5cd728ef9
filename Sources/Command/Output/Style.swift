/// Colours, where they are wanted.
struct Style: Sendable, Hashable {
  let isColored: Bool

  func title(_ text: String) -> String { sequence("1", text) }
  func badge(_ text: String) -> String { sequence("36", text) }
  func dim(_ text: String) -> String { sequence("2", text) }

  private func sequence(_ code: String, _ text: String) -> String {
    isColored && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
