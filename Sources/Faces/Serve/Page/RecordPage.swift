import AggregatorCore
import Asking
import RecordFormats

// The page of a record: its fields, its history, and where it came from.

extension Call {
  func recordPage(_ found: RecordAnswer, of source: OpenedSource, again: Markup = "") async throws -> HTMLPage {
    try check(found.outcome)
    let columns = try columns(of: source.fields, id: source.idPath, isFull: true)
    let (record, card) = (found.record, columns.card(of: found.record))
    let title = card.title.isEmpty ? record.id : card.title
    let fields = columns.labelled(record).filter { !$0.text.isEmpty }.map { label, text -> Markup in
      "<div><dt>\(label)</dt><dd>\(WebAddress(text) == nil ? "\(text)" : Markup.outside(text))</dd></div>\n"
    }
    let address = PageAddress(path: "/api\(PageAddress.record(record.id, of: source.name).text)").with(query: here.query)
    let origin = found.summary.origin
    let ask = Markup.link("Ask the service", to: here.without("offline", "stored", "max-age").with("refresh", "true"))
    let canAsk = origin?.kind != .live && !gives(.asOf) && world.asksService && !source.descriptor.isEndless
    let delete = Markup.button("Delete", posting: .record(record.id, of: source.name, "delete"), style: "delete")
    let history =
      Verb.history.isOffered(by: source.descriptor) ? try? await source.history(of: record.id, Ask(of: source.name)) : nil
    let pictures = Markup(record.pictures.prefix(4).map { picture($0, of: title) })
    return HTMLPage(
      "\(title) · \(source.name)",
      """
      \(heading(of: source.descriptor, again))<article class="record">
      <h1>\(title)\(" <span class=\"badge\">\(card.badge)</span>", if: !card.badge.isEmpty)</h1>
      <div id="told" role="status"><p class="state">\(origin.map(words) ?? "")\(" \(ask)", if: canAsk)</p>
      \(list(of: found.notices.filter { $0.name != "origin" }, of: source.name))</div>
      \("<div class=\"pictures\">\(pictures)</div>\n", if: !pictures.isEmpty)<dl>
      \(Markup(fields))</dl>
      <p class="forms">As \(Markup.link("json", to: address)) \
      \(delete, if: mayChange && Verb.delete.isOffered(by: source.descriptor))</p>
      \(await past(of: record, history, in: source))</article>

      """)
  }

  /// The page of a record that the service no longer lists, with what is known of it; nil if syncs know nothing of that.
  func gonePage(_ id: String, of source: OpenedSource) async -> HTMLPage? {
    guard let history = try? await source.history(of: id, Ask(of: source.name)), let last = history.changes.first,
      last.kind == .gone
    else { return nil }
    let state = Markup.link("Its last state", to: .record(id, of: source.name).with("as-of", last.at.iso))
    return HTMLPage(
      "\(last.title ?? id) · \(source.name)",
      """
      \(heading(of: source.descriptor))<article class="record">
      <h1>\(last.title ?? id)</h1>
      <p class="state partial">Gone since \(last.at.minute): the service no longer lists it.</p>
      <p>\(state)</p>
      <section><h2>History</h2>
      \(timeline(history.changes))</section></article>

      """)
  }

  /// The changes of a record that syncs found, and where it came from; empty as far as that is unknown.
  private func past(of record: ShownRecord, _ history: RecordHistory?, in source: OpenedSource) async -> Markup {
    let changes = timeline(history?.changes ?? [])
    let account = gives(.asOf) ? nil : try? await source.account(of: record.id)
    let sentences = account?.sentences(at: now).dropFirst() ?? []
    let items = sentences.map { "<li>\($0.capitalizedFirst)</li>\n" as Markup }
    let cut: Markup = "<p>\(ChangesAnswer.cut)</p>\n"
    return """
      \("<section><h2>History</h2>\n\(changes)\(cut, if: history?.isCut ?? false)</section>\n", if: !changes.isEmpty)\
      \("<section><h2>Where it came from</h2>\n<ul>\(Markup(items))</ul></section>\n", if: !items.isEmpty)
      """
  }
}
