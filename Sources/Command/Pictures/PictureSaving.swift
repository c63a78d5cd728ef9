import AggregatorCore
import Asking
import Pictures

/// `--images DIR`: the pictures of the records that a walk finds, once all of them are printed.
struct PictureSaving {
  private let question: SourceQuestion
  private let album: PictureAlbum
  private let pictures: PictureCache
  private var wanted: [(tag: PictureName, address: WebAddress)] = []

  /// Nil without `--images`. A folder that cannot be written to is reported before a service is asked.
  init?(_ question: SourceQuestion, in world: World) throws {
    guard let folder = question.invocation.value(.images) else { return nil }
    self.question = question
    album = try PictureAlbum(folder, in: question.program.workingDirectory)
    pictures = question.pictures(in: world)
  }

  mutating func add<Item>(_ items: [Item], of schema: Schema<Item>) {
    for item in items {
      for address in schema.pictures(of: item) { wanted.append((album.name(schema.title(of: item), item.id), address)) }
    }
  }

  /// Downloads what was added. The records are printed already, so a failed picture is only reported.
  func bring() async throws {
    guard !wanted.isEmpty else { return notice("no record has a picture") }
    var tally = PictureCounts()
    let progress = progressLine()
    try await question.asking(showsProgress: false) {
      try await during(progress) {
        try await fetch { name, result in
          tally.count(name, result, verbose: verbose)
          progress?.change { [tally] in $0.tally = tally }
        }
      }
    }
    conclude(tally)
  }

  private func fetch(_ take: (PictureName, Result<String, any Error>) -> Void) async throws {
    try await pictures.fetch(wanted, by: question.ask.deadline, clock: question.program.clock) { name, result in
      take(name, Result { try album.save(result.get(), as: name) }.mapError(question.told))
    }
  }

  private func conclude(_ tally: PictureCounts) {
    if tally.saved > 0 { notice("saved \(tally.saved) picture\(tally.saved == 1 ? "" : "s") in \(album.folder)") }
    guard let first = tally.firstFailure else { return }
    let more = question.invocation.has(.verbose) ? "" : tally.failed > 1 ? "; --verbose lists each" : ""
    notice("failed to download \(tally.failed) of \(wanted.count) pictures (\(first))\(more)")
  }

  private func verbose(_ line: String) {
    if question.invocation.has(.verbose) { question.program.notices(question.invocation).tell(line) }
  }

  private func notice(_ text: String) { question.program.notices(question.invocation).say("\(question.descriptor.name): \(text)") }
}

// MARK: - How far it is

extension PictureSaving {
  private func progressLine() -> ProgressLine<PictureGauge>? {
    guard question.invocation.isProgressSeen else { return nil }
    let program = question.program
    let gauge = PictureGauge(source: question.descriptor.name, wanted: wanted.count, start: program.clock.now)
    return ProgressLine(gauge, clock: program.clock) { program.console.show(status: $0) }
  }

  private func during(_ progress: ProgressLine<PictureGauge>?, _ work: () async throws -> Void) async throws {
    if let progress { try await progress.during(work) } else { try await work() }
  }
}
