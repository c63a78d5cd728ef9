import AggregatorCore
import Platform
import ScratchFolders
import Testing

@testable import Store

@Suite("Killing a process") struct CrashTests {
  @Test("a process that a test starts keeps nothing open that another test closes", .timeLimit(.minutes(30)))
  func descriptors() throws {
    let scratch = try ScratchFolder()
    let pipe = try #require(Pipe())
    defer { close(pipe.reading) }
    let probe = try Probe("land", scratch["store.db"])
    _ = probe.read(atLeast: 1)
    close(pipe.writing)
    // The end comes while the process goes on.
    var byte: UInt8 = 0
    #expect(read(pipe.reading, &byte, 1) == 0)
    probe.kill()
    #expect(probe.end().status == SIGKILL)
  }

  @Test("whenever it is killed, the store opens, what it told is there, and no batch is half there")
  func landing() async throws {
    let scratch = try ScratchFolder()
    let random = SeededDice(seed: 7)
    for round in 1...40 {
      let probe = try Probe("land", scratch["store.db"])
      // Killed after some output, at a moment that nobody chooses.
      let text = probe.read(atLeast: 1 + random.index(below: 60))
      probe.kill()
      let rest = probe.end().lines.joined(separator: "\n")
      let told = (text + rest).split(separator: "\n").compactMap { Int($0) }.max() ?? 0
      let store = try Connection(scratch["store.db"])
      let count = try store.number("SELECT count(*) FROM users_record")
      #expect(count >= told && count.isMultiple(of: 50), "round \(round)")
      #expect(try store.number("SELECT records FROM source_info") == count)
      #expect(try store.number("SELECT count(*) FROM users_index WHERE users_index MATCH '\"exa\"'") == count)
      #expect(try store.first("PRAGMA quick_check") { $0.text(0) } == "ok")
    }
  }
}
