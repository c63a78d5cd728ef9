import AggregatorCore

/// A request as a replay looks at it.
struct Question {
  /// What is not to be compared. Most requests of a source agree in it, and can be looked up in the same index.
  struct Mask: Sendable, Hashable {
    let secrets: [Secret]
    let names: SecretNames
  }

  let mask: Mask
  let likeness: Likeness
  private let shown: String
  private let scrubber: Scrubber
  private var names: SecretNames { mask.names }

  init(_ request: HTTPRequest, hiding secrets: [Secret]) {
    mask = Mask(secrets: request.hidden + secrets, names: SecretNames(marking: request))
    scrubber = Scrubber(recording: mask.secrets)
    let names = mask.names
    let sent = RecordedRequest(
      request.method.rawValue, request.wireAddress, headers: request.wireHeaders.map { .init($0.name, $0.value) }, body: request.body)
    likeness = Likeness(sent, without: scrubber, hiding: names)
    shown = "\(sent.method) \(scrubber.scrub(sent.address, hiding: names))"
  }

  /// Where each recorded request stands among `entries`, under this question's mask.
  func index(of entries: [Replay.Entry]) -> [Likeness: [Int]] {
    Dictionary(grouping: entries.indices) { of(entries[$0].exchange.request) }
  }

  private func of(_ recorded: RecordedRequest) -> Likeness { Likeness(recorded, without: scrubber, hiding: names) }

  /// The error that says what was asked, what came nearest, and what to type.
  func unmatched(by entries: [Replay.Entry], recorded: Int) -> SourceError {
    guard let nearest = entries.min(by: { distance(to: $0) < distance(to: $1) }) else {
      return SourceError(Replay.unmatched, "\(shown) was not recorded, and nothing else was", remedy: remedy(nil))
    }
    if recorded > 0 {
      let times = recorded == 1 ? "once" : "\(recorded) times"
      return SourceError(Replay.unmatched, "\(shown) was recorded \(times) and asked once more", remedy: remedy(nearest))
    }
    let differences = likeness.differences(from: of(nearest.exchange.request)).joined(separator: "; ")
    let entry = nearest.shown(without: scrubber, hiding: names)
    return SourceError(
      Replay.unmatched, "\(shown) was not recorded; nearest is \(entry), which differs in: \(differences)", remedy: remedy(nearest))
  }

  private func distance(to entry: Replay.Entry) -> Int { likeness.distance(to: of(entry.exchange.request)) }

  /// A fixture is called after its file, and that after its source.
  private func remedy(_ nearest: Replay.Entry?) -> String {
    let path = nearest?.fixture ?? ""
    let file = path.split(separator: "/").last ?? ""
    let isArchive = file.hasSuffix(".har")
    let folder = path.utf8.contains(UInt8(ascii: "/")) && isArchive ? Paths.quoted(Paths.folder(of: path)) : "DIR"
    return "record it with aggregator \(isArchive ? String(file.dropLast(4)) : "SOURCE") … --record \(folder)"
  }
}
