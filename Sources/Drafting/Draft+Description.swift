package import AggregatorCore
import Inference

extension Draft {
  /// As many requests as lists that a service describes itself are checked by.
  package static let mostChecked = 3

  /// A manifest called `name` with lists that a service describes itself. The first of them are asked for two pages each, in the manner of
  /// `world`; each request is announced before it is sent. What came of it is among the notices.
  package init(
    _ name: String, described drafts: [SourceDraft], in world: World,
    announcing announce: @escaping @Sendable (Probe.Step) -> Void
  ) async throws {
    var (drafts, recordings, findings) = (drafts, [Fixture](), [Finding]())
    for index in drafts.indices {
      let draft = drafts[index]
      drafts[index].isRecorded = false
      func note(_ outcome: String) {
        findings.append(Finding(subject: draft.name, guess: outcome, confidence: .fair, reason: "the service was asked"))
      }
      guard index < Self.mostChecked else {
        note("not checked")
        continue
      }
      do {
        let probe = try Probe(draft.name, asking: draft.request, in: world, announcing: announce)
        guard let exchanges = try await probe.confirm(draft) else {
          note("not confirmed: the second page has no new rows")
          continue
        }
        drafts[index].isRecorded = true
        recordings.append(Fixture("\(draft.name).har", exchanges: exchanges))
        note("confirmed by the service")
      } catch let error as SourceError {
        note("not confirmed: \(error.message)")
      }
    }
    self.init(name, drafts, over: recordings, findings: findings)
  }
}
