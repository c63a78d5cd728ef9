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
    let states = reports.map { $0.state?.rawValue ?? "unknown" }
    let counts = SourceReport.State.allCases.map(\.rawValue).map { state in (state, states.count { $0 == state }) }.filter { $0.1 > 0 }
    let news = await latestChanges(of: reports)
    return HTMLPage(
      "", at: "/",
      """
      <h1>Sources</h1>
      <div id="told" role="status"><p>\(plural(reports.count, "source")): \(counts.map { "\($0.1) \($0.0)" }.joined(separator: ", ")).</p></div>
      \(trouble)<ol class="sources">
      \(Markup(reports.map(overviewItem)))</ol>
      <section><h2>Found by the last syncs</h2>
      \(news.isEmpty ? "<p>Nothing new, changed or gone is known yet. A second sync of a list finds that.</p>\n" : news)<p>\(Markup.link("All changes", to: PageAddress("-", "changes")))</p></section>

      """)
  }

  private func overviewItem(_ report: SourceReport) -> Markup {
    let (source, state) = (report.source, report.state)
    let rows: Markup = report.stored.map { $0 > 0 ? "<b class=\"n\">\($0)</b> stored" : "" } ?? ""
    let age: Markup = report.age.map { ", \($0.ago)" } ?? ""
    let since: Markup = report.since.map { " since \(CalendarDay($0).inWords(at: now))" } ?? ""
    let why: Markup = report.why.map { "<p class=\"why\">\(interface.bare($0).capitalizedFirst).\(remedies([report.remedy].compactMap(\.self), of: source.name))</p>" } ?? ""
    return """
      <li class="\(state?.rawValue.split(separator: " ").first.map(String.init) ?? "unknown")"><h2>\(Markup.link(source.name, to: page(of: source)))</h2>\
      <p class="summary">\(source.summary)</p>\
      <p class="standing"><span class="dot" aria-hidden="true"></span>\(state?.rawValue ?? "unknown")\(since)</p>\
      <p class="rows">\(rows)\(age)</p>\(why)</li>

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
      "<li>\(changed(changes, isAlone: false)) <span class=\"of\">\((now - changes[0].at).ago)</span></li>\n"
    }
    return items.isEmpty ? "" : "<ul class=\"changes\">\n\(Markup(items))</ul>\n"
  }

  /// The most records among the last changes.
  private static let mostNews = 8

  // MARK: - Searching everything

  /// What every source finds, best first, and the pages and sources with that name.
  func searchPage() async throws -> HTMLPage {
    let text = text(.text)?.trimmingSpaces ?? ""
    var (found, states): ([Found], [Markup]) = ([], [])
    if !text.isEmpty, let first = catalogue.searchable.first {
      var ask = try ask(.search, of: first)
      if !gives(.timeout) { ask.deadline = nil }
      try await catalogue.search(text, ask, in: world) { news in
        guard case .found(let results) = news else { return }
        found += results.found
        states += results.all.sorted { $0.key < $1.key }.map { state(of: $0.value, text) }
      }
    }
    let places = [("Sources", "/"), ("Changes", "/-/changes"), ("Jobs", "/-/jobs")]
    let folded = text.lowercased()
    let named = places.filter { $0.0.lowercased().hasPrefix(folded) && !folded.isEmpty }.map { "<li><a href=\"\($1)\">\($0)</a> <span class=\"of\">page</span></li>\n" as Markup }
      + catalogue.sources.filter { $0.name.contains(folded) && !folded.isEmpty }.prefix(8).map { "<li>\(Markup.link($0.name, to: page(of: $0))) <span class=\"of\">source</span></li>\n" }
    let records = found.map { record -> Markup in
      let about: Markup = record.about.map { "<span class=\"about\">\($0)</span> " } ?? ""
      return "<li>\(Markup.link(record.title ?? record.id, to: PageAddress(record.source, "records", record.id))) \(about)<span class=\"of\">\(record.source)</span></li>\n"
    }
    return HTMLPage(
      text.isEmpty ? "Search" : "\(text) · search", at: "/-/search",
      """
      <h1>\(text.isEmpty ? "Search" : "\"\(text)\" in all sources")</h1>
      <form class="search" role="search" aria-label="Records" action="/-/search" data-live="#told #found"><input type="search" name="text" value="\(text)" aria-label="Search every source"><button>Search</button></form>
      <div id="told" role="status"><p class="state"><b>\(text.isEmpty ? "" : plural(found.count, "record"))</b></p></div>
      <div id="found"><ol class="found">
      \(Markup(named + records))</ol>
      \(states.isEmpty ? "" : "<h2>What each source said</h2>\n<ul class=\"states\">\(Markup(states))</ul>\n")</div>

      """)
  }

  private func state(of result: SearchedSource, _ text: String) -> Markup {
    let said: Markup
    if let error = result.error {
      said = "\(interface.bare(error.message))\(remedies([error.remedy].compactMap(\.self), of: result.source))"
    } else {
      let origin = result.summary.origin.map { interface.bare($0.words(at: now)) } ?? ""
      said = "\(result.found.count) found, \(result.summary.verdict?.words ?? "of unknown completeness"), \(origin)"
    }
    let kind = result.summary.verdict?.kind ?? "unverifiable"
    return "<li class=\"\(kind)\">\(Markup.link(result.source, to: PageAddress(result.source).with("text", text))) \(said)</li>\n"
  }

  // MARK: - Jobs

  func jobsPage() -> HTMLPage {
    let jobs = interface.jobs.all.map { job -> Markup in
      "<li class=\"\(job.state.rawValue)\">\(Markup.link("\(job.verb.name) \(job.source)", to: PageAddress("-", "jobs", String(job.id)))) <span>\(jobWords(job))</span></li>\n"
    }
    return HTMLPage(
      "Jobs", at: "/-/jobs",
      """
      <h1>Jobs</h1>
      <p>Syncs and audits that were begun here or over HTTP since the server began.</p>
      \(jobs.isEmpty ? "<p>None yet. The page of a source begins one.</p>\n" : "<ol class=\"jobs\">\n\(Markup(jobs))</ol>\n")
      """)
  }

  func jobPage() throws -> HTMLPage {
    guard let number = Int(name), let job = interface.jobs.job(number) else { throw Problem(404, "not-found", "no such job") }
    let address = PageAddress("-", "jobs", name)
    let progress = job.progress
    let bar: Markup =
      progress.total.map { "<progress max=\"\(max(1, $0))\" value=\"\(min($0, progress.rows))\" aria-label=\"Rows\"></progress>\n" } ?? ""
    let error: Markup = job.error.map { "<p class=\"state partial\">\(interface.bare($0.message)).\(remedies([$0.remedy].compactMap(\.self), of: job.source))</p>\n" } ?? ""
    let fields: [Markup]
    if case .object(let members)? = job.outcome {
      fields = members.filter { !$0.value.isNothing && $0.name != "source" }.map { member in
        "<div><dt>\(FieldPath([member.name]).label)</dt><dd>\(member.value.phrased(by: nil))</dd></div>\n"
      }
    } else {
      fields = []
    }
    let outcome: Markup = fields.isEmpty ? "" : "<dl>\n\(Markup(fields))</dl>\n"
    let cancel: Markup = !job.isOver && mayChange ? Markup.button("Cancel", posting: PageAddress("-", "jobs", name, "cancel")) : ""
    let again: Markup = job.isOver ? "" : " data-again"
    return HTMLPage(
      "\(job.verb.name) \(job.source)", at: "/-/jobs",
      """
      <h1>\(job.verb.name.capitalizedFirst) \(job.source)</h1>
      <div id="job" class="\(job.state.rawValue)" aria-live="polite"\(again)>
      <p class="state"><b>\(job.state.rawValue.capitalizedFirst)</b> \(jobWords(job))</p>
      \(bar)\(error)\(outcome)\(job.isOver ? "" : "<p>\(Markup.link("Look again", to: address))</p>\n\(cancel)")</div>
      <p>\(Markup.link(job.source, to: PageAddress(job.source))) \(Markup.link("Changes", to: PageAddress(job.source, "changes")))</p>

      """)
  }

  private func jobWords(_ job: Job) -> String {
    let progress = job.progress
    let rows = plural(progress.rows, "row") + (progress.total.map { " of \($0)" } ?? "")
    let time = job.began.map { ", \(((job.ended ?? now) - $0).inWords)" } ?? ""
    let wait = progress.waiting.until.flatMap { $0 > now ? "; waits \(($0 - now).inWords)" : nil } ?? ""
    return "\(rows), \(plural(progress.requests, "request"))\(time)\(wait)"
  }
}
