import AggregatorCore
import Platform

/// A request as a replay looks at it.
struct ReplayRequest {
  /// What is not to be compared. Most requests of a source agree in it, and can be looked up in the same index.
  struct Mask: Sendable, Hashable {
    let secrets: [Secret]
    let names: SecretNames
  }

  let mask: Mask
  let likeness: Likeness
  /// Method and address without the query.
  private let place: String
  private let scrubber: Scrubber
  private var names: SecretNames { mask.names }

  init(_ request: HTTPRequest, hiding secrets: [Secret]) {
    mask = Mask(secrets: request.hidden + secrets, names: SecretNames(marking: request))
    scrubber = Scrubber(recording: mask.secrets)
    let names = mask.names
    let sent = RecordedRequest(
      request.method.rawValue, request.wireAddress, headers: request.wireHeaders.map { .init($0.name, $0.value) }, body: request.body)
    likeness = Likeness(sent, without: scrubber, hiding: names)
    place = "\(sent.method) \(likeness.origin)\(likeness.path)"
  }

  /// Where each recorded request stands among `entries`, under this question's mask.
  func index(of entries: [Replay.Entry]) -> [Likeness: [Int]] {
    Dictionary(grouping: entries.indices) { of(entries[$0].exchange.request) }
  }

  private func of(_ recorded: RecordedRequest) -> Likeness { Likeness(recorded, without: scrubber, hiding: names) }

  /// The error that says what was asked, how the nearest differs, and what to type.
  func unmatched(by entries: [Replay.Entry], recorded: Int) -> SourceError {
    SourceError(
      Replay.unmatched, recorded > 0 ? askedOnceMore(recorded) : "\(place) was not recorded\(nearest(among: entries))",
      remedy: remedy(entries.first?.fixture))
  }

  /// A secret in the query shows as its placeholder.
  private func askedOnceMore(_ recorded: Int) -> String {
    let query = likeness.query.map(\.brief).joined(separator: "&")
    let times = recorded == 1 ? "once" : "\(recorded) times"
    return "\(place)\(query.isEmpty ? "" : "?\(query)") was recorded \(times) but requested again"
  }

  private func nearest(among entries: [Replay.Entry]) -> String {
    guard let nearest = entries.min(by: { distance(to: $0) < distance(to: $1) }) else { return "; the recording is empty" }
    let recorded = of(nearest.exchange.request)
    guard recorded.origin == likeness.origin else { return "; nothing from \(likeness.origin) was" }
    let differences = likeness.differences(from: recorded)
    let more = differences.count > 3 ? [" and \(differences.count - 3) more"] : []
    let file = nearest.fixture.split(separator: "/").last ?? ""
    return "; the closest in \(file) has " + differences.prefix(3).joined(separator: ", ") + more.joined()
  }

  private func distance(to entry: Replay.Entry) -> Int { likeness.distance(to: of(entry.exchange.request)) }

  private func remedy(_ fixture: String?) -> Remedy {
    let path = fixture ?? ""
    let folder = path.utf8.contains(UInt8(ascii: "/")) && path.hasSuffix(".har") ? Paths.quoted(Paths.folder(of: path)) : "DIR"
    return "record it with --record \(folder)"
  }
}
