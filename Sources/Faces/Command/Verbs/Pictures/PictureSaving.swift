import AggregatorCore
import Asking
package import Pictures

/// `--images DIR`: saves the pictures of the records that a walk finds, after all records are printed.
struct PictureSaving {
  private let question: SourceQuestion
  private let album: PictureAlbum
  private let pictures: PictureCache
  private var wanted: [(name: PictureName?, address: WebAddress)] = []

  /// Makes the downloads; nil without `--images`. A folder that cannot be written to is reported before a service is asked.
  init?(_ question: SourceQuestion, in world: World) throws {
    guard let folder = question.invocation.value(.images) else { return nil }
    self.question = question
    album = try PictureAlbum(folder, in: question.program.workingDirectory)
    pictures = question.pictures(in: world)
  }

  mutating func add(_ records: [ShownRecord]) {
    for record in records {
      for address in record.pictures { wanted.append((album.name(record.title, record.id), address)) }
    }
  }

  /// Downloads what was added. The records are printed already, so a failed picture is only reported.
  func download() async throws {
    guard !wanted.isEmpty else { return question.notice("no record has a picture") }
    let isVerbose = question.invocation.has(.verbose)
    var saved = 0
    var failures: [any Error] = []
    let line = ProgressLine(question.invocation) { progress(saved: 0, failed: 0, after: $0) }
    try await question.asking(showsProgress: false) {
      try await line.during {
        try await question.fetch(wanted, from: pictures, into: album) { index, result in
          do {
            let path = try result.get()
            saved += 1
            if let path, isVerbose { question.invocation.tell("saved \(path)") }
          } catch {
            failures.append(error)
            if let name = wanted[index].name, isVerbose { question.invocation.tell("\(name): \(error)") }
          }
          line.show { [saved, failed = failures.count] in progress(saved: saved, failed: failed, after: $0) }
        }
      }
    }
    if saved > 0 { question.notice("saved \(plural(saved, "picture")) in \(album.folder)") }
    guard let first = failures.first else { return }
    let more = failures.count > 1 && !isVerbose ? "; --verbose lists each" : ""
    let reason = (first as? SourceError)?.message ?? "\(first)"
    question.notice("failed to download \(failures.count) of \(wanted.count) pictures (\(reason))\(more)")
  }

  /// Returns the line of progress: `heroes: pictures [########............] 8 of 20, 2 failed, 3 s left`
  private func progress(saved: Int, failed: Int, after elapsed: Duration) -> String {
    let (done, width) = (saved + failed, 20)
    let filled = width * done / wanted.count
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
    var parts = ["\(done) of \(wanted.count)"]
    if failed > 0 { parts.append("\(failed) failed") }
    if let left = timeLeft(for: wanted.count - done, after: elapsed, for: done) { parts.append(left) }
    return "\(question.descriptor.name): pictures [\(bar)] " + parts.joined(separator: ", ")
  }
}

extension Program {
  /// The folder that keeps pictures between runs; nil without a folder for caches.
  package var pictureFolder: PictureFolder? { PictureFolder(environment: environment, program: name, clock: clock) }
}

extension SourceQuestion {
  /// Returns the pictures in `world`, and says if they cannot be cached.
  func pictures(in world: World) -> PictureCache {
    var world = world
    // A recording has to hold every picture, so that it can be replayed elsewhere; cached ones are fetched again.
    if recording != nil { world.terms.isInsistent = true }
    let folder = program.pictureFolder
    if folder == nil { invocation.say("pictures are not cached: neither XDG_CACHE_HOME nor HOME names a folder") }
    return PictureCache(in: world, folder: folder)
  }

  /// Fetches pictures, and saves those that have a name in the album. `take` gets the path of each, or its error.
  func fetch(
    _ wanted: [(name: PictureName?, address: WebAddress)], from pictures: PictureCache, into album: PictureAlbum?,
    _ take: (Int, Result<String?, any Error>) -> Void
  ) async throws {
    try await pictures.fetch(wanted.map(\.address), by: ask.deadline, clock: program.clock) { index, picture in
      take(
        index,
        Result {
          guard let album, let name = wanted[index].name else { return try picture.get().path }
          return try album.save(picture.get(), as: name)
        }.mapError(advised))
    }
  }

  /// Returns the error of a picture, with what to type about it.
  private func advised(_ error: any Error) -> any Error {
    guard var error = error as? SourceError else { return error }
    if error.kind == .notStored, error.remedy == nil { error.remedy = .omit("offline", "to download it") }
    if error.kind == .timedOut, error.remedy == nil, ask.deadline != nil { error.remedy = .lengthen("timeout") }
    return error.from(descriptor.name).worded(invocation.wording)
  }
}
