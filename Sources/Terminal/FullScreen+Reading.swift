import AggregatorCore
import Platform

// What comes from the terminal while one program has it.
extension FullScreen {
  /// An escape that nothing follows for so long was the key by itself.
  private static let silence: Int32 = 25

  /// Reads on a thread of its own and hands over what comes, some events at a time; false where no thread can be started.
  package static func read(_ take: @escaping @Sendable ([TerminalInput]) -> Void) -> Bool {
    SystemThread.start {
      var parser = KeyParser()
      while true {
        let events = next(&parser)
        if !events.isEmpty { take(events) }
        if events.last == .ended { return }
      }
    }
  }

  private static func next(_ parser: inout KeyParser) -> [TerminalInput] {
    var waiting = [
      pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: notices, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&waiting, 2, parser.isUndecided ? silence : -1)
    if count < 0 { return errno == EINTR ? [] : [.ended] }
    if count == 0 { return parser.flush() }
    var events: [TerminalInput] = []
    if waiting[1].revents != 0 {
      let bytes = read(from: notices) ?? []
      events += bytes.compactMap(Notice.init).map { .notice($0) }
    }
    if waiting[0].revents != 0 {
      guard let bytes = read(from: 0) else { return events + [.ended] }
      events += parser.read(bytes)
    }
    return events
  }

  /// What has come; nil at the end.
  private static func read(from descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = systemRead(descriptor, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }
}

private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
