import AggregatorCore
import Asking
import RecordFormats

/// The state of a reader elsewhere: a bookmark for each list, and whatever else the reader was given to hold.
struct PipelineState: Sendable, Hashable {
  /// The state as JSON.
  private(set) var value: Value

  /// Reads a state; nil stands for that of a new reader. Every list of `lists` has a bookmark from now on, if only an empty one. Nil if the
  /// value is not a state.
  init?(_ value: Value?, of lists: [String]) {
    let value = value ?? .object([])
    guard value.members != nil, (value["bookmarks"] ?? .object([])).members != nil else { return nil }
    self.value = value.setting(Self.place, to: value["bookmarks"] ?? .object([]))
    for list in lists where bookmarks[list]?.members == nil { set(.object([]), of: list) }
  }

  private static let place = ValuePath(["bookmarks"])
  private var bookmarks: Value { value["bookmarks"] ?? .object([]) }

  private mutating func set(_ bookmark: Value, of list: String) {
    value = value.setting(ValuePath(["bookmarks", list]), to: bookmark)
  }

  /// The bookmark of a list; nil if the list has none that it can be continued from.
  subscript(list: String) -> Bookmark? { Bookmark(bookmarks[list]) }

  /// Notes a bookmark in place of the one before it. Members that are not ours stay.
  mutating func note(_ bookmark: Bookmark, of list: String) {
    let others = (bookmarks[list]?.members ?? []).filter { !Bookmark.members.contains($0.name) }
    set(.object((bookmark.value.members ?? []) + others), of: list)
  }
}
