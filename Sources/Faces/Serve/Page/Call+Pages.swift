import AggregatorCore
import Asking
import Pictures
import RecordFormats

// What the pages of a source share, and what is posted.

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

  /// Opens the source on the terms of a page, and returns the ask with these: what is stored is shown at once, unless the address says
  /// otherwise.
  func openForLooking(_ ask: Ask) async throws -> (ask: Ask, source: OpenedSource) {
    saysOrigin ? (ask, try open(ask)) : try await source.openForLooking(ask, in: world)
  }

  /// Opens the source for the page of the record that the path names.
  func openRecord() async throws -> (ask: Ask, source: OpenedSource) {
    var ask = try ask(.show, with: ["id": [id]])
    // The store may lack what only the full record has.
    guard try source.fields.contains(where: \.isDetail) else { return try await openForLooking(ask) }
    if !saysOrigin { ask.terms.maxAge = World.Terms.freshAge }
    return (ask, try open(ask))
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
    let actions: Markup = """
      \(more)\(changes, if: Verb.changes.isOffered(by: source))\(deleted, if: source.isEndless)\
      \(audit, if: Verb.audit.isOffered(by: source) && mayChange && isTitle)\(sync, if: Verb.sync.isOffered(by: source) && mayChange)
      """
    return """
      <div class="head"><div>\("<h1>\(name)</h1>", if: isTitle)\("<p class=\"name\">\(name)</p>", if: !isTitle)<p>\(source.summary)</p></div>
      \("<details class=\"fold\"><summary>Actions</summary><div class=\"actions\">\(actions)</div></details>", if: !actions.isEmpty)</div>

      """
  }

  /// The origin of an answer as a sentence.
  func words(of origin: Origin) -> String { interface.bare(origin.words(at: now)).capitalizedFirst + "." }

  /// A line about a source that is synced now, or whose last sync was not whole; empty for any other.
  func trouble(of source: SourceDescriptor, _ report: SourceReport?) -> Markup {
    if let job = running(source.name) { return "<p class=\"state\">\(job).</p>\n" }
    guard let report, [.failing, .partial].contains(report.state), let why = report.why else { return "" }
    return
      "<div class=\"state partial\">\(interface.bare(why).capitalizedFirst).\(remedies([report.remedy], of: source.name))</div>\n"
  }

  /// The job that runs for a source: how far it is, with a link to its page.
  func running(_ source: String) -> Markup? {
    interface.jobs.all.first { $0.source == source && !$0.isOver }.map { job in
      let link = Markup.link("\(job.verb.name) \(job.state.rawValue)", to: .job(job.id))
      return "\(link): \(jobWords(job))"
    }
  }

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
      return Reply(picture)
    } catch let error as SourceError {
      // A broken picture would tell nothing, and only the console of the browser.
      let drawing: Markup = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 200"><title>\(interface.bare(error.message))</title>\
        <text x="100" y="104" text-anchor="middle" font-family="system-ui, sans-serif" font-size="15" fill="#888">not loaded</text></svg>
        """
      return Reply(200, "image/svg+xml", .bytes(drawing.bytes), headers: [("Cache-Control", "private, max-age=60")])
    }
  }

  // MARK: - What is posted

  /// Begins a job, or finds the one that runs, and leads to its page.
  func beginOnPage(_ verb: Verb) throws -> Reply {
    Reply(leadingTo: .job(try started(verb).id))
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
    return Reply(leadingTo: back.with(FaceParameter.undo.name, id))
  }

  /// The line about a record that was just deleted, with a button that brings it back; empty without one.
  func undoing(in source: OpenedSource) async -> Markup {
    guard let id = text(.undo), mayChange else { return "" }
    do {
      try await source.checkIsNotDeleted(id)
      return ""
    } catch {
      let back = PageAddress.record(id, of: source.name, "restore").returning(to: here)
      return
        "<div class=\"undo\" role=\"status\">Deleted \(id). \(Markup.button("Undo", posting: back, style: "undo", about: "Undo: restore \(id)"))</div>\n"
    }
  }
}

extension String {
  /// The text with its first letter in upper case.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
