package import AggregatorCore
package import Asking
package import RecordFormats
import Terminal

/// Writes changes for a person: a heading for each record, and below it every value that changed, before and after.
///
/// Changes of one record that follow each other form a group. Below them is what changed alike in many records.
package struct ChangesRenderer {
  private let lines: ChangeLines
  private let sink: any Sink
  /// True when the changes are those of several sources.
  private let isOfSeveral: Bool
  /// The changes of one record that have come so far.
  private var group: [FoundChange] = []
  /// True when the last group had lines below its heading; nil before the first group.
  private var wasTall: Bool?

  /// Writes changes, with their source if they are `ofSeveral` sources. `now` is the time at which they are shown.
  package init(for layout: Layout, at now: Moment, into sink: any Sink, ofSeveral isOfSeveral: Bool) {
    lines = ChangeLines(width: layout.isTerminal ? max(1, layout.width) : nil, style: layout.style) {
      ($0.kind.word, " \((now - $0.at).ago)")
    }
    (self.sink, self.isOfSeveral) = (sink, isOfSeveral)
  }

  package mutating func print(_ changes: [FoundChange]) throws {
    for change in changes {
      if let last = group.last, !last.isOfSameRecord(as: change) { try writeGroup() }
      group.append(change)
    }
  }

  /// Writes the rest, and a line for each fold.
  package mutating func end(_ folds: [FoldedChanges.Fold] = []) throws {
    try writeGroup()
    let text = folds.flatMap { lines.of($0, from: isOfSeveral ? $0.source : nil) }
    if !text.isEmpty { try sink.write((wasTall == true ? "\n" : "") + text.map { $0 + "\n" }.joined()) }
  }

  private mutating func writeGroup() throws {
    guard let first = group.first else { return }
    let differences = group.compactMap(\.difference)
    // Headings alone are close together, because a large sync has many of them.
    let isApart = wasTall.map { $0 || !differences.isEmpty } ?? false
    let block = lines.heading(of: first, from: isOfSeveral ? first.source : nil) + lines.of(differences)
    try sink.write((isApart ? "\n" : "") + block.map { $0 + "\n" }.joined())
    (wasTall, group) = (!differences.isEmpty, [])
  }
}

extension FoundChange.Kind {
  /// The word for a person.
  var word: String { self == .changed ? "updated" : rawValue }
}

/// The lines of a group.
struct ChangeLines {
  /// The width in columns; nil if it is not limited.
  let width: Int?
  let style: Style
  /// The greatest width of a title and of an id, in columns.
  var longestName = Int.max
  /// The kind of a change, and its time with a space before it.
  let news: (FoundChange) -> (kind: String, time: String)

  /// The greatest number of lines for one value.
  private static let mostLines = 6

  /// Returns the heading of a record: `France (FR): updated 2 h ago`. With a source it is `France (countries FR)`, whose
  /// words in parentheses `show` takes.
  func heading(of change: FoundChange, from source: String?) -> [String] {
    let id = DisplayWidth.truncate(
      Printable.clean([source, change.id].compactMap { $0 }.joined(separator: " ")), to: longestName)
    let title = DisplayWidth.truncate(Printable.clean(change.title ?? ""), to: longestName)
    let name = title.isEmpty || title == id ? id : "\(title) (\(id))"
    let (kind, time) = news(change)
    let isShort = fits(DisplayWidth.of(name) + 2 + DisplayWidth.of(kind + time))
    let names = isShort ? [name] : DisplayWidth.wrap("\(name):", width: width ?? .max)
    let news = style.badge(kind) + style.dim(time)
    let titles = names.map { style.title(style.isolated($0)) }
    return isShort ? ["\(titles[0]): \(news)"] : titles + ["  \(news)"]
  }

  /// Returns what changed alike in many records: `stars: 75 × to (none)`.
  func of(_ fold: FoldedChanges.Fold, from source: String?) -> [String] {
    // A long value would hide that it is that of many records.
    func shown(_ text: String) -> String { style.isolated(DisplayWidth.truncate(text, to: 60)) }
    let change: String
    switch (fold.before, fold.after) {
    case (let before?, let after?):
      let texts = Difference.shownTexts(before, after)
      change = "\(shown(texts.before)) → \(shown(texts.after))"
    case (nil, let after): change = "to \(shown(Difference.shownText(after ?? .null)))"
    case (let before?, nil): change = "from \(shown(Difference.shownText(before)))"
    }
    let name = fold.leaf.shownName + (source.map { " (\($0))" } ?? "")
    let line = "\(name): \(fold.records) × \(change)"
    guard let width, !fits(DisplayWidth.of(line)) else { return [line] }
    return DisplayWidth.wrap(line, width: max(1, width - 2)).enumerated().map { ($0 == 0 ? "" : "  ") + $1 }
  }

  /// Returns each value on a line of its own, before and after. If the two do not fit beside each other, one is below the other.
  func of(_ differences: [Difference]) -> [String] {
    let labels = differences.map(\.leaf.shownName)
    let longest = labels.reduce(0) { max($0, DisplayWidth.of($1)) }
    let column = width.map { min(longest, max(8, $0 / 3)) } ?? longest
    return zip(labels, differences).flatMap { label, difference in
      let (before, after) = Difference.shownTexts(difference.one, difference.other)
      let line = "  \(DisplayWidth.pad(label, to: column))  "
      let texts = "\(style.isolated(before)) → \(style.isolated(after))"
      let isInColumn = DisplayWidth.of(label) <= column
      guard let width, !isInColumn || !fits(DisplayWidth.of(line + texts)) else { return [line + texts] }
      let isBeside = isInColumn && fits(column + 4 + 24)
      let indent = isBeside ? column + 4 : 4
      let below = values(before, after, in: max(1, width - indent - 2)).map { String(repeating: " ", count: indent) + $0 }
      guard isBeside, let first = below.first else {
        return DisplayWidth.wrap(label, width: max(1, width - 2)).map { "  \($0)" } + below
      }
      return [line + first.dropFirst(indent)] + below.dropFirst()
    }
  }

  private func values(_ before: String, _ after: String, in room: Int) -> [String] {
    let isLong = max(DisplayWidth.of(before), DisplayWidth.of(after)) > 2 * room
    let (before, after) = isLong ? Excerpt.pair(of: before, and: after) : (before, after)
    func lines(_ text: String) -> [String] {
      let lines = DisplayWidth.wrap(text, width: room).map(style.isolated)
      let most = Self.mostLines
      return lines.count <= most ? lines : lines.prefix(most - 3) + ["…"] + lines.suffix(2)
    }
    return lines(before) + lines(after).enumerated().map { ($0 == 0 ? "→ " : "  ") + $1 }
  }

  private func fits(_ columns: Int) -> Bool { width.map { columns <= $0 } ?? true }
}

/// Two long texts without the beginning and the end that they share.
private enum Excerpt {
  /// The number of shared characters that stay on each side, less a word that would be cut.
  private static let context = 24

  static func pair(of one: String, and other: String) -> (String, String) {
    let (one, other) = (Array(one), Array(other))
    let start = zip(one, other).prefix { $0 == $1 }.count
    let most = min(one.count, other.count) - start
    let end = zip(one.reversed(), other.reversed()).prefix(most).prefix { $0 == $1 }.count
    func excerpt(_ text: [Character]) -> String {
      let (lower, upper) = (start - context, text.count - end + context)
      let first = start > 2 * context ? text[lower..<start].firstIndex(of: " ").map { $0 + 1 } ?? lower : 0
      let last = end > 2 * context ? text[(upper - context)..<upper].lastIndex(of: " ") ?? upper : text.count
      return (first > 0 ? "…" : "") + String(text[first..<last]) + (last < text.count ? "…" : "")
    }
    return (excerpt(one), excerpt(other))
  }
}
