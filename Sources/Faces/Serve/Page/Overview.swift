import AggregatorCore
import Asking
import RecordFormats

// The pages about everything: the overview, a search over all sources, and jobs.

extension Call {
  // MARK: - The overview

  /// Every source, the worst first, with what can be done; and what the last syncs found.
  func overview() async throws -> HTMLPage {
    let reports: [SourceReport]
    var trouble = Markup()
    do { reports = try await catalogue.reports(on: catalogue.sources, in: world).worstFirst } catch let error as SourceError {
      reports = catalogue.sources.map { SourceReport($0, settings: world.settings, at: now) }
      trouble = "<p class=\"state partial\">\(interface.bare(error.message)).</p>\n"
    }
    let states = reports.map(standing)
    let names = SourceReport.State.allCases.map(\.rawValue) + [Self.growing, "unknown"]
    let counts = names.map { name in (name, states.count { $0 == name }) }.filter { $0.1 > 0 }
    let news = await latestChanges(of: reports)
    return HTMLPage(
      "", at: "/",
      """
      <h1>Sources</h1>
      <div id="told" role="status"><p>\(plural(reports.count, "source")): \(counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")).</p></div>
      \(trouble)\(listing(omissions.map { "\($0)" }))<ol class="sources">
      \(Markup(reports.map(overviewItem)))</ol>
      <section><h2>Last changes</h2>
      \(news)\("<p>None. The changes of a list are known from its second complete sync on.</p>\n", if: news.isEmpty)\
      <p>\(Markup.link("All changes", to: PageAddress("-", "changes")))</p></section>

      """)
  }

  /// The state of a list in a word or two. A list without an end is never whole, which is its nature.
  private func standing(_ report: SourceReport) -> String {
    report.source.isEndless && report.state == .unverifiable ? Self.growing : report.state?.rawValue ?? "unknown"
  }

  private static let growing = "growing"

  private func overviewItem(_ report: SourceReport) -> Markup {
    let source = report.source
    let state = standing(report)
    let mayTry = report.state == .failing && Verb.sync.isOffered(by: source) && mayChange
    let again = Markup.button("Try again", posting: PageAddress(source.name, "sync"), style: "remedy")
    let isToday = report.state != .running && report.since.map { CalendarDay($0) } == CalendarDay(now)
    let since = report.sinceWhen.map { isToday ? "today" : "since \($0)" }
    let job = running(source.name)
    let why = job == nil ? report.why.map { interface.bare($0).capitalizedFirst + "." } ?? "" : ""
    return """
      <li class="\(String(state.prefix { $0 != " " }))"><h2>\(Markup.link(source.name, to: page(of: source)))</h2>\
      <p class="summary">\(source.summary)</p>\
      <p class="standing"><span class="dot" aria-hidden="true"></span>\(state) \(since ?? "")</p>\
      <p class="rows">\("<b>\(report.stored ?? 0)</b> stored", if: report.stored ?? 0 > 0 || report.age != nil)\
      \(report.age.map { ", checked \($0.ago)" } ?? "")</p>\
      \("<div class=\"why\">\(why)\(remedies([report.remedy], of: source.name)) \(again, if: mayTry)</div>", if: !why.isEmpty)\
      \("<p class=\"why\">\(job ?? "").</p>", if: job != nil)</li>

      """
  }

  /// The last changes that syncs found, the latest first; empty if none are known.
  private func latestChanges(of reports: [SourceReport]) async -> Markup {
    var found: [[FoundChange]] = []
    for report in reports where report.status?.sync != nil {
      let source = try? report.source.open(Ask(of: report.source.name), in: world)
      found += (try? await source?.latestChanges(Self.mostNews))?.byRecord ?? []
    }
    let latest = found.sorted { $0[0].at > $1[0].at }.prefix(Self.mostNews)
    let items = latest.map { changes -> Markup in
      "<li>\(changed(changes, isAlone: false, isDated: true))</li>\n"
    }
    return items.isEmpty ? "" : "<ul class=\"changes\">\n\(Markup(items))</ul>\n"
  }

  /// The most records among the last changes.
  private static let mostNews = 8

  // MARK: - Searching everything

  /// The records that every source finds, best first, after the pages and sources with that name.
  func searchPage() async throws -> HTMLPage {
    let text = text(.text)?.trimmingSpaces ?? ""
    var (found, results): ([Found], [Int: SearchedSource]) = ([], [:])
    var unmet: [String] = []
    if !text.isEmpty {
      try await catalogue.search(text, askOfAll, in: world) { news in
        guard case .found(let some) = news else { return }
        found += some.found
        results.merge(some.all) { $1 }
        unmet += some.unmet
      }
    }
    try check(unmet)
    let records = found.map { record in
      foundItem(record.title ?? record.id, at: .record(record.id, of: record.source), about: record.about, kind: record.source)
    }
    let lines = placeItems(named: text) + records
    let nothing = gives(.offline) ? "Nothing found in what is stored." : "Nothing found."
    let most = Markup.link("Show more", to: here.with("limit", "200"))
    let all = results.sorted { $0.key < $1.key }.map(\.value)
    let lacking = all.filter { $0.summary.verdict?.kind == "partial" }
    let links = lacking.enumerated().map { index, result -> Markup in
      "\(", ", if: index > 0)\(Markup.link(result.source, to: page(named: result.source).with("text", text)))"
    }
    let isCut = all.contains { $0.summary.verdict == .bounded }
    return HTMLPage(
      text.isEmpty ? "Search" : "\(text) · search", at: "/-/search",
      """
      <h1>Search</h1>
      <form class="search" role="search" aria-label="Records" action="/-/search" data-live="#told #found"><input type="search" \
      name="text" value="\(text)" aria-label="Search every source" autocomplete="off"><button>Search</button></form>
      <div id="told" role="status">\("""
        <p class="state\(" partial", if: !all.isEmpty && all.allSatisfy { $0.error != nil })"><b>\(plural(found.count, "record"))</b>\
        \("; the sources have more", if: isCut).</p>
        \("<p class=\"of\">\(lacking.count) of \(plural(all.count, "source")) could not be searched in full: \(Markup(links)).</p>\n", if: !lacking.isEmpty)
        """, if: !text.isEmpty)\(listing(omissions.map { "\($0)" }))</div>
      <div id="found"><ol class="found">
      \(Markup(lines))</ol>
      \("<p>\(nothing)</p>\n", if: lines.isEmpty && !text.isEmpty)\("<p>\(most)</p>\n", if: isCut && !gives(.limit))\
      \("<h2>What each source said</h2>\n<ul class=\"states\">\(Markup(all.map { state(of: $0, text) }))</ul>\n", if: !all.isEmpty)</div>

      """)
  }

  /// The pages and sources that have the text in their names.
  private func placeItems(named text: String) -> [Markup] {
    let needle = text.lowercased()
    let pages = [("Sources", PageAddress("")), ("Changes", PageAddress("-", "changes")), ("Jobs", PageAddress("-", "jobs"))]
    let places = pages.map { ($0.0, $0.1, "page") } + catalogue.sources.map { ($0.name, page(of: $0), "source") }
    let named = places.filter { !needle.isEmpty && $0.0.lowercased().contains(needle) }
    return named.prefix(8).map { foundItem($0.0, at: $0.1, kind: $0.2) }
  }

  private func foundItem(_ text: String, at address: PageAddress, about: String? = nil, kind: String) -> Markup {
    """
    <li>\(Markup.link(text, to: address)) \("<span class=\"about\">\(about ?? "")</span> ", if: about != nil)\
    <span class="of">\(kind)</span></li>

    """
  }

  private func state(of result: SearchedSource, _ text: String) -> Markup {
    let link = Markup.link(result.source, to: page(named: result.source).with("text", text))
    if let error = result.error {
      return
        "<li class=\"partial\">\(link) \(interface.bare(error.message))\(remedies([error.remedy], of: result.source))</li>\n"
    }
    let verdict = result.summary.verdict ?? .unverifiable
    return
      "<li class=\"\(verdict.kind)\">\(link) \(result.found.count) found, \(verdict.words). \(result.summary.origin.map(words) ?? "")</li>\n"
  }

  // MARK: - Jobs

  func jobsPage() -> HTMLPage {
    let jobs = interface.jobs.all.map { job -> Markup in
      let link = Markup.link("\(job.verb.name) \(job.source)", to: .job(job.id))
      let (kind, text) = ending(of: job)
      return "<li class=\"\(kind)\"><span class=\"dot\" aria-hidden=\"true\"></span>\(link) \(text); \(jobWords(job))</li>\n"
    }
    return HTMLPage(
      "Jobs", at: "/-/jobs",
      """
      <h1>Jobs</h1>
      <p>The syncs and audits since the server began, the latest first.</p>
      <ol class="jobs">
      \(Markup(jobs))</ol>
      \("<p>None yet. The page of a source begins one.</p>\n", if: jobs.isEmpty)
      """)
  }

  func jobPage() throws -> HTMLPage {
    let job = try namedJob
    let title = "\(job.verb.name.capitalizedFirst) \(job.source)"
    let (rows, total) = (job.progress.rows, job.progress.total ?? 0)
    let error = job.error.map { "\(interface.bare($0.message))." as Markup + remedies([$0.remedy], of: job.source) } ?? ""
    let (kind, text) = ending(of: job)
    let fields = (job.outcome?.members ?? []).filter { !["source", "verdict"].contains($0.name) && $0.value.saysSomething }
      .map { member -> Markup in
        "<div><dt>\(FieldPath([member.name]).label)</dt><dd>\(member.value.phrased(by: nil))</dd></div>\n"
      }
    let again = Markup.button("Try again", posting: PageAddress(job.source, job.verb.name))
    let look = Markup.link("Look again", to: here),
      cancel = Markup.button("Cancel", posting: .job(job.id, "cancel"))
    return HTMLPage(
      title, at: "/-/jobs",
      """
      <h1>\(title)</h1>
      <div id="job" aria-live="polite"\(" data-again", if: !job.isOver)>
      <div class="state \(kind)"><b>\(text.capitalizedFirst).</b> \(jobWords(job)). \(error)</div>
      \("<progress max=\"\(total)\" value=\"\(min(rows, total))\" aria-label=\"Rows\"></progress>\n", if: total > 0 && !job.isOver)\
      \(listing((job.audit?.lines ?? []).map { "\(interface.bare($0.trimmingSpaces).capitalizedFirst)" }))\
      \("<dl>\n\(Markup(fields))</dl>\n", if: !fields.isEmpty && job.audit == nil)\("<p>\(look)</p>\n\(cancel, if: mayChange)", if: !job.isOver)\
      \(again, if: job.isOver && kind != "complete" && mayChange)</div>
      <p>\(Markup.link("See \(job.source)", to: page(named: job.source))) \
      \(Markup.link("See what changed", to: PageAddress(job.source, "changes")))</p>

      """)
  }

  /// The verdict of a job that has an outcome, or else its state: the class by which it looks, and a text.
  private func ending(of job: Job) -> (kind: String, text: String) {
    let verdict = job.outcome?.value(at: ["verdict"])
    if let (verdict, text) = job.audit?.audit.judgement { return (verdict.kind, text) }
    guard job.state == .ended, let kind = verdict?.value(at: ["kind"]).text else {
      return (job.state == .failed ? "partial" : job.state.rawValue, job.state.rawValue)
    }
    let reason = verdict?.value(at: ["reason"]).text.map { ": \(Shortfall.recorded($0).sentence)" }
    return (kind, interface.bare(kind + (reason ?? "")))
  }

  func jobWords(_ job: Job) -> String {
    let progress = job.progress
    // An audit tells of no page that it reads, and says at its end how many rows it compared.
    let read = job.verb == .audit ? job.audit.map { max($0.audit.rows, $0.audit.ids) } : progress.rows
    let rows = read.map { plural($0, "row") + (progress.total.map { " of \($0)" } ?? "") + ", " } ?? ""
    let time = job.began.map { ", began at \($0.minute.dropFirst(11)), \(((job.ended ?? now) - $0).inWords)" } ?? ""
    let wait = progress.waiting.until.flatMap { $0 > now ? "; waits \(($0 - now).inWords)" : nil } ?? ""
    return "\(rows)\(plural(progress.requests, "request"))\(time)\(wait)"
  }
}

extension Value {
  /// False for a zero, for nothing and for an empty part.
  fileprivate var saysSomething: Bool {
    switch self {
    case .null, .int(0), .list([]): false
    case .object(let members): members.contains { $0.value.saysSomething }
    default: true
    }
  }
}
