import Testing

@testable import Platform

@Suite("A program that is started")
struct ChildProcessTests {
  @Test("a program inherits no descriptor but the three streams, also one that was opened without care")
  func inheritsNothing() throws {
    var ends: [CInt] = [-1, -1]
    #expect(Platform.pipe(&ends) == 0)
    let input = try #require(Pipe())
    // The program runs until its input ends.
    let program = try #require(
      ChildProcess.spawn("/bin/cat", [], [:]) { posix_spawn_file_actions_adddup2(&$0, input.reading, 0) })
    close(ends[1])
    #expect(Descriptor.ready([(ends[0], POLLIN)], within: 20_000) == [true])
    close(input.writing)
    #expect(ChildProcess.wait(for: program) == 0)
    for end in [ends[0], input.reading] { close(end) }
  }
}
