extension Value {
  /// JSON for people and for diffs. It is indented, but a short list or object without others inside stays on one line.
  package var prettyBytes: [UInt8] { pretty(indent: 0) + [UInt8(ascii: "\n")] }

  private static let mostOnOneLine = 120

  private func pretty(indent: Int) -> [UInt8] {
    let (parts, open, close): ([(name: String?, value: Value)], UInt8, UInt8)
    switch self {
    case .list(let values): (parts, open, close) = (values.map { (nil, $0) }, UInt8(ascii: "["), UInt8(ascii: "]"))
    case .object(let members):
      (parts, open, close) = (members.map { ($0.name, $0.value) }, UInt8(ascii: "{"), UInt8(ascii: "}"))
    default: return bytes
    }
    let texts = parts.map {
      ($0.name.map { Value.text($0).bytes + Array(": ".utf8) } ?? []) + $0.value.pretty(indent: indent + 2)
    }
    let isFlat = parts.allSatisfy { $0.value.list?.isEmpty ?? $0.value.members?.isEmpty ?? true }
    if isFlat, texts.reduce(0, { $0 + $1.count + 2 }) <= Self.mostOnOneLine {
      return [open] + texts.joined(separator: ", ".utf8) + [close]
    }
    let newline = { [UInt8(ascii: "\n")] + Array(repeating: UInt8(ascii: " "), count: $0) }
    return [open] + texts.map { newline(indent + 2) + $0 }.joined(separator: ",".utf8) + newline(indent) + [close]
  }
}
