import Platform

/// What a process says while it runs, through a pipe.
final class Piped {
  private(set) var said = ""
  private var ends: [Int32] = [-1, -1]
  /// -1 where it is closed.
  var reading: Int32 { ends[0] }
  var writing: Int32 { ends[1] }

  init() throws {
    guard pipe(&ends) == 0 else { throw Spawned.Failed(reason: "there is no pipe to be had") }
  }

  deinit { for end in ends where end >= 0 { close(end) } }

  /// Leaves the writing end to the processes that have it.
  func closeWriting() { closeEnd(1) }

  func closeReading() { closeEnd(0) }

  private func closeEnd(_ index: Int) {
    if ends[index] >= 0 { close(ends[index]) }
    ends[index] = -1
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
    var count = systemRead(descriptor, &chunk)
    while count < 0, errno == EINTR { count = systemRead(descriptor, &chunk) }
    return count > 0 ? String(decoding: chunk[..<count], as: UTF8.self) : nil
  }
}

/// Outside the type, whose own `read` would hide it.
private func systemRead(_ descriptor: Int32, _ bytes: inout [UInt8]) -> Int { read(descriptor, &bytes, bytes.count) }
