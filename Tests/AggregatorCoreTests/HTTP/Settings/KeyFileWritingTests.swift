import Platform
import ScratchFolders
import Testing

@testable import AggregatorCore

@Suite struct KeyFileWritingTests {
  /// Returns `text` after `K = value` was set in it.
  private func edited(_ text: String, to value: String = "new", beside others: ListedFiles = [:]) throws -> String {
    let bytes = try XCConfigEdit.setting("K", to: Secret(value), in: Array(text.utf8), at: "/k/Main", reader: others)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    "setting a key replaces its last plain assignment and keeps all other text, or adds a line",
    arguments: [
      ("", "K = new\n"), ("A = 1\n", "A = 1\nK = new\n"), ("A = 1", "A = 1\nK = new\n"), ("K = old\nA = 1\n", "K = new\nA = 1\n"),
      ("K=old", "K = new"), ("// top\n\tK =  old ; // why\nA = 1", "// top\n\tK = new // why\nA = 1"), ("K =", "K = new"),
      ("K = // put it here", "K = new // put it here"), ("K =//here", "K = new//here"), ("K = 1\nK = 2\n", "K = 1\nK = new\n"),
      ("K = 1\nK[a=b] = 2\n", "K = new\nK[a=b] = 2\n"), ("K[a=b] = 2\n", "K[a=b] = 2\nK = new\n"), ("A = 1\r\n", "A = 1\r\nK = new\r\n"),
      ("K = http://old.org/x\nA = 1", "K = new\nA = 1"), ("\u{FEFF}K = 1", "\u{FEFF}K = new"),
      ("KK = 1\nk = 2\n", "KK = 1\nk = 2\nK = new\n"),
      ("K = $(", "K = new"), ("K = $(inherited)x", "K = new"), ("#include? \"no\"\nK = 1", "#include? \"no\"\nK = new"),
    ])
  func edits(text: String, expected: String) throws { #expect(try edited(text) == expected) }

  @Test(
    "removing a key removes every line of its name and keeps all other text",
    arguments: [
      ("K = 1\n", ""), ("A = 1\nK = 1 // why\nB = 2", "A = 1\nB = 2"), ("K = 1\nA = 1\nK[a=b] = 2", "A = 1\n"),
      ("A = 1\r\nK = 1\r\n", "A = 1\r\n"), ("\u{FEFF}K = 1\nA = 1", "\u{FEFF}A = 1"),
      ("  K=http://old.org/x\nA = 1", "A = 1"),
    ])
  func removes(text: String, expected: String) throws {
    #expect(try XCConfigEdit.removing(["K"], from: Array(text.utf8), at: "/k").map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test("removing a key that is not assigned removes nothing", arguments: ["", "KK = 1\n", "// K = 1\n", "#include? \"K\""])
  func removesNothing(text: String) throws { #expect(try XCConfigEdit.removing(["K"], from: Array(text.utf8), at: "/k") == nil) }

  @Test(
    "removing a key from a file with a broken line is an error",
    arguments: ["oops\nK = 1\n", "K = 1\noops\n"])
  func removesFromNone(text: String) {
    #expect(throws: SourceError.self) { try XCConfigEdit.removing(["K"], from: Array(text.utf8), at: "/k") }
  }

  @Test("setting a key adds a line if an included file would win over the replaced one")
  func overridden() throws {
    #expect(try edited("K = 1\n#include \"B\"\n", beside: ["/k/B": "K = 2"]) == "K = new\n#include \"B\"\nK = new\n")
  }

  @Test(
    "a value is spelled in the key file so that it is read back",
    arguments: [
      "", "abc", "https://x.org/a//b", "///", "/", "//", "a b", " a ", "  ", ";", "a;", "a;;", "a\\", "\\", "$", "$$", "$(B)", "${B}", "$B",
      "a$", "$()", "a=b", "[x=y]", "#include \"x\"", "\"q\"", "'", "é—😀", "a // b", "http:", "\u{A0}x\u{A0}", ":default=", "e\u{301}",
    ])
  func spelling(value: String) throws {
    for text in ["", "K = old // c\n", "K =// c", "A = $(K)\nK = old;", "B = 1\nK = http://x"] {
      let config = try config(try edited(text, to: value))
      let read = try #require(try config.value(of: "K"))
      // As bytes, because `==` on strings calls é and e with an accent equal.
      #expect(Array(read.text.reveal().utf8) == Array(value.utf8))
      #expect(config.warnings.isEmpty == (value != "http:"))
    }
  }

  @Test(
    "setting a key refuses a value that no line can have, and does not repeat it",
    arguments: ["hidden\n", "\r", "hi\u{0}", "\tx", "\u{1B}[31m", "\u{7F}", "\u{85}", "\u{2028}", "\u{2029}hidden"])
  func refusals(value: String) throws {
    let error = try #require(throws: SourceError.self) { try edited("", to: value) }
    #expect(error.kind == .settings)
    #expect(!error.description.contains("hid") && error.description.utf8.allSatisfy { $0 >= 0x20 })
  }

  @Test("setting a key refuses a name that is not valid", arguments: ["", "1A", "A B", "A=", "A\n", "É", "A//"])
  func names(name: String) {
    #expect(throws: SourceError.self) { try KeyFile.set(name, to: Secret("x"), inFileAt: ScratchFolder().file("k")) }
  }

  @Test("setting a key leaves a file alone that makes no sense", arguments: ["what is this", "#include \"gone\"", "A = \u{0}\nB"])
  func broken(text: String) throws {
    let folder = try ScratchFolder()
    let path = try folder.write("k", text)
    #expect(throws: SourceError.self) { try KeyFile.set("K", to: Secret("x"), inFileAt: path) }
    #expect(try folder.text("k") == text)
    #expect(folder.names() == ["k"])
  }

  // MARK: On this machine's disk

  @Test("setting a key makes the folders and the file for their owner alone, and leaves no other file")
  func creates() throws {
    let folder = try ScratchFolder()
    try KeyFile.set("K", to: Secret("sk"), inFileAt: folder.file("a/b/k.xcconfig"))
    #expect(try folder.text("a/b/k.xcconfig") == "K = sk\n")
    #expect([folder.mode("a"), folder.mode("a/b"), folder.mode("a/b/k.xcconfig")] == [0o700, 0o700, 0o600])
    #expect(folder.names(in: "a/b") == ["k.xcconfig"])
  }

  @Test("setting a key closes a file that was open to others", arguments: [0o644, 0o666, 0o400] as [UInt32])
  func closes(mode: UInt32) throws {
    let folder = try ScratchFolder()
    let path = try folder.write("k", "A = 1\n", mode: mode)
    try KeyFile.set("K", to: Secret("sk"), inFileAt: path)
    #expect(try folder.text("k") == "A = 1\nK = sk\n")
    #expect(folder.mode("k") == 0o600)
  }

  @Test("a draft of a key file can be read only by its owner, and has the ending of key files")
  func draft() throws {
    let folder = try ScratchFolder()
    var (name, mode): (String?, UInt32?) = (nil, nil)
    try SystemFiles().draft(beside: folder.file("k"), ending: ".xcconfig", []) { _ throws(FileProblem) in
      name = folder.names().first
      mode = name.flatMap { folder.mode($0) }
    }
    #expect(mode == 0o600)
    #expect(name?.hasSuffix(".xcconfig") ?? false)
  }

  @Test("setting a key keeps a link as a link, and writes the file that it names", arguments: ["real/k", "real/new", "chain"])
  func links(target: String) throws {
    let folder = try ScratchFolder()
    try folder.folder("real")
    try folder.write("real/k", "A = 1\n")
    try folder.link("chain", to: folder.file("real/k"))
    try folder.link("link", to: target)
    try KeyFile.set("K", to: Secret("sk"), inFileAt: folder.file("link"))
    #expect(folder.isLink("link") && folder.isLink("chain"))
    #expect(try folder.text("link") == (target == "real/new" ? "K = sk\n" : "A = 1\nK = sk\n"))
    #expect(!folder.isLink("real/k"))
  }

  @Test("a draft that cannot replace the old file is deleted")
  func failedReplacement() throws {
    let folder = try ScratchFolder()
    try folder.folder("k")
    #expect(throws: FileProblem.self) { try SystemFiles().replace(folder.file("k"), with: [0x41]) }
    #expect(folder.names() == ["k"])
  }

  @Test("setting a key ends with an error if the file cannot be written", arguments: ["folder", "loop", "pipe", "file/k"])
  func unwritable(name: String) throws {
    let folder = try ScratchFolder()
    try folder.folder("folder")
    try folder.link("loop", to: "loop")
    try folder.pipe("pipe")
    try folder.write("file", "")
    let error = try #require(throws: SourceError.self) { try KeyFile.set("K", to: Secret("sk"), inFileAt: folder.file(name)) }
    #expect(error.kind == .storage)
    #expect(error.message.contains("cannot write "))
    #expect(folder.names() == ["file", "folder", "loop", "pipe"])
  }

  @Test("concurrent changes of a key file are all kept, and a reader never sees half a file")
  func concurrent() async throws {
    let folder = try ScratchFolder()
    let path = folder.file("k")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          for round in 0..<5 {
            try KeyFile.set("K\(number)", to: Secret("\(number)-\(round)"), inFileAt: path)
            let settings = try Settings.load(
              declared: [Setting("K\(number)", .text, "")], environment: [:], chosen: KeyFile(at: path, namedBy: "--config"),
              workingDirectory: "/")
            #expect(settings.text(Setting("K\(number)", .text, "")) == "\(number)-\(round)")
          }
        }
      }
      try await group.waitForAll()
    }
    let config = try XCConfig(FileContents(Array(folder.text("k").utf8)), at: path, reader: SystemFiles())
    #expect(config.assignments.keys.sorted().sorted() == (0..<8).map { "K\($0)" })
    #expect(folder.names() == ["k"])
  }
}
