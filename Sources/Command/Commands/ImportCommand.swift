import AggregatorCore

/// `import SOURCE FILE`: rows in the source's own fields, into the store.
enum ImportCommand {
  private static let map = Option(
    "map", takes: .required(Placeholder("HEADER=FIELD")), repeatable: true,
    "read the column or member HEADER as FIELD; near names (First Name, e-mail) need none")

  static func command(in catalogue: Catalogue) -> Command {
    Command(
      ["import"], .two(.source, .file), options: [map, .format, .require, .timeout, .store],
      "store the rows of a file (json, ndjson, csv, or tsv with a header; - is standard input) in the source's own fields; of repeated rows the first is kept",
      examples: examples(in: catalogue)
    ) { invocation in
      let source = try invocation.source(named: invocation.arguments[0], in: "import SOURCE FILE")
      return try await run(SourceQuestion(.everything, of: source, invocation))
    }
  }

  /// A list that nobody can fetch again is what people carry from one place to another.
  private static func examples(in catalogue: Catalogue) -> [String] {
    guard let name = (catalogue.sources.first(where: \.isEndless) ?? catalogue.sources.first)?.name else { return [] }
    return [
      "import \(name) \(name).csv", "import \(name) \(name).ndjson --format json",
      "\(name) list --all --format json | \(RunningProgram.name) import \(name) -",
    ]
  }

  private static func run(_ question: SourceQuestion) async throws -> ExitCode {
    try await run(question, question.opened(in: question.world()))
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some OpenSource<Item>) async throws -> ExitCode {
    let path = question.invocation.arguments[1]
    let mappings = try mappings(question, source.schema.outline)
    let stream = try stream(path, question)
    let name = path == "-" ? "standard input" : path
    var last = Imported()
    do {
      let imported = try await question.gauged(
        ImportGauge(source: source.name, size: stream.size, start: question.program.clock.now)
      ) { change in
        // What was read is stored before Ctrl-C ends it.
        try await Interruption.putOff {
          try await source.importRows(from: stream, called: name, mapping: mappings) { imported in
            last = imported
            change { $0.imported = imported }
          }
        }
      }
      return try conclude(imported, name, question)
    } catch is CancellationError {
      question.notice("stored \(question.count(last.stored, "row"))")
      throw CancellationError()
    } catch let error as UnknownHeader {
      let stored = last.stored > 0 ? "; \(question.count(last.stored, "row")) stored without it" : ""
      throw UsageError(
        "--map: \(name) has no \"\(error.name)\"; it has \(error.known.prefix(20).joined(separator: ", "))\(stored)",
        suggestion: UsageError.nearest(to: error.name, among: error.known).map { near in
          "--map '\(near)=\(mappings.first { $0.header == error.name }?.field.text ?? "FIELD")'"
        }
      ).about(question.invocation.command)
    } catch var error as SourceError {
      if error.kind == .missingField { error.remedy = "type --map HEADER=\(source.schema.idPath.text) to name the one that holds it" }
      throw error.kind == .timedOut ? error.advising(question.invocation, question.descriptor) : error
    }
  }

  /// What `--map` says, as far as there are such fields.
  private static func mappings(_ question: SourceQuestion, _ fields: [FieldOutline]) throws(UsageError) -> [HeaderMapping] {
    let known = fields.filter { !$0.isComputed }.leaves.map(\.path)
    var headers: Set<String> = []
    return try question.invocation.values(map).map { text throws(UsageError) in
      guard let sign = text.lastIndex(of: "="), sign > text.startIndex else {
        throw UsageError("--map must be HEADER=FIELD, such as --map 'Mail=\(known.first?.text ?? "id")'").about(question.invocation.command)
      }
      let (header, name) = (FieldPath.trimmed(String(text[..<sign])), FieldPath.trimmed(String(text[text.index(after: sign)...])))
      guard headers.insert(header).inserted else {
        throw UsageError("--map names \"\(header)\" twice").about(question.invocation.command)
      }
      guard let field = known.first(where: { $0.text == name }) else {
        let names = known.map(\.text)
        throw UsageError(
          "--map: unknown field \"\(name)\"; available fields: \(names.joined(separator: ", "))",
          suggestion: UsageError.nearest(to: name, among: names).map { "--map '\(header)=\($0)'" }
        ).about(question.invocation.command)
      }
      return HeaderMapping(header: header, field: field)
    }
  }

  private static func stream(_ path: String, _ question: SourceQuestion) throws -> FileStream {
    if path == "-" {
      guard !question.program.console.isInputClosed else { throw SourceError(.unreadableFile, "standard input is closed") }
      return .standardInput
    }
    do throws(FileProblem) {
      return try FileStream(path: Paths.join(question.program.workingDirectory, path))
    } catch {
      throw SourceError(.unreadableFile, "cannot read \(path): \(error.reason)", remedy: "type - to read standard input")
    }
  }

  private static func conclude(_ imported: Imported, _ name: String, _ question: SourceQuestion) throws -> ExitCode {
    tell(imported, question)
    if imported.received > 0, imported.skipped == imported.received {
      throw SourceError(
        .malformed, "no valid \(question.descriptor.name) in \(name) (\(question.count(imported.received, "row")) read)",
        remedy: "type '\(question.program.name) \(question.descriptor.name) list --fields' for the field names")
    }
    let landed = imported.landed
    let shortfall = imported.shortfall ?? imported.shortage
    var summary = Summary()
    summary.given = imported.received - imported.skipped
    summary.verdict = shortfall.map { .partial(.recorded($0)) } ?? .complete
    let code = try question.report(
      Outcome(
        source: question.descriptor.name, received: imported.received, kept: landed.new, updated: landed.updated,
        duplicates: landed.duplicates, skipped: imported.skipped, deleted: landed.deleted, requests: 0,
        verdict: imported.shortfall.map { .partial(.recorded($0)) } ?? .complete))
    return question.checked(imported.skipped > 0 ? .partial : code, summary)
  }

  /// What was skipped: the first rows, and how many more; `--verbose` has told of each already.
  private static func tell(_ imported: Imported, _ question: SourceQuestion) {
    if !imported.unknown.isEmpty {
      let more = imported.unknown.count > 5 ? " and \(imported.unknown.count - 5) more" : ""
      question.notice("ignored unknown fields: \(imported.unknown.prefix(5).joined(separator: ", "))\(more)")
    }
    for guess in imported.guesses { question.notice("read \(guess)") }
    if let shortage = imported.shortage { question.notice("the file holds an incomplete answer: \(shortage)") }
    guard !question.invocation.has(.verbose) else { return }
    for fault in imported.faults { question.notice("skipped \(fault.text)") }
    let more = imported.skipped - imported.faults.count
    if more > 0 { question.notice("skipped \(question.count(more, "more row"))") }
  }
}

/// How far an import is.
private struct ImportGauge: Gauge {
  let source: String
  let size: Int?
  let start: Moment
  var imported = Imported()

  func line(at now: Moment) -> String? {
    let elapsed = now - start
    guard elapsed >= progressPatience else { return nil }
    var parts = ["\(imported.stored) rows", "\(Int(Double(imported.stored) / elapsed.inSeconds))/s"]
    if let size, imported.bytes > 0, size > imported.bytes {
      parts.append("\(imported.bytes * 100 / size) %")
      parts.append("\((elapsed * (Double(size - imported.bytes) / Double(imported.bytes))).inWords) left")
    }
    return "\(source): \(parts.joined(separator: ", "))"
  }
}
