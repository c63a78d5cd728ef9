import AggregatorCore
import ScratchFolders
import SourceTesting
import Testing

@testable import Pictures

struct PictureCacheTests {
  @Test("equal requests under way reach the web once")
  func shared() async throws {
    let gate = Gate()
    let gallery = TestPictureCache(.showing(Samples.png, behind: gate))
    let tasks = (0..<10).map { _ in Task { try await gallery.picture("a.png") } }
    await gallery.waiters(for: "a.png", atLeast: 10)
    gate.open()
    for task in tasks { #expect(try await task.value.bytes == Samples.png) }
    #expect(gallery.web.requests.count == 1)
  }

  @Test("a download continues for the remaining tasks")
  func oneLeaves() async throws {
    let gate = Gate()
    let gallery = TestPictureCache(.showing(Samples.png, behind: gate))
    let tasks = (0..<2).map { _ in Task { try await gallery.picture("a.png") } }
    await gallery.waiters(for: "a.png", atLeast: 2)
    tasks[0].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[0].value }
    gate.open()
    #expect(try await tasks[1].value.bytes == Samples.png)
    #expect(gallery.web.requests.count == 1)
  }

  @Test("a download stops when its last waiting task leaves, and the next one starts anew")
  func allLeave() async throws {
    let (gate, stopped) = (Gate(), Gate())
    let gallery = TestPictureCache(
      StubTransport { _, index in
        guard index == 0 else { return HTTPResponse(status: 200, body: Samples.png) }
        do {
          try await gate.pass()
        } catch {
          stopped.open()
          throw error
        }
        return HTTPResponse(status: 500)
      })
    let tasks = (0..<2).map { _ in Task { try await gallery.picture("a.png") } }
    await gallery.waiters(for: "a.png", atLeast: 2)
    try await gate.arrivals(atLeast: 1)
    for task in tasks { task.cancel() }
    for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    // The gate was not opened: the download was told to stop.
    try await stopped.pass()
    #expect(try await gallery.picture("a.png").format == .png)
    #expect(gallery.web.requests.count == 2)
  }

  @Test("a picture in memory or on disk is not asked for again")
  func kept() async throws {
    let scratch = try ScratchFolder()
    let folder = PictureFolder(scratch.file("pictures"))
    let first = TestPictureCache(folder: folder)
    let picture = try await first.picture("a.png")
    #expect(try await first.picture("a.png") == picture)
    #expect(first.web.requests.count == 1)

    let second = TestPictureCache(of: Samples.gif, folder: folder)
    #expect(try await second.picture("a.png") == picture)
    #expect(second.web.requests.isEmpty)
  }

  @Test("an insistent world asks again, once, and the new picture replaces the old one")
  func refreshed() async throws {
    let scratch = try ScratchFolder()
    let folder = PictureFolder(scratch.file("pictures"))
    _ = try await TestPictureCache(folder: folder).picture("a")
    let insistent = TestPictureCache(.showing(Samples.gif), folder: folder) { $0.terms.isInsistent = true }
    for _ in 0..<2 { #expect(try await insistent.picture("a").format == .gif) }
    #expect(insistent.web.requests.count == 1)
    #expect(folder.take(try address("a"))?.format == .gif)
    #expect(folder.holdings.rows == 1)
  }

  @Test("an offline world gives cached pictures and asks for nothing")
  func offline() async throws {
    let scratch = try ScratchFolder()
    let folder = PictureFolder(scratch.file("pictures"))
    _ = try await TestPictureCache(folder: folder).picture("a.png")
    let offline = TestPictureCache(.showing(Samples.png), folder: folder) { $0.terms.reach = .offline }
    #expect(try await offline.picture("a.png").bytes == Samples.png)
    #expect(await failure { try await offline.picture("b.png") }?.kind == .notStored)
    #expect(offline.web.requests.isEmpty)
  }

  @Test("a replayed picture comes from the recording, and the stored one stays unchanged")
  func replay() async throws {
    let scratch = try ScratchFolder()
    let folder = PictureFolder(scratch.file("pictures"))
    _ = try await TestPictureCache(folder: folder).picture("a.png")
    let replay = TestPictureCache(.showing(Samples.gif), folder: folder) { $0.terms.reach = .replay }
    #expect(try await replay.picture("a.png").bytes == Samples.gif)
    #expect(folder.take(try address("a.png"))?.format == .png)
  }

  @Test("without a usable folder pictures come all the same")
  func unkept() async throws {
    let scratch = try ScratchFolder()
    try scratch.write("file", [1])
    let recorder = EventRecorder()
    let gallery = TestPictureCache(folder: PictureFolder(scratch.file("file/pictures")))
    let pictures = try await recorder.listen { [try await gallery.picture("a"), try await gallery.picture("b")] }
    #expect(pictures.allSatisfy { $0.path == nil })
    let notices = recorder.events.compactMap { if case .noticed(let source, let text) = $0 { "\(source): \(text)" } else { nil } }
    #expect(notices == ["pictures: cannot cache pictures in \(scratch.file("file/pictures")): Not a directory"])
    #expect(try await TestPictureCache().picture("a").path == nil)
  }
}

struct PictureMemoryTests {
  @Test("the least recently used picture makes room")
  func leastRecentlyUsed() throws {
    var memory = PictureMemory(limit: 300)
    for name in ["a", "b", "c"] { memory.keep(try Samples.picture(Samples.png(of: 100)), from: try address(name)) }
    #expect(memory.take(try address("a")) != nil)
    memory.keep(try Samples.picture(Samples.png(of: 100)), from: try address("d"))
    #expect(memory.take(try address("b")) == nil)
    for name in ["a", "c", "d"] { #expect(memory.take(try address(name)) != nil) }
    #expect(memory.bytes == 300)
  }

  @Test("a picture that replaces another counts once")
  func replaced() throws {
    var memory = PictureMemory(limit: 300)
    for count in [100, 200, 50] { memory.keep(try Samples.picture(Samples.png(of: count)), from: try address("a")) }
    #expect(memory.bytes == 50)
    #expect(memory.count == 1)
  }

  @Test("a picture larger than the whole cache removes no other")
  func tooLarge() throws {
    var memory = PictureMemory(limit: 300)
    memory.keep(try Samples.picture(Samples.png(of: 300)), from: try address("a"))
    memory.keep(try Samples.picture(Samples.png(of: 301)), from: try address("b"))
    #expect(memory.take(try address("a")) != nil)
    #expect(memory.take(try address("b")) == nil)
  }
}
