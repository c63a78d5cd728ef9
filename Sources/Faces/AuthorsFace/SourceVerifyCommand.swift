import AggregatorCommand
public import AggregatorCore
public import Authoring
import Platform
import RecordFormats
import Recordings
import Services

/// `source verify NAME`: checks every law under every hazard, over a recording.
enum SourceVerifyCommand {
  private static let fixtures = Option(
    "fixtures", takes: .required(.folder), "recordings (.har) to test with, instead of the source's own")

  static let command = Command(
    ["source", "verify"], .several(.sourceOrFile), options: [fixtures] + Option.printing,
    printing: ConformanceReport.Row.fields.map { $0.outline },
    "test a source under every hazard; tells what it loses, repeats, leaks or hides; a program is started, a service is not asked",
    examplesIn: { catalogue in
      let source = catalogue.sources.first { $0.recording != nil }
      return source.map { ["source verify \($0.name)", "source verify \($0.name) --format json"] } ?? []
    }
  ) { invocation in
    let console = invocation.program.console
    let conformance: Conformance
    switch try await subject(invocation) {
    case .program(let program): return try await tell(program.checks(), invocation)
    case .service(let service): conformance = service
    }
    let report = await conformance.report()
    // The suite cannot even begin with this source.
    if let unfit = report.unfit { throw SourceError(.custom("unfit"), unfit) }
    if invocation.has(.format) || invocation.has(.fields) {
      try invocation.printRows(report.rows)
    } else {
      try console.write(report.table + "\n")
    }
    for line in report.complaints + report.omissions + [report.summary] { console.note(Printable.clean(line)) }
    return report.isPassed ? .success : .failure
  }

  private static func tell(_ checks: [ProgramConformance.Check], _ invocation: Invocation) throws -> ExitCode {
    try invocation.printRows(checks)
    let failed = checks.count(where: \.outcome.isFailure)
    if invocation.has(.quiet) { return failed == 0 ? .success : .failure }
    invocation.program.console.note("\(checks.count { $0.outcome == .passed }) passed, \(failed) failed")
    return failed == 0 ? .success : .failure
  }

  private enum Subject {
    case program(ProgramConformance)
    case service(Conformance)
  }

  /// Returns the source that the line names, ready to be tested. Throws if it is a program that may not be started.
  private static func subject(_ invocation: Invocation) async throws -> Subject {
    let word = invocation.arguments[0]
    if let source = invocation.program.catalogue[word], source.file == nil {
      let fixture = try recorded(source.name, invocation)
      return .service(try fixture.map { Conformance(of: source, fixture: $0) } ?? Conformance(of: source))
    }
    let (contents, found, name) = try invocation.manifestSource("verifies")
    guard try contents.manifest.description(of: name).program != nil else {
      return .service(try Conformance(of: contents.manifest, name, fixture: recorded(name, invocation)))
    }
    try invocation.program.manifests.permissions.check(contents, beside: found.program.catalogue, asking: name)
    return .program(
      try ProgramConformance(
        of: contents.manifest, name,
        in: try await found.askingWorld(of: found.program.catalogue.sources.filter { $0.name == name })))
  }

  /// Returns the recording of that source in the folder of `--fixtures`; nil without the option.
  private static func recorded(_ name: String, _ invocation: Invocation) throws -> Fixture? {
    guard let folder = invocation.value(fixtures) else { return nil }
    let remedy: Remedy = "type '\(invocation.program.name) \(name) list --record \(Paths.quoted(folder))' to record one"
    let recordings = try Fixture.load(folder: folder, in: invocation.program.workingDirectory, remedy: remedy)
    let own = recordings.filter { $0.name == "\(name).har" || $0.name.hasSuffix("/\(name).har") }
    return Fixture(folder, exchanges: (own.isEmpty ? recordings : own).flatMap(\.exchanges))
  }
}

extension ProgramConformance.Check: Fielded {
  /// The same fields as those of other sources.
  package static let fields = [
    Field<Self>("hazard", width: .whole) { $0.hazard },
    Field<Self>("law", width: .whole) { $0.law },
    Field<Self>("outcome", width: .whole) { $0.outcome.words.outcome },
    Field<Self>("detail") { $0.outcome.words.detail },
  ]
}

extension ConformanceReport.Row: Fielded {
  /// The fields of one check, for every format except the matrix.
  public static let fields = [
    Field<Self>("hazard", width: .whole) { $0.hazard.rawValue },
    Field<Self>("law", width: .whole) { $0.law.rawValue },
    Field<Self>("outcome", width: .whole) { $0.outcome.words.outcome },
    Field<Self>("detail") { $0.outcome.words.detail },
  ]
}

extension LawOutcome {
  fileprivate var words: (outcome: String, detail: String?) {
    switch self {
    case .passed: ("passed", nil)
    case .failed(let seen): ("failed", seen)
    case .skipped(let reason, _): ("skipped", reason)
    case .notApplicable(let reason): ("not applicable", reason)
    }
  }
}
