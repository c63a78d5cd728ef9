import Platform

/// What a process says while it runs.
enum Piped {
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
