import AggregatorCore
import Asking
import Pictures
import RecordFormats

// What the pages of a source share, and its further pages: a record, changes, and what is posted.

extension Call {
  /// The address of this page, with its parameters. It is made of the names in the path and not of the path as it was sent, which may
  /// begin with two slashes and lead to another server.
  var here: PageAddress {
    let source = try? source
    let path = Route.template(of: route.path) { segment in
      switch segment {
      case .word: nil
      case .source: source?.name
      case .verb(let verb): source.map { verb.name(for: $0) }
      case .id: PercentEncoding.query(id)
      case .name: PercentEncoding.query(name)
      }
    }
    let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
    return PageAddress(path: path).with(query: query)
  }

  /// The ask on the terms of a page: what was stored or cached within a day is shown at once, unless the address says otherwise.
  func fresh(_ ask: Ask) -> Ask {
    copy(of: ask) { ask in
      let isSaid = [Ask.Parameter.offline, .live, .refresh, .maxAge, .asOf].contains(where: gives)
      if !isSaid { ask.terms.maxAge = World.Terms.freshAge }
    }
  }

  /// The head of a source's pages.
  func heading(of source: SourceDescriptor, _ more: Markup = "") -> Markup {
    let sync: Markup =
      Verb.sync.isOffered(by: source) && mayChange ? Markup.button("Sync", posting: PageAddress(source.name, "sync")) : ""
    let changes: Markup =
      Verb.changes.isOffered(by: source) ? Markup.link("Changes", to: PageAddress(source.name, "changes")) : ""
    let deleted: Markup =
      source.isEndless ? Markup.link("Deleted", to: page(of: source).with("deleted", "true")) : ""
    return """
      <div class="head"><div><h1>\(Markup.link(source.name, to: page(of: source)))</h1><p>\(source.summary)</p></div>
      <div class="actions">\(more)\(changes)\(deleted)\(sync)</div></div>

      """
  }

  /// A value as text, and an address of the web as a link.
  func text(of value: Value, _ leaf: Leaf) -> Markup {
    let text = shownText(value)
    guard case .text = value, leaf.kind == .address, WebAddress(text) != nil else { return "\(text)" }
    return Self.outside(text)
  }

  /// A link to another server, which is not told where it was followed.
  static func outside(_ address: String) -> Markup { "<a href=\"\(address)\" rel=\"noopener noreferrer\">\(address)</a>" }

  // MARK: - Pictures

  /// A picture of a record, which this server fetches and keeps. Only addresses that it signed are fetched.
  func picture(_ address: WebAddress?, of title: String) -> Markup {
    guard let address else { return "<span class=\"picture\" aria-hidden=\"true\">\(String(title.prefix(1)))</span>" }
    let link = PageAddress("-", "picture").with("of", address.shown).with("by", interface.signature(of: address.shown))
      .with("offline", world.terms.reach == .offline || gives(.offline) ? "true" : nil)
    return "<span class=\"picture\"><img src=\"\(link.text)\" alt=\"\" loading=\"lazy\" decoding=\"async\" width=\"200\" height=\"200\"></span>"
  }

  func pictureOnPage() async throws -> Reply {
    guard let named = text(.address), let address = WebAddress(named), text(.signature) == interface.signature(of: named) else {
      throw Problem(404, "not-found", "no such picture")
    }
    let pictures =
      gives(.offline)
      ? PictureCache(in: world.on(copy(of: World.Terms()) { $0.reach = .offline }), folder: service.pictures) : interface.pictures
    do {
      let picture = try await world.clock.limit(until: now + service.answerTime) { try await pictures.picture(at: address) }
      return Reply(
        200, "image/\(picture.format.rawValue)", .bytes(picture.bytes), headers: [("Cache-Control", "private, max-age=86400")])
    } catch let error as SourceError {
      // A broken picture would tell nothing, and only the console of the browser.
      let drawing: Markup = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><title>\(interface.bare(error.message))</title>\
        <text x="100" y="104" text-anchor="middle" font-family="system-ui, sans-serif" font-size="15" fill="#888">no picture</text></svg>
        """
      return Reply(200, "image/svg+xml", .bytes(drawing.bytes), headers: [("Cache-Control", "private, max-age=60")])
    }
  }

  // MARK: - A record

  func recordPage(_ found: RecordAnswer, of source: OpenedSource, again: Markup = "") async throws -> HTMLPage {
    let columns = try columns(of: source.fields, id: source.idPath, isFull: true)
    let record = found.record
    let card = columns.card(of: record)
    let title = card.title.isEmpty ? record.id : card.title
    let badge: Markup = card.badge.isEmpty ? "" : " <span class=\"badge\">\(card.badge)</span>"
    let pictures = Markup(record.pictures.prefix(4).map { picture($0, of: title) })
    let fields = columns.labelled(record).map { label, text -> Markup in
      text.isEmpty ? "" : "<div><dt>\(label)</dt><dd>\(WebAddress(text) == nil ? "\(text)" : Self.outside(text))</dd></div>\n"
    }
    let origin = found.summary.origin.map { interface.bare($0.words(at: now)).capitalizedFirst + "." } ?? ""
    let address = PageAddress(source.name, "records", record.id)
    let deletion: Markup =
      mayChange && Verb.delete.isOffered(by: source.descriptor)
      ? Markup.button("Delete", posting: PageAddress(source.name, "records", record.id, "delete"), style: "delete") : ""
    return HTMLPage(
      "\(title) · \(source.name)",
      """
      \(heading(of: source.descriptor, again))<article class="record">
      <h1>\(title)\(badge)</h1>
      <div id="told" role="status"><p class="state">\(origin)</p>
      \(list(of: found.notices.filter { $0.name != "origin" }, of: source.name))</div>
      \(pictures.isEmpty ? "" : "<div class=\"pictures\">\(pictures)</div>\n")<dl>
      \(Markup(fields))</dl>
      <p class="forms">As \(Markup.link("json", to: address.data(as: .json))) \(deletion)</p>
      \(await past(of: record, in: source))</article>

      """)
  }

  /// What syncs found of a record, and where it came from; empty as far as that is unknown.
  private func past(of record: ShownRecord, in source: OpenedSource) async -> Markup {
    var past = Markup()
    let ask = Ask(of: source.name)
    if Verb.history.isOffered(by: source.descriptor), let history = try? await source.history(of: record.id, ask) {
      let cut: Markup = history.isCut ? "<p>\(ChangesAnswer.cut)</p>\n" : ""
      if !history.changes.isEmpty {
        past += "<section><h2>History</h2>\n\(Markup(history.changes.byRecord.map { changed($0, isAlone: true) }))\(cut)</section>\n"
      }
    }
    if let account = try? await source.account(of: record.id) {
      let sentences = account.sentences(at: now).dropFirst().map { "<li>\($0.capitalizedFirst)</li>" as Markup }
      if !sentences.isEmpty { past += "<section><h2>Where it came from</h2>\n<ul>\(Markup(sentences))</ul></section>\n" }
    }
    return past
  }

  // MARK: - Changes

  /// Changes by day, the latest first. Unless the address says since when, they are those of a week.
  func changesPage(of sources: [SourceDescriptor]) async throws -> HTMLPage {
    let since = text(.since) ?? "7d"
    let found = try await foundChanges(of: sources, with: gives(.since) ? [:] : ["since": [since]])
    let most = found.limit ?? 200
    let shown = FoldedChanges(Array(found.changes.prefix(most)))
    let isAll = route.verb == nil
    var days = Markup()
    for (day, changes) in shown.changes.grouped(by: { CalendarDay($0.at) }) {
      days += "<section class=\"day\"><h2>\(day == CalendarDay(now) ? "Today, " : "")\(day.inWords(at: now))</h2>\n"
      days += "<ul class=\"changes\">\(Markup(changes.byRecord.map { "<li>\(changed($0, isAlone: false))</li>\n" }))</ul></section>\n"
    }
    let folds = shown.folds.map { fold -> Markup in
      let before: Markup = fold.before.map { "<del>\(Difference.shownText($0))</del> " } ?? ""
      let after: Markup = fold.after.map { "<ins>\(Difference.shownText($0))</ins>" } ?? ""
      return "\(fold.source): \(fold.leaf.shownName) of \(fold.records) records changed alike: \(before)\(after)"
    }
    let times = [("1d", "a day"), ("7d", "a week"), ("30d", "30 days")].map { time, words in
      Markup.link("The last \(words)", to: here.with("since", time), isCurrent: since == time)
    }
    let kinds = ["new", "changed", "gone"].map { kind in
      Markup.link(kind.capitalizedFirst, to: here.toggling(kind, ["true"]), isCurrent: here.has(kind, ["true"]))
    }
    let more: Markup =
      found.changes.count > most
      ? "<p class=\"end\">These are the latest \(most) of \(found.changes.count) changes. \(Markup.link("Show more", to: here.with("limit", String(most * 5))))</p>\n"
      : ""
    let data = isAll ? PageAddress("changes").with(query: here.query) : here
    let forms = [Form.csv, .json, .atom].map { Markup.link($0.rawValue, to: data.data(as: $0)) + " " }
    let count = found.changes.count
    return HTMLPage(
      isAll ? "Changes" : "Changes of \(sources[0].name)", at: isAll ? "/-/changes" : nil,
      """
      \(isAll ? "<div class=\"head\"><h1>Changes</h1></div>\n" : heading(of: sources[0]))<div class="row">
      <nav aria-label="Time">\(Markup(times))</nav><nav aria-label="Kinds">\(Markup(kinds))</nav>
      <p class="forms">As \(Markup(forms))</p></div>
      <div id="told" role="status"><p class="state\(found.isPart ? " partial" : "")"><b>\(plural(count, "change"))</b> since \(since == "7d" ? "a week ago" : since).</p>
      \(listing(found.notices.map { "\($0)" } + folds))</div>
      \(days)\(more)
      """)
  }

  /// The changes of one record that a sync saw at one time.
  func changed(_ changes: [FoundChange], isAlone: Bool) -> Markup {
    let first = changes[0]
    let time: Markup = "<time datetime=\"\(first.at.iso)\">\(isAlone ? first.at.minute : String(first.at.minute.dropFirst(11)))</time>"
    let title: Markup =
      isAlone
      ? ""
      : "\(Markup.link(first.title ?? first.id, to: PageAddress(first.source, "records", first.id))) <span class=\"of\">\(first.source)</span> "
    let values = changes.compactMap { change in
      change.difference.map { difference -> Markup in
        let (before, after) = Difference.shownTexts(difference.one, difference.other)
        return "<div><dt>\(difference.leaf.path.label)</dt><dd><del>\(before)</del> <ins>\(after)</ins></dd></div>"
      }
    }
    let list: Markup = values.isEmpty ? "" : "<dl>\(Markup(values))</dl>"
    return "<div class=\"change\"><span class=\"kind \(first.kind.rawValue)\">\(first.kind.rawValue)</span> \(title)\(time)\(list)</div>\n"
  }

  // MARK: - What is posted

  /// Begins a job, or finds the one that runs, and leads to its page.
  func beginOnPage(_ verb: Verb) throws -> Reply {
    let ask = try ask(verb, within: .seconds(86_400))
    let job = try interface.jobs.start(verb, of: try source, ask, in: world).job
    return Reply(303, headers: [("Location", PageAddress("-", "jobs", String(job.id)).text)])
  }

  /// The list with one more condition, which a form gave in three parts; nil if it gave none.
  var newCondition: PageAddress? {
    guard let field = text(.field) else { return nil }
    let (comparison, value) = (text(.comparison) ?? "=", text(.value) ?? "")
    let names = [FaceParameter.field, .comparison, .value].map(\.name)
    let rest = names.reduce(here) { $0.with($1, nil) }
    return rest.toggling("where", [field + comparison + (value.isEmpty ? "null" : value)])
  }

  /// Returns to the list from which a record was deleted or restored.
  func returning(undoing id: String? = nil) throws -> Reply {
    let back = page(of: try source).with(query: text(.back) ?? "")
    let address = back.with(FaceParameter.undo.name, id)
    return Reply(303, headers: [("Location", address.text)])
  }

  /// The line about a record that was just deleted, with a button that brings it back; empty without one.
  func undoing(in source: OpenedSource) async -> Markup {
    guard let id = text(.undo), mayChange else { return "" }
    do {
      try await source.checkIsNotDeleted(id)
      return ""
    } catch {
      let back = PageAddress(source.name, "records", id, "restore").with(FaceParameter.back.name, here.with(FaceParameter.undo.name, nil).query)
      return "<p class=\"undo\" role=\"status\">Deleted \(id). \(Markup.button("Undo", posting: back, style: "undo", about: "Undo: restore \(id)"))</p>\n"
    }
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension [FoundChange] {
  /// The changes in groups of those that follow each other and share a key.
  fileprivate func grouped<Key: Equatable>(by key: (FoundChange) -> Key) -> [(key: Key, changes: [FoundChange])] {
    reduce(into: []) { groups, change in
      if groups.last?.key == key(change) { groups[groups.count - 1].changes.append(change) } else { groups.append((key(change), [change])) }
    }
  }
}
