import SourceTesting

@testable import AggregatorCore
@testable import Pictures

/// A cache over a web of a test's own.
struct Gallery {
  let web: StubTransport
  let clock: TestClock
  let cache: PictureCache

  init(
    _ web: StubTransport, folder: PictureFolder? = nil, limits: PictureLimits = PictureLimits(), clock: TestClock = .leaping,
    _ change: (inout World) -> Void = { _ in }
  ) {
    var world = World(settings: Settings(declared: []), transport: web)
    world.clock = clock
    world.dice = SeededDice(seed: 1)
    change(&world)
    self.web = web
    self.clock = clock
    cache = PictureCache(in: world, folder: folder, limits: limits)
  }

  /// A web on which every address has the same picture.
  init(of bytes: [UInt8] = Samples.png, folder: PictureFolder? = nil, limits: PictureLimits = PictureLimits()) {
    self.init(.showing(bytes), folder: folder, limits: limits)
  }

  func picture(_ path: String) async throws -> Picture { try await cache.picture(at: address(path)) }

  /// Returns once so many tasks wait for a picture.
  func waiters(for path: String, atLeast count: Int) async {
    guard let address = try? address(path) else { return }
    while cache.flights.waiters(for: address) < count { await Task.yield() }
  }
}

extension StubTransport {
  /// A web that shows its one picture to whoever gets past the gate.
  static func showing(_ bytes: [UInt8], behind gate: Gate) -> StubTransport {
    StubTransport { _, _ in
      try await gate.pass()
      return HTTPResponse(status: 200, body: bytes)
    }
  }

  static func showing(_ bytes: [UInt8]) -> StubTransport { StubTransport { _, _ in HTTPResponse(status: 200, body: bytes) } }
}

/// The error that `work` throws, if it is one of ours.
func failure(_ work: () async throws -> some Sendable) async -> SourceError? {
  do {
    _ = try await work()
    return nil
  } catch {
    return error as? SourceError
  }
}
