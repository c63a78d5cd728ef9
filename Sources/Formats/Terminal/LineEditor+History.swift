/// The texts that were entered before, and the one that is edited now, which is behind the last.
struct LineHistory: Sendable {
  private(set) var entries: [String] = []
  /// The place of the text that is edited.
  private(set) var index = 0
  /// The texts that were edited and left, by their places.
  private var drafts: [Int: String] = [:]

  /// Adds a text at the end.
  mutating func add(_ text: String) {
    entries.append(text)
    forgetDrafts()
  }

  mutating func forgetDrafts() { (index, drafts) = (entries.count, [:]) }

  /// Leaves a text for the one that many places further. Returns that one; nil beyond both ends.
  mutating func move(by step: Int, leaving text: String) -> String? { move(to: index + step, leaving: text) }

  mutating func move(to place: Int, leaving text: String) -> String? {
    guard (0...entries.count).contains(place) else { return nil }
    drafts[index] = text
    index = place
    return drafts[place] ?? (place < entries.count ? entries[place] : "")
  }

  /// Returns the place of the last text before `end` that contains `part`; nil if none does.
  func place(of part: String, before end: Int) -> Int? {
    guard !part.isEmpty else { return nil }
    let wanted = Array(part.lowercased().utf8)
    return entries[..<max(0, min(end, entries.count))].lastIndex { Self.contains(Array($0.lowercased().utf8), wanted) }
  }

  /// The standard library's own search for a part of a text is not in a release build.
  private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
    guard text.count >= part.count else { return false }
    return (0...text.count - part.count).contains { text[$0..<$0 + part.count].elementsEqual(part) }
  }
}

/// A search in the history, from the latest text back.
struct LineSearch: Sendable {
  var part = ""
  /// The place of the text that was found; nil if none was.
  var place: Int?
  /// The text and the cursor before the search.
  let before: (characters: [Character], cursor: Int)
}

extension LineEditor {
  /// Moves to the line above, or from the first one to the text that was entered before. A text that was just recalled is left at once.
  mutating func moveUp() -> Action? {
    if last != .recall, lineStart > 0 {
      let column = cursor - lineStart
      cursor = lineStart - 1
      cursor = min(lineStart + column, cursor)
      return nil
    }
    return recall(-1)
  }

  /// Moves to the line below, or from the last one to the text that was entered after this one.
  mutating func moveDown() -> Action? {
    if last != .recall, lineEnd < characters.count {
      let column = cursor - lineStart
      cursor = lineEnd + 1
      cursor = min(cursor + column, lineEnd)
      return nil
    }
    return recall(1)
  }

  private mutating func recall(_ step: Int) -> Action? {
    note(.recall)
    guard let text = history.move(by: step, leaving: text) else { return .ring }
    show(text)
    return nil
  }

  private mutating func show(_ text: String) {
    characters = Array(text)
    cursor = characters.count
  }

  mutating func beginSearch() { search = LineSearch(before: (characters, cursor)) }

  /// Ends the search; the text that was found stays.
  mutating func endSearch() { search = nil }

  /// Takes a key while a search is under way. Returns false for one that ends the search and then has its usual effect.
  mutating func takeInSearch(_ key: Key) -> (isTaken: Bool, action: Action?)? {
    guard var search else { return nil }
    switch (key.code, key.modifiers.intersection([.alt, .control])) {
    case (.text("r"), .control): return (true, find(from: search.place ?? history.entries.count))
    case (.text("g"), .control):
      (characters, cursor) = search.before
      endSearch()
      return (true, nil)
    case (.text(let scalar), []):
      search.part += String(scalar)
      self.search = search
      return (true, find(from: search.place.map { $0 + 1 } ?? history.entries.count))
    case (.backspace, []):
      guard !search.part.isEmpty else { return (true, .ring) }
      search.part.removeLast()
      self.search = search
      return (true, find(from: history.entries.count))
    case (.escape, _):
      endSearch()
      return (true, nil)
    default:
      endSearch()
      return (false, nil)
    }
  }

  private mutating func find(from end: Int) -> Action? {
    guard let part = search?.part, !part.isEmpty else { return nil }
    guard let place = history.place(of: part, before: end), let text = history.move(to: place, leaving: text) else {
      return .ring
    }
    search?.place = place
    show(text)
    return nil
  }
}
