import Platform

/// What a process says while it runs, through a pipe.
final class Piped {
  private(set) var said = ""
  /// -1 where it is closed.
  private(set) var reading: Int32
  private(set) var writing: Int32

  init() throws {
    guard let pipe = Pipe() else { throw Spawned.Failed(reason: "there is no pipe to be had") }
    (reading, writing) = (pipe.reading, pipe.writing)
  }

  deinit {
    closeReading()
    closeWriting()
  }

  /// Leaves the writing end to the processes that have it.
  func closeWriting() { Self.close(&writing) }

  func closeReading() { Self.close(&reading) }

  private static func close(_ end: inout Int32) {
    if end >= 0 { Platform.close(end) }
    end = -1
  }

  /// Reads on until it has said that, or has ended; everything that it has said.
  @discardableResult
  func read(until text: String? = nil) -> String {
    while text.map({ !said.contains($0) }) ?? true, let more = Self.read(reading) { said += more }
    return said
  }

  /// What it says next, however long that takes; nil once it has ended.
  static func read(_ descriptor: Int32) -> String? {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = chunk.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
    return count > 0 ? String(decoding: chunk[..<count], as: UTF8.self) : nil
  }
}
