import AggregatorCore
package import Recordings
import Services

extension SourcePackage {
  /// The source that was found out, tested over what it was read from.
  package init(_ name: SourceName, from draft: Draft, core: String, isInvented: Bool = false) async throws {
    let remarks =
      isInvented
      ? "\nThe service is invented: put a real one in its place, and record it.\n"
      : "\n## What was guessed\n\n```text\n\(draft.report)```\n"
    try await self.init(name, ejecting: draft.contents.manifest, over: draft.recordings[0], core: core, remarks: remarks)
  }
}

extension Draft {
  /// What was found out, a line each, then what of it a person has to look at.
  package var report: String {
    func line(_ finding: Finding, _ addition: String) -> String {
      "  \(finding.subject): \(SwiftText.clause(finding.guess)) (\(SwiftText.clause(addition)))\n"
    }
    let weak = findings.filter { $0.confidence == .weak }.map { line($0, $0.reason) }
    return findings.map { line($0, "\($0.confidence)") }.joined()
      + (weak.isEmpty ? "" : "\nweak guesses to check:\n\(weak.joined())")
  }
}

extension Fixture {
  /// Two pages of a list, and a search, of a service that does not exist: for a source that is to be written by hand.
  package static func invented(for name: String) -> Fixture {
    let rows = ["Ærø", "Bergen", "Cádiz", "Dover", "Esbjerg", "Fécamp"].enumerated().map { number, place in
      #"{"id":\#(number + 1),"name":"\#(place)","note":\#(number % 2 == 0 ? "null" : "\"Open all year\""),"#
        + #""createdAt":"2026-01-0\#(number + 1)T08:00:00Z","score":\#(4.5 - Double(number) / 4),"#
        + #""tags":\#(number == 0 ? "[]" : #"["north","quiet"]"#),"url":"https://\#(name).example/\#(number + 1)"}"#
    }
    let pages = [
      ("offset=0&limit=4", rows[0..<4], rows.count), ("offset=4&limit=4", rows[4...], rows.count),
      ("q=dover&offset=0&limit=4", rows[3...3], 1),
    ]
    let exchanges = pages.enumerated().compactMap { second, page -> Exchange? in
      let body = #"{"items":[\#(page.1.joined(separator: ","))],"total":\#(page.2)}"#
      let moment = Moment(secondsSinceEpoch: 1_767_225_600 + second)
      return WebAddress("https://api.\(name).example/v1/\(name)?\(page.0)").map {
        Exchange(RecordedRequest("GET", $0), .json(Array(body.utf8)), startedAt: moment)
      }
    }
    return Fixture("\(name).har", exchanges: exchanges)
  }
}
