import AggregatorCore
import ScratchFolders
import SourceTesting
import Testing

@testable import Pictures

struct PictureDownloadsTests {
  @Test(
    "a host's failure is an error of its kind, with the address but without its query",
    arguments: [
      (404, SourceError.Kind.noSuchAddress), (410, .noSuchAddress), (403, .unavailable), (401, .unavailable), (500, .unavailable),
      (429, .throttled), (400, .badRequest),
    ])
  func status(status: Int, kind: SourceError.Kind) async throws {
    let gallery = TestPictureCache(StubTransport { _, _ in HTTPResponse(status: status, body: Samples.png) })
    let error = try #require(await failure { try await gallery.picture("a.png?token=abc") })
    #expect(error.kind == kind)
    #expect(error.message.hasPrefix("the picture at https://pictures.example/a.png: "))
    #expect(error.message.hasSuffix("(HTTP \(status))"))
  }

  @Test("a host that fails is asked again, and one that has no such picture is asked once")
  func patience() async throws {
    let faltering = TestPictureCache(StubTransport(playing: .status(503), .success(HTTPResponse(status: 200, body: Samples.png))))
    #expect(try await faltering.picture("a").format == .png)
    #expect(faltering.web.requests.count == 2)

    let gone = TestPictureCache(StubTransport { _, _ in throw SourceError(.unreachable, "no connection") })
    for name in ["a", "b"] { #expect(await failure { try await gone.picture(name) }?.kind == .unreachable) }
    #expect(gone.web.requests.count == 1)
  }

  @Test("a silent host has as much time as is allowed")
  func silence() async throws {
    let gallery = TestPictureCache(.showing(Samples.png, behind: Gate())) { $0.allowance = .seconds(5) }
    #expect(await failure { try await gallery.picture("a") }?.kind == .timedOut)
    #expect(gallery.clock.waits == [.seconds(5)])
  }

  @Test("redirects are followed, five at most, and to the web only")
  func redirects() async throws {
    func redirecting(_ times: Int, to target: String = "") -> TestPictureCache {
      TestPictureCache(
        StubTransport { _, index in
          index < times
            ? HTTPResponse(status: 302, headers: [.init("Location", target.isEmpty ? "/hop\(index)" : target)])
            : HTTPResponse(status: 200, body: Samples.png)
        })
    }
    #expect(try await redirecting(5).picture("a").format == .png)
    let endless = redirecting(100)
    #expect(await failure { try await endless.picture("a") }?.kind == .malformed)
    #expect(endless.web.requests.count == 6)
    #expect(await failure { try await redirecting(1, to: "file:///etc/passwd").picture("a") }?.kind == .malformed)
  }

  @Test("a picture that is too large, or not a picture, is refused and not stored")
  func refused() async throws {
    let scratch = try ScratchFolder()
    let folder = PictureFolder(scratch.file("pictures"))
    var limits = PictureLimits()
    limits.pictureBytes = 1 << 20
    let large = TestPictureCache(of: Samples.png(of: 1 << 20 + 1), folder: folder, limits: limits)
    let error = try #require(await failure { try await large.picture("a") })
    #expect(error.kind == .malformed)
    #expect(error.message.contains("larger than 1 MB"))
    #expect(large.web.requests.map(\.limits.bodyBytes) == [1 << 20])
    #expect(await failure { try await TestPictureCache(of: Samples.bytes("<svg/>"), folder: folder).picture("a") }?.kind == .malformed)
    #expect(folder.holdings.rows == 0)
    #expect(try await TestPictureCache(of: Samples.png(of: 1 << 20), limits: limits).picture("a").bytes.count == 1 << 20)
  }

  @Test("no key goes to a host of pictures, not even when the service writes it into the address")
  func secrets() async throws {
    let key = Setting("KEY", .secret, "a key")
    let settings = Settings(declared: [key], flags: ["KEY": "s3cr3t/key"])
    let world = World(settings: settings, transport: StubTransport.showing(Samples.png))
    let web = StubTransport.showing(Samples.png)
    let gallery = TestPictureCache(web) { $0.settings = world.settings }
    _ = try await gallery.picture("a.png")
    #expect(web.requests.allSatisfy { !$0.carriesSecret && !"\($0.wireAddress)\($0.wireHeaders)".contains("s3cr3t") })
    for path in ["b.png?key=s3cr3t/key", "b.png?key=s3cr3t%2Fkey", "s3cr3t/key/b.png"] {
      let error = try #require(await failure { try await gallery.picture(path) })
      #expect(error.kind == .unsafeRedirect)
      #expect(!"\(error)".contains("s3cr3t"))
    }
    #expect(web.requests.count == 1)
  }

  @Test("many pictures are fetched a few at a time, and a failure does not stop the others")
  func many() async throws {
    let gate = Gate()
    let web = StubTransport { request, _ in
      try await gate.pass()
      if request.address.path == "/3" { return HTTPResponse(status: 404) }
      return HTTPResponse(status: 200, body: Samples.png)
    }
    let gallery = TestPictureCache(web)
    let wanted = try (0..<20).map { try address("\($0)") }
    var (came, failed): (Set<Int>, [Int]) = ([], [])
    async let watch: Int = {
      try await gate.arrivals(atLeast: 6)
      let arrivals = gate.arrivals
      gate.open()
      return arrivals
    }()
    try await gallery.cache.fetch(wanted, atOnce: 6, clock: gallery.clock) { index, result in
      if (try? result.get()) != nil { came.insert(index) } else { failed.append(index) }
    }
    #expect(try await watch == 6)
    #expect(came.count == 19)
    #expect(failed == [3])
  }

  @Test("a picture that has not come by the deadline is an error")
  func deadline() async throws {
    let (gate, clock) = (Gate(), TestClock())
    let gallery = TestPictureCache(
      StubTransport { _, _ in
        try await gate.pass()
        return HTTPResponse(status: 200, body: Samples.png)
      }, clock: clock)
    let wanted = [try address("a")]
    var error: SourceError?
    async let late: Void = {
      try await gate.arrivals(atLeast: 1)
      try await clock.sleepers(atLeast: 1)
      clock.advance(by: .seconds(5))
    }()
    try await gallery.cache.fetch(wanted, by: clock.now + .seconds(5), clock: clock) { _, result in
      do { _ = try result.get() } catch let late { error = late as? SourceError }
    }
    try await late
    #expect(error?.kind == .timedOut)
  }
}

struct PictureFormatTests {
  static let formats: [(PictureFormat, [UInt8], String)] = [
    (.png, Samples.png, "png"), (.jpeg, Samples.jpeg, "jpg"), (.gif, Samples.gif, "gif"), (.webp, Samples.webp, "webp"),
    (.bmp, Samples.bmp, "bmp"), (.avif, Samples.avif, "avif"), (.heic, Samples.heic, "heic"),
  ]

  @Test("a picture is recognized by its first bytes", arguments: formats)
  func told(format: PictureFormat, bytes: [UInt8], ending: String) {
    #expect(PictureFormat(of: bytes) == format)
    #expect(format.fileExtension == ending)
  }

  @Test("a picture that is cut before its format is known is not a picture", arguments: formats)
  func short(format: PictureFormat, bytes: [UInt8], _: String) {
    let needed = [.png: 16, .jpeg: 3, .gif: 6, .webp: 15, .bmp: 55, .avif: 24, .heic: 16][format] ?? 0
    for count in 0..<needed { #expect(PictureFormat(of: Array(bytes.prefix(count))) == (format == .avif && count >= 16 ? .heic : nil)) }
  }

  static let others: [(String, String)] = [
    ("", "it is empty"),
    (#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#, "an SVG drawing, which can carry scripts"),
    ("<?xml version='1.0'?><!-- a --><SVG/>", "an SVG drawing"),
    ("<!DOCTYPE html><title>Gone</title>", "a web page, not a picture"),
    ("BM is how many a text begins, and this one is long enough to have sizes", "only PNG"),
    ("\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{0}\u{0}mp41avc1", "only PNG"),
    ("RIFF\u{1A}\u{0}\u{0}\u{0}WAVEfmt ", "only PNG"),
    ("%PDF-1.7", "only PNG"), ("\u{7F}ELF", "only PNG"), ("#!/bin/sh", "only PNG"), (#"{"error":"no"}"#, "only PNG"),
  ]

  @Test("bytes that are not a picture are refused, with the reason", arguments: others)
  func refused(text: String, reason: String) {
    let error = #expect(throws: SourceError.self) { try PictureFormat.reading(Samples.bytes(text)) }
    #expect(error?.kind == .malformed)
    #expect(error?.message.contains(reason) == true)
  }
}
