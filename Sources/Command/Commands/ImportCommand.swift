import AggregatorCore
import Asking
import Platform

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
      "\(name) list --all --format json | PROGRAM import \(name) -",
    ]
  }

  private static func run(_ question: SourceQuestion) async throws -> ExitCode {
    try await run(question, question.opened())
  }

  private static func run<Item>(_ question: SourceQuestion, _ source: some SourceSession<Item>) async throws -> ExitCode {
    let path = question.invocation.arguments[1]
    let mappings = try mappings(question, source.schema.outline)
    let stream = try stream(path, question)
    let name = path == "-" ? "standard input" : path
    var last = Imported()
    do {
      let gauge = ImportGauge(source: source.name, size: stream.size, start: question.program.clock.now)
      let outcome = try await question.gauged(gauge) { change in
        // What was read is stored before Ctrl-C ends it.
        try await Interruption.putOff {
          try await source.importRows(from: stream, called: name, mapping: mappings, question.ask) { imported in
            last = imported
            change { $0.imported = imported }
          }
        }
      }
      for notice in outcome.notices { question.say(notice) }
      if let error = outcome.error { throw error }
      let code = try question.report(outcome)
      return question.checked(outcome.skipped > 0 ? .partial : code, outcome.unmet)
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

extension SourceQuestion {
  /// Runs `work`, which reports its progress; that is shown on a terminal.
  fileprivate func gauged<Result>(
    _ gauge: ImportGauge, _ work: (@escaping (@Sendable (inout ImportGauge) -> Void) -> Void) async throws -> Result
  ) async throws -> Result {
    try await EventPrinter(self, showsProgress: false).during {
      guard invocation.isProgressSeen else { return try await work { _ in } }
      let line = ProgressLine(gauge, clock: program.clock) { [console = program.console] in console.show(status: $0) }
      return try await line.during { try await work { line.change($0) } }
    }
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
