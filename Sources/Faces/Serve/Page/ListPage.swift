import AggregatorCore
import Asking
import RecordFormats

/// The page of a source: its records as a table, as cells or as a grid of pictures, with what they can be sorted and chosen by.
struct ListPage {
  /// The forms of a list. The record decides which one is usual: one with a picture is in a grid, one with a badge or a subtitle is a cell.
  enum View: String, CaseIterable {
    case table, cells, grid
  }

  /// The records of one page, and the number from which it is followed by a page of its own: more would make a browser slow.
  fileprivate static let usual = 50
  private static let most = 400

  let call: Call
  let descriptor: SourceDescriptor
  fileprivate let ask: Ask
  let columns: Columns
  fileprivate let records: [ShownRecord]
  fileprivate let outcome: Outcome
  /// The parameters of the place where the list continues; nil if nothing follows.
  fileprivate let rest: [Remedy.Parameter]?
  /// True when the service may have further records for an endless list.
  fileprivate let canGrow: Bool
  let facets: FacetsAnswer?
  fileprivate let undone: Markup
  /// The reason why a condition, the order or the time in the address is not heeded; nil if all are.
  fileprivate let mistake: String?
  fileprivate let report: SourceReport?

  var name: String { descriptor.name }
  var here: PageAddress { call.here }
  private var summary: Summary { outcome.summary }
  /// The summary whose errors have no remedies in their words: what can be done stands beside the reason, as a button or a link.
  private var worded: Summary { summary.worded { _, _ in nil } }
  /// The verdict of the whole list, of which the page may be a part; nil if it is unknown.
  private var verdictOfList: Verdict? { outcome.verdictOfList(report) }
  /// The view without its place in the list.
  var fromStart: PageAddress { here.without("cursor", "offset", "limit", FaceParameter.undo.name) }

  var page: HTMLPage {
    HTMLPage(
      ask.query.text.map { "\($0) in \(name)" } ?? name, at: "/\(name)",
      """
      \(call.heading(of: descriptor, chances, isTitle: true))\(undone)\(search)<div id="told" role="status">
      \(told)</div>
      <div id="answer" class="answer \(kind)">
      \(choices)\(views)\(sidebar)<div class="list">
      \(records.isEmpty ? "" : list)\(end)</div></div>

      """)
  }

  // MARK: - What is asked

  private var isOfDeleted: Bool { ask.list == .deleted }

  private var chances: Markup {
    guard let pick = descriptor.pick else { return "" }
    return Markup.link(pick.verb.capitalizedFirst, to: PageAddress(name, pick.verb))
  }

  private var search: Markup {
    guard !isOfDeleted, let words = searched else { return "" }
    return """
      <form class="search" role="search" aria-label="\(name)" action="\(call.page(of: descriptor).text)" data-live="#told #answer">
      \(fromStart.without("text").hiddenFields)<input type="search" name="text" value="\(ask.query.text ?? "")" \
      aria-label="Search \(name)" placeholder="Search by \(words)" autocomplete="off"><button>Search</button>
      </form>

      """
  }

  /// The fields that a search looks at, in words: the labels of up to four fields, or three and how many more. Nil if the source cannot be searched.
  private var searched: String? {
    let words = descriptor.searches?.replacingEach(" or ", with: ",").split(separator: ",").map { String($0).trimmingSpaces }
    let labels = words?.map { word in columns.fields.contains { $0.name == word } ? FieldPath([word]).labelInside : word }
    return labels.map { labels in
      labels.count > 4
        ? "\(labels.prefix(3).joined(separator: ", ")) and \(labels.count - 3) more"
        : (labels.count > 1 ? labels.dropLast().joined(separator: ", ") + " or " : "") + (labels.last ?? "")
    }
  }

  /// The conditions and the order, each with a way to leave it out.
  private var choices: Markup {
    let chips =
      here.values(of: "where").map { (text: $0, address: fromStart.toggling("where", [$0])) }
      + here.values(of: "sort").map { (text: "sorted by \($0)", address: fromStart.with("sort", nil)) }
      + here.values(of: "as-of").map { (text: "as of \($0)", address: fromStart.with("as-of", nil)) }
      + (isOfDeleted ? [(text: "deleted", address: fromStart.with("deleted", nil))] : [])
    guard !chips.isEmpty else { return "" }
    let items = chips.map { text, address -> Markup in
      "<li><a href=\"\(address.text)\" aria-label=\"Leave out: \(text)\">\(text) <span aria-hidden=\"true\">×</span></a></li>"
    }
    return "<ul class=\"chips\" aria-label=\"Chosen by\">\(Markup(items))</ul>\n"
  }

  // MARK: - Whether it is whole

  private var told: Markup {
    let beyond: Set = ["origin", "limited", "incomplete"]
    return """
      <div class="state \(isOfUnverifiable ? "unverifiable" : kind)"><b>\(count)</b>\(verdict).\(call.remedies([summary.stop?.remedy], of: name)) \
      <span class="origin" data-kind="\(summary.origin?.kind.rawValue ?? "")">\(origin)</span></div>
      \(call.trouble(of: descriptor, report), if: summary.stop == nil)\("<p class=\"state partial\">\(mistake ?? ""). The list is shown without that.</p>\n", if: mistake != nil)\
      \(call.list(of: outcome.notices.filter { !beyond.contains($0.name) }, of: name))\
      \(call.listing(outcome.unmet.map { "\($0.description)" }))
      """
  }

  /// The class by which the answer looks as whole as it is.
  private var kind: String {
    if isBundled { return "unverifiable" }
    return descriptor.isEndless && summary.verdict == .unverifiable ? "bounded" : summary.verdict?.kind ?? "unverifiable"
  }

  /// True for a part of a list whose service gives no sign of its end.
  private var isOfUnverifiable: Bool { verdictOfList == .unverifiable && !descriptor.isEndless }

  /// The number of records before the first one of this page, and up to its last one.
  private var range: (before: Int, end: Int) {
    let before = (ask.start?.rowsBefore ?? 0).adding(ask.offset)
    return (before, before.adding(records.count))
  }

  private var isStored: Bool { ask.terms.reach == .offline }

  /// The number of records that the ask wants, if it is known.
  private var total: Int? {
    let isOfList = facets?.summary.origin?.kind == summary.origin?.kind && facets?.summary.verdict == .complete
    return summary.total ?? (isOfList ? facets?.count : nil)
  }

  private var count: Markup {
    let (before, end) = range
    guard !records.isEmpty else { return "No records" }
    let isPart = before > 0 || summary.verdict == .bounded || rest != nil
    let total: Markup = isPart ? (total.map { $0 >= end ? " of \($0)" : "" } ?? "") : ""
    // A list that may have more has no total, only a number of stored records.
    let isTotal = isBundled || descriptor.isEndless || [.complete, .bounded, nil].contains(verdictOfList)
    let copy: Markup = isBundled ? " of the bundled copy" : isTotal || total.isEmpty ? "" : " that came"
    return isPart
      ? "<span class=\"from\">\(before.adding(1))</span> to \(end)\(total) records\(copy)" : "\(plural(end, "record"))\(copy)"
  }

  private var verdict: Markup {
    switch worded.verdict ?? .unverifiable {
    case .bounded where rest == nil && total.map { range.end >= $0 } ?? false: "; these are the last"
    case .bounded where rest == nil: "; whether that is all is not known"
    case .bounded: "; more follow"
    case .unverifiable where descriptor.isEndless: "; the list has no end"
    case .unverifiable: "; the service does not say whether that is all"
    case let verdict: ", \(call.interface.bare(verdict.words))"
    }
  }

  private var isBundled: Bool { summary.origin?.kind == .bundled }

  private var origin: Markup {
    guard let origin = worded.origin else { return "" }
    let hasKey = origin.reason?.kind != .missingKey
    let canAsk = origin.kind != .live && hasKey && !call.gives(.asOf) && call.world.asksService && !descriptor.isEndless
    let again = Markup.link("Ask the service", to: fromStart.without("max-age", "offline", "stored").with("refresh", "true"))
    return "\(call.words(of: origin))\(" \(again)", if: canAsk)\(call.remedies([summary.origin?.reason?.remedy], of: name))"
  }

  // MARK: - The records

  private var view: View {
    if let chosen = call.text(.view).flatMap(View.init) { return chosen }
    let roles = Set(columns.fields.map(\.role))
    if columns.areChosen { return .table }
    return roles.contains(.picture) ? .grid : roles.isDisjoint(with: [.badge, .subtitle]) ? .table : .cells
  }

  private var views: Markup {
    let views = View.allCases.map { view in
      Markup.link(
        view.rawValue.capitalizedFirst, to: here.with(FaceParameter.view.name, view.rawValue), isCurrent: view == self.view)
    }
    // With the terms of the page said, so that the same answer is given. A csv is for a spreadsheet.
    let isFresh = ask.terms.maxAge > .zero
    let base = PageAddress(name).with(query: here.query)
    let data =
      call.saysOrigin ? base : isStored ? base.with("stored", "true") : isFresh ? base.with("max-age", "1d") : base
    let page = data.with("limit", ask.limit.map(String.init))
    let forms = [Form.json, .csv, .ndjson].map { form -> Markup in
      let address = page.data(as: form).with(FaceParameter.bom.name, form == .csv ? "true" : nil)
      return Markup.link(form.rawValue, to: address) + " "
    }
    let all = data.without("limit", "cursor", "offset").data("walk", as: .csv).with(FaceParameter.bom.name, "true")
    let whole =
      verdictOfList?.kind == "partial"
      ? "what came as \(Markup.link("csv", to: all.with(FaceParameter.partial.name, "allow"))), which may be incomplete"
      : "everything as \(Markup.link("csv", to: all))" as Markup
    return """
      <div class="row"><nav aria-label="Form of the list">\(Markup(views))</nav>
      <details class="fold forms"><summary>Files</summary><p>This page as \(Markup(forms))· \(whole)</p></details></div>

      """
  }

  private var list: Markup {
    switch view {
    case .table: table
    case .cells, .grid: "<ol class=\"\(view.rawValue)\" data-rows>\n\(Markup(records.map(cell)))</ol>\n"
    }
  }

  /// The address of a record, as of the same moment as the list.
  private func address(of record: ShownRecord) -> PageAddress {
    PageAddress.record(record.id, of: name).with("as-of", here.values(of: "as-of").last)
  }

  private func cell(_ record: ShownRecord) -> Markup {
    let card = columns.card(of: record)
    let title = card.title.isEmpty ? record.id : card.title
    let parts = card.subtitle.isEmpty ? card.details : [card.subtitle]
    let below = Markup(parts.indices.map { "\(" · ", if: $0 > 0)<bdi>\(parts[$0])</bdi>" })
    let hasPictures = columns.fields.contains { $0.role == .picture }
    return """
      <li data-id="\(record.id)"><article class="cell">\(call.picture(record.pictures.first, of: title), if: hasPictures)\
      <h2>\(Markup.link(title, to: address(of: record)))</h2>\
      \("<span class=\"badge\">\(card.badge)</span>", if: !card.badge.isEmpty)\("<p>\(below)</p>", if: !below.isEmpty)\
      \("<p class=\"edited\">edited</p>", if: summary.edited[record.id] != nil)\(deletion(of: record, title))</article></li>

      """
  }

  private func deletion(of record: ShownRecord, _ title: String) -> Markup {
    guard offersDeletion else { return "" }
    let verb = isOfDeleted ? "restore" : "delete"
    let address = PageAddress.record(record.id, of: name, verb).returning(to: here)
    return Markup.button(verb.capitalizedFirst, posting: address, style: verb, about: "\(verb.capitalizedFirst) \(title)")
  }

  private var offersDeletion: Bool { call.mayChange && Verb.delete.isOffered(by: descriptor) }

  private var table: Markup {
    // Unless a person chose the columns, a picture stands once, where it is in sight.
    let all = columns.inText, picture = columns.areChosen ? nil : all.first { $0.field.role == .picture && !$0.isID }
    let shown =
      picture.map { [all.filter(\.isID), [$0], all.filter { !$0.isID && $0.field.role != .picture }].flatMap(\.self) } ?? all
    let heads = shown.map { column -> Markup in
      let path = column.leaf.path.text
      let order = here.values(of: "sort").first
      let isUp = order == path
      let sorted: Markup = isUp ? " aria-sort=\"ascending\"" : order == "-\(path)" ? " aria-sort=\"descending\"" : ""
      return column.head(
        Markup.link(column.label, to: fromStart.with("sort", order == "-\(path)" ? nil : isUp ? "-\(path)" : path)), sorted)
    }
    let rows = records.map { record -> Markup in
      let cells = columns.cells(of: record, in: shown, edited: summary.edited[record.id]) { cell($0, $1, of: record) }
      let deletion = deletion(of: record, record.title ?? record.id)
      return "<tr data-id=\"\(record.id)\">\(cells)\("<td>\(deletion)</td>", if: offersDeletion)</tr>\n"
    }
    let actions: Markup = offersDeletion ? "<th scope=\"col\"><span class=\"hidden\">Actions</span></th>" : ""
    return Markup.table(of: name, Markup(heads) + actions, Markup(rows))
  }

  private func cell(_ column: Columns.Column, _ value: Value, of record: ShownRecord) -> Markup {
    let text = shownText(value)
    if column.isID || column.field.role == .title {
      return Markup.link(text.isEmpty ? "(no title)" : text, to: address(of: record))
    }
    if column.field.role == .picture {
      return record.pictures.first.map { call.picture($0, of: record.title ?? record.id) } ?? ""
    }
    // A time of midnight is a day.
    return column.text(
      of: value, as: column.leaf.kind == .time && text.hasSuffix("T00:00:00Z") ? String(text.dropLast(10)) : text)
  }

  // MARK: - The rest

  /// The end of the list, which says whether more follows or is missing.
  private var end: Markup {
    if let rest {
      let longer = fromStart.with("limit", String(range.end.adding(Self.usual)))
      // More rows than that are a page of their own. What is stored is read again as a whole, so that one verdict is about all of it.
      let isShort = range.before == 0 && range.end.adding(Self.usual) <= Self.most
      let next = rest.reduce(fromStart.with("limit", ask.limit.map(String.init))) { $0.with($1.name, $1.value) }
      // Only a place of the service itself does not move when the list does.
      let address = isShort && rest.first?.name != "cursor" ? longer : next
      let total = total ?? .max
      let all = Markup.link("Show all \(total)", to: fromStart.with("limit", String(total)))
      return """
        <p class="end"><a class="more" rel="next" href="\(address.text)"\(" data-more=\"\(longer.text)\"", if: isShort)>Load more</a> \
        \(all, if: total <= Call.mostRecords && range.before == 0)</p>

        """
    }
    if canGrow, call.mayChange, !isOfDeleted {
      // Beyond the greatest limit the further records are a page of their own.
      let isLong = range.end.adding(Self.usual) > Call.mostRecords
      let back =
        isLong
        ? fromStart.with("offset", String(range.end)) : fromStart.with("limit", String(range.end.adding(Self.usual)))
      let more = PageAddress(name, "more").returning(to: back)
      return "<div class=\"end\">\(Markup.button("Load more", posting: more, style: "more"))</div>\n"
    }
    guard !records.isEmpty else { return "" }
    switch worded.verdict ?? .unverifiable {
    case .partial(let shortfall):
      return "<p class=\"end\">The list is not whole: \(call.interface.bare(shortfall.sentence)).</p>\n"
    case .complete: return "<p class=\"end\">That is all.</p>\n"
    default: return "<p class=\"end\">That is what came.</p>\n"
    }
  }
}

// MARK: - Reading it

extension Call {
  /// The records of a page that a search of the service finds.
  private static let usualOfSearch = 20
  /// The most records of a list whose values are counted without being asked for, and the time for that.
  private static let fewRecords = 5_000
  private static let quickTime = Duration.milliseconds(20)

  /// Reads the page of a source. `mistake` says which part of the address is not heeded.
  func listPage(insteadOf mistake: String? = nil) async throws -> ListPage {
    for (parameter, values) in [(FaceParameter.view, ListPage.View.allCases.map(\.rawValue)), (.facets, ["true"])] {
      guard let given = text(parameter), !values.contains(given) else { continue }
      throw AskError.invalid(parameter.name, expected: values.joined(separator: ", "))
    }
    let verb = try verbOfRows
    let wanted = try ask(verb, with: gives(.limit) ? [:] : ["limit": [String(ListPage.usual)]])
    // To count the values of a list is to read all of it.
    let slot = text(.facets) == nil ? nil : try interface.traffic.walk(of: service, isStream: false)
    defer { slot?.end() }
    var (ask, source) = try await openForLooking(wanted)
    // A search while a person types must not use up what the service allows.
    if verb == .search, ask.terms.reach == .anywhere, !gives(.limit) { ask.limit = Self.usualOfSearch }
    var (answer, records): (any ShownAnswer, [ShownRecord]) = (source.records(for: ask), [])
    while let page = try await answer.nextRecords() { records += page }
    let outcome = answer.outcome
    let rest = outcome.rest(of: ask, in: await source.listIdentity)
    return ListPage(
      call: self, descriptor: source.descriptor, ask: ask, columns: try columns(of: source.fields, id: source.idPath),
      records: records, outcome: outcome, rest: rest, canGrow: answer.canGrow,
      facets: try await facets(of: ask, source, among: records, outcome, endingWithThese: rest == nil),
      undone: await undoing(in: source), mistake: mistake,
      report: try? await source.descriptor.report(in: world) { [source] _ in source })
  }

  /// The values by which the list of a page can be chosen further; nil if they are not counted. A page that has the whole list is not read
  /// again. What only the service has is asked for if a person wants that.
  private func facets(
    of ask: Ask, _ source: OpenedSource, among records: [ShownRecord], _ outcome: Outcome, endingWithThese isEnd: Bool
  ) async throws -> FacetsAnswer? {
    let (isWanted, isLive) = (text(.facets) != nil, outcome.summary.origin?.kind == .live)
    guard isWanted || !isLive && outcome.summary.total ?? 0 <= Self.fewRecords else { return nil }
    if isEnd, ask.offset == 0, ask.start == nil, outcome.summary.verdict != .bounded {
      return source.facets(among: records, outcome)
    }
    if isWanted { return try await source.facets(ask, within: service.facetTime) }
    let stored = copy(of: ask) { $0.terms.reach = .offline }
    return try await open(stored).facets(stored, within: Self.quickTime)
  }
}
