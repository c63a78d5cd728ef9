import AggregatorCore
import Asking
import Feed
import Platform
import Terminal

extension BrowserTab {
  /// The number of records that the source has for what is shown, in parentheses; empty before its first answer.
  var found: String {
    guard listing.asked != nil else { return "" }
    if source.view != nil { return " (\(listing.items.count))" }
    let hasMore = if case .ended = listing.tail { false } else { listing.total == nil }
    return " (\(max(listing.items.count, listing.total ?? 0))\(hasMore ? "+" : ""))"
  }
}

// The texts beside records.
extension Browser {
  /// True when a first page is loading and a stand-in may answer instead.
  var canStandIn: Bool { look.hasStandIns && tab.pick.listing == nil && listing.head == .loading }

  /// A sign that moves while something is under way; empty without motion.
  var sign: String { !look.hasMotion ? "" : turns.map { ["|", "/", "-", "\\"][$0 % 4] } ?? "" }

  /// The lines below the last record.
  var tailLines: [String] { tailWords.map { DisplayWidth.wrap($0, width: layout.list.width - 2) } ?? [] }

  /// The keys that do something here, from the table of keys, in words of the source.
  var offeredKeys: [BrowserVerb.Line] {
    let (hasColumns, hasRecords) = (!spans.isEmpty, !items.isEmpty)
    return BrowserVerb.table.filter { key in
      if mode == .help, isHelpOfRecord, !Self.keysOfRecord.contains(key.verb) { return false }
      return switch key.verb {
      case .left, .right, .exclude, .width, .hideColumn, .columns, .copyCell: hasColumns && !(mode == .help && isHelpOfRecord)
      case .sort, .filter, .mark, .export: hasRecords
      case .unmark: !tab.marked.isEmpty
      case .copyRecord: record != nil
      case .zoom: isTableRoomy
      case .sync: tab.source.canSync && !look.isOffline
      case .status, .changes, .find: tabs.count > sourceCount
      case .delete: listing.canDelete
      case .undo: listing.undoable != nil
      case .pick: tab.source.pick != nil && tab.pick.listing == nil
      case .showAll: tab.pick.listing != nil || !tab.listing.choice.isEmpty
      case .search: tab.source.searches != nil
      case .standIn: canStandIn
      case .picture: hasPictures
      case .copy: record != nil
      case .link: record?.look.link != nil
      case .nextTab, .previousTab: sourceCount > 1
      case .sources: tabs.count > 1
      default: true
      }
    }.map { key in
      var own = key
      if key.verb == .pick, let pick = tab.source.pick { (own.words, own.footer) = (pick.summary, pick.verb) }
      return own
    }
  }

  /// The keys that do something while a record is shown in full.
  private static let keysOfRecord: Set<BrowserVerb> = [
    .help, .quit, .close, .down, .up, .pageDown, .pageUp, .halfDown, .halfUp, .top, .bottom, .delete, .undo, .refresh, .picture,
    .copy, .copyRecord, .link, .mouse, .redraw, .suspend, .interrupt, .nextTab, .previousTab, .sources, .search, .line,
  ]

  /// The text in the foot of the screen.
  var footer: String {
    if let message { return Printable.clean(message) }
    switch mode {
    case .typing: return "Enter list  Esc clear"
    case .sources: return "Enter show  Esc back  Up Down choose"
    case .columns: return "Space show or hide  Enter done  Esc back  Up Down choose"
    case .line: return "Enter run  Tab complete  Esc back"
    case .help: return "Esc back  q back" + (helpLines.count > layout.body.height ? "  j k scroll" : "")
    case .record:
      return (layout.record == nil ? "" : "record: ") + "Esc back  q quit  ? keys"
        + (recordHeight > (recordArea ?? layout.list).height ? "  j k scroll" : "")
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
    var keys = offeredKeys
    if sourceCount > 1 {
      let last = sourceCount > 9 ? "9, 0" : "\(sourceCount)"
      keys.append((.tab(0), [], "1 to \(last)", sourceCount > 10 ? "that source; S chooses from all" : "that source", nil))
    }
    if !isHelpOfRecord {
      keys += BrowserCommand.all.map { (.line, [], ":\($0.name)\($0.value.map { " \($0)" } ?? "")", $0.does, nil) }
    }
    let width = keys.map { DisplayWidth.of($0.shown) }.max() ?? 0
    let room = layout.body.width - width - 2
    return keys.flatMap { key in
      guard room >= 12 else {
        return [key.shown] + DisplayWidth.wrap(key.words, width: layout.body.width - 2).map { "  \($0)" }
      }
      return DisplayWidth.wrap(key.words, width: room).enumerated().map { index, line in
        DisplayWidth.pad(index == 0 ? key.shown : "", to: width) + "  " + line
      }
    }
  }
}

// The texts about a listing beside its records.
extension Browser {
  private var isSearch: Bool { !listing.typed.isEmpty }

  /// The reason why the first page takes time, and for how long it has, after the first second.
  private var loading: String {
    let (word, now) = (isSearch ? "searching" : "loading", look.now())
    guard let wait = listing.wait, now - wait.since >= .seconds(1) else { return word + "…" }
    func seconds(_ length: Duration) -> String { Duration.seconds(length.components.seconds).inWords }
    var text = "\(word), \(seconds(now - wait.since))"
    if let until = wait.until, until > now {
      text += "; next request in \(seconds(until - now + .milliseconds(999)))" + (wait.reason.map { ": \($0)" } ?? "")
    } else if let host = wait.host {
      text += ": waiting for \(host)" + (wait.reason.map { " again (\($0))" } ?? "")
    }
    return text + (canStandIn ? "; \(mode == .typing || !items.isEmpty ? "Ctrl-O" : "s") shows what is at hand" : "")
  }

  /// The origin of the records and how complete they are, in the words of `list`.
  var status: String {
    if mode == .sources || mode == .columns { return pickerStatus }
    var parts: [String] = []
    if let sync = tab.sync { parts.append(sync.words) }
    if listing.head == .loading { parts.append(loading) }
    if listing.detail?.phase == .loading { parts.append("loading the record…") }
    if !items.isEmpty, let failure { parts.append(failure) }
    if let view = tab.view, listing.head != .loading { parts.append(view.words) }
    if var origin = listing.summary.origin {
      // Rows grow older while they are on the screen.
      if let told = tab.originTold { origin.age = origin.age.map { $0 + max(.zero, look.now() - told) } }
      let remedy =
        origin.reason.flatMap { error in error.remedy.flatMap { look.words($0, error.source) }.map { "; \($0)" } } ?? ""
      // The reason for a verdict may be long, and a narrow screen cuts it. Where the records come from has to be seen.
      parts += [extent, origin.words(because: look.isOffline ? "--offline" : nil, at: look.now()) + remedy]
      if case .ended(let verdict) = listing.tail, let notice = verdict.notice(after: listing.summary.change), !isOfPick {
        parts.append(notice)
      }
    }
    if listing.summary.skipped > 0 { parts.append(words(.skipped(listing.summary.skipped))) }
    if !listing.summary.misfits.isEmpty { parts.append("values that do not fit: \(listing.summary.misfits.counts)") }
    if let edits { parts.append(edits) }
    parts += listing.notices.compactMap { if case .noneMeets = $0 { nil } else { words($0) } }
    if !tab.marked.isEmpty { parts.append("\(tab.marked.count) marked") }
    return Printable.clean(parts.joined(separator: " · "))
  }

  /// True when the records are not all that they should be: a page failed, a stand-in answers for a reason, or the list is not whole.
  var isTroubled: Bool {
    if listing.head.error != nil || listing.tail.error != nil { return true }
    if !look.isOffline, listing.summary.origin?.reason != nil { return true }
    if case .ended(.partial) = listing.tail { return true }
    return false
  }

  /// The fields that a person has edited in the record that is shown or selected; nil if none are.
  private var edits: String? {
    guard let id = listing.detail?.id ?? tab.record?.id, let paths = listing.summary.edited[id] else { return nil }
    return "edited: \(paths.map(\.text).joined(separator: ", "))"
  }

  /// The reason why the first page failed; nil if it did not.
  private var failure: String? { listing.head.error.map { "\(look.text($0)); r tries again" } }

  /// The number of records, and whether these are all.
  private var extent: String {
    if let pick = tab.source.pick, isOfPick { return pick.title }
    let (count, total) = (items.count, listing.total)
    let known = total.map { $0 > count ? "\(count) of \($0)" : "\(count)" } ?? "\(count)"
    // The total of an endless list is only the number of records so far.
    let suffix = listing.chosen.conditions.isEmpty ? "" : " that match"
    guard case .ended(let verdict) = listing.tail else {
      if !suffix.isEmpty { return "\(count)\(suffix) so far" }
      return count > 0 && (total ?? 0) <= count ? "the first \(known)" : known
    }
    let head =
      switch verdict {
      case .complete: count == 0 ? "0" : "all \(count)"
      case .bounded: "the first \(known)"
      case .partial, .unverifiable: known
      }
    return head + suffix
  }

  private var isOfPick: Bool { tab.source.pick != nil && tab.pick.listing != nil }

  private func words(_ notice: Notice) -> String { notice.text(of: tab.source.name, at: look.now()) }

  /// Tells how to bring a deleted record back, now and after leaving the browser.
  func undoing(_ id: String) -> String {
    Printable.clean("u to undo; later type '\(look.program) \(tab.source.name) restore \(id)'")
  }

  /// The text below the last record; nil if nothing has to be said.
  var tailWords: String? {
    guard tab.pick.listing == nil, !items.isEmpty else { return nil }
    switch listing.tail {
    case .more, .ended: return nil
    case .loading: return "loading more…"
    case .dry: return "m looks for more"
    case .failed(let error): return "\(look.text(error)); r tries again"
    }
  }

  /// The text in place of records, if the list is empty.
  var emptyWords: String {
    switch listing.head {
    case .idle, .loading: return isSearch ? "searching…" : "loading…"
    case .failed: return failure ?? ""
    case .loaded where listing.tail == .loading: return "loading…"
    case .loaded:
      if let view = tab.view { return Printable.clean(view.nothing.isEmpty ? "nothing" : view.nothing) }
      let (nearest, isDry) = (listing.summary.nearest, listing.tail == .dry)
      if let none = listing.notices.first(where: { if case .noneMeets = $0 { true } else { false } }) {
        return Printable.clean("\(words(none)); a shows all")
      }
      var parts = [words(.nothing(matching: listing.asked.flatMap { $0.isEmpty ? nil : $0 }, nearest))]
      if !nearest.isEmpty {
        parts[0] += " Right searches for \(nearest.titles.count > 1 ? "the first" : "it")"
      }
      if isDry { parts += [listing.summary.searched.map { words(.searched($0)) }, "m looks for more"].compactMap(\.self) }
      return Printable.clean(parts.joined(separator: "; "))
    }
  }
}
