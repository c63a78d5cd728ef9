import SourceTesting

@testable import AggregatorCore
@testable import Pictures

/// A cache over a web of a test's own.
struct TestPictureCache {
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

  /// Returns once at least `count` tasks wait for a picture.
  func waiters(for path: String, atLeast count: Int) async {
    guard let address = try? address(path) else { return }
    while cache.flights.waiters(for: address) < count { await Task.yield() }
  }
}

extension StubTransport {
  /// A web that gives its one picture to each request that passes the gate.
  static func showing(_ bytes: [UInt8], behind gate: Gate) -> StubTransport {
    StubTransport { _, _ in
      try await gate.pass()
      return HTTPResponse(status: 200, body: bytes)
    }
  }

  static func showing(_ bytes: [UInt8]) -> StubTransport { StubTransport { _, _ in HTTPResponse(status: 200, body: bytes) } }
}

/// The error that `work` throws, if it is a `SourceError`.
func failure(_ work: () async throws -> some Sendable) async -> SourceError? {
  do {
    _ = try await work()
    return nil
  } catch {
    return error as? SourceError
  }
}

/// The beginnings of pictures, as long as needed to recognize them.
enum Samples {
  static let png = bytes("\u{89}PNG\r\n\u{1A}\n\u{0}\u{0}\u{0}\u{D}IHDR\u{0}\u{0}\u{0}\u{1}\u{0}\u{0}\u{0}\u{1}\u{8}\u{2}\u{0}\u{0}\u{0}")
  static let jpeg = bytes("\u{FF}\u{D8}\u{FF}\u{E0}\u{0}\u{10}JFIF")
  static let gif = bytes("GIF89a\u{1}\u{0}\u{1}\u{0}")
  static let webp = bytes("RIFF\u{1A}\u{0}\u{0}\u{0}WEBPVP8L")
  static let bmp =
    bytes("BM\u{3A}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{36}\u{0}\u{0}\u{0}\u{28}\u{0}\u{0}\u{0}") + [UInt8](repeating: 0, count: 40)
  static let avif = bytes("\u{0}\u{0}\u{0}\u{1C}ftypmif1\u{0}\u{0}\u{0}\u{0}mif1avifmiaf")
  static let heic = bytes("\u{0}\u{0}\u{0}\u{18}ftypheic\u{0}\u{0}\u{0}\u{0}mif1heic")

  /// A picture of exactly `count` bytes.
  static func png(of count: Int, _ filler: UInt8 = 0) -> [UInt8] { png + [UInt8](repeating: filler, count: count - png.count) }

  static func picture(_ bytes: [UInt8] = png) throws -> Picture { Picture(bytes: bytes, format: try .reading(bytes)) }

  /// The numbers of the characters as bytes.
  static func bytes(_ text: String) -> [UInt8] { text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}

/// Addresses of pictures that do not exist.
func address(_ path: String) throws -> WebAddress {
  guard let address = WebAddress(path.hasPrefix("http") ? path : "https://pictures.example/\(path)") else { throw NoAddress() }
  return address
}

struct NoAddress: Error {}
