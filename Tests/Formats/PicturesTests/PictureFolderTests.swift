import AggregatorCore
import Platform
import ScratchFolders
import SourceTesting
import Testing

@testable import Pictures

struct PictureFolderTests {
  let scratch: ScratchFolder
  let clock = TestClock()

  init() throws { scratch = try ScratchFolder() }

  func folder(diskBytes: Int = 256 << 20) -> PictureFolder {
    var limits = PictureLimits()
    limits.diskBytes = diskBytes
    return PictureFolder(scratch.file("pictures"), limits: limits, clock: clock)
  }

  /// Stores a picture of `count` bytes, a minute after the last.
  func keep(_ name: String, _ count: Int = 100, in folder: PictureFolder) throws -> String? {
    clock.advance(by: .seconds(60))
    return try folder.keep(try Samples.picture(Samples.png(of: count)), from: try address(name))
  }

  @Test("the least recently used picture is removed first, by the clock, and reading counts as use")
  func leastRecentlyUsed() throws {
    let folder = folder(diskBytes: 1600)
    for name in ["a", "b", "c"] { _ = try keep(name, 400, in: folder) }
    clock.advance(by: .seconds(60))
    #expect(folder.take(try address("a")) != nil)
    _ = try keep("d", 400, in: folder)
    #expect(folder.take(try address("b")) == nil)
    clock.advance(by: .seconds(60))
    _ = try keep("e", 400, in: folder)
    #expect(folder.take(try address("c")) == nil)
    for name in ["a", "d", "e"] { #expect(folder.take(try address(name)) != nil) }
  }

  @Test("the folder stays within its limit, for any number of pictures and processes")
  func bounded() throws {
    let folders = (0..<4).map { _ in folder(diskBytes: 16_000) }
    var most = 0
    for number in 0..<200 {
      _ = try keep("\(number)", 100 + number, in: folders[number % 4])
      most = max(most, folders[0].holdings.bytes)
    }
    // Each process may exceed its last view of the folder by a sixteenth.
    #expect(most <= 16_000 + 4 * 1000)
    #expect(folders[0].holdings.bytes <= 16_000)
    #expect(folders[0].take(try address("199")) != nil)
    #expect(folders[0].take(try address("0")) == nil)
  }

  @Test("a picture larger than the folder's limit is not stored, and removes no other")
  func tooLarge() throws {
    let folder = folder(diskBytes: 300)
    _ = try keep("a", 100, in: folder)
    #expect(try keep("b", 301, in: folder) == nil)
    #expect(folder.holdings.rows == 1)
  }

  @Test("a file is named by the digest of its address, and readable by its owner only")
  func named() throws {
    let path = try #require(try keep("a.png?../../x", in: folder()))
    #expect(path == scratch.file("pictures/\(SHA256.hex("https://pictures.example/a.png?../../x")).png"))
    #expect(scratch.mode(String(path.dropFirst(scratch.path.utf8.count + 1))) == 0o600)
    #expect(scratch.mode("pictures") == 0o700)
  }

  @Test(
    "no address leads out of the folder",
    arguments: [
      "../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "a/../../b", "%00", "~root/x", "CON", ".hidden", "a\\..\\b", "-rf",
      String(repeating: "x", count: 5000), "é/ü?ö=ä", "..", ".", "/", "//", "https://[::1]:1/..",
    ])
  func escapes(path: String) throws {
    let path = try #require(try keep(path, in: folder()))
    #expect(path.split(separator: "/").dropLast().joined(separator: "/") == scratch.file("pictures").dropFirst())
    #expect(scratch.names() == ["pictures"])
    #expect(scratch.names(in: "pictures").count == 1)
  }

  @Test("two addresses that differ in their query or their case are two pictures")
  func apart() throws {
    let folder = folder()
    for name in ["a", "A", "a?1", "a?2", "a/"] { _ = try keep(name, in: folder) }
    #expect(folder.holdings.rows == 5)
  }

  @Test("a damaged file is not a picture, and is deleted", arguments: [[], Samples.gif, Samples.bytes("\u{0}\u{0}\u{0}\u{0}")])
  func damaged(bytes: [UInt8]) throws {
    let folder = folder()
    let path = try #require(try keep("a", in: folder))
    try SystemFiles().replace(path, with: bytes)
    #expect(folder.take(try address("a")) == nil)
    #expect(folder.holdings.rows == 0)
  }

  @Test("a half-written file of a killed process is deleted after an hour, and one that is being written stays")
  func drafts() throws {
    let folder = folder(diskBytes: 1600)
    _ = try keep("a", in: folder)
    for (name, age) in [(".old.part", 3601), (".new.part", 3000)] {
      try scratch.write("pictures/\(name)", [1])
      PictureFile.touch(scratch.file("pictures/\(name)"), at: clock.now - .seconds(age))
    }
    _ = try keep("b", 200, in: folder)
    #expect(scratch.names(in: "pictures").filter { $0.hasPrefix(".") } == [".new.part"])
  }

  @Test("the folder tells how much it has and how old that is, and clearing leaves other files")
  func holdings() throws {
    let folder = folder()
    #expect(folder.holdings == Holding(source: "", kind: "pictures", rows: 0, bytes: 0, oldest: nil, newest: nil))
    for name in ["a", "b", "c"] { _ = try keep(name, in: folder) }
    try scratch.write("pictures/notes.txt", [1])
    try scratch.write("pictures/mine.png", Samples.png)
    try scratch.write("pictures/.left.part", [1])
    let expected = Holding(
      source: "", kind: "pictures", rows: 3, bytes: 300, oldest: TestClock.start + .seconds(60), newest: TestClock.start + .seconds(180))
    #expect(folder.holdings == expected)
    #expect(try folder.clear() == expected)
    #expect(folder.holdings.rows == 0)
    #expect(scratch.names(in: "pictures") == ["mine.png", "notes.txt"])
  }

  @Test("a file that cannot be moved to its place is deleted")
  func noRemains() throws {
    let folder = folder()
    let path = try #require(try keep("a", in: folder))
    unlink(path)
    try SystemFiles().makeFolder(path)
    #expect(throws: FileProblem.self) { try keep("a", in: folder) }
    #expect(scratch.names(in: "pictures").count == 1)
  }

  @Test("the folder is that of the environment, and nil without a home")
  func environment() {
    #expect(PictureFolder(environment: ["XDG_CACHE_HOME": "/c", "HOME": "/h"])?.path == "/c/aggregator/pictures")
    #expect(PictureFolder(environment: ["HOME": "/h"])?.path == "/h/.cache/aggregator/pictures")
    #expect(PictureFolder(environment: [:]) == nil)
  }
}
