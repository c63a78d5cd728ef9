public import AggregatorCore
import Platform
import Synchronization

/// Pictures by their addresses: from memory, from disk, or from the web.
///
/// ```swift
/// let pictures = PictureCache(in: world, folder: PictureFolder(environment: environment))
/// let picture = try await pictures.picture(at: address)
/// ```
///
/// Equal requests under way share one download, which stops when the last of them is cancelled. What is kept stays good until
/// it has to make room: the picture at an address is not expected to change. An insistent world looks again, once; an offline
/// one gives only what is kept.
public final class PictureCache: Sendable {
  private let folder: PictureFolder?
  private let memory: Mutex<PictureMemory>
  /// The downloads under way.
  let flights = SharedRequests<WebAddress, Picture>()
  private let downloads: PictureDownloads
  private let world: World
  private let hasComplained = Mutex(false)

  /// A cache that downloads through `world`, and keeps on disk what `folder` may take, else in memory only.
  public init(in world: World, folder: PictureFolder?, limits: PictureLimits = PictureLimits()) {
    // A recording is played as it is: what was kept before has no part in it, and nothing is kept of it.
    self.folder = world.terms.reach == .replay ? nil : folder
    memory = Mutex(PictureMemory(limit: limits.memoryBytes))
    downloads = PictureDownloads(in: world, largest: limits.pictureBytes)
    self.world = world
  }

  /// The picture at `address`.
  ///
  /// - Throws: a `SourceError`: of kind `notStored` for one that would have to be downloaded and must not, `malformed` for what is no
  ///   picture, else what went wrong on the way.
  public func picture(at address: WebAddress) async throws -> Picture {
    if let picture = memory.withLock({ $0.take(address) }) { return picture }
    return try await world.asking {
      try await flights.value(for: address) { [self] in
        // Somebody may have landed with it in between.
        if let picture = memory.withLock({ $0.take(address) }) { return picture }
        let picture = if let kept = kept(address) { kept } else { try await downloaded(address) }
        memory.withLock { $0.keep(picture, from: address) }
        return picture
      }
    }
  }

  private func kept(_ address: WebAddress) -> Picture? { Insistence.isAsked ? nil : folder?.take(address) }

  private func downloaded(_ address: WebAddress) async throws -> Picture {
    guard world.terms.reach != .offline else {
      throw SourceError(.notStored, "the picture at \(address.withoutQuery) is not cached")
    }
    var picture = try await Insistence.on(world.terms.reach == .anywhere ? Insistence.on : .service) {
      try await downloads.picture(at: address)
    }
    do {
      picture.path = try folder?.keep(picture, from: address)
    } catch {
      complain(error)
    }
    return picture
  }

  /// A cache that cannot keep is slower, and no more than that; it is said once.
  private func complain(_ problem: FileProblem) {
    let isFirst = hasComplained.withLock { hasComplained in
      defer { hasComplained = true }
      return !hasComplained
    }
    guard isFirst, let folder else { return }
    Event.emit(.noticed(source: "pictures", "cannot cache pictures in \(folder.path): \(problem.reason)"))
  }
}

extension WebAddress {
  /// The address as messages show it: what follows the path is long, and may let its reader in where it leads.
  var withoutQuery: String {
    var address = self
    address.query = nil
    return address.shown
  }
}

extension PictureCache {
  /// Fetches many pictures, a few at once, and hands each to `take` as it comes or fails, with the place of its address; in no order.
  ///
  /// What is not there by `deadline` has failed. A cancellation ends everything.
  public func fetch(
    _ addresses: [WebAddress], atOnce width: Int = 6, by deadline: Moment? = nil, clock: any Timekeeper = SystemTime(),
    _ take: (Int, Result<Picture, any Error>) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Result<Picture, any Error>).self) { downloads in
      var next = 0
      func start() {
        guard next < addresses.count else { return }
        let (index, address) = (next, addresses[next])
        next += 1
        downloads.addTask {
          (index, await Result { try await clock.limit(until: deadline) { try await self.picture(at: address) } })
        }
      }
      for _ in 0..<width { start() }
      while let (index, result) = try await downloads.next() {
        try Task.checkCancellation()
        start()
        try await take(index, result)
      }
    }
  }
}

/// The pictures used last, as many as the bytes allow.
struct PictureMemory {
  let limit: Int
  /// The one used last comes last.
  private var pictures: [(address: WebAddress, picture: Picture)] = []

  init(limit: Int) { self.limit = limit }

  var bytes: Int { pictures.reduce(0) { $0 + $1.picture.bytes.count } }
  var count: Int { pictures.count }

  /// The picture from there, which counts as used now.
  mutating func take(_ address: WebAddress) -> Picture? {
    guard let place = pictures.firstIndex(where: { $0.address == address }) else { return nil }
    pictures.append(pictures.remove(at: place))
    return pictures.last?.picture
  }

  mutating func keep(_ picture: Picture, from address: WebAddress) {
    pictures.removeAll { $0.address == address }
    guard picture.bytes.count <= limit else { return }
    pictures.append((address, picture))
    while bytes > limit { pictures.removeFirst() }
  }
}
