import AggregatorCore
import Asking
import Presentation
import Synchronization

/// A face as small as one can be: words come in, as from the query of an address, and a body goes out, as over HTTP.
struct SmallFace: Sendable {
  struct Reply: Sendable {
    var status = 200
    var body = ""
    /// What to send as `cursor` to go on.
    var next: String?
    var warnings: [String] = []
  }

  let catalogue: Catalogue
  let world: World

  func reply(to words: [String: String]) async -> Reply {
    do {
      guard let source = words["source"] else { return try await everywhere(words["text"] ?? "") }
      var ask = Ask(words["text"].map { .matching($0) } ?? .everything, of: source)
      ask.limit = words["limit"].flatMap { Int($0) } ?? 20
      ask.cursor = words["cursor"].flatMap { Cursor(text: $0) }
      ask.terms.reach = words["from"] == "service" ? .live : .anywhere
      if let condition = words["where"], let fields = catalogue[source]?.fields {
        ask.conditions = [try RecordCondition(condition, on: fields.leaves)]
      }
      return try await reply(to: ask, showing: words["show"], from: catalogue.open(ask, in: world))
    } catch let error as SourceError {
      return Reply(status: error.kind == .notFound ? 404 : 502, body: error.message + (error.remedy.map { wording($0) } ?? ""))
    } catch {
      return Reply(status: 499, body: "the client has gone")
    }
  }

  private func reply(to ask: Ask, showing id: String?, from source: OpenedSource) async throws -> Reply {
    if let id { return Reply(body: text([try await source.show(id, ask).record], of: source, in: .none)) }
    var answer = source.records(for: ask)
    var records: [ShownRecord] = []
    while let page = try await answer.nextRecords() { records += page }
    let envelope = Envelope(source: source.name, text: ask.query.text, limit: ask.limit)
    return Reply(
      body: text(records, of: source, in: .envelope(envelope), answer.summary), next: answer.cursor?.text,
      warnings: answer.notices.map { $0.text(of: source.name, at: source.world.clock.now) })
  }

  private func everywhere(_ text: String) async throws -> Reply {
    var reply = Reply()
    try await catalogue.search(text, Ask(of: ""), in: world) { news in
      guard case .found(let findings) = news else { return }
      for found in findings.found { reply.body += "\(found.source) \(found.id)\n" }
    }
    return reply
  }

  private func text(_ records: [ShownRecord], of source: OpenedSource, in enclosure: Enclosure, _ summary: Summary? = nil) -> String {
    let page = Body()
    var renderer = Format.json.renderer(Columns(of: source, detail: true), for: .plain, into: page, in: enclosure)
    try? renderer.begin(summary?.origin)
    try? renderer.print(records)
    try? renderer.end(summary)
    return page.text
  }

  /// What a client of this face can do about an error.
  private func wording(_ remedy: Remedy) -> String {
    if case .omit("live", _) = remedy { "; leave out from=service" } else { "; \(remedy)" }
  }
}

final class Body: Sink {
  private let bytes = Mutex<[UInt8]>([])
  var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
  func write(_ more: [UInt8]) throws { bytes.withLock { $0 += more } }
}
