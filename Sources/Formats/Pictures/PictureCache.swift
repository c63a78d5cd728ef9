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
/// Equal requests under way share one download, which stops when the last of them is cancelled. A cached picture stays valid until the
/// cache needs its room, because the picture at an address is not expected to change. An insistent world looks again, once; an offline
/// one gives only cached pictures.
public final class PictureCache: Sendable {
  private let folder: PictureFolder?
  private let memory: Mutex<PictureMemory>
  /// The downloads under way.
  let flights = SharedRequests<WebAddress, Picture>()
  private let downloads: PictureDownloads
  private let world: World
  private let hasComplained = Mutex(false)

  /// A cache that downloads through `world`. It keeps pictures in `folder` if it can, and otherwise only in memory.
  public init(in world: World, folder: PictureFolder?, limits: PictureLimits = PictureLimits()) {
    // A recording is played as it is: pictures that were cached before have no part in it, and its own pictures are not put on disk.
    self.folder = world.terms.reach == .replay ? nil : folder
    memory = Mutex(PictureMemory(limit: limits.memoryBytes))
    downloads = PictureDownloads(in: world, largest: limits.pictureBytes)
    self.world = world
  }

  /// Returns the picture at `address`.
  ///
  /// - Throws: a `SourceError`, of kind `notStored` if the picture would have to be downloaded and must not be, `malformed` if it is not
  ///   a picture, and otherwise the error of the download.
  public func picture(at address: WebAddress) async throws -> Picture {
    if let picture = memory.withLock({ $0.take(address) }) { return picture }
    return try await world.asking {
      try await flights.value(for: address) { [self] in
        // Another request may have brought it in between.
        if let picture = memory.withLock({ $0.take(address) }) { return picture }
        let picture = if let cached = cached(address) { cached } else { try await downloaded(address) }
        memory.withLock { $0.keep(picture, from: address) }
        return picture
      }
    }
  }

  private func cached(_ address: WebAddress) -> Picture? { OriginDemand.isForService ? nil : folder?.take(address) }

  private func downloaded(_ address: WebAddress) async throws -> Picture {
    guard world.terms.reach != .offline else {
      throw SourceError(.notStored, "the picture at \(address.withoutQuery) is not cached")
    }
    var picture = try await OriginDemand.with(world.terms.reach == .anywhere ? OriginDemand.current : .service) {
      try await downloads.picture(at: address)
    }
    do {
      picture.path = try folder?.keep(picture, from: address)
    } catch {
      complain(error)
    }
    return picture
  }

  /// Reports once that the folder cannot be written; the cache is only slower then.
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
  /// The address as messages show it. The query is left out, because it is long and may give access to what it leads to.
  var withoutQuery: String {
    var address = self
    address.query = nil
    return address.shown
  }
}

extension PictureCache {
  /// Fetches many pictures, a few at once. Passes each result to `take` as it comes, with the index of its
  /// address; the order is arbitrary.
  ///
  /// A picture that has not come by `deadline` has failed. A cancellation ends everything.
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

/// The pictures that were used last, as many as the limit of bytes allows.
struct PictureMemory {
  let limit: Int
  /// The picture that was used last is at the end.
  private var pictures: [(address: WebAddress, picture: Picture)] = []

  init(limit: Int) { self.limit = limit }

  var bytes: Int { pictures.reduce(0) { $0 + $1.picture.bytes.count } }
  var count: Int { pictures.count }

  /// Returns the picture of that address, which counts as used now.
  mutating func take(_ address: WebAddress) -> Picture? {
    guard let index = pictures.firstIndex(where: { $0.address == address }) else { return nil }
    pictures.append(pictures.remove(at: index))
    return pictures.last?.picture
  }

  mutating func keep(_ picture: Picture, from address: WebAddress) {
    pictures.removeAll { $0.address == address }
    guard picture.bytes.count <= limit else { return }
    pictures.append((address, picture))
    while bytes > limit { pictures.removeFirst() }
  }
}
