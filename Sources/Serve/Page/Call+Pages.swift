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

  /// The ask on the terms of a page: what is stored is shown at once, unless the address says otherwise.
  func forLooking(_ ask: Ask) async throws -> Ask {
    saysOrigin ? ask : try await ask.forLooking(at: source, in: world)
  }

  /// True when the address says where the answer may come from.
  var saysOrigin: Bool { wantsStored || [Ask.Parameter.offline, .live, .refresh, .maxAge, .asOf].contains(where: gives) }

  /// The same call without the condition, the order or the day that led to this error, and the reason; nil for any other error.
  func mistake(of error: any Error) -> (rest: Call, reason: String)? {
    if let error = error as? SourceError, gives(.asOf), error.kind == .notStored { return (without("as-of"), error.message) }
    guard case .unreadable(let name, let reason)? = error as? AskError, ["where", "sort", "as-of"].contains(name) else {
      return nil
    }
    let sound = here.values(of: name).filter { (try? ask(verbOfRows, with: [name: [$0]])) != nil }
    return (without(name, but: sound), "\(name): \(reason.message)")
  }

  /// The head of a source's pages. It is the title of the page that lists the records.
  func heading(of source: SourceDescriptor, _ more: Markup = "", isTitle: Bool = false) -> Markup {
    let name = Markup.link(source.name, to: page(of: source))
    let sync = Markup.button("Sync", posting: PageAddress(source.name, "sync"))
    let audit = Markup.button("Audit", posting: PageAddress(source.name, "audit"))
    let changes = Markup.link("Changes", to: PageAddress(source.name, "changes"))
    let deleted = Markup.link("Deleted", to: page(of: source).with("deleted", "true"))
    return """
      <div class="head"><div>\("<h1>\(name)</h1>", if: isTitle)\("<p class=\"name\">\(name)</p>", if: !isTitle)<p>\(source.summary)</p></div>
      <div class="actions">\(more)\(changes, if: Verb.changes.isOffered(by: source))\(deleted, if: source.isEndless)\
      \(audit, if: Verb.audit.isOffered(by: source) && mayChange && isTitle)\
      \(sync, if: Verb.sync.isOffered(by: source) && mayChange)</div></div>

      """
  }

  /// The origin of an answer as a sentence.
  func words(of origin: Origin) -> String { interface.bare(origin.words(at: now)).capitalizedFirst + "." }

  /// A line about a source that is synced now, or whose last sync was not whole; empty for any other.
  func trouble(of source: SourceDescriptor) async -> Markup {
    if let job = running(source.name) { return "<p class=\"state\">\(job).</p>\n" }
    guard let report = try? await source.report(in: world), [.failing, .partial].contains(report.state), let why = report.why
    else {
      return ""
    }
    return
      "<div class=\"state partial\">\(interface.bare(why).capitalizedFirst).\(remedies([report.remedy], of: source.name))</div>\n"
  }

  /// The job that runs for a source: how far it is, with a link to its page.
  func running(_ source: String) -> Markup? {
    interface.jobs.all.first { $0.source == source && !$0.isOver }.map { job in
      let link = Markup.link("\(job.verb.name) \(job.state.rawValue)", to: PageAddress("-", "jobs", String(job.id)))
      return "\(link): \(jobWords(job))"
    }
  }

  /// A value as text, a time of midnight as a day, and an address of the web as a link.
  func text(of value: Value, _ leaf: Leaf) -> Markup {
    let text = shownText(value)
    if leaf.kind == .time, text.hasSuffix("T00:00:00Z") { return "\(String(text.dropLast(10)))" }
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
    return
      "<span class=\"picture\"><img src=\"\(link.text)\" alt=\"\" loading=\"lazy\" decoding=\"async\" width=\"200\" height=\"200\"></span>"
  }

  func pictureOnPage() async throws -> Reply {
    guard let named = text(.address), let address = WebAddress(named), text(.signature) == interface.signature(of: named) else {
      throw Problem(404, "not-found", "no such picture")
    }
    let pictures =
      gives(.offline)
      ? PictureCache(in: world.on(copy(of: World.Terms()) { $0.reach = .offline }), folder: service.pictures)
      : interface.pictures
    do {
      let picture = try await world.clock.limit(until: now + service.answerTime) { try await pictures.picture(at: address) }
      return Reply(
        200, "image/\(picture.format.rawValue)", .bytes(picture.bytes), headers: [("Cache-Control", "private, max-age=86400")])
    } catch let error as SourceError {
      // A broken picture would tell nothing, and only the console of the browser.
      let drawing: Markup = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><title>\(interface.bare(error.message))</title>\
        <text x="100" y="104" text-anchor="middle" font-family="system-ui, sans-serif" font-size="15" fill="#888">not loaded</text></svg>
        """
      return Reply(200, "image/svg+xml", .bytes(drawing.bytes), headers: [("Cache-Control", "private, max-age=60")])
    }
  }

  // MARK: - A record

  func recordPage(_ found: RecordAnswer, of source: OpenedSource, again: Markup = "") async throws -> HTMLPage {
    let columns = try columns(of: source.fields, id: source.idPath, isFull: true)
    let (record, card) = (found.record, columns.card(of: found.record))
    let title = card.title.isEmpty ? record.id : card.title
    let fields = columns.labelled(record).filter { !$0.text.isEmpty }.map { label, text -> Markup in
      "<div><dt>\(label)</dt><dd>\(WebAddress(text) == nil ? "\(text)" : Self.outside(text))</dd></div>\n"
    }
    let address = PageAddress(path: "/api\(PageAddress(source.name, "records", record.id).text)").with(query: here.query)
    let origin = found.summary.origin
    let ask = Markup.link("Ask the service", to: here.without("offline", "stored", "max-age").with("refresh", "true"))
    let canAsk = origin?.kind != .live && !gives(.asOf) && world.asksService && !source.descriptor.isEndless
    let delete = Markup.button("Delete", posting: PageAddress(source.name, "records", record.id, "delete"), style: "delete")
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
    let state = Markup.link("Its last state", to: PageAddress(source.name, "records", id).with("as-of", last.at.iso))
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

  // MARK: - Changes

  /// Changes by day, the latest first. Unless the address says since when, they are those of a week.
  func changesPage(of sources: [SourceDescriptor]) async throws -> HTMLPage {
    let isAll = route.verb == nil
    let since = text(.since) ?? "7d"
    let found = try await foundChanges(of: sources, with: ["since": [since]])
    let most = found.limit ?? 200
    let folded = FoldedChanges(found.changes)
    let shown = Array(folded.changes.prefix(most))
    let records = found.changes.byRecord
    let sums = FoundChange.Kind.allCases.map { kind in (kind, records.count { $0[0].kind == kind }) }.filter { $0.1 > 0 }
      .map { "\($0.1) \($0.0.rawValue)" }
    let days = shown.grouped { CalendarDay($0.at) }.map { day, changes -> Markup in
      let items = changes.byRecord.map { "<li>\(changed($0, isAlone: false))</li>\n" as Markup }
      return """
        <section class="day"><h2>\("Today, ", if: day == CalendarDay(now))\(day.inWords(at: now))</h2>
        <ul class="changes">
        \(Markup(items))</ul></section>

        """
    }
    let folds = folded.folds.map { fold -> Markup in
      let (before, after) = (fold.before.map(Difference.shownText), fold.after.map(Difference.shownText))
      return """
        \(fold.leaf.shownName) of \(fold.records) \(fold.source) changed \
        \("from <del>\(before ?? "")</del> ", if: before != nil)\("to <ins>\(after ?? "")</ins>", if: after != nil)
        """
    }
    let times = [("1d", "A day"), ("7d", "A week"), ("30d", "30 days"), ("365d", "A year")]
    let choices = times.map { time, words in Markup.link(words, to: here.with("since", time), isCurrent: since == time) }
    let kinds = ["new", "changed", "gone"].map { kind in
      Markup.link(kind.capitalizedFirst, to: here.toggling(kind, ["true"]), isCurrent: here.has(kind, ["true"]))
    }
    let data = (isAll ? PageAddress("changes").with(query: here.query) : here).with("since", since)
    let forms = [Form.csv, .json, .atom].map { Markup.link($0.rawValue, to: data.data(as: $0)) + " " }
    let more = Markup.link("Show more", to: here.with("limit", String(min(most, 100_000) * 5)))
    return HTMLPage(
      isAll ? "Changes" : "Changes of \(sources[0].name)", at: isAll ? "/-/changes" : nil,
      """
      \(isAll ? "" : heading(of: sources[0]))<h1>Changes</h1>
      <div class="row"><nav aria-label="Time">\(Markup(choices))</nav><nav aria-label="Kinds">\(Markup(kinds))</nav>
      <p class="forms">As \(Markup(forms))</p></div>
      <div id="told" role="status"><p class="state\(" partial", if: found.isPart)"><b>\(plural(records.count, "change"))</b> \
      since \(times.first { $0.0 == since }.map { "\($0.1.lowercased()) ago" } ?? since)\(": ", if: !records.isEmpty)\(sums.joined(separator: ", ")).</p>
      \(listing(found.notices.map { "\($0)" } + found.errors.map(line) + folds + found.unknown.map { "\($0.text)\(remedies([$0.remedy], of: nil))" }))</div>
      \(Markup(days))\("<p class=\"end\">These are the latest \(most) of \(folded.changes.count) changed values. \(more)</p>\n", if: folded.changes.count > most)
      """)
  }

  /// An error with its source and its remedies.
  private func line(_ error: SourceError) -> Markup {
    "\(error.source.map { "\($0): " } ?? "")\(interface.bare(error.message)).\(remedies([error.remedy], of: error.source))"
  }

  /// The changes of one record, the latest first. Each leads to the state that it made, which is the one before the next change.
  private func timeline(_ changes: [FoundChange]) -> Markup {
    let groups = changes.byRecord
    return Markup(
      groups.indices.map { index in
        let isThere = index > 0 && groups[index][0].kind != .gone
        return changed(groups[index], isAlone: true, until: isThere ? groups[index - 1][0].at : nil)
      })
  }

  /// The changes of one record that a sync saw at one time. If it is known until when they held, their time leads to that state.
  func changed(_ changes: [FoundChange], isAlone: Bool, isDated: Bool = false, until: Moment? = nil) -> Markup {
    let first = changes[0]
    let kind = first.kind == .known ? "first stored" : first.kind.rawValue
    let time = isAlone || isDated ? first.at.minute : String(first.at.minute.dropFirst(11))
    let then =
      until.map { Markup.link(time, to: PageAddress(first.source, "records", first.id).with("as-of", $0.iso)) } ?? "\(time)"
    let link = Markup.link(first.title ?? first.id, to: PageAddress(first.source, "records", first.id))
    let values = changes.compactMap(\.difference).map { difference -> Markup in
      let (before, after) = Difference.shownTexts(difference.one, difference.other)
      return "<div><dt>\(difference.leaf.path.label)</dt><dd><del>\(before)</del> <ins>\(after)</ins></dd></div>"
    }
    return """
      <div class="change"><span class="kind \(first.kind.rawValue)">\(kind)</span> \
      \("\(link) <span class=\"of\">\(first.source)</span> ", if: !isAlone)\
      \("<time datetime=\"\(first.at.iso)\">\(time)</time>", if: !isAlone)\("\(then)", if: isAlone)\
      \("<dl>\(Markup(values))</dl>", if: !values.isEmpty)</div>

      """
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
    // Without a value only a missing one can be meant.
    if value.isEmpty, !["=", "!="].contains(comparison) { return rest }
    let condition = [field + comparison + (value.isEmpty ? "null" : value)]
    return rest.has("where", condition) ? rest : rest.toggling("where", condition)
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
      let query = here.without(FaceParameter.undo.name).query
      let back = PageAddress(source.name, "records", id, "restore").with(FaceParameter.back.name, query.isEmpty ? nil : query)
      return
        "<div class=\"undo\" role=\"status\">Deleted \(id). \(Markup.button("Undo", posting: back, style: "undo", about: "Undo: restore \(id)"))</div>\n"
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
      if groups.last?.key == key(change) {
        groups[groups.count - 1].changes.append(change)
      } else {
        groups.append((key(change), [change]))
      }
    }
  }
}
