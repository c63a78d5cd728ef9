import AggregatorCore
import Asking
import Platform

extension SourceSession {
  /// Stores the records of a stream in the source's own fields (json, ndjson, csv, or tsv with a header). `note` receives the progress from
  /// time to time. If a record is repeated, the first one stays; records from the service stay as they are. A broken row is skipped and
  /// counted. A deadline or Ctrl-C ends it after what was read is stored.
  func importRows(
    from stream: some ByteStream, called file: String, mapping mappings: [String: FieldPath] = [:],
    replacing isReplacing: Bool = false, _ ask: Ask, noting note: (ImportResult) async -> Void = { _ in }
  ) async throws -> StoringOutcome {
    do {
      try await stored.noteList(forImport: true)
      let intake = try stored.intake(rule: .imported(since: world.clock.now, replacing: isReplacing))
      var reading = FileImport(of: name, into: intake, from: stream, called: file, mapping: mappings, clock: world.clock)
      let imported = try await reading.run(noting: note)
      let shortage = imported.shortage.map { "the file holds an incomplete answer: \($0)" }
      let verdict = (imported.shortfall ?? shortage).map { Verdict.partial(.recorded($0)) } ?? .complete
      var outcome = StoringOutcome(source: name, imported.counts, verdict: verdict)
      outcome.outcome.notices = imported.notices(on: file)
      if !imported.counts.misfits.isEmpty {
        outcome.outcome.notices.append(.misfits(imported.counts.misfits, descriptor.fields))
      }
      if imported.isUnreadable {
        let rows = "\(imported.counts.received) row\(imported.counts.received == 1 ? "" : "s")"
        let remedy =
          imported.encoding.map { Remedy.convert(file, from: $0) }
          ?? .ask(.init("list", of: name, with: ["fields"]), "for the field names")
        outcome.error = SourceError(.malformed, "no valid \(name) in \(file) (\(rows) read)", remedy: remedy)
      } else if imported.isEmpty {
        // A program that failed writes nothing. An empty list is written with brackets, or with a header.
        outcome.error = SourceError(.malformed, "no \(name) in \(file): it is empty", remedy: .advice("check what wrote it"))
      }
      outcome.outcome.unmet = ask.requirements.shortfalls(of: outcome.summary)
      return outcome
    } catch var error as SourceError where error.kind == .timedOut {
      error.remedy = .lengthen("timeout")
      throw error
    }
  }
}

extension ImportResult {
  /// Returns the notices about rows that were skipped, and about fields that were guessed or left out.
  fileprivate func notices(on file: String) -> [Notice] {
    var notices: [Notice] = []
    if isOfService { notices.append(.note("the rows were read as the service writes them")) }
    if separators.count > 1 {
      notices.append(
        .note("the values were read as separated by \(separators[0]); \(separators[1]) would fit the first rows too"))
    }
    if !computed.isEmpty {
      notices.append(
        .note("left out \(computed.joined(separator: ", ")), which \(computed.count == 1 ? "is" : "are") computed"))
    }
    if !unknown.isEmpty {
      let atLeast = unknownCount < Self.mostUnknown ? "" : "at least "
      let more = unknownCount > 5 ? " and \(atLeast)\(unknownCount - 5) more" : ""
      notices.append(.note("ignored unknown fields: \(unknown.prefix(5).joined(separator: ", "))\(more)"))
    }
    if unguarded > 0 {
      notices.append(
        .note("read \(plural(unguarded, "text")) without the apostrophe that keeps a spreadsheet from taking it for a formula"))
    }
    notices += guesses.map { .note("read \($0)") }
    notices += faults.map { .skippedRow($0) }
    if counts.skipped > faults.count { notices.append(.skippedMore(counts.skipped - faults.count)) }
    if let encoding, counts.skipped < counts.received { notices.append(.notUTF8(file, encoding)) }
    let repeated = counts.repetitions
    if repeated > 0 {
      let rows = repeated == 1 ? "1 row that repeats an ID" : "\(repeated) rows that repeat IDs"
      let first = repeated == 1 ? "the first row was kept" : "the first row of each ID was kept"
      notices.append(.note("left out \(rows) with other values; \(first)"))
    }
    if counts.landed.differing > 0 { notices.append(.differing(counts.landed.differing)) }
    let gone = counts.gone
    if gone > 0 {
      notices.append(
        .note(
          "\(plural(gone, "record")) of the file \(gone == 1 ? "stays" : "stay") gone: a sync found that the service no longer has \(gone == 1 ? "it" : "them")"
        ))
    }
    return notices
  }
}
