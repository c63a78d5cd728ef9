import AggregatorCore
import Pictures

/// How many of the pictures are there.
struct PictureGauge: Gauge {
  let source: String
  let wanted: Int
  let start: Moment
  var tally = PictureCounts()

  private static let width = 20

  init(source: String, wanted: Int, start: Moment) {
    self.source = source
    self.wanted = wanted
    self.start = start
  }

  /// `heroes: pictures [########............] 8 of 20, 2 failed, 3 s left`
  func line(at now: Moment) -> String? {
    let elapsed = now - start
    guard elapsed >= progressPatience else { return nil }
    let done = tally.saved + tally.failed
    let filled = wanted > 0 ? Self.width * done / wanted : 0
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: Self.width - filled)
    var parts = ["\(done) of \(wanted)"]
    if tally.failed > 0 { parts.append("\(tally.failed) failed") }
    if done > 0, done < wanted {
      parts.append("\(Duration.seconds(clamping: elapsed.inSeconds * Double(wanted - done) / Double(done)).inWords) left")
    }
    return "\(source): pictures [\(bar)] " + parts.joined(separator: ", ")
  }
}

/// What became of the pictures so far.
struct PictureCounts: Sendable {
  private(set) var saved = 0
  private(set) var failed = 0
  private(set) var firstFailure: String?

  mutating func count(_ name: PictureName, _ result: Result<String, any Error>, verbose: (String) -> Void) {
    switch result {
    case .success(let path):
      saved += 1
      verbose("saved \(path)")
    case .failure(let error):
      failed += 1
      firstFailure = firstFailure ?? (error as? SourceError)?.message ?? "\(error)"
      verbose("\(name): \(error)")
    }
  }
}
