import AggregatorCore
import Asking
import RecordFormats

// Notices and remedies on pages: a remedy is a button or a link where the page can do it, and words where a person has to.

extension Call {
  /// True when a page may offer what changes something.
  var mayChange: Bool { !service.isReadOnly }

  /// The remedies of an error or a notice about that source; empty if a page has no use for any of them.
  func remedies(_ remedies: [Remedy?], of source: String?) -> Markup {
    Markup(
      remedies.compactMap { $0 }.compactMap { remedy in
        self.remedy(remedy, of: source).map { " <span class=\"remedy\">\($0)</span>" }
      })
  }

  /// A remedy; nil if a page has no use for it.
  private func remedy(_ remedy: Remedy, of source: String?) -> Markup? {
    switch remedy {
    // A page does not show the requests of a job.
    case .ask(let call, _) where call.parameters.contains("explain"): nil
    case .ask(let call, let purpose): action(call, purpose, of: source) ?? words(remedy, of: source)
    // A page has controls for how much of a list it shows.
    case .give(let parameters, _) where ["all", "limit", "more"].contains(parameters.first?.name): nil
    case .give(let parameters, let purpose): give(parameters, purpose) ?? words(remedy, of: source)
    // The server itself waits no longer than this.
    case .lengthen: Markup.link("Try again", to: here)
    case .omit(let name, let purpose):
      Markup.link(
        name == "offline" || name == "live" ? "Ask again without \(name)" : "Leave out \(name)", to: here.without(name))
        + "\(Remedy.appended(purpose))"
    case .either(let all):
      all.compactMap { self.remedy($0, of: source) }.reduce(nil) { one, other in one.map { "\($0) or \(other)" } ?? other }
    case .set, .check, .advice: words(remedy, of: source)
    }
  }

  private func words(_ remedy: Remedy, of source: String?) -> Markup? {
    Remedy.inAddresses(remedy, source).map { "\(interface.bare($0).capitalizedFirst)." }
  }

  private func give(_ parameters: [Remedy.Parameter], _ purpose: String) -> Markup? {
    guard let first = parameters.first, [Ask.Parameter.offline, .live, .refresh].contains(where: { $0.name == first.name })
    else {
      return nil
    }
    let bare = here.without("offline", "stored", "live", "refresh", "max-age")
    return Markup.link("Ask again with \(first.name)", to: bare.with(first.name, first.value ?? "true"))
      + "\(Remedy.appended(purpose))"
  }

  /// The request of a remedy as a button or a link; nil if no page makes it.
  private func action(_ call: Remedy.Call, _ purpose: String, of source: String?) -> Markup? {
    if call.isOfSource, call.verb == "sync", call.source ?? source == nil { return "The page of each source begins a sync." }
    guard call.isOfSource, let name = call.source ?? source, let source = catalogue[name] else { return nil }
    let subject = call.subjects.first.flatMap { $0.utf8.allSatisfy { (0x41...0x5A).contains($0) } ? nil : $0 }
    let purpose: Markup = "\(Remedy.appended(purpose))"
    func button(_ text: String, _ address: PageAddress) -> Markup? {
      mayChange
        ? Markup.button(text, posting: address) + purpose : "This server is read-only: \(call.verb) \(name) where it runs."
    }
    let query = call.parameters.map { "\($0.name)=\($0.value ?? "true")" }.joined(separator: "&")
    switch call.verb {
    case "sync", "audit":
      return button("\(call.verb == "sync" ? "Sync" : "Audit") \(name)", PageAddress(name, call.verb).with(query: query))
    case "next":
      return source.isEndless && mayChange ? Markup.button("Fetch more \(name)", posting: PageAddress(name, "more")) : nil
    case "restore": return subject.flatMap { button("Restore \($0)", .record($0, of: name, "restore")) }
    case "list": return Markup.link("List \(name)", to: page(of: source)) + purpose
    case "search": return Markup.link("Search \(name)", to: page(of: source).with("text", subject)) + purpose
    case "changes": return Markup.link("Changes of \(name)", to: PageAddress(name, "changes")) + purpose
    case "why", "history", "show":
      return subject.map { Markup.link("See \($0)", to: .record($0, of: name)) + purpose }
    default: return nil
    }
  }

  func page(of source: SourceDescriptor) -> PageAddress { page(named: source.name) }

  /// The address of a source's list. A source with the name of another address, such as `metrics`, has the longer one.
  func page(named name: String) -> PageAddress {
    interface.routes.contains { $0.path == [.word(name)] } ? PageAddress("-", "sources", name) : PageAddress(name)
  }

  /// A list of notices with their remedies; empty without notices.
  func list(of notices: [Notice], of source: String) -> Markup {
    listing(
      notices.map { sentence(interface.bare($0.text(of: source, at: now)), remedies($0.remedies, of: source)) }
        + told.map { "\($0)" })
  }

  /// A text and then its remedies, which begin a sentence of their own.
  func sentence(_ text: String, _ remedies: Markup) -> Markup {
    "\(text)\(".", if: !remedies.isEmpty && !text.hasSuffix("."))\(remedies)"
  }

  /// A list of what a person should know; empty if that is nothing.
  func listing(_ items: [Markup]) -> Markup {
    items.isEmpty ? "" : "<ul class=\"notices\">\n\(Markup(items.map { "<li>\($0)</li>\n" }))</ul>\n"
  }
}

extension Problem {
  /// The problem as a page.
  func page(in call: Call? = nil) -> HTMLPage {
    // A page may have been open when its cookie ended.
    if name == "no-token" { return LoginPage.page(leadingTo: "/", saying: "You are not signed in, so nothing was done.") }
    let help: Markup =
      nearest.map { "Did you mean \(Markup.link($0, to: PageAddress($0)))?" } ?? call?.remedies([cause], of: source)
      ?? ""
    return HTMLPage(
      title,
      """
      <section class="problem" role="alert">
      <h1>\(title)</h1>
      <p>\(source.map { $0 + ": " } ?? "")\(detail)</p>
      <div>\(help)</div>
      </section>
      <p><a href="/">All sources</a> \(source.map { Markup.link($0, to: PageAddress($0)) } ?? "")</p>

      """)
  }
}
