import AggregatorCore
import Asking
import Platform

/// `import SOURCE FILE`: stores rows that have the source's own fields, or that are as the service writes them.
enum ImportCommand {
  private static let map = Option(
    "map", takes: .required(.free("HEADER=FIELD")), repeatable: true,
    "read the column or member HEADER as FIELD; near names (First Name, e-mail) need none")

  private static let replace = Option(
    "replace", "store what differs from what the service gave, until the service changes it itself")

  static let command = Command(
    ["import"], .two(.source, .file), options: [map, replace, .format, .require, .timeout, .store],
    "store the rows of a file in a source; FILE is json, ndjson, csv, or tsv with a header, in the source's own fields, "
      + "or JSON as the service writes it, and - is standard input; of repeated rows the first is kept",
    examplesIn: { examples(in: $0) }
  ) { invocation in
    let source = try invocation.source(named: invocation.arguments[0], in: "import SOURCE FILE")
    var question = try SourceQuestion(.import, of: source, invocation)
    // An import asks no service, so it needs no leave to send a key.
    question.ask.terms.reach = .offline
    return try await run(question, question.opened())
  }

  /// Returns examples with an endless list, if the program has one: such a list cannot be
  /// fetched again, so people carry it from place to place.
  private static func examples(in catalogue: Catalogue) -> [String] {
    guard let name = (catalogue.sources.first(where: \.isEndless) ?? catalogue.sources.first)?.name else { return [] }
    return [
      "import \(name) \(name).csv", "import \(name) \(name).ndjson --format json",
      "\(name) list --all --format json | PROGRAM import \(name) -",
    ]
  }

  private static func run(_ question: SourceQuestion, _ source: OpenedSource) async throws -> ExitCode {
    let path = question.invocation.arguments[1]
    let mappings = try mappings(question, source.fields)
    let stream = try stream(path, question)
    let name = path == "-" ? Notice.standardInput : path
    var last = ImportResult()
    do {
      let line = ProgressLine(question.invocation) { progress(of: ImportResult(), size: stream.size, after: $0, source.name) }
      let outcome = try await EventPrinter(question, showsProgress: false).during {
        try await line.during {
          // Ctrl-C ends the import only after the rows read so far are stored.
          try await Interruption.putOff {
            try await source.importRows(
              from: stream, called: name, mapping: mappings, replacing: question.invocation.has(replace), question.ask
            ) { imported in
              last = imported
              line.show { progress(of: imported, size: stream.size, after: $0, source.name) }
            }
          }
        }
      }
      for notice in outcome.notices { question.say(notice) }
      if let error = outcome.error { throw error }
      let code = try question.report(outcome, StoringOutcome.importFields)
      let (skipped, landed) = (outcome.counts.skipped, outcome.counts.landed)
      return question.checked(skipped + landed.differing + outcome.counts.gone > 0 ? .partial : code, outcome.unmet)
    } catch is CancellationError {
      question.notice("stored \(plural(last.stored, "row"))")
      throw CancellationError()
    } catch let error as UnknownHeader {
      let stored = last.stored > 0 ? "; \(plural(last.stored, "row")) stored without it" : ""
      let message = "--map: \(name) has no \"\(error.name)\"; it has \(error.known.prefix(20).joined(separator: ", "))\(stored)"
      let field = mappings[error.name]?.text ?? "FIELD"
      throw UsageError(Unknown("header", error.name, among: error.known), message) { "--map '\($0)=\(field)'" }
    }
  }

  private static func progress(of imported: ImportResult, size: Int?, after elapsed: Duration, _ source: String) -> String {
    var parts = ["\(imported.stored) rows", "\(Int(Double(imported.stored) / elapsed.inSeconds))/s"]
    if let size, let left = timeLeft(for: size - imported.bytes, after: elapsed, for: imported.bytes) {
      parts += ["\(imported.bytes * 100 / size) %", left]
    }
    return "\(source): \(parts.joined(separator: ", "))"
  }

  /// Reads `--map` as paths of fields by header. Throws if a field is unknown.
  private static func mappings(_ question: SourceQuestion, _ fields: [FieldOutline]) throws(UsageError) -> [String: FieldPath] {
    let known = fields.filter { !$0.isComputed }.leaves.map(\.path)
    var mappings: [String: FieldPath] = [:]
    for text in question.invocation.values[map.name] ?? [] {
      guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
        throw UsageError("--map must be HEADER=FIELD, such as --map 'Mail=\(known.first?.text ?? "id")'")
      }
      let (header, name) = (
        FieldPath.trimmed(String(text[..<sign])), FieldPath.trimmed(String(text[text.index(after: sign)...]))
      )
      guard mappings[header] == nil else { throw UsageError("--map names \"\(header)\" twice") }
      guard let field = known.first(where: { $0.text == name }) else {
        let unknown = Unknown("field", name, among: known.map(\.text))
        throw UsageError(unknown, "--map: \(unknown.listing)") { "--map '\(header)=\($0)'" }
      }
      mappings[header] = field
    }
    return mappings
  }

  private static func stream(_ path: String, _ question: SourceQuestion) throws -> FileStream {
    if path == "-" {
      guard let input = question.program.console.input else { throw SourceError(.unreadableFile, "standard input is closed") }
      return input
    }
    do throws(FileProblem) {
      return try FileStream(path: Paths.join(question.program.workingDirectory, path))
    } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)", remedy: "type - to read standard input")
    }
  }
}
