import Platform
import Testing

@Suite("A stream")
struct FileStreamTests {
  @Test("that does not wait by itself is waited for")
  func notReady() async throws {
    let pipe = try #require(Pipe())
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // More than a pipe holds.
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    let writer = Task.detached {
      try SystemFiles.write(bytes, to: pipe.writing)
      close(pipe.writing)
    }
    let read = Result { try FileStream(descriptor: pipe.reading).rest(upTo: bytes.count) }
    // Only then: who writes where nobody reads is ended.
    _ = await writer.result
    close(pipe.reading)
    #expect(try read.get() == bytes)
  }

  @Test("is read no further than its limit, and not before who waits for it says so")
  func limits() throws {
    let pipe = try #require(Pipe())
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    let stream = FileStream(descriptor: pipe.reading)
    try SystemFiles.write([1, 2, 3], to: pipe.writing)
    #expect(throws: FileProblem.self) { try stream.rest(upTo: 2) }
    #expect(throws: FileProblem.missing) { try stream.rest(upTo: 2) { () throws(FileProblem) in throw .missing } }
  }

  @Test("writing ends where nothing is taken in time, where it is told to, and where it cannot be done")
  func unwritten() throws {
    let pipe = try #require(Pipe())
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    func write(_ file: CInt, within patience: CInt = -1, room: (Int) -> Int = { $0 }) -> CInt? {
      bytes.withUnsafeBytes { Descriptor.write($0, to: file, within: patience, room: room) }
    }
    #expect(write(pipe.writing) { _ in 0 } == EINTR)
    #expect(Descriptor.ready([(pipe.reading, POLLIN), (pipe.writing, POLLOUT)], within: 0) == [false, true])
    #expect(write(pipe.writing, within: 0) { _ in 4096 } == EINTR)
    #expect(Descriptor.ready([(pipe.reading, POLLIN), (pipe.writing, POLLOUT)], within: 0) == [true, false])
    #expect(write(pipe.reading) == EBADF)
    #expect(write(-1) == EBADF)
    #expect(fcntl(pipe.reading, F_GETFD) & fcntl(pipe.writing, F_GETFD) & FD_CLOEXEC != 0)
  }
}
