package import AggregatorCore
import Asking
import Feed
import Presentation
import RecordFormats

/// A view over all sources: rows that are not records of one source, such as the state of every list.
package struct BrowsedView: Sendable {
  /// Reads the rows; `text` is what a person searches for, if the view is a search.
  let rows: @Sendable (_ text: String) async throws -> ViewRows
}

/// The rows of a view, and what is known of them.
struct ViewRows: Sendable {
  var items: [BrowsedRecord] = []
  /// The number of rows and what they hold, in words.
  var words = ""
  /// The text in place of rows, for a view without any.
  var nothing = ""
}

extension ViewRows {
  /// Rows of values with these fields, each about a record of a source or a source. The fields named in `full` are those of one row in full.
  init<Row: Sendable>(
    _ rows: [Row], of fields: [Field<Row>], full: Set<String>, about target: (Row) -> BrowsedTarget, at now: Moment
  ) {
    let outline = fields.map { $0.outline }
    let leaves = outline.leaves.filter { full.contains($0.path.names.first ?? "") }
    let looks = RecordLooks(
      list: Columns(Selection(of: outline, detail: false), of: outline, isDeclaredOrder: true, at: now),
      full: Columns(Selection(chosen: leaves), of: outline, isDeclaredOrder: true, at: now))
    items = zip(rows, ShownRecord.rows(rows, of: fields, at: now)).enumerated().map { index, row in
      BrowsedRecord(look: RecordView(record: row.1, looks: looks, rowID: "\(index)", target: target(row.0)))
    }
  }
}

extension BrowsedView {
  /// The state of every stored list, the worst first. No service is asked.
  package static func status(
    of catalogue: Catalogue, in world: World, words: @escaping Remedy.Wording
  ) -> BrowsedView {
    BrowsedView { _ in
      let reports = try await catalogue.reports(on: catalogue.sources, in: world).worstFirst
      var rows = ViewRows(
        reports, of: SourceReport.statusFields(words),
        full: [
          "source", "rows", "state", "age", "why", "since", "deleted", "gone", "edited", "wholeSince", "failingSince", "remedy",
        ],
        about: { BrowsedTarget(source: $0.source.name) }, at: world.clock.now)
      let bad = reports.count { [.failing, .partial].contains($0.state) }
      rows.words =
        world.store == nil
        ? "nothing is stored without a folder for it"
        : "\(plural(reports.count, "source")), " + (bad == 0 ? "none failing or partial" : "\(bad) failing or partial")
          + " · from the store, now"
      return rows
    }
  }

  /// The greatest number of changes that are listed of each source.
  private static let mostChanges = 1_000

  /// The changes that syncs found in all sources, latest first.
  package static func changes(of catalogue: Catalogue, in world: World) -> BrowsedView {
    BrowsedView { _ in
      var (changes, cut, notYet, failed) = ([FoundChange](), [String](), [String](), [String]())
      for source in catalogue.sources {
        do {
          let answer = try await source.open(in: world).changes(Ask(of: source.name))
          if answer.isCut || answer.changes.count > mostChanges { cut.append(source.name) }
          if answer.knowledge != .known { notYet.append(source.name) }
          changes += answer.changes.prefix(mostChanges)
        } catch let error as SourceError {
          failed.append("\(copy(of: error) { $0.remedy = nil }.from(source.name))")
        }
      }
      let sorted = changes.enumerated().sorted { ($1.element.at, $0.offset) < ($0.element.at, $1.offset) }.map(\.element)
      var rows = ViewRows(
        sorted, of: FoundChange.fieldsOfSeveral, full: Set(FoundChange.fieldsOfSeveral.map { $0.outline.name }),
        about: { BrowsedTarget(source: $0.source, id: $0.id) }, at: world.clock.now)
      let unknown = notYet.isEmpty ? nil : "not known of \(notYet.joined(separator: ", "))"
      rows.words =
        (["\(sorted.count) change\(sorted.count == 1 ? "" : "s")", unknown]
        + [cut.isEmpty ? nil : "the latest of \(cut.joined(separator: ", "))"] + failed).compactMap(\.self)
        .joined(separator: " · ")
      rows.nothing =
        "no changes; those of a list are known from its second complete sync on"
        + (failed.isEmpty ? "" : "; \(failed.joined(separator: "; "))")
      return rows
    }
  }

  /// The records that all sources find for a text, best first.
  package static func found(in catalogue: Catalogue, _ world: World) -> BrowsedView {
    BrowsedView { text in
      guard !text.isEmpty else { return copy(of: ViewRows()) { $0.nothing = "A and a text search every source" } }
      var (found, results) = ([Found](), [SearchedSource]())
      var ask = Ask(.matching(text), of: "")
      (ask.limit, ask.terms) = (mostFound, world.terms)
      try await catalogue.search(text, ask, in: world, limitingAll: false) { news in
        if case .found(let news) = news {
          found += news.found
          results += news.all.sorted { $0.key < $1.key }.map(\.value)
        }
      }
      var rows = ViewRows(
        found, of: Found.fields, full: Set(Found.fields.map { $0.outline.name }),
        about: { BrowsedTarget(source: $0.source, id: $0.id) }, at: world.clock.now)
      rows.words = words(found.count, results, at: world.clock.now)
      rows.nothing = "no match for \"\(text)\"; \(rows.words)"
      return rows
    }
  }

  /// The greatest number of records that each source finds.
  private static let mostFound = 100

  /// Returns the number of records that were found, their origins, and the sources that could not answer or have more.
  private static func words(_ count: Int, _ results: [SearchedSource], at now: Moment) -> String {
    let failed = results.filter { $0.error != nil }
    let answered = results.count - failed.count
    var parts = ["\(count) match\(count == 1 ? "" : "es") in \(answered) source\(answered == 1 ? "" : "s")"]
    for (word, kind) in [("live", Origin.Kind.live), ("cached", .cache), ("bundled", .bundled)] {
      let names = results.filter { $0.error == nil && $0.summary.origin?.kind == kind }.map(\.source)
      if !names.isEmpty { parts.append("\(word): \(names.joined(separator: ", "))") }
    }
    let more = results.filter { $0.summary.verdict == .bounded }.map(\.source)
    if !more.isEmpty { parts.append("only the first of \(more.joined(separator: ", "))") }
    let incomplete = results.filter { result in
      if case .partial = result.summary.verdict { result.error == nil } else { false }
    }
    if !incomplete.isEmpty { parts.append("incomplete: \(incomplete.map(\.source).joined(separator: ", "))") }
    parts += failed.compactMap { result in result.error.map { "\(copy(of: $0) { $0.remedy = nil }.from(result.source))" } }
    return parts.joined(separator: " · ")
  }
}
