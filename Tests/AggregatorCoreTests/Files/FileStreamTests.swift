import AggregatorCore
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("A stream")
struct FileStreamTests {
  @Test("that does not wait by itself is waited for")
  func notReady() throws {
    var ends: [CInt] = [-1, -1]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer { close(reading) }
    _ = fcntl(reading, F_SETFL, O_NONBLOCK)
    Task.detached {
      try SystemFiles.write([7], to: writing)
      close(writing)
    }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 8)
    while case let count = try room.withUnsafeMutableBytes({ try FileStream(descriptor: reading).read(into: $0) }), count > 0 {
      bytes += room[..<count]
    }
    #expect(bytes == [7])
  }
}
