import AggregatorCore
import Feed
import Presentation

/// What is said of a listing beside its records, with a screen and without.
struct ListingWords {
  private let listing: Listing
  private let name: String
  /// How the one record was chosen that stands in place of the list; nil of a list.
  private let pick: SourceDescriptor.Pick?
  private let look: BrowserLook
  /// What to press for what can be shown without waiting; nil where nothing can.
  private let standInKey: String?

  init(of listing: Listing, name: String, pick: SourceDescriptor.Pick?, look: BrowserLook, standInKey: String? = nil) {
    (self.listing, self.name, self.pick, self.look, self.standInKey) = (listing, name, pick, look, standInKey)
  }

  private var isSearch: Bool { !listing.typed.isEmpty }

  /// What the first page waits for and for how long, once that is worth saying.
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
    return text + (standInKey.map { "; \($0) shows what is at hand" } ?? "")
  }

  /// Where the records came from and how complete they are, in the words of `list`.
  var status: String {
    var parts: [String] = []
    if listing.head == .loading { parts.append(loading) }
    if listing.detail?.phase == .loading { parts.append("loading the record…") }
    if !listing.items.isEmpty, let failed { parts.append(failed) }
    if let origin = listing.summary.origin {
      parts += [extent, origin.words(isOffline: look.isOffline, at: look.now())]
    }
    if let skipped = listing.summary.skippedWords { parts.append(skipped) }
    return Printable.clean(parts.joined(separator: " · "))
  }

  /// Why there is no first page.
  var failed: String? {
    if case .failed(let error) = listing.head { Printable.clean("\(error); r tries again") } else { nil }
  }

  /// How many records there are, and whether that is all.
  private var extent: String {
    if let pick { return pick.title }
    let (summary, count, total) = (listing.summary, listing.items.count, listing.total)
    let known = total.map { $0 > count ? "\(count) of \($0)" : "\(count)" } ?? "\(count)"
    // Of a list that grows as one asks, the total is what came so far.
    guard case .ended(let verdict) = listing.tail else { return count > 0 && (total ?? 0) <= count ? "the first \(known)" : known }
    switch verdict {
    case .complete: return (count == 0 ? "0" : "all \(count)") + (summary.change.map { "; \($0)" } ?? "")
    case .bounded: return "the first \(known)"
    case .partial: return known + (summary.shortfallWords.map { ", \($0)" } ?? "")
    case .unverifiable: return "\(known); the service does not say whether this is everything"
    }
  }

  /// How to bring a deleted record back, now and once the browser is left.
  static func undoing(_ id: String, of source: String) -> String {
    Printable.clean("u undoes, later '\(RunningProgram.name) \(source) restore \(id)'")
  }

  /// What stands below the last record; nil where nothing is to be said.
  var tail: String? {
    guard pick == nil, !listing.items.isEmpty else { return nil }
    switch listing.tail {
    case .more, .ended: return nil
    case .loading: return "loading more…"
    case .dry: return "m looks for more"
    case .failed(let error): return Printable.clean("\(error); r tries again")
    }
  }

  /// What stands in place of records where there are none.
  var nothing: String {
    switch listing.head {
    case .idle, .loading: return isSearch ? "searching…" : "loading…"
    case .failed: return failed ?? ""
    case .loaded where listing.tail == .loading: return "loading…"
    case .loaded:
      let what = listing.asked.flatMap { $0.isEmpty ? nil : "no \(name) match \"\($0)\"" } ?? "no records"
      let suggestion = listing.summary.nearest.titles.count > 1 ? "the first" : "it"
      let question = listing.summary.nearest.question.map { "; \($0) \(look.suggestionKey) searches for \(suggestion)" } ?? ""
      return Printable.clean(what + question + (listing.tail == .dry ? "; m looks for more" : ""))
    }
  }
}
