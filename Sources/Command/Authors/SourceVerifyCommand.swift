public import AggregatorCore
public import Authoring
import Platform
import RecordFormats
import Recordings
import Services

/// `source verify NAME`: checks every law under every hazard, over a recording.
enum SourceVerifyCommand {
  static let fixtures = Option(
    "fixtures", takes: .required(.folder), "recordings (.har) to test with, instead of the source's own")

  static let command = Command(
    ["source", "verify"], .several(.sourceOrFile), options: [fixtures] + Option.printing,
    printing: ConformanceReport.Row.fields.map { $0.outline },
    "test a source under every hazard, offline; tells what it loses, repeats, leaks or hides",
    examplesIn: { catalogue in
      let source = catalogue.sources.first { $0.recording != nil }
      return source.map { ["source verify \($0.name)", "source verify \($0.name) --format json"] } ?? []
    }
  ) { invocation in
    let console = invocation.program.console
    let report = try await conformance(invocation).report()
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

  private static func conformance(_ invocation: Invocation) throws -> Conformance {
    let word = invocation.arguments[0]
    if let source = invocation.program.catalogue[word], source.file == nil {
      guard let fixture = try recorded(source.name, invocation) else { return try Conformance(of: source) }
      return Conformance(of: source, fixture: fixture)
    }
    let (contents, _, name) = try invocation.manifestSource("verifies")
    return try Conformance(of: contents.manifest, name, fixture: recorded(name, invocation))
  }

  /// Returns the recording of that source in the folder of `--fixtures`; nil without the option.
  static func recorded(_ name: String, _ invocation: Invocation) throws -> Fixture? {
    guard let folder = invocation.value(fixtures) else { return nil }
    let remedy: Remedy = "type '\(invocation.program.name) \(name) list --record \(Paths.quoted(folder))' to record one"
    let recordings = try Fixture.load(folder: folder, in: invocation.program.workingDirectory, remedy: remedy)
    let own = recordings.filter { $0.name == "\(name).har" || $0.name.hasSuffix("/\(name).har") }
    return Fixture(folder, exchanges: (own.isEmpty ? recordings : own).flatMap(\.exchanges))
  }
}

extension ConformanceReport.Row: Fielded {
  /// The fields of one check, for every format except the matrix.
  public static let fields = [
    Field<Self>("hazard", width: .whole) { $0.hazard.rawValue },
    Field<Self>("law", width: .whole) { $0.law.rawValue },
    Field<Self>("outcome", width: .whole) { $0.words.outcome },
    Field<Self>("detail") { $0.words.detail },
  ]

  private var words: (outcome: String, detail: String?) {
    switch outcome {
    case .passed: ("passed", nil)
    case .failed(let seen): ("failed", seen)
    case .skipped(let reason, _): ("skipped", reason)
    case .notApplicable(let reason): ("not applicable", reason)
    }
  }
}
