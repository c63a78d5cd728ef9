import AggregatorCore
import Asking
import Exports
import RecordFormats

/// `export FILE [SOURCE...]`: what is stored of several sources as one file, for somebody who does not have this program. No service is asked.
enum ExportCommand {
  static let command = Command(
    ["export"], .oneOrMore(.file, .source), options: [.of(.asOf)] + [.require, .timeout, .store],
    "write stored lists into one file; of these sources, or of all; .sqlite has a table for each, .html and .md a page with all of them",
    examples: ["export all.html countries products", "export data.sqlite countries heroes"]
  ) { invocation in
    let path = invocation.arguments[0]
    guard let format = Format(named: path), Format(rawValue: path) == nil, format != .report else {
      let endings = Format.endings.map(\.key).filter { $0 != ".report" }.joined(separator: ", ")
      throw UsageError(
        "export needs a file that ends with one of \(endings)\(Format.spreadsheet(path).map { "; \($0)" } ?? "")")
    }
    var invocation = invocation
    invocation.values[Option.format.name] = [path]
    invocation.values[Option.all.name] = []
    try await invocation.program.console.write(into: OutputFile(path, for: invocation))
    let sources = try await sources(invocation)
    guard format.ofFile?.holdsSeveral ?? false || sources.count == 1 else {
      throw UsageError(
        "a \(format.rawValue) file holds one list; name one source, or a file that ends with .sqlite, .html or .md")
    }
    return try await write(sources, into: invocation.listFile(), invocation)
  }

  /// Returns the sources that the line names, or those with stored records.
  private static func sources(_ invocation: Invocation) async throws -> [SourceDescriptor] {
    let names = invocation.arguments.dropFirst()
    var sources: [SourceDescriptor] = []
    for name in names where !sources.contains(where: { $0.name == name }) {
      sources.append(try invocation.source(named: name, in: "export FILE SOURCE"))
    }
    guard names.isEmpty else { return sources }
    let (catalogue, world) = (invocation.program.catalogue, try invocation.world())
    let reports = try await invocation.tellingStore { try await catalogue.reports(on: catalogue.sources, in: world) }
    let stored = reports.filter { $0.status?.census.count ?? 0 > 0 }.map { $0.source.name }
    for omission in catalogue.omissions { invocation.say("\(omission.reason)") }
    guard !stored.isEmpty else {
      throw SourceError(.notStored, "nothing is stored", remedy: "type '\(invocation.program.name) sync', or name sources")
    }
    let others = catalogue.sources.map(\.name).filter { !stored.contains($0) }
    if !others.isEmpty { invocation.say("left out, since nothing is stored: \(others.joined(separator: ", "))") }
    return catalogue.sources.filter { stored.contains($0.name) }
  }

  /// Writes the lists of these sources, one after the other. A source that fails costs only its own list.
  private static func write(
    _ sources: [SourceDescriptor], into file: (any ListFile)?, _ invocation: Invocation
  ) async throws -> ExitCode {
    let world = try await invocation.askingWorld(of: sources)
    var (codes, failures) = ([ExitCode](), 0)
    for source in sources {
      do {
        var question = try SourceQuestion(.list, of: source, invocation)
        question.ask.limit = nil
        question.ask.terms.prefersStored = true
        if question.ask.terms.asOf == nil { question.ask.terms.reach = .offline }
        let opened = try question.opened(in: world)
        do {
          codes.append(try await WalkCommand.print(question, opened, into: file))
        } catch var error as SourceError where error.kind == .notStored {
          // An export asks no service, so only a sync helps.
          error.remedy = .ask("sync", "to store it")
          throw error
        }
      } catch let error as SourceError where !error.isOfStore && sources.count > 1 {
        failures += 1
        codes.append(invocation.tell(failure: error))
        invocation.program.console.markPartial()
        try file?.add(missing: source.name, because: error.worded(invocation.wording))
      }
    }
    if failures == sources.count {
      invocation.program.console.leaveFile()
      return .ofSeveral(codes)
    }
    try file?.end()
    return .ofSeveral(codes)
  }
}
