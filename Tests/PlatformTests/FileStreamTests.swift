import Platform
import Testing

@Suite("A stream")
struct FileStreamTests {
  @Test("that does not wait by itself is waited for")
  func notReady() async throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    let writer = Task.detached {
      try SystemFiles.write([7], to: writing)
      close(writing)
    }
    let bytes = Result { try Self.all(of: FileStream(descriptor: reading)) }
    // Only then: who writes where nobody reads is ended.
    _ = await writer.result
    close(reading)
    #expect(try bytes.get() == [7])
  }

  private static func all(of stream: FileStream) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 8)
    while case let count = try room.withUnsafeMutableBytes({ try stream.read(into: $0) }), count > 0 { bytes += room[..<count] }
    return bytes
  }
}
