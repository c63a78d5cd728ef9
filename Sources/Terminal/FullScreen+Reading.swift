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
    let patience = parser.isUndecided ? silence : -1
    guard let ready = Descriptor.ready([(0, POLLIN), (notices, POLLIN)], within: patience) else { return [] }
    if ready == [false, false] { return parser.flush() }
    var events: [TerminalInput] = ready[1] ? read(from: notices).compactMap(Notice.init).map { .notice($0) } : []
    if ready[0] {
      let bytes = read(from: 0)
      events += bytes.isEmpty ? [.ended] : parser.read(bytes)
    }
    return events
  }

  /// What has come; nothing at the end.
  private static func read(from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = bytes.withUnsafeMutableBytes { Descriptor.read(descriptor, into: $0) } ?? 0
    return Array(bytes[..<count])
  }
}
