import AggregatorCore
import Asking
import RecordFormats
import SourceTesting
import Synchronization
import TestServices

/// A face as small as one can be: it takes a verb and an ask, and returns JSON with the outcome.
struct SmallFace: Sendable {
  let catalogue: Catalogue
  let world: World

  /// Runs a verb and returns its result. The record of a `delete` is the one in the ask.
  func reply(to verb: Verb, _ ask: Ask) async throws -> (body: String, outcome: Outcome?) {
    let source = try catalogue.open(ask, in: world)
    switch verb {
    case .show:
      let shown = try await source.show(ask.id ?? "", ask)
      return (text([shown.record], Columns(of: source, detail: true), in: .none), shown.outcome)
    case .delete:
      let (id, _, isNew) = try await source.delete(ask.id ?? "")
      return ("\(id) \(isNew ? "deleted" : "was deleted before")", nil)
    case .sync: return (rows([try await source.sync(ask)], of: StoringOutcome.fields), nil)
    default:
      var (answer, records) = (source.records(for: ask), [ShownRecord]())
      while let page = try await answer.nextRecords() { records += page }
      let envelope = Envelope(source: source.name, text: ask.query.text, limit: ask.limit)
      return (text(records, Columns(of: source, detail: false), in: .envelope(envelope), answer.summary), answer.outcome)
    }
  }

  /// The reports of its sources that every face has.
  func reports() -> String { rows(catalogue.sources.map { SourceReport($0, settings: world.settings) }, of: SourceReport.fields) }

  private func rows<Row>(_ rows: [Row], of fields: [Field<Row>]) -> String {
    let outline = fields.map { $0.outline }
    let columns = Columns(Selection(of: outline, detail: true), of: outline, at: world.clock.now)
    return text(ShownRecord.rows(rows, of: fields, at: world.clock.now), columns, in: .lines)
  }

  private func text(_ records: [ShownRecord], _ columns: Columns, in enclosure: Enclosure, _ summary: Summary? = nil) -> String {
    let page = Body()
    var renderer = DataFormat.json.renderer(columns, into: page, in: enclosure)
    try? renderer.begin(summary?.origin)
    try? renderer.print(records)
    try? renderer.end(summary)
    return page.text
  }
}

extension Ask {
  /// The record that the ask is about.
  var id: String? { if case .record(let id) = query { id } else { nil } }
}

final class Body: Sink {
  private let bytes = Mutex<[UInt8]>([])
  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  func write(_ more: [UInt8]) throws { bytes.withLock { $0 += more } }
}

extension TestServices {
  func face(store: (any RecordStore)? = nil, clock: TestClock = TestClock()) throws -> SmallFace {
    SmallFace(catalogue: try catalogue(), world: world(store: store, clock: clock))
  }

  /// The same face with a third service, whose list has no end.
  func endlessFace() throws -> SmallFace {
    SmallFace(catalogue: try endlessCatalogue(), world: world(store: StoreInMemory()))
  }
}
