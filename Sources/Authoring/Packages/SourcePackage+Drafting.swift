import AggregatorCore
import Recordings
import Services

extension SourcePackage {
  /// Makes a package of the drafted source, tested over the recording of the draft.
  package init(_ name: SourceName, from draft: Draft, core: String) async throws {
    try await self.init(
      name, ejecting: draft.contents, over: draft.recording, core: core,
      remarks: "\n## Guesses\n\n```text\n\(draft.report)```\n")
  }
}

extension Draft {
  /// The guesses, one on each line, then the weak ones that a person should check.
  package var report: String {
    func line(_ finding: Finding, _ addition: String) -> String {
      "  \(finding.subject): \(SwiftText.clause(finding.guess)) (\(SwiftText.clause(addition)))\n"
    }
    let weak = findings.filter { $0.confidence == .weak }.map { line($0, $0.reason) }
    return findings.map { line($0, "\($0.confidence)") }.joined()
      + (weak.isEmpty ? "" : "\nweak guesses to check:\n\(weak.joined())")
  }
}
