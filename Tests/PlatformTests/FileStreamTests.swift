import ScratchFolders
import Testing

@testable import Platform

@Suite("A stream")
struct FileStreamTests {
  @Test("a stream is waited for even if its descriptor does not block")
  func notReady() async throws {
    let pipe = try #require(Pipe())
    for end in [pipe.reading, pipe.writing] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    // More bytes than a pipe holds.
    let bytes = [UInt8](repeating: 7, count: 1 << 20)
    // Both block a thread until the other one runs, so neither takes one of the pool.
    let writer = Task {
      await withCheckedContinuation { continuation in
        SystemThread.start {
          continuation.resume(returning: try? SystemFiles.write(bytes, to: pipe.writing))
          close(pipe.writing)
        }
      }
    }
    let read = await withCheckedContinuation { continuation in
      SystemThread.start { continuation.resume(returning: Result { try FileStream(descriptor: pipe.reading).rest(upTo: bytes.count) }) }
    }
    // The pipe is closed only now, because a writer without a reader would be ended.
    _ = await writer.value
    close(pipe.reading)
    #expect(try read.get() == bytes)
  }

  @Test("a stream is read up to its limit, and not before its reader allows it")
  func limits() throws {
    let pipe = try #require(Pipe())
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    let stream = FileStream(descriptor: pipe.reading)
    try SystemFiles.write([1, 2, 3], to: pipe.writing)
    #expect(throws: FileProblem.self) { try stream.rest(upTo: 2) }
    #expect(throws: FileProblem.missing) { try stream.rest(upTo: 2) { () throws(FileProblem) in throw .missing } }
  }

  @Test("writing to a stream ends when nothing is taken in time, when it is told to, and when it is impossible")
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

  @Test("a named pipe is opened before it has a writer, is not ready until bytes come, and ends with its writer")
  func namedPipe() throws {
    let scratch = try ScratchFolder()
    try scratch.pipe("pipe")
    let stream = try FileStream(path: scratch["pipe"])
    #expect(try !stream.isReady(within: .milliseconds(1)))
    let writer = open(scratch["pipe"], O_WRONLY)
    #expect(try !stream.isReady(within: .milliseconds(1)))
    try SystemFiles.write(Array("row".utf8), to: writer)
    close(writer)
    #expect(try stream.rest(upTo: 10) == Array("row".utf8))
    #expect(try stream.isReady(within: .milliseconds(1)))
  }
}

struct SHA256Tests {
  // From the examples of FIPS 180-4, and the lengths at which the padding changes.
  static let vectors = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
    (String(repeating: "a", count: 55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
    (String(repeating: "a", count: 56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
    (String(repeating: "a", count: 63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
    (String(repeating: "a", count: 64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
    (String(repeating: "a", count: 65), "635361c48bb9eab14198e76ea8ab7f1a41685d6ad62aa9146d301d4f17eb0ae0"),
    (String(repeating: "a", count: 119), "31eba51c313a5c08226adf18d4a359cfdfd8d2e816b13f4af952f7ea6584dcfb"),
    (String(repeating: "a", count: 120), "2f3d335432c70b580af0e8e1b3674a7c020d683aa5f73aaaedfdc55af904c21c"),
    (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ]

  @Test("SHA-256 digests are the published ones", arguments: vectors)
  func published(text: String, digest: String) { #expect(SHA256.hex(text) == digest) }
}
