import AggregatorCore
import Feed
import Presentation
import Terminal

extension BrowserTab {
  /// How many records the source has for what is shown; nothing before its first answer.
  var found: String {
    guard listing.asked != nil else { return "" }
    let hasMore = if case .ended = listing.tail { false } else { listing.total == nil }
    return " (\(max(listing.items.count, listing.total ?? 0))\(hasMore ? "+" : ""))"
  }
}

// What the browser says beside records.
extension Browser {
  var words: ListingWords {
    ListingWords(
      of: listing, name: tab.name, pick: tab.picked == nil ? nil : tab.pick, look: look,
      standInKey: canStandIn ? mode == .typing ? "Ctrl-O" : "s" : nil)
  }

  /// Whether a first page is waited for that something else may stand in for.
  var canStandIn: Bool { look.hasStandIns && tab.picked == nil && listing.head == .loading }

  /// Where the rows came from and how complete they are.
  var status: String { words.status }

  /// A sign that moves as long as something is under way.
  var sign: String { !look.hasMotion ? "" : turns.map { ["|", "/", "-", "\\"][$0 % 4] } ?? "" }

  /// What stands below the last record.
  var tailLines: [String] { words.tail.map { DisplayWidth.wrap($0, width: layout.list.width - 2) } ?? [] }

  /// What stands in place of records where there are none.
  var emptyLines: [String] { DisplayWidth.wrap(words.nothing, width: layout.list.width - 2) }

  /// The keys that do something here, by the table of keys.
  var offeredKeys: [BrowserKey] {
    BrowserKey.all.filter { key in
      switch key.verb {
      case .delete: listing.canDelete
      case .undo: listing.undoable != nil
      case .pick: tab.pick != nil && tab.picked == nil
      case .showAll: tab.picked != nil
      case .search: tab.searches != nil
      case .standIn: canStandIn
      case .picture: hasPictures
      case .copy: tab.record != nil
      case .link: tab.record?.look.link != nil
      case .nextTab, .previousTab: tabs.count > 1
      default: true
      }
    }
  }

  /// The foot of the screen.
  var footer: String {
    if let message { return Printable.clean(message) }
    switch mode {
    case .typing: return "Enter list  Esc clear"
    case .help: return "Esc back  q back" + (helpLines.count > layout.body.height ? "  j k scroll" : "")
    case .record: return "Esc back  q quit  ? keys" + (recordHeight > (recordArea ?? layout.list).height ? "  j k scroll" : "")
    case .list: break
    }
    var text = ""
    for key in offeredKeys {
      guard let word = key.footer else { continue }
      let part = "\(text.isEmpty ? "" : "  ")\(key.shown) \(word)"
      if DisplayWidth.of(text) + DisplayWidth.of(part) > size.columns { break }
      text += part
    }
    return text
  }

  var helpLines: [String] {
    let keys = offeredKeys + (tabs.count > 1 ? [BrowserKey(.tab(0), [], "1 to \(min(9, tabs.count))", "that source")] : [])
    let width = keys.map { DisplayWidth.of($0.shown) }.max() ?? 0
    let room = layout.body.width - width - 2
    return keys.flatMap { key in
      guard room >= 12 else { return [key.shown] + DisplayWidth.wrap(key.words, width: layout.body.width - 2).map { "  \($0)" } }
      return DisplayWidth.wrap(key.words, width: room).enumerated().map { index, line in
        DisplayWidth.pad(index == 0 ? key.shown : "", to: width) + "  " + line
      }
    }
  }
}
